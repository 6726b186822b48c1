"""False certificates that aim at the translation: a weakened kernel accepts them, Coq proves that they are false."""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from proofs import kernel as k
from proofs.coq import running, statements
from proofs.coq.privacy import needed
from proofs.coq.statements import Unstated
from proofs.registry import Obligation, no_goals
from proofs.terms import Rejected
from property_tests.false_theorems import FOUND as ABUSED
from property_tests.false_translations import DISPROOFS, FOUND, UNBOUND, FalseTranslation
from property_tests.side_conditions import kernel_without
from tests.effort import part

BY_NAME = [pytest.param(f, id=f.name) for f in FOUND]
BY_HAND = {f.name: f.certificate for f in ABUSED}
STATED = [
    *(pytest.param(f.certificate, f.disproof, id=f.name) for f in FOUND if f.disproof),
    *(pytest.param(BY_HAND[name], disproof, id=name) for name, disproof in DISPROOFS.items()),
]
with_coq = [pytest.mark.slow, pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")]
HEAD = "From Coq Require Import Lra Lia.\nFrom Dpref Require Import Real.\n"


def careless(f: FalseTranslation) -> ModuleType:
    """The translator, copied with what it leaves out."""
    text = inspect.getsource(statements)
    for old, new in f.careless:
        assert text.count(old) == 1, f"statements.py holds {old!r} {text.count(old)} times"
        text = text.replace(old, new)
    copy = ModuleType("careless")
    exec(compile(text, "careless.py", "exec"), copy.__dict__)  # noqa: S102 - our own text, with a change
    return copy


def stated(certificate: Mapping[str, Any], translator: Any = statements) -> str:
    """The proposition of the theorem that a translator writes."""
    written = str(translator.theorem("t", certificate, "p"))
    return written.removeprefix("Theorem t :\n").removesuffix(".\nProof. exact p. Qed.\n")


def test_there_are_ten_and_the_two_of_the_review() -> None:
    assert len(FOUND) >= 10
    assert len({f.name for f in FOUND}) == len({f.careless + f.without for f in FOUND}) == len(FOUND)
    assert {"false-1-equals-0", "false-0-greater-0"} <= {*DISPROOFS}
    assert {*DISPROOFS} | {*UNBOUND} == {f.name for f in ABUSED}  # whatever abuses a rule is shown to be false
    assert not {f.name for f in FOUND} & {f.name for f in ABUSED}
    assert all(bool(f.refused) != bool(f.disproof) for f in FOUND)


@pytest.mark.parametrize("f", BY_NAME)
def test_the_kernel_refuses_it_and_a_weakened_one_accepts_it(f: FalseTranslation) -> None:
    with pytest.raises(Rejected, match=f.why):
        k.replay(f.certificate)
    kernel = kernel_without(*f.without)
    fact = kernel.replay(f.certificate)
    assert kernel.encode(tuple(fact.claim)) == f.certificate["claim"]
    assert "axiom" not in fact.rules()


@pytest.mark.parametrize("f", [p for p, f in zip(BY_NAME, FOUND, strict=True) if f.refused])
def test_what_has_no_true_reading_has_no_statement(f: FalseTranslation) -> None:
    with pytest.raises(Unstated, match=f.refused):
        stated(f.certificate)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The theory, compiled."""
    folder = tmp_path_factory.mktemp("coq")
    if why := running.missing(folder):
        pytest.skip(why)
    assert running.build_theory(folder, needed([running.USED])) == ""
    return folder


class TestCoq:
    """What Coq says."""

    pytestmark = with_coq

    @pytest.mark.parametrize(("certificate", "disproof"), part(STATED, 12))
    def test_the_theorem_is_false(self, certificate: Mapping[str, Any], disproof: str, built: Path) -> None:
        """Its negation is proved: no script proves it, unless Coq is inconsistent."""
        text = f"{HEAD}Theorem false : ~ ({stated(certificate)}).\nProof.\n{disproof}\nQed.\n"
        assert running._compile(built, "Disproved", [text], 60.0) == ""

    @pytest.mark.parametrize("name", UNBOUND)
    def test_a_symbol_out_of_its_place_has_no_meaning(self, name: str, built: Path) -> None:
        said = running._compile(built, "Unbound", [f"{HEAD}Check ({stated(BY_HAND[name])}).\n"], 60.0)
        assert f"The reference {UNBOUND[name]} was not found in the current environment" in said

    @pytest.mark.parametrize("f", part(BY_NAME, 5))
    def test_a_careless_translator_would_let_it_through(self, f: FalseTranslation, built: Path) -> None:
        """So it is the translation that is aimed at, and that one thing is what stops it."""
        text = f"{HEAD}Theorem let_through :\n{stated(f.certificate, careless(f))}.\nProof.\n{f.proof}\nQed.\n"
        assert running._compile(built, "Careless", [text], 60.0) == ""

    @pytest.mark.parametrize("f", part(BY_NAME, 5))
    def test_coq_refuses_its_certificate(
        self, f: FalseTranslation, built: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """`running.check` with the best script that there is: the proof of what the careless translator states."""
        from proofs.coq.scripts import Lemmas

        loose = stated(f.certificate, careless(f))
        monkeypatch.setattr(Lemmas, "claim", lambda self, n, _: self.add(f"claim_{n}", loose, f.proof))
        false = Obligation("test/false", "test", "false", "A test", "words", "nobody", no_goals)
        good, complaints = running.check(built, 70, [(false, [f.certificate])])
        assert good == []
        (said,) = complaints
        if f.refused:
            assert f.refused in said.text
        else:  # the lemma is accepted, and it is not the theorem
            assert 'The term "Proofs_70.test__false.claim_0" has type' in said.text, said.text
