"""A formula that an obligation is about is asked for by its goals or corollaries, and 7/5 of it changes one of them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

import pytest
import sympy as sp

from dpref.privacy.closed_forms import conversions
from dpref.terms import TERM
from proofs.algebra import Rejected
from proofs.coq.corollaries import COROLLARIES
from proofs.formulas import formula
from proofs.registry import Goal, Obligation, goal, registry

FACTOR: Final = sp.Rational(7, 5)
InVain = Callable[[Iterable[Obligation]], set[tuple[str, str]]]


@pytest.fixture
def unasked(monkeypatch: pytest.MonkeyPatch) -> InVain:
    """Which obligations name a formula that neither their goals nor their corollaries ask for."""
    asked: set[str] = set()

    def watched(name: str, right: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(right)
        def call(*args: Any, **more: Any) -> Any:
            asked.add(name)
            return right(*args, **more)

        return call

    names = {name for o in registry().values() for name in o.about}
    holders = [m for n, m in sys.modules.items() if n.startswith(("dpref", "proofs"))]
    for name in names:
        right = formula(name)
        instead = watched(name, right)
        for holder, key in [(m, key) for m in holders for key, v in vars(m).items() if v is right]:
            monkeypatch.setattr(holder, key, instead)

    def named_in_vain(obligations: Iterable[Obligation]) -> set[tuple[str, str]]:
        found = set()
        for o in obligations:
            asked.clear()
            o.goals()
            for c in COROLLARIES:
                if c.obligation == o.id:
                    c.formulas()
            found |= {(o.id, name) for name in o.about if name not in asked}
        return found

    return named_in_vain


@pytest.mark.slow
def test_every_formula_that_an_obligation_names_is_asked_for(
    unasked: InVain,
) -> None:
    assert unasked(registry().values()) == set()


def test_planted_bug_a_formula_that_is_named_in_vain(
    unasked: InVain,
) -> None:
    other = "conversions.pure_zcdp"
    o = registry()["zcdp/composition"]
    assert unasked([replace(o, about=(*o.about, other))]) == {(o.id, other)}


# ------------------------------------------------------------------------------------ scaled formulas


def _said(o: Obligation) -> list[Any]:
    """Return what an obligation says of formulas: its goals, both sides of identities, and its corollaries."""
    goals: list[Any] = [(g.claim, g.sides) for g in o.goals()]
    return goals + [c.stated() for c in COROLLARIES if c.obligation == o.id]


def _times(factor: sp.Expr, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_times(factor, v) for v in value)
    return {k: _times(factor, v) for k, v in value.items()} if isinstance(value, dict) else factor * value


def unbound(obligations: Iterable[Obligation]) -> set[tuple[str, str]]:
    """Return the pairs of an obligation and a formula that it names and whose multiple leaves all it says as it was."""
    chosen = list(obligations)
    then = {o.id: _said(o) for o in chosen}
    names = {name for o in chosen for name in o.about}
    holders = [m for n, m in sys.modules.items() if n.startswith(("dpref", "proofs"))]
    found = set()
    for name in names:
        right = formula(name)

        @functools.wraps(right)
        def scaled(*args: Any, right: Callable[..., Any] = right, **more: Any) -> Any:
            return _times(FACTOR, right(*args, **more))

        with pytest.MonkeyPatch.context() as patch:
            for holder, key in [(m, key) for m in holders for key, v in vars(m).items() if v is right]:
                patch.setattr(holder, key, scaled)
            for o in (o for o in chosen if name in o.about):
                try:
                    same = _said(o) == then[o.id]
                except (Rejected, ValueError, TypeError, ArithmeticError):
                    same = False  # such as a probability above one
                found |= {(o.id, name)} if same else set()
    return found


@pytest.mark.slow
def test_a_multiple_of_a_formula_changes_what_each_obligation_about_it_says() -> None:
    assert unbound(registry().values()) == set()


def test_planted_bug_a_goal_in_which_its_formula_cancels() -> None:
    name = "conversions.pure_zcdp"
    o = registry()["renyi/pure-zcdp"]
    assert name in o.about
    assert unbound([o]) == set()

    def cancelled() -> list[Goal]:
        value = conversions.pure_zcdp(TERM, sp.Symbol("epsilon"))
        return [goal(value - value, "==", ()), goal(value / value - 1, "==", ())]

    assert unbound([replace(o, id="planted/o", goals=cancelled)]) == {("planted/o", formula) for formula in o.about}
