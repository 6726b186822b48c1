"""No certificate of something false replays, and every refusal that stops one is shown to matter."""
# ruff: noqa: S311 - samples, not secrets

from __future__ import annotations

import importlib
import itertools
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import proofs
from proofs import kernel as k
from proofs.terms import Claim, Rejected
from property_tests.ball_points import Reader, at_point
from property_tests.false_theorems import FOUND, FalseTheorem

ROOT = Path(proofs.__file__).parent
TRUSTED = ("terms", "algebra", "kernel", "balls", "induction")
BY_NAME = [pytest.param(f, id=f.name) for f in FOUND]
_number = itertools.count()


@pytest.mark.parametrize("f", BY_NAME)
def test_a_false_theorem_is_refused(f: FalseTheorem) -> None:
    with pytest.raises(Rejected, match=f.why):
        k.replay(f.certificate)


@pytest.mark.slow
@pytest.mark.parametrize("f", BY_NAME)
def test_what_it_claims_is_false(f: FalseTheorem) -> None:
    claim = Claim(*k.decode(f.certificate["claim"]))
    rng = random.Random(0)
    said = set()
    for _ in range(300):
        reader = Reader(claim, rng)
        said.add(at_point(claim, claim.relation, reader, reader.somewhere(rng)))
    assert said & {"false", "undefined"}


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Any]:
    """A copy of the trusted files, with changes, as a package of its own."""
    made = []

    def build(*changes: tuple[str, str, str]) -> Any:
        name = f"weakened_{next(_number)}"
        folder = tmp_path / name
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        for module in TRUSTED:
            text = (ROOT / f"{module}.py").read_text(encoding="utf-8")
            for file, old, new in changes:
                if file == f"{module}.py":
                    assert text.count(old) == 1, f"{file} holds {old!r} {text.count(old)} times"
                    text = text.replace(old, new)
            (folder / f"{module}.py").write_text(text.replace("from proofs.", f"from {name}."), encoding="utf-8")
        made.append(name)
        for module in TRUSTED:
            importlib.import_module(f"{name}.{module}")
        return sys.modules[f"{name}.kernel"]

    sys.path.insert(0, str(tmp_path))
    try:
        yield build
    finally:
        sys.path.remove(str(tmp_path))
        for module in [m for m in sys.modules if m.partition(".")[0] in made]:
            del sys.modules[module]


@pytest.mark.slow
@pytest.mark.parametrize("f", BY_NAME)
def test_a_weakened_rule_is_caught(f: FalseTheorem, package: Any) -> None:
    """Under its weakening the false theorem is accepted: so the refusal matters, and its loss would be noticed."""
    weakened = package(*f.weakening)
    fact = weakened.replay(f.certificate)
    assert json.dumps(weakened.encode(tuple(fact.claim))) == json.dumps(f.certificate["claim"])
    assert "axiom" not in fact.rules()


def test_an_unweakened_copy_refuses_them_too(package: Any) -> None:
    """The copies differ from the kernel in the weakening alone."""
    copy = package()
    for f in FOUND:
        with pytest.raises(Exception, match=f.why):
            copy.replay(f.certificate)
