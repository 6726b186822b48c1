"""Divergences between Gaussians, as formulas over ``Ops[T]``.

Throughout, ``P = N(mu, 1)`` and ``Q = N(0, 1)``: a Gaussian mechanism with l2 sensitivity Delta and standard deviation
sigma has ``mu = Delta / sigma``, and k of them compose exactly to ``mu = sqrt(sum mu_i^2)`` because isotropic Gaussians
depend on the query difference through its length only.

References:
    Balle and Wang, "Improving the Gaussian mechanism for differential privacy", 2018, Theorem 8.
    Dong, Roth and Su, "Gaussian differential privacy", 2022, Corollary 2.13.
    Gil, Alajaji and Linder, "Renyi divergence measures", 2013, Table 2.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def normal_cdf(o: Ops[T], x: T) -> T:
    r"""$\Phi(x) = \frac12 \mathrm{erfc}(-x/\sqrt2)$, accurate in the lower tail."""
    return o.erfc(-x / o.sqrt(o.number(2))) / 2


def gaussian_renyi(o: Ops[T], alpha: T, mu: T) -> T:
    r"""$D_\alpha(N(\mu,1) \| N(0,1)) = \alpha\mu^2/2$, for every order $\alpha > 1$."""
    return alpha * mu * mu / 2


def regular_gaussian_renyi(o: Ops[T], alpha: T, mu: T, kappa: T) -> T:
    r"""$D_\alpha \le \alpha\kappa\mu^2/2$ for noise $\propto e^{-\|z\|_+^2/2}$ moved by at most mu in the norm.

    $\|\cdot\|_+$ is associated with a kappa-regular norm; only its smoothness is used (PO-9 of the
    private-online-frank-wolfe paper): the log-ratio is at most $-W+\kappa_+N(h)/2$ with W sub-Gaussian.
    """
    return alpha * kappa * mu * mu / 2


def regular_gaussian_mu_squared(o: Ops[T], noise_multiplier: T, kappa: T) -> T:
    r"""$\mu^2 = \kappa/z^2$: noise $\propto e^{-\|x\|_+^2/(2\sigma^2)}$, $\sigma = zs$, is $\mu$-Gaussian-DP.

    On every line in the direction of the shift the density's potential is convex, and its slope grows at most as fast
    as that of the Gaussian of parameter mu, whose isoperimetric profile is therefore nowhere below (obligation
    ``private-online-frank-wolfe/gaussian-dp``).  Attained where $\|\cdot\|_+$ is Euclidean.

    >>> from dpref.reals import FLOAT
    >>> regular_gaussian_mu_squared(FLOAT, noise_multiplier=4.0, kappa=2.0)
    0.125
    """
    return kappa / (noise_multiplier * noise_multiplier)


def gaussian_zcdp(o: Ops[T], mu: T) -> T:
    r"""$\rho = \mu^2/2$: the smallest rho for which the Gaussian mechanism is rho-zCDP."""
    return mu * mu / 2


def gaussian_delta(o: Ops[T], epsilon: T, mu: T) -> T:
    r"""$\delta(\varepsilon) = \Phi(\mu/2-\varepsilon/\mu) - e^\varepsilon \Phi(-\mu/2-\varepsilon/\mu)$.

    The hockey-stick divergence of order $e^\varepsilon$ between $N(\mu,1)$ and $N(0,1)$; decreasing in epsilon and
    increasing in mu (obligations ``gaussian/delta-decreasing`` and ``gaussian/delta-increasing``).

    >>> from dpref.reals import FLOAT
    >>> round(gaussian_delta(FLOAT, 1.0, 0.5), 9)
    0.006829595
    """
    return normal_cdf(o, mu / 2 - epsilon / mu) - o.exp(epsilon) * normal_cdf(o, -mu / 2 - epsilon / mu)


def gaussian_delta_slope(o: Ops[T], epsilon: T, mu: T) -> T:
    r"""$\partial\delta/\partial\varepsilon = -e^\varepsilon \Phi(-\mu/2-\varepsilon/\mu)$, which is negative."""
    return -o.exp(epsilon) * normal_cdf(o, -mu / 2 - epsilon / mu)


def gaussian_delta_mu_slope(o: Ops[T], epsilon: T, mu: T) -> T:
    r"""$\partial\delta/\partial\mu = \varphi(\mu/2-\varepsilon/\mu)$, which is positive.

    Because $\varphi(\mu/2-\varepsilon/\mu) = e^\varepsilon\varphi(-\mu/2-\varepsilon/\mu)$, the terms in
    $\varepsilon/\mu^2$ cancel and the two halves add up.
    """
    x = mu / 2 - epsilon / mu
    return o.exp(-(x * x) / 2) / o.sqrt(2 * o.pi())
