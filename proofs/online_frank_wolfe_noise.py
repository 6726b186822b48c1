"""Generalised Gaussian noise on a regular norm: what an answer spends, in Rényi divergence and as Gaussian DP."""

# ruff: noqa: D103 - the statement of an obligation is its documentation

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.online import calibration
from dpref.privacy import divergences
from dpref.reals import TERM
from proofs import kernel as k
from proofs.algebra import slope
from proofs.online_frank_wolfe import ALPHA, DEEP, KAPPA, PAPER, RHO, SIGMA, S, ours
from proofs.registry import Goal, cited, goal
from proofs.search import nonnegative, numbers, positive

_RENYI = "dpref.privacy.divergences.regular_gaussian_renyi"
_ZCDP = "dpref.algorithms.online.calibration.zcdp_variance"


@ours(
    f"{PAPER}/PO-9",
    item="Lemma 2.1",
    title="Generalised Gaussian noise on a regular norm is zCDP",
    statement=r"$N=\|\cdot\|_+^2$ with $N(x+y)\le N(x)+\langle N'(x),y\rangle+\kappa_+N(y)$ and density "
    r"$\propto e^{-N/(2\sigma^2)}$: with $a_0=\kappa_+\frac{N(h)}{2\sigma^2}\le\frac{\kappa s^2}{2\sigma^2}$ the "
    r"log-ratio "
    r"is at most $-W+a_0$, $E e^{\lambda W}\le e^{\lambda^2a_0}$, and $D_\alpha\le\frac{(\alpha-1)^2a_0+(\alpha-1)a_0}"
    r"{\alpha-1}=\alpha a_0$. Hence k nodes with $\sigma^2=\frac{k\kappa s^2}{2\rho}$ are $\rho$-zCDP.",
    about=(_RENYI, _ZCDP),
    premises=(f"{PAPER}/PO-5", "zcdp/rho-of-epsilon"),
)
def po_9() -> Sequence[Goal]:
    plus, size, slack, a0 = sp.symbols("p h w q")  # kappa_+, N(h), kappa / kappa_+ s^2 - N(h), a_0
    bound = divergences.regular_gaussian_renyi(TERM, ALPHA, S / SIGMA, KAPPA)
    regular = plus * (size + slack) / (2 * SIGMA**2)  # kappa s^2 / (2 sigma^2) with s^2 = kappa_+ (h + w) / kappa
    variance = calibration.zcdp_variance(TERM, DEEP, KAPPA, S, RHO)
    order = numbers("alpha", lo=1)
    return [
        goal(
            ((ALPHA - 1) ** 2 * a0 + (ALPHA - 1) * a0) / (ALPHA - 1) - ALPHA * a0, "==", order + nonnegative("q"),
            note="the exponent",
        ),
        goal(regular - plus * size / (2 * SIGMA**2), ">=", positive("p", "sigma") + nonnegative("h", "w")),
        goal(
            bound - ALPHA * KAPPA * S**2 / (2 * SIGMA**2), "==", order + positive("S", "sigma", "kappa"),
            note="the library's bound",
        ),
        goal(
            DEEP * KAPPA * S**2 / (2 * variance) - RHO, "==", positive("k", "kappa", "S", "rho"),
            note="k nodes at that variance",
        ),
        cited("squared l_r norms are (r-1)-smooth for r >= 2", "juditsky2008large"),
        cited("the density integrates to one after a shift, so that E exp(lambda W) is bounded", "han2022online"),
    ]  # fmt: skip


