"""Negations of printed statements: every false claim has one or a reason, and Coq agrees."""

from __future__ import annotations

import importlib
import json
import re
import shutil
from pathlib import Path
from typing import Final

import pytest

from dpref.audit.catalogue import catalogue, find
from dpref.audit.claims import Claim
from proofs import negation, negations
from proofs import negations_in_coq as coq
from proofs.check import CERTIFICATES
from proofs.coq.axioms import REALS
from proofs.coq.privacy import NotChecked
from proofs.findings.evidence import evidence
from proofs.findings.gathering import findings

# Dedekind's reals, excluded middle, functional extensionality.
# A file of negations, what stands there, and what must be refused: a true statement, or noise that suffices.
PLANTED: Final = (
    ("ErmRevisited", "let y' := y_step x (slope x) in\n      b <- gaussian 0 sigma;",
     "b <- gaussian 0 sigma;\n      let y' := y_step x (slope x + b) in"),
    ("ErmRevisited", "0 < G <= 4 * L * radius -> (1 <= n)%nat -> del < 1",
     "0 < G <= 4 * L * radius -> (1 <= n)%nat -> del <= 1"),
    ("DynamicBudget", "~ concentrated (neighbours_of_size N) (budget / 2)",
     "~ concentrated (neighbours_of_size N) (2 * budget)"),
    ("DynamicBudget", "eps + 2 * ln (1 / del) + 2 * sqrt", "eps + 2 * ln (1 / del) - 2 * sqrt"),
    ("DynamicSampling", "rho < 1 / (2 * (sigma * sigma)) ->", "rho < 1 / (sigma * sigma) ->"),
    ("ErmSampledIndex", "+ del < 1 / (4 * INR n) ->", "+ del < 1 / INR n ->"),
    ("ErmRange", "17 * INR k)", "15 * INR k)"),
    ("KlSpider", "exp (2 * rho) < 1 + 4 *", "exp (2 * rho) < 1 + 5 *"),
    ("KlCondition", "Definition bound : R := exp (1 / 65)", "Definition bound : R := exp (2 / 65)"),
    ("OnlineFrankWolfe", "square <- gamma_half (2 * sigma_plus);",
     "square <- gamma_half (2 * (sigma_plus * sigma_plus));"),
    ("OnlineFrankWolfeNorm", "Rmin (q - 1) (ln (INR d) - 1).", "Rmin q (ln (INR d))."),
    ("KlAdaptive", "let N := Rabs (slope w) + a in", "let N := Rabs (Rabs (slope w) + a) in"),
    ("KlShortSteps", "2 * rho < INR k * (58 / 10)", "2 * rho < INR k * (68 / 10)"),
    ("ErmVarianceReduction", "let v := slope i x - slope i snapshot +", "let v := slope i x +"),
    ("ErmVarianceReduction", "1 + 4 * (c * ln (1 / del)) <= eps", "4 * (c * ln (1 / del)) <= eps"),
    ("CatalogueNumbers", "let eps := 21 / 2 in", "let eps := 1 in"),
    ("ErmTranscript", "Theorem appendix_a_fails c : 0 < c <= 25 ->", "Theorem appendix_a_fails c : 0 < c <= 100 ->"),
    ("ErmTranscript", "slope i x - slope i snapshot +", "slope i snapshot - slope i snapshot +"),
    ("SaddlePointsDraw", "Definition normaliser (M : nat) : R := 2 -", "Definition normaliser (M : nat) : R := 1 -"),
    ("SaddlePointsDraw", "(9 * 25 * (1 / 100) * 1) 0", "(18 * 25 * (1 / 100) * 1) 0"),
    ("SaddlePointsDraw", "<= 9 / 2 * 1 * (1 / 100) * 1)", "<= 9 * 1 * (1 / 100) * 1)"),
    ("DynamicBoosting", "(if Rlt_dec (risk y) (risk x) then y else x)", "(if Rlt_dec (risk y) (risk x) then x else x)"),
    ("DynamicBoosting", "1 / (sigma 1%nat * sigma 1%nat) < budget / 2 -> 0 <= rho ->", "0 <= rho ->"),
    ("OnlineFrankWolfeBandit", "if kept false then kept true && second else true.", "false."),
    ("OnlineFrankWolfeBandit", "third_action_shows eps : 4 <= eps ->", "third_action_shows eps : 0 < eps ->"),
    ("OnlineFrankWolfeChoice", "sqrt (ln (INR n) * ln (1 / del))", "sqrt (ln (1 + INR n) * ln (1 / del))"),
)  # fmt: skip
needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coq is not installed")


def _refuted() -> list[Claim]:
    return [claim for claim in catalogue() if claim.expected == "refuted"]


def unanswered() -> set[str]:
    """Return the findings about privacy whose claims are refuted and that no theorem of Coq negates."""
    judged = [f for f in findings() if f.concerns == "privacy" and any(find(c).expected == "refuted" for c in f.claims)]
    return {f.id for f in judged if not evidence(f).negations}


def test_each_sentence_about_privacy_with_a_refuted_claim_is_negated_in_coq() -> None:
    assert unanswered() == set()


def test_planted_bug_a_negation_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = tuple(n for n in negations.NEGATIONS if n.theorem != "theorem_5_3_is_false")
    monkeypatch.setattr("proofs.findings.evidence.NEGATIONS", fewer)
    assert unanswered() == {"dp-erm-revisited/theorem-5.3"}


