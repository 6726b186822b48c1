"""The exponential mechanism: the ratio of two output probabilities, for any finite set of candidates."""

# ruff: noqa: D103 - the statement of an obligation is its documentation

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from proofs import induction
from proofs import kernel as k
from proofs.algebra import Claim, total
from proofs.registry import Goal, goal, obligation
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
