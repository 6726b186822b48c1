"""The exponential mechanism: the ratio of two output probabilities, for any finite set of candidates."""

# ruff: noqa: D103 - the statement of an obligation is its documentation

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.mechanisms import exponential
from dpref.privacy import conversions
from dpref.reals import TERM
from proofs import induction
from proofs import kernel as k
from proofs.algebra import Claim, total
from proofs.registry import Goal, cited, goal, obligation
from proofs.search import nonnegative, numbers, positive

W, S, T, EPSILON = sp.symbols("w s t epsilon")
_STEP = numbers("s", lo=-1, hi=1, ends="[]")
_HALF = sp.exp(EPSILON / 2)


def _weight(c: Claim) -> k.Fact:
    """``exp(eps/2) w - w exp(eps s / 2) >= 0``: with u = 1 - s >= 0, exp(eps/2) (1 - exp(-eps u / 2))."""
    u = sp.Symbol("u")
    domain = positive("w", "epsilon") + numbers("u", lo=0, hi=2, ends="[]")
    fact = k.sign(W * _HALF - W * sp.exp(EPSILON * (1 - u) / 2), ">=", domain)
    return k.instantiate(fact, ((u, 1 - S),), c.domain)


def _normaliser() -> k.Fact:
    """Slacks of single weights add up to the slack of their sum."""
    return induction.accumulate(k.sign(T, ">=", nonnegative("t")), ((sp.S.One, T),))


@obligation(
    "exponential-mechanism/pure-dp",
    item="Theorem 6",
    title="The exponential mechanism is epsilon-DP",
    statement=r"Candidates drawn with probability $\propto e^{\varepsilon q/(2\Delta)}$, scores of sensitivity "
    r"$\Delta$: each weight changes by at most "
    r"$e^{\varepsilon/2}$, so does their sum over any finite set, and the ratio of probabilities is at most "
    r"$e^\varepsilon$.",
    citation="mcsherry2007mechanism",
)
def pure_dp() -> Sequence[Goal]:
    domain = positive("w", "epsilon") + _STEP
    changed = W * sp.exp(EPSILON * S / 2)
    a, b = sp.symbols("a b")
    return [
        goal(W * _HALF - changed, ">=", domain, _weight, "one weight"),
        goal(total(T), ">=", nonnegative("t"), lambda _: _normaliser(), "their sum: slacks t add up"),
        goal(
            sp.exp(EPSILON) * a * sp.exp(-EPSILON / 2) / (b * sp.exp(EPSILON / 2)) - a / b,
            "==", positive("a", "b", "epsilon"), note="the two factors together",
        ),
    ]  # fmt: skip


D, TAU, ALPHA = sp.symbols("Delta lambda alpha")


@obligation(
    "exponential-mechanism/zcdp",
    item="Lemma 3.2",
    title="The exponential mechanism is of bounded range, and so zCDP with a quarter of the generic rho",
    statement=r"Scores moving by at most $\Delta$, drawn with probability $\propto e^{s/\lambda}$: "
    r"$\ln\frac{p_i}{q_i}-\ln\frac{p_j}{q_j}=\frac{(s_i-s'_i)-(s_j-s'_j)}\lambda$, at most "
    r"$\varepsilon=\frac{2\Delta}\lambda$ since the normalisers cancel; a range of $\varepsilon$ is "
    r"$\frac{\varepsilon^2}8$-zCDP, $\frac{\Delta^2}{2\lambda^2}$, a quarter of the $\frac{\varepsilon^2}2$ that every "
    r"$\varepsilon$-DP mechanism has.",
    citation="cesar2021bounding",
    about=(
        "dpref.mechanisms.exponential.selection_range",
        "dpref.mechanisms.exponential.bounded_range_zcdp",
        "dpref.privacy.conversions.zcdp_renyi",
    ),
    tests=("property_tests/test_saddle.py::test_selections_are_of_bounded_range_and_zcdp",),
)
def zcdp() -> Sequence[Goal]:
    a, b = sp.symbols("a b")
    width = exponential.selection_range(TERM, D, TAU)
    rho = exponential.bounded_range_zcdp(TERM, width)
    moves = numbers("a", "b", lo=0, hi=2, ends="[]")  # D (1 - a) and D (1 - b): any two moves within the sensitivity
    domain = positive("Delta", "lambda")
    orders = numbers("alpha", lo=1)
    return [
        goal(width - (D * (1 - a) - D * (1 - b)) / TAU, ">=", domain + moves, note="the range"),
        goal(rho - D**2 / (2 * TAU**2), "==", domain),
        goal(width**2 / 2 - 4 * rho, "==", domain, note="a generic epsilon-DP mechanism"),
        goal(
            conversions.zcdp_renyi(TERM, rho, ALPHA) - (width**2 / 8 + (ALPHA - 1) * width**2 / 8), "==",
            domain + orders, note="Hoeffding's lemma, once for the mean and once for the moment",
        ),
        cited("a privacy loss of range eta has cumulants of at most eta^2 / 8 (Hoeffding)", "cesar2021bounding"),
    ]  # fmt: skip