@ours(
    f"{PAPER}/gaussian-dp",
    item="Lemma 2.1",
    title="Generalised Gaussian noise on a regular norm is Gaussian-DP",
    statement=r"Not in the paper, and sharper than PO-9: with the same noise, a sensitivity s and $\sigma=zs$, "
    r"an answer is $\mu$-Gaussian-DP with $\mu^2=\kappa/z^2$. "
    r"On a line $t\mapsto z+th$ let $\varphi(t)=N(z+th)/(2\sigma^2)$. "
    r"Smoothness at both ends of $[t,t+u]$ gives $\varphi'(t+u)-\varphi'(t)\le cu$ with $c=\kappa_+N(h)/\sigma^2"
    r"\le\mu^2$. $\varphi$ is convex, so half-lines are the best tests for a shift, and with the density p and the "
    r"distribution function F on the line the profile $I(v)=p(F^{-1}(v))$ has $I'=-\varphi'(F^{-1})$. The Gaussian "
    r"one, $J(v)=\mu\,n(\Phi^{-1}(v))$, solves $J''=-\mu^2/J$. Both vanish at 0 and 1; where $I-J$ were largest and "
    r"positive, $I'-J'$ would grow, as $\mu^2/J>\mu^2/I$: hence $I\le J$, and "
    r"$\frac{d}{da}\Phi^{-1}(F(a))=I/n(\Phi^{-1}(F(a)))\le\mu$: a shift by h moves $\Phi^{-1}$ of the error by at most "
    r"$\mu$.",
    about=("dpref.privacy.divergences.regular_gaussian_mu_squared",),
    not_proved="That the law conditional on a line may be compared line by line: the line itself has the same law "
    "before and after the shift, and trade-off functions are convex (measure theory). Tests compare the curve with "
    "quadrature in the plane, and the lemma on a line with random log-concave densities.",
)
def gaussian_dp() -> Sequence[Goal]:
    x, u, c, slope_0, first, second, mu, profile, gap, z = sp.symbols("x u c p r w mu J h z")
    plus, size, slack = sp.symbols("k_p H q")  # kappa_+, N(h), kappa / kappa_+ s^2 - N(h)
    start = sp.Symbol("v")  # phi(t)
    end = start + u * slope_0 + c * u**2 / 2 - first  # phi(t + u), from the inequality at t
    slope_1 = (end + c * u**2 / 2 - second - start) / u  # phi'(t + u), from the inequality at t + u
    bell = sp.exp(-(x**2) / 2)
    mu_squared = divergences.regular_gaussian_mu_squared(TERM, z, KAPPA)
    both = nonnegative("r", "w") + positive("u", "c") + numbers("p", "v")
    regular = plus * (size + slack) / SIGMA**2  # kappa s^2 / sigma^2 with s^2 = kappa_+ (H + q) / kappa
    return [
        goal(c * u - (slope_1 - slope_0), ">=", both, note="the slope of the potential"),
        goal(regular - plus * size / SIGMA**2, ">=", positive("k_p", "sigma") + nonnegative("H", "q")),
        goal(
            divergences.regular_gaussian_mu_squared(TERM, SIGMA / S, KAPPA) - KAPPA * S**2 / SIGMA**2, "==",
            positive("S", "sigma", "kappa"), note="sigma = z s",
        ),
        goal(
            slope(bell, x) + x * bell, "==", numbers("x"),
            lambda claim: k.derivative(bell, x, -x * bell, claim.domain), "J' = -mu x at x, the quantile",
        ),
        goal(
            -mu / bell - -(mu**2) / (mu * bell), "==", numbers("x") + positive("mu"), note="J'' = -mu^2 / J",
        ),
        goal(
            mu**2 / profile - mu**2 / (profile + gap), ">", positive("mu", "J", "h"), note="I = J + h cannot be a peak",
        ),
        goal(
            divergences.gaussian_renyi(TERM, ALPHA, sp.sqrt(mu_squared))
            - divergences.regular_gaussian_renyi(TERM, ALPHA, 1 / z, KAPPA), "==",
            numbers("alpha", lo=1) + positive("z", "kappa"), note="PO-9 follows",
        ),
        cited("squared l_r norms are (r-1)-smooth for r >= 2", "juditsky2008large"),
        cited("for log-concave noise and a shift on the line half-lines are the best tests", "dong2022gaussian"),
    ]  # fmt: skip