def test_every_pattern_means_a_refuted_claim() -> None:
    for pattern in [pattern for row in negations.NEGATIONS for pattern in row.claims]:
        assert any(negation.settles(pattern, claim) for claim in _refuted()), pattern


def test_the_obligations_are_refuted_or_the_claims_own() -> None:
    for row in negations.NEGATIONS:
        own = {name for c in _refuted() if any(negation.settles(p, c) for p in row.claims) for name in c.obligations}
        for name in row.obligations:
            recorded = json.loads((CERTIFICATES / f"{name}.json").read_text("utf-8"))
            assert recorded["status"] == "refuted" or name in own, name
            assert row.statement.startswith(f"{name.split('/')[0]}, ")


def test_the_theorems_exist_and_are_negations() -> None:
    for row in negations.NEGATIONS:
        assert "~" in coq.theorem_text(row.file, row.theorem)
        assert all(coq.where(name) for name in row.stronger)


@pytest.mark.parametrize("name", ["inversion_claim", "budget_claim", "printed_rho_is_not_private"])
def test_what_is_said_of_mechanisms_with_densities_is_refuted_by_one(name: str) -> None:
    said = coq.theorem_text("DynamicBudget", name)
    assert "line_zCDP" in said
    assert "forall d, density (M d)" in said


def test_a_theorem_that_is_not_there_is_named() -> None:
    with pytest.raises(KeyError, match="no theorem absent"):
        coq.theorem_text("ErmRevisited", "absent")
    with pytest.raises(KeyError, match="no file of negations has a theorem absent"):
        coq.where("absent")


def test_the_numbers_are_those_of_the_claims() -> None:
    compared = set()
    for row in negations.NEGATIONS:
        for theorem, (pattern, names) in row.numbers.items():
            text = coq.theorem_text(coq.where(theorem), theorem)
            (claim,) = (claim for claim in _refuted() if negation.settles(pattern, claim))
            for name in names:
                written = coq.number(claim.parameters[name])
                assert any(value == written for value in _values(text)), (theorem, name, written)
                compared.add((theorem, name))
    assert len(compared) >= 20


def _values(text: str) -> list[str]:
    """What a theorem's ``let NAME := VALUE in`` bind, powers multiplied out."""
    bound = [
        value.strip("()").removesuffix("%nat").strip("()") for value in re.findall(r":= (\S+(?: [/^] \S+)?) in", text)
    ]
    return [str(int(v.split(" ^ ")[0]) ** int(v.split(" ^ ")[1])) if " ^ " in v else v for v in bound]


def test_the_page_shows_the_statement_that_a_theorem_negates() -> None:
    named = coq.definitions("ErmRevisited", "gradient_descent_is_not_private_for_every_epsilon")
    assert named == ("equation_11", "theorem_6_1")
    assert "equation_11 c G T n eps del" in coq.theorem_text("ErmRevisited", "theorem_6_1")


def test_the_page_has_every_theorem_and_every_definition_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "docs" / "_ext"))
    page = importlib.import_module("negation_pages").page()
    for name in coq.theorems():
        assert coq.theorem_text(coq.where(name), name) in page
    assert "Fixpoint inner_steps" in page
    assert "Definition concentrated" in page
    assert "* `private-saddle-points/E2` (slip): " in page


def test_an_altered_number_is_seen() -> None:
    text = coq.theorem_text("CatalogueNumbers", "definition_3_4_at_its_claim")
    assert coq.number("21/2") in text
    assert coq.number("23/2") not in text


@pytest.mark.parametrize("name", coq.files())
def test_a_file_is_short_and_says_what_it_is_about(name: str) -> None:
    source = coq.source(name)
    assert len(source.splitlines()) < 400
    assert source.startswith("(** * ")


def test_without_coq_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(NotChecked, match="libcoq-coquelicot"):
        coq.compile_into(tmp_path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything, compiled."""
    made = tmp_path_factory.mktemp("negations")
    coq.compile_into(made)
    return made


def _needs_numbers(theorem: str) -> bool:
    """Whether interval arithmetic is in the file of a theorem."""
    return "From Interval Require" in coq.source(coq.where(theorem))


@needs_coq
@pytest.mark.slow
def test_the_negations_rest_on_the_axioms_of_the_reals_alone(folder: Path) -> None:
    assert coq.axioms(folder, [name for name in coq.theorems() if not _needs_numbers(name)]).axioms == (*sorted(REALS),)


@needs_coq
@pytest.mark.slow
def test_those_with_numbers_rest_on_primitive_numbers_besides(folder: Path) -> None:
    found = coq.axioms(folder, [name for name in coq.theorems() if _needs_numbers(name)])
    assert {*found.axioms} > REALS
    assert found.problems == ()


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize(("name", "old", "new"), PLANTED)
def test_planted_bug_is_refused(name: str, old: str, new: str, folder: Path, tmp_path: Path) -> None:
    source = coq.source(name)
    assert old in source
    shutil.copytree(folder, tmp_path / "theory")
    path = tmp_path / "theory" / coq.FOLDER / f"{name}.v"
    path.write_text(source.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(NotChecked, match=name):
        coq.compile_one(tmp_path / "theory", name)
