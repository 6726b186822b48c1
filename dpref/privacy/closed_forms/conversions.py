r"""Conversions between notions of privacy, as formulas over ``Ops[T]``.

``log_inverse_delta`` is $L = \ln(1/\delta)$.  Every function that takes an order $\alpha > 1$ gives a valid bound for
*each* order, so the search for the best order may be sloppy and only the last evaluation is certified.

References:
    Bun and Steinke, "Concentrated differential privacy", 2016, Proposition 1.3.
    Mironov, "Renyi differential privacy", 2017, Proposition 3.
    Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy", 2020, Proposition 12.
    Dwork and Roth, "The algorithmic foundations of differential privacy", 2014, Theorem A.1.
    Cesar and Rogers, "Bounding, concentrating, and truncating", 2021.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def renyi_epsilon(o: Ops[T], divergence: T, alpha: T, log_inverse_delta: T) -> T:
    r"""$\varepsilon = D_\alpha + L/(\alpha-1)$ (Mironov 2017, Proposition 3)."""
    return divergence + log_inverse_delta / (alpha - 1)


def renyi_epsilon_optimised(o: Ops[T], divergence: T, alpha: T, log_inverse_delta: T) -> T:
    r"""$\varepsilon = D_\alpha + \frac{L - \ln\alpha}{\alpha-1} + \ln(1-1/\alpha)$ (Canonne-Kamath-Steinke 2020)."""
    return divergence + (log_inverse_delta - o.log(alpha)) / (alpha - 1) + o.log(1 - 1 / alpha)


def renyi_delta(o: Ops[T], divergence: T, alpha: T, epsilon: T) -> T:
    r"""$\delta = e^{(\alpha-1)(D_\alpha-\varepsilon)}$: `renyi_epsilon` solved for delta (Mironov 2017)."""
    return o.exp((alpha - 1) * (divergence - epsilon))


def renyi_delta_optimised(o: Ops[T], divergence: T, alpha: T, epsilon: T) -> T:
    r"""$\delta = \frac{e^{(\alpha-1)(D_\alpha-\varepsilon)}}{\alpha-1}(1-1/\alpha)^\alpha$ (Canonne-Kamath-Steinke)."""
    return o.exp((alpha - 1) * (divergence - epsilon) + alpha * o.log(1 - 1 / alpha)) / (alpha - 1)


def zcdp_renyi(o: Ops[T], rho: T, alpha: T) -> T:
    r"""$D_\alpha \le \rho\alpha$: what rho-zCDP says at order alpha (Bun-Steinke 2016, Definition 1.1)."""
    return rho * alpha


def zcdp_epsilon(o: Ops[T], rho: T, log_inverse_delta: T) -> T:
    r"""$\varepsilon = \rho + 2\sqrt{\rho L}$ (Bun-Steinke 2016, Proposition 1.3).

    >>> from dpref.reals import FLOAT
    >>> zcdp_epsilon(FLOAT, 0.5, 8.0)
    4.5
    """
    return rho + 2 * o.sqrt(rho * log_inverse_delta)


def zcdp_rho(o: Ops[T], epsilon: T, log_inverse_delta: T) -> T:
    r"""$\rho = (\sqrt{\varepsilon+L}-\sqrt L)^2$: the largest rho that `zcdp_epsilon` turns into epsilon.

    Written as $\varepsilon^2/(\sqrt{\varepsilon+L}+\sqrt L)^2$, which does not cancel.
    """
    root = epsilon / (o.sqrt(epsilon + log_inverse_delta) + o.sqrt(log_inverse_delta))
    return root * root


def zcdp_delta(o: Ops[T], rho: T, epsilon: T) -> T:
    r"""$\delta = e^{-(\varepsilon-\rho)^2/(4\rho)}$, for $\varepsilon \ge \rho$: `zcdp_epsilon` solved for delta."""
    gap = epsilon - rho
    return o.exp(-(gap * gap) / (4 * rho))


def zcdp_rho_optimised(o: Ops[T], epsilon: T, alpha: T, log_inverse_delta: T) -> T:
    r"""$\rho = \frac1\alpha\left(\varepsilon - \frac{L-\ln\alpha}{\alpha-1} - \ln(1-1/\alpha)\right)$.

    `renyi_epsilon_optimised` with $D_\alpha = \rho\alpha$, solved for rho: valid for every order.
    """
    return (epsilon - (log_inverse_delta - o.log(alpha)) / (alpha - 1) - o.log(1 - 1 / alpha)) / alpha


def pure_zcdp(o: Ops[T], epsilon: T) -> T:
    r"""$\rho = \varepsilon^2/2$: what epsilon-DP implies (Bun-Steinke 2016, Proposition 1.4)."""
    return epsilon * epsilon / 2


def bounded_range_zcdp(o: Ops[T], epsilon: T) -> T:
    r"""$\rho = \varepsilon^2/8$: what epsilon-bounded range implies (Cesar and Rogers 2021, by Hoeffding's lemma).

    Bounded range: on any two outcomes the log-ratios of neighbours' probabilities differ by at most epsilon, as for the
    exponential mechanism.  It is lost by mixtures (a hidden choice between mechanisms, a random batch): each part keeps
    its ratios in an interval of its own, and the intervals need not coincide, so two mechanisms of range
    $\ln 4$ can mix to one of range $\ln 9$.  Their zCDP survives, since Rényi divergences are quasi-convex.
    """
    return epsilon * epsilon / 8


def classical_gaussian_multiplier(o: Ops[T], epsilon: T, log_inverse_delta: T) -> T:
    r"""$\sigma/\Delta_2 = \sqrt{2\ln(1.25/\delta)}/\varepsilon$; an $(\varepsilon,\delta)$ guarantee for epsilon <= 1.

    Dwork and Roth 2014, Theorem A.1; the restriction on epsilon is part of the theorem.
    """
    return o.sqrt(2 * (log_inverse_delta + o.log(o.number(5) / 4))) / epsilon
