"""Theorems 3 and 4 of Menart, Ullah, Arora, Bassily and Guzman: phases and tails of the adaptive method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.adaptive_gradient_descent import formulas as adaptive
from dpref.terms import TERM
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.kl_condition import erratum, obligation
from proofs.papers.kl_condition.growth import power
from proofs.papers.kl_condition.spider import BOUND, RHO, ROOT, cost
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import nonnegative, numbers, positive
from proofs.topics.zcdp import log_below_line

D, E, G, H, J, L, M, N, P, S, V, W, X, Y, Z = sp.symbols("d e g h j L m n p s v w x y z")
GAMMA, KAPPA, THETA, BETA = sp.symbols("gamma kappa theta beta")
ONE, TWO = sp.S.One, sp.Integer(2)
_A: Final = "adaptive-gradient-descent"
_J: Final = numbers("j", lo=2, hi=3, ends="[]")  # 4 - kappa


# ------------------------------------------------------------------------------------ Theorem 4


@obligation("PO-24", item="Theorem 4")
def po_24() -> Sequence[Goal]:
    r"""Budget of the phases.

    $\Phi^{(\kappa-2)/\kappa}\Phi^{-2/\kappa}=\Phi^{(\kappa-4)/\kappa}$, and $\frac
    M{n^2}\Phi^{(\kappa-4)/\kappa}\ge\rho$ gives $\Phi\le\big(\frac{\sqrt M}{n\sqrt\rho}\big)^{2\kappa/(4-\kappa)}$:
    at a larger $\Phi$, by a factor $e^s$, the left side is less than $\rho$ (on logarithms; $\kappa=4-j$).
    """
    edge = (4 - J) / J * (sp.log(M) - 2 * sp.log(N) - sp.log(RHO))  # log Phi
    gap = sp.log(RHO) - (sp.log(M) - 2 * sp.log(N) - J / (4 - J) * (edge + S))

    def prove(c: Claim) -> k.Fact:
        return k.combine(c.expr, ">", ((ONE, k.sign(J / (4 - J) * S, ">", c.domain)),), c.domain)

    product = power(X, (KAPPA - 2) / KAPPA) * power(X, -2 / KAPPA)
    return [
        equal(product, power(X, (KAPPA - 4) / KAPPA), positive("x", "kappa"), "the exponents"),
        goal(gap, ">", positive("m", "n", "r", "s") + _J, prove, "a larger target spends less than rho"),
    ]


@obligation("PO-25", item="Theorem 4")
def po_25() -> Sequence[Goal]:
    r"""Number of the phases.

    $p\Phi^{(\kappa-2)/\kappa}\ge\frac m2$ and $\kappa=2-j<2$ give $\Phi\le\big(\frac{2p}m\big)^{\kappa/(2-\kappa)}$:
    at a larger $\Phi$, by a factor $e^s$, the left side is less (on logarithms).
    """
    edge = (2 - J) / J * (sp.log(TWO) + sp.log(P) - sp.log(M))
    gap = sp.log(M / 2) - (sp.log(P) - J / (2 - J) * (edge + S))

    def prove(c: Claim) -> k.Fact:
        return k.combine(c.expr, ">", ((ONE, k.sign(J / (2 - J) * S, ">", c.domain)),), c.domain)

    return [goal(gap, ">", positive("m", "p", "s") + numbers("j", lo=0, hi=1, ends="(]"), prove)]


@erratum("E25", item="Lemma 12", repaired_by="PO-23")
def e_25() -> Sequence[Goal]:
    r"""The threshold that a gradient has to exceed.

    Step (11) in the proof of Lemma 12 needs $\|\nabla F\|^2\ge\nu^2$. Equation (10) provides $\frac{\nu^2}{L_1}$, which
    is enough for $L_1\le1$ only. Lemma 13 has $\min\{L_1,1\}$. The repaired form asks for $2\nu^2$, whatever $L_1$ is.
    """
    return [refutation(V / L - V, ">=", positive("v", "L"), v=1, L=2)]


@erratum("E26", numbers=True, item="Lemma 13", repaired_by="PO-23")
def e_26() -> Sequence[Goal]:
    r"""The contraction of a phase, as printed.

    Appendix D.3 has $c=1+\frac1{8\gamma^2L_1}$, and the proof of Lemma 13 has $1-\frac1{2c\gamma^2L_1}=\frac1c$. The
    equation is true only for $c=1+\frac1{2\gamma^2L_1}$. The example has $\gamma^2L_1=1$. The proof shows at most
    $\frac18$ where the factor $\frac12$ stands.
    """
    c = 1 + 1 / (8 * H)
    return [refutation(1 - 1 / (2 * c * H) - 1 / c, "==", positive("h"), h=1)]


@erratum(
    "E27",
    numbers=True,
    item="Theorem 4, proof D.3",
    repaired_by="E27-repaired",
)
def e_27() -> Sequence[Goal]:
    r"""The step between the gradient's norm and the noisy one.

    As printed, $N_t\ge\|\nabla F\|-\nu$ gives $N_t^{-2}\le\big(\|\nabla F\|^2-\frac{\nu^2}{4L_1}\big)^{-1}$. At
    $\|\nabla F\|=1$, $\nu=\frac12$, $L_1=1$ and the least $N_t$ it does not.
    """
    slack = (G - V) ** 2 - (G**2 - V**2 / (4 * L))
    return [refutation(slack, ">=", positive("g", "v", "L"), g=1, v="1/2", L=1)]


@obligation("E27-repaired", item="Theorem 4 (errata, E27)")
def e_27_repaired() -> Sequence[Goal]:
    r"""The step between the gradient's norm and the noisy one, repaired.

    $N_t\ge\|\nabla F\|-\nu$ and $\|\nabla F\|\ge2\nu$ give $N_t^{-2}\le4\|\nabla F\|^{-2}$.
    """
    noisy = (2 * V + W) - V + S
    return [goal(4 / (2 * V + W) ** 2 - 1 / noisy**2, ">=", positive("v") + nonnegative("w", "s"))]


@erratum("E40", item="abstract, Theorem 4", repaired_by="PO-48")
def e_40() -> Sequence[Goal]:
    r"""Nearly optimal at kappa = 2.

    The abstract says that the adaptive rate nearly matches the optimal one at $\kappa=2$, and names no condition on d.
    For this the first term of Theorem 4, $\frac d{m^2}$ with $m=n\sqrt\rho$, would have to be no smaller than the
    second, $\frac1m$. At $d=10$ and $m=10^4$ it is a thousandth of it.
    """
    return [refutation(D / M**2 - 1 / M, ">=", positive("d", "m"), d=10, m=10_000)]


# ------------------------------------------------------------------------------------ Lemmas 5, 10, 12


@obligation("PO-50", item="Lemma 5 (errata, E28)")
def po_50() -> Sequence[Goal]:
    r"""A step does not rise on its way.

    For $\|e\|\le\|g\|$ and $l\in[0,1]$ ($L_1=1$): $\frac l2(\|g\|^2+\langle g,e\rangle)-\frac{l^2}8(\|g\|^2+2\langle
    g,e\rangle+\|e\|^2)\ge0$; here $\|e\|=\theta\|g\|$, $\langle g,e\rangle=(w-\theta)\|g\|^2$.
    """
    length = sp.Symbol("l")
    inner = W - THETA
    gain = length / 2 * (1 + inner) - length**2 / 8 * (1 + 2 * inner + THETA**2)
    parts = length / 2 * (1 - THETA) * (1 - length / 4 * (1 - THETA)) + W * (length / 2 - length**2 / 4)
    sides = numbers("l", "theta", lo=0, hi=1, ends="[]") + nonnegative("w")
    return [
        goal(gain - parts, "==", sides, note="over |g|^2"),
        goal(parts, ">=", sides, note="both parts are not negative"),
    ]


@erratum(
    "E28",
    numbers=True,
    item="Section 5, level alpha; Lemma 5",
    repaired_by="E28-repaired",
)
def e_28() -> Sequence[Goal]:
    r"""The level of the valley.

    Section 5 has $F-F^*\le(\gamma\nu^2)^{\kappa/2}$ where $\|\nabla F\|\le\nu$. The KL condition gives
    $\gamma^\kappa\nu^\kappa$, which is more for $\gamma>1$. A move within the ball of radius $\frac{2\nu}{L_1}$ changes
    F by up to $\frac{2L_0\nu}{L_1}$. Section 5 has $2L_0\nu$, which is less for $L_1<1$.
    """
    level = power(GAMMA * V**2, KAPPA / 2) - power(GAMMA * V, KAPPA)
    return [
        refutation(level, ">=", positive("gamma", "v", "kappa"), gamma=4, v="1/2", kappa=2, note="the level"),
        refutation(
            2 * BOUND * V - 2 * BOUND * V / L, ">=", positive("G", "v", "L"), G=1, v=1, L="1/2", note="the move"
        ),
    ]


@obligation("E28-repaired", item="Section 5, level alpha; Lemma 5 (errata, E28)", premises=("PO-50",))
def e_28_repaired() -> Sequence[Goal]:
    r"""The level of the valley, repaired.

    Where $\|\nabla F\|\le\nu$ the KL condition gives $F-F^*\le\gamma^\kappa\nu^\kappa$. A step of length at most
    $\frac{2\nu}{L_1}$ raises F by at most $\frac{2L_0\nu}{L_1}$. The level
    $F^*+\gamma^\kappa\nu^\kappa+\frac{2L_0\nu}{L_1}$ is therefore not exceeded by a step from such a point.
    """
    risk = power(GAMMA * V * sp.exp(-S), KAPPA)  # the gradient is shorter than v by the factor exp(-s)
    length = THETA * 2 * V / L
    domain = positive("gamma", "v", "kappa") + nonnegative("s")
    return [
        goal(power(GAMMA * V, KAPPA) - risk, ">=", domain, note="the risk at the point"),
        goal(
            2 * BOUND * V / L - BOUND * length, ">=",
            positive("G", "v", "L") + numbers("theta", lo=0, hi=1, ends="[]"), note="the step",
        ),
    ]  # fmt: skip


@obligation(
    "PO-52",
    item="Algorithm 3 (errata, 3.3s)",
    about=(f"{_A}.noise_radius", f"{_A}.norm_error"),
    premises=("PO-2",),
    not_proved="Chernoff's bound itself, from the moments of a chi-square variable.",
)
def po_52() -> Sequence[Goal]:
    r"""Tails of the noise.

    $P(\|\sigma Z\|>\sigma(\sqrt d+\sqrt{2x}))\le e^{-x}$: with $\sqrt u=1+y$, $y=\sqrt{2x/d}$, Chernoff's exponent
    $\frac d2(u-1-\ln u)$ is at least $x=\frac{dy^2}2$, because $\ln(1+y)\le y$. $P(|\sigma Z_1|>\sigma\sqrt{2x})=
    \mathrm{erfc}(\sqrt x)\le e^{-x}$ (PO-2). With $x=\ln\frac m\beta$ and $\ln\frac{2m}\beta$ these are the library's
    radii.
    """
    exponent = D / 2 * ((1 + Y) ** 2 - 1 - 2 * sp.log(1 + Y)) - D / 2 * Y**2

    def prove(c: Claim) -> k.Fact:
        line = k.instantiate(log_below_line(), ((X, 1 + Y),), c.domain)
        return k.combine(c.expr, ">=", ((D, line),), c.domain)

    radius = adaptive.noise_radius(TERM, D, BETA * sp.exp(X), BETA)
    error = adaptive.norm_error(TERM, Z, BETA * sp.exp(X) / 2, BETA)
    domain = positive("d", "beta", "x", "z")
    return [
        goal(exponent, ">=", positive("d") + nonnegative("y"), prove),
        goal(radius - sp.sqrt(D) - sp.sqrt(2 * X), "==", domain, note="the radius of a gradient's noise"),
        goal(error - Z * sp.sqrt(2 * X), "==", domain, note="and of a norm's"),
    ]


@erratum(
    "E23",
    numbers=True,
    item="Lemma 10, proof D.1",
    about=(f"{_A}.norm_error",),
    repaired_by="PO-52",
)
def e_23() -> Sequence[Goal]:
    r"""The tail of the noisy norm.

    As the proof has it, $|\hat b_t|\le\hat\sigma\sqrt{\log(n\sqrt\rho/\beta)}$ in all of up to $n\sqrt\rho$ rounds with
    probability $1-\beta$, so that a round fails with at most $\frac\beta{n\sqrt\rho}$. With $x=\frac{n\sqrt\rho}\beta$
    that is $\mathrm{erfc}\sqrt{\frac{\log x}2}\le\frac1x$: at $x=2\cdot10^5$ the left side is $4.8\cdot10^{-4}$. A
    factor 2 under the root is missing.
    """
    printed = adaptive.norm_error(TERM, ONE, X / 2, ONE) / sp.sqrt(TWO)  # in units of the noise
    return [refutation(1 / X - sp.erfc(printed / sp.sqrt(TWO)), ">=", numbers("x", lo=2), x=200_000)]


@erratum(
    "E24",
    item="Lemmas 10 and 11",
    about=(f"{_A}.printed_floor",),
    repaired_by="PO-52",
)
def e_24() -> Sequence[Goal]:
    r"""The error at the least noise.

    As printed, where $\sigma_t=\frac{2L_0}{n\sqrt\rho}$ the gradient's error is at most
    $\frac{L_0\sqrt{d\log(n\sqrt\rho/\beta)}}{n\sqrt\rho}$: that is half of $\sigma_t\sqrt{d\log(\cdot)}$, what the same
    proof has for all other noises. (That such a round ends the loop is E5.)
    """
    printed = BOUND * Z / (N * ROOT**2)
    slack = printed - adaptive.printed_floor(TERM, BOUND, N, RHO) * Z
    return [refutation(slack, ">=", positive("G", "n", "r", "z"), G=1, n=10, r=1, z=2)]


@erratum(
    "E6",
    item="Theorem 3, proof D.2",
    about=(f"{_A}.printed_norm_noise", f"{_A}.gaussian_cost"),
    repaired_by="PO-46",
)
def e_6() -> Sequence[Goal]:
    r"""The privacy loss when the loop ends.

    Appendix D.2 says that the rounds before the last cost what was recorded, at most $\frac\rho2$, and that the last
    one costs $\frac\rho2$. If a record is replaced, a recorded $\frac\rho2$ can cost $\rho$. The norm of the last
    round, on which the number of iterates depends, costs $\frac{2\sqrt\rho}n$ besides. The claim
    ``theorem-3@as-printed-clamped,replace-one`` has an instance whose norms and gradients cost more than $\rho$ on
    average, by a thousandth; the norms are not released.
    """
    norm = cost(2 * BOUND / N, adaptive.printed_norm_noise(TERM, BOUND, N, RHO))
    return [refutation(RHO - (2 * (RHO / 2) + norm), ">=", positive("G", "n", "r"), G=1, n=100, r=1)]
