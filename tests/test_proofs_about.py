"""Every formula that an obligation names is asked for while its goals, and its corollaries in Coq, are built."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from proofs.coq.corollaries import COROLLARIES
from proofs.formulas import formula
from proofs.registry import Obligation, registry

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
