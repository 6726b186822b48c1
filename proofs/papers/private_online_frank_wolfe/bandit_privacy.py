"""Han et al., "On Private Online Convex Optimization": the privacy of DP-HDB, round by round."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.polyhedral_frank_wolfe import formulas
from dpref.mechanisms import exponential
from dpref.terms import TERM
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.private_online_frank_wolfe import obligation
from proofs.registry import Goal, equal, goal, no_goals, proven
from proofs.search import positive, unit
from proofs.topics.zcdp import exp_above_line

E, DELTA = sp.symbols("e delta")
BETA, D, L, S, SCALE = sp.symbols("beta D L s b_s")
_SPAN = "polyhedral-frank-wolfe.repaired_span"
_LOSS = "exponential-mechanism.noisy_max_epsilon"


@obligation(
    "billboard",
    stated_by=("EventAmplification.billboard_on",),
    item="Theorem 4.1, proof",
    theorems=(proven("EventAmplification.billboard_on", "the billboard lemma (Lemma 2.3), on any output space"),),
)
def billboard() -> Sequence[Goal]:
    r"""The actions of all other users cost what the billboard costs.

    If the public estimates are $(\varepsilon,\delta)$-DP in the record of user t, and every action is a function of the
    estimates and of the acting user's own record, then the actions of all users but t are
    $(\varepsilon,\delta)$-jointly DP: with everybody else's records fixed they are a function of the billboard.
    """
    return no_goals()


@obligation("E-16", item="Theorem 4.1, proof", about=(_SPAN, _LOSS), premises=("PO-6", "PO-32", "billboard"))
def e_16() -> Sequence[Goal]:
    r"""Two arms change at once.

    The changed user may be given arm j on one data set and arm k on the other. With s rows each arm then sees a real
    row against a synthetic one, whose gradient is zero: each moves its $sd_s$ by $\beta D+L$ (PO-6), its scores by the
    span $\frac{D(\beta D+L)}s$, and together they spend what one arm with a replaced row spends. Two ratios of at most
    $\frac{\varepsilon_s}2$ add up, and so do two ranges.
    """
    one = D * (BETA * D + L) / S
    whole = formulas.repaired_span(TERM, D, BETA * D + L, S)
    domain = positive("beta", "D", "L", "s", "b_s")

    def spent(span: sp.Expr) -> sp.Expr:
        found: sp.Expr = exponential.noisy_max_epsilon(TERM, span, SCALE)
        return found

    return [
        equal(2 * one, whole, domain, "the spans of both arms"),
        equal(spent(one) + spent(one), 2 * D * (BETA * D + L) / (S * SCALE), domain, "the losses of both arms"),
        equal(spent(whole), 2 * D * (BETA * D + L) / (S * SCALE), domain, "the loss of one arm with a replaced row"),
    ]


@obligation("PO-51", item="Theorem 4.1, proof (E-16)", premises=("E-16",))
def po_51() -> Sequence[Goal]:
    r"""The expectations of two halves.

    $2\cdot\frac{\varepsilon_t}2(e^{\varepsilon_t/2}-1)\le\varepsilon_t(e^{\varepsilon_t}-1)$: with
    $y=e^{\varepsilon_t/2}$ the difference is $\varepsilon_ty(y-1)$.
    """
    domain = positive("e")
    half = sp.exp(E / 2)

    def prove(c: Claim) -> k.Fact:
        line = k.instantiate(exp_above_line(), ((sp.Symbol("u"), E / 2),), domain)
        rest = k.sign(E * half * E / 2, ">=", domain)
        return k.combine(c.expr, ">=", ((E * half, line), (sp.S.One, rest)), domain)

    return [goal(E * (half**2 - 1) - E * (half - 1), ">=", domain, prove)]


@obligation(
    "E-24",
    item="published code of the bandit",
    about=(_SPAN, _LOSS),
    premises=("PO-32",),
    not_proved="That the published code reads the sign from the gradient without noise, and that its noise leaves out "
    "the factor. A person read the code.",
)
def e_24() -> Sequence[Goal]:
    r"""The published bandit code is not private in the sense of Algorithm 3.

    The code chooses a coordinate by its noisy size and reads the sign from the gradient without noise. In one dimension
    the gradients of two records may differ in sign; the output $+1$ then has the probability 1 on one data set and 0 on
    the other, and $1\le e^\varepsilon\cdot0+\delta$ holds for no $\delta<1$. The code's noise also leaves out the
    factor $D(\beta D+L)$, and the loss of a choice is larger by this factor.
    """
    factor = D * (BETA * D + L)
    whole = formulas.repaired_span(TERM, D, BETA * D + L, S)
    short = exponential.noisy_max_epsilon(TERM, whole, SCALE / factor)
    return [
        goal(1 - (sp.exp(E) * 0 + DELTA), ">", unit("delta"), note="the sign"),
        equal(short, factor * 2 * factor / (S * SCALE), positive("beta", "D", "L", "s", "b_s"), "the scale"),
    ]  # fmt: skip
