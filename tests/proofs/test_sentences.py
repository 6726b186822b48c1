"""No sentence is called more than what states it; each planted obligation claims more than its goals say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

from proofs import kernel as k
from proofs.check import CERTIFICATES, SENTENCES, Report, run, write_statuses
from proofs.negations import NEGATIONS
from proofs.registry import Goal, Obligation, equal, finite, goal, proven, refutation, registry
from proofs.search import positive
from proofs.sentences import SENTENCES as STATUSES
from proofs.sentences import STATED, printed, problems, recorded, sentence_of
from proofs.status import Row, row_of

X = sp.Symbol("x")
TRUE = [goal(1 / X, ">", positive("x"))]
FALSE = [refutation(X - 1, ">=", positive("x"), x="1/2")]
NAME = "Advanced.advanced_composition"
STATED_IN_COQ = frozenset({NAME, "Corollaries.expected_loss.holds"})


def planted(title: str, goals: list[Goal], **more: Any) -> Obligation:
    name = more.pop("id", "planted/o")
    return Obligation(name, "planted", "o", title, f"{title}.", "hsu2014private", lambda: goals, **more)


def row(o: Obligation) -> Row:
    return row_of(o, o.prove() if o.goals() else [], stated=STATED_IN_COQ)[0]


def test_planted_bug_p_equals_np_is_not_a_proved_sentence() -> None:
    found = row(planted("P = NP", TRUE))
    assert (found.sentence, found.formulas, found.goals) == ("in words", "proved", ("1/x > 0 for 0 < x",))
    without = row(planted("P = NP", []))
    assert (without.sentence, without.formulas) == ("open", "-")


def test_planted_bug_the_earth_is_round_is_not_a_refuted_sentence() -> None:
    found = row(planted("The earth is round", TRUE, refutes=True))
    assert (found.sentence, found.formulas) == ("in words", "proved")
    witnessed = row(planted("The earth is round", FALSE, refutes=True))
    assert (witnessed.sentence, witnessed.formulas) == ("in words", "refuted")


def test_planted_bug_a_sentence_about_numbers_is_shown_as_its_goals_and_not_as_its_words() -> None:
    found = row(planted("P = NP", TRUE, numbers=True))
    assert found.sentence == "formula"
    assert found.named == "1/x > 0 for 0 < x (P = NP)"
    refuted = row(planted("The earth is round", FALSE, numbers=True, refutes=True))
    assert refuted.sentence == "refuted by computation"
    assert refuted.named == "false: x - 1 >= 0 for 0 < x (The earth is round)"
    mixed = row(planted("The earth is round", [*TRUE, *FALSE], numbers=True, refutes=True))
    assert mixed.named == refuted.named  # what is true beside it is no part of what is refuted


@pytest.mark.parametrize("gap", [{"not_proved": "The rest."}, {"open_because": "Nobody knows."}, {"refutes": True}])
def test_planted_bug_a_gap_a_question_and_a_refutation_are_no_formula(gap: dict[str, Any]) -> None:
    assert row(planted("P = NP", TRUE, numbers=True, **gap)).sentence not in STATED


def test_what_is_built_as_one_term_is_no_formula() -> None:
    assert row(planted("A sum", [equal(X + X, 2 * X, positive("x"))], numbers=True)).sentence == "in words"


def test_a_theorem_says_a_sentence_only_where_it_is_declared_recorded_and_without_a_gap() -> None:
    theorem = proven(NAME, "advanced composition")
    assert row(planted("Composition", TRUE, theorems=(theorem,))).sentence == "in words"
    said = planted("Composition", TRUE, theorems=(theorem,), stated_by=(NAME,))
    assert (row(said).sentence, row(said).sentence_by) == ("theorem", (NAME,))
    assert sentence_of(said, "proved", "proved", frozenset()).status == "in words"
    assert row(replace(said, not_proved="The rest.")).sentence == "in words"
    assert row(replace(said, theorems=(finite(NAME, "it", "hsu2014private"),))).sentence == "in words"


def test_a_corollary_that_holds_the_formulas_is_called_follows() -> None:
    said = planted("Loss", TRUE, id="composition/expected-loss", stated_by=("expected_loss",))
    assert (row(said).sentence, row(said).sentence_by) == ("follows", ("Corollaries.expected_loss.holds",))


def test_planted_bug_a_declaration_without_its_evidence_is_a_problem() -> None:
    goals = ("1/x > 0 for 0 < x",)
    assert problems(planted("Composition", TRUE, stated_by=(NAME,)), goals)
    assert problems(planted("P = NP", TRUE, published="by hearsay"), goals)
    assert problems(planted("P = NP", TRUE, numbers=True), ("",))
    assert problems(planted("P = NP", [], numbers=True), ())
    assert problems(planted("The earth is round", FALSE, numbers=True, refutes=True), ("false: -1 >= 0",))
    assert problems(planted("The earth is round", FALSE, numbers=True, refutes=True), ("false: x - 1 >= 0",)) == []
    assert problems(planted("P = NP", TRUE, numbers=True, published="Theorem 2"), goals) == []


def test_cited_and_tested_are_what_they_say() -> None:
    assert row(planted("Growth", TRUE, published="Theorem 2")).sentence_by == ("hsu2014private, Theorem 2",)
    assert row(planted("Growth", TRUE, tests=("tests/test_x.py::test_x",))).sentence == "tested"


def test_a_refuted_sentence_names_the_theorem_that_is_its_negation() -> None:
    named = {o: n.theorem for n in NEGATIONS for o in n.obligations if registry()[o].refutes}
    assert named
    for name, theorem in named.items():
        found = sentence_of(registry()[name], "refuted", "refuted")
        assert found.status == "refuted by a theorem"
        assert theorem in found.by
    assert sentence_of(replace(registry()[next(iter(named))], refutes=False), "proved", "proved").status == "in words"


def test_every_goal_is_printed_with_its_domain() -> None:
    fact = k.identity(X * (X + 1), X**2 + X, positive("x"))
    assert printed(fact) == "x*(x + 1) == x**2 + x for 0 < x"


def test_every_stated_sentence_of_the_registry_is_recorded_as_it_is_computed(report: Report) -> None:
    names = recorded(CERTIFICATES)
    for found in report.rows:
        assert found.sentence in STATUSES
        if found.sentence in ("theorem", "follows"):
            assert names.issuperset(found.sentence_by)
    assert recorded(Path("nowhere")) == frozenset()


@pytest.mark.slow
def test_planted_bug_a_sentence_that_is_recorded_as_more_than_it_is(certificates: Path) -> None:
    path = certificates / SENTENCES
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"zcdp/log-below-line": "', '"zcdp/log-below-line": "theorem, not '), encoding="utf-8")
    (problem,) = run(only=["zcdp/log-below-line"], folder=certificates).problems
    assert problem.startswith("zcdp/log-below-line: its sentence is ")
    assert write_statuses(certificates) == [problem]
    assert path.read_text(encoding="utf-8") == text
