"""Statuses are computed, and every display shows what was not checked; each planted obligation has one thing wrong."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from typer.testing import CliRunner

from dpref.cli import app
from proofs import Obligation, Row, __main__, check
from proofs.algebra import Claim, Rejected
from proofs.registry import Goal, Paper, cited, equal, goal, no_goals, obligation, proven, refutation
from proofs.search import bisect, box, positive
from proofs.status import NO_FORMULA, NO_GOALS, STATUSES, Gap, by_construction, row_of

X, Y = sp.symbols("x y")
FORMULA = ("conversions.zcdp_epsilon",)
DOCS = Path(__file__).parents[1] / "docs" / "_ext"
CITATION = "karimi2016linear"
REGISTRY = importlib.import_module("proofs.registry")  # the package exports the function of that name
TRIVIAL = [
    goal(X - X, "==", positive("x"), note="one term"),
    goal(sp.Integer(3), ">", (), note="a number"),
    goal(sp.S.Zero, ">=", ()),
]
REAL = [goal(X * (X + 1) - X, ">", positive("x"), note="a square")]
BALLS = [goal(sp.exp(X) - 1 - X / 2, ">", box(x=(1, 2)), bisect)]
FALSE = [refutation(X - 1, ">=", positive("x"), x="1/2")]
THEOREMS = (proven("Advanced.advanced_composition", "advanced composition"),)
FROM_A_PAPER = [cited("PL gives growth", CITATION)]
MEAN = "Taking the mean."


def planted(name: str, goals: Sequence[Goal] = (), **more: Any) -> Obligation:
    about = more.pop("about", FORMULA)
    made: Callable[[], Sequence[Goal]] = (lambda: goals) if goals else no_goals
    return Obligation(
        id=f"planted/{name}", paper="planted", item=name, title=f"the case {name}", statement=f"Case {name}.",
        citation=CITATION, goals=made, about=about, **more,
    )  # fmt: skip


def test_the_docstring_of_an_obligation_is_its_title_and_its_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[str, Obligation] = {}
    monkeypatch.setattr(REGISTRY, "_REGISTRY", found)
    paper = Paper("planted", CITATION)

    @paper.erratum("E1", premises=("right", "zcdp/to-dp"), repaired_by="right")
    def _goals() -> Sequence[Goal]:
        r"""As printed.

        $\frac12=\
        \frac34$, on
        two lines.
        """
        return ()

    made = found["planted/E1"]
    assert (made.item, made.title, made.statement) == ("E1", "As printed", r"$\frac12=\frac34$, on two lines.")
    assert (made.citation, made.refutes) == (CITATION, True)
    assert (made.premises, made.repaired_by) == (("planted/right", "zcdp/to-dp"), "planted/right")
    with pytest.raises(TypeError, match="repaired_by"):
        paper.erratum("E2")


def test_an_obligation_that_states_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(REGISTRY, "_REGISTRY", {})
    with pytest.raises(ValueError, match="planted/silent: the docstring must be a title"):
        obligation("planted/silent", citation=CITATION)(no_goals)


def below(*names: str) -> dict[str, Any]:
    return {"premises": tuple(f"planted/{name}" for name in names)}


WORLD = [
    planted("real", REAL),
    planted("balls", [*REAL, *BALLS]),
    planted("sharp", [*REAL, *FALSE]),
    planted("trivial", TRIVIAL),
    planted("mixed", [*REAL, *TRIVIAL]),
    planted("cited", FROM_A_PAPER),
    planted("cited-and-trivial", [*FROM_A_PAPER, *TRIVIAL]),
    planted("gap", REAL, not_proved=MEAN),
    planted("gap-in-balls", BALLS, not_proved=MEAN),
    planted("gap-of-trivial", TRIVIAL, not_proved=MEAN),
    planted("gap-of-nothing", not_proved=MEAN),
    planted("above-gap", REAL, **below("gap")),
    planted("two-above-gap", REAL, **below("real", "above-gap")),
    planted("two-above-gap-and-own", REAL, not_proved="The limit.", **below("above-gap", "gap")),
    planted("above-trivial", REAL, **below("trivial")),
    planted("only-premises", **below("real", "balls")),
    planted("tested", REAL, tests=("tests/test_proofs_status.py::test_statuses",), not_proved=MEAN),
    planted("open", open_because="Nobody knows."),
    planted("nowhere", REAL, about=()),
    planted("refuted", FALSE, refutes=True),
    planted("refuted-on-axiom", [*FALSE, *FROM_A_PAPER], refutes=True),
    planted("refuted-above-axiom", FALSE, refutes=True, **below("cited")),
    planted("refuted-with-gap", FALSE, refutes=True, not_proved=MEAN),
    planted("refuted-in-numbers", [refutation(sp.Integer(-1), ">=", ())], refutes=True),
    planted("number-refuted", [refutation(sp.Integer(-1), ">=", ())]),
    planted("refuted-by-nothing", TRIVIAL, refutes=True),
    planted("refuted-by-citation", FROM_A_PAPER, refutes=True),
    planted("refuted-above-open", FALSE, refutes=True, **below("open")),
]
EXPECTED = {
    "real": "proved",
    "balls": "certified",
    "sharp": "certified",
    "trivial": "by construction",
    "mixed": "proved",
    "cited": "assumed",
    "cited-and-trivial": "assumed",
    "gap": "proved in part",
    "gap-in-balls": "proved in part",
    "gap-of-trivial": "proved in part",
    "gap-of-nothing": "-",
    "above-gap": "proved in part",
    "two-above-gap": "proved in part",
    "two-above-gap-and-own": "proved in part",
    "above-trivial": "by construction",
    "only-premises": "-",
    "tested": "tested",
    "open": "-",
    "nowhere": "proved",
    "refuted": "refuted",
    "refuted-on-axiom": "refuted",
    "refuted-above-axiom": "refuted",
    "refuted-with-gap": "refuted",
    "refuted-in-numbers": "refuted",
    "number-refuted": "by construction",
    "refuted-by-nothing": "by construction",
    "refuted-by-citation": "assumed",
    "refuted-above-open": "open",
}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Obligation]:
    """The planted obligations in place of the registry, with certificates of their own."""
    found = {o.id: o for o in WORLD}
    folder = tmp_path / "certificates"
    monkeypatch.setattr(check, "registry", lambda: found)
    check.write(folder=folder)
    monkeypatch.setattr(check, "run", partial(check.run, folder=folder))
    return found


@pytest.fixture
def rows(world: Mapping[str, Obligation]) -> dict[str, Row]:
    assert world
    report = check.run()
    assert report.problems == ()
    return {row.item: row for row in report.rows}


def shown(*arguments: str) -> str:
    """What the command prints, with its columns' folds undone."""
    return " ".join(CliRunner().invoke(app, ("prove", *arguments)).stdout.split())


@pytest.fixture
def pages(world: Mapping[str, Obligation], monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """The theorem page of a planted obligation, and its row in the overview."""
    monkeypatch.syspath_prepend(str(DOCS))
    made: Any = importlib.import_module("theorem_pages")

    def both(name: str) -> str:
        row = next(row for row in check.run().rows if row.item == name)
        return f"{made.page(world[row.id], row)}\n{made.table([row])}"

    return both


def test_statuses(rows: Mapping[str, Row]) -> None:
    assert {name: row.formulas for name, row in rows.items()} == EXPECTED
    assert set(EXPECTED.values()) == {*STATUSES, NO_GOALS}, "every status has a case"


def test_planted_bug_a_theorem_of_coq_proves_no_goal_that_holds_by_construction() -> None:
    for goals, status in ((TRIVIAL, "by construction"), (REAL, "proved"), ([*REAL, *TRIVIAL], "proved")):
        o = planted("in-coq", goals, theorems=THEOREMS)
        row, chain = row_of(o, o.prove())
        assert (row.formulas, chain) == (status, "proved")  # what rests on the theorem has it all the same
        above = planted("above", REAL, **below("in-coq"))
        assert row_of(above, above.prove(), [(row, chain)])[0].formulas == "proved"


def test_the_strongest_comes_first() -> None:
    order = ("proved", "certified", "by construction", "proved in part", "assumed", "tested", "open", "refuted")
    assert order == STATUSES


def test_what_sympy_settles_is_no_fact(rows: Mapping[str, Row]) -> None:
    assert rows["trivial"].evidence == "3 by construction"
    assert rows["mixed"].evidence == "1 fact by sign and 3 by construction"
    assert rows["cited-and-trivial"].evidence == "3 by construction; 1 citation"
    assert rows["balls"].evidence.startswith("2 facts by cover, sign; ")
    assert not by_construction(Claim(X, ">", positive("x")))


def test_a_gap_is_inherited_with_the_id_of_the_premise(rows: Mapping[str, Row]) -> None:
    below_ = Gap("planted/gap", MEAN)
    assert rows["gap"].gaps == rows["above-gap"].gaps == rows["two-above-gap"].gaps == (below_,)
    assert rows["two-above-gap-and-own"].gaps == (Gap("planted/two-above-gap-and-own", "The limit."), below_)
    assert rows["gap"].remarks == ("not proved: Taking the mean",)
    assert rows["two-above-gap"].remarks == ("with the gaps of planted/gap",)
    assert rows["real"].gaps == ()
    assert rows["real"].remarks == ("one checker",)  # Coq was never asked about what is planted here


# What every display must say: the command's table and its JSON (in the row's remarks or its evidence), and the page.
SAID = {
    "trivial": ("by construction", "**Evidence.** 3 by construction"),
    "gap": ("not proved: Taking the mean", "**Not proved.**\n\nTaking the mean."),
    "two-above-gap": (
        "with the gaps of planted/gap",
        "**Not proved in what it rests on.** [`planted/gap`](planted-gap.md): Taking the mean.",
    ),
    "refuted-on-axiom": (
        f"resting on {CITATION}: PL gives growth",
        f'<span class="status status-refuted">refuted</span>, resting on {{cite:t}}`{CITATION}`',
    ),
    "refuted-above-axiom": (
        f"resting on {CITATION}: PL gives growth",
        f"**Resting on.** PL gives growth ({{cite:t}}`{CITATION}`)",
    ),
    "refuted-with-gap": ("not proved: Taking the mean", "<small>Not proved: Taking the mean.</small>"),
    "nowhere": (NO_FORMULA, "**About.** No formula of the library."),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SAID)
def test_planted_bug_is_shown_in_the_table_in_json_and_on_the_page(
    name: str, rows: Mapping[str, Row], pages: Callable[[str], str]
) -> None:
    status, (said, on_page) = EXPECTED[name], SAID[name]
    table = shown("--formulas", status)
    assert f"{status} planted/{name} " in table
    assert said in table
    document = json.loads(CliRunner().invoke(app, ("prove", "--json")).stdout)
    found = {row["item"]: row for row in document["obligations"]}
    assert found[name]["formulas"] == status
    assert said in "; ".join([*found[name]["remarks"], found[name]["evidence"]])
    assert said not in "; ".join([*found["real"]["remarks"], found["real"]["evidence"]])
    assert found[name]["resting"] == (found[name]["assumptions"] if status == "refuted" else [])
    assert found[name]["gaps"] == [{"obligation": g.obligation, "text": g.text} for g in rows[name].gaps]
    assert on_page in pages(name)
    assert on_page not in pages("real")


def test_an_empty_about_is_in_the_evidence_too(rows: Mapping[str, Row]) -> None:
    assert rows["nowhere"].evidence == f"1 fact by sign; {NO_FORMULA}"
    assert NO_FORMULA not in rows["real"].evidence
    assert rows["nowhere"].about == ()


def test_a_status_of_several_words_is_named_with_hyphens_or_without(world: Mapping[str, Obligation]) -> None:
    wanted = {name for name in world if EXPECTED[name.removeprefix("planted/")] == "proved in part"}
    for status in ("proved-in-part", "proved in part"):
        document = json.loads(CliRunner().invoke(app, ("prove", "--json", "--formulas", status)).stdout)
        assert {row["id"] for row in document["obligations"]} == wanted
        assert document["counts"]["formulas"] == {"proved in part": len(wanted)}


def test_what_rests_on_a_refuted_statement_is_open_and_a_problem(world: dict[str, Obligation], tmp_path: Path) -> None:
    wrong = planted("wrong", REAL, **below("refuted"))
    world[wrong.id] = wrong
    check.write([wrong.id], tmp_path / "certificates")
    report = check.run(only=[wrong.id])
    assert report.problems == ("planted/wrong: rests on planted/refuted, which is refuted",)
    assert next(row for row in report.rows if row.id == wrong.id).formulas == "open"


# ------------------------------------------------------------------------------------ both sides of an identity


def test_the_certificate_of_an_identity_keeps_both_sides() -> None:
    (fact,) = planted("sides", [equal(X * (Y + 1), X * Y + X, positive("x", "y"))]).prove()
    certificate = fact.certificate()
    assert certificate["rule"] == "identity"
    assert [sp.sympify(side) for side in fact.args[:2]] == [X * (Y + 1), X * Y + X]


def test_planted_bug_a_side_that_changed_is_drift_where_the_claim_did_not(
    world: dict[str, Obligation], tmp_path: Path
) -> None:
    """Both claims are ``0 == 0``: only the sides tell them apart."""
    name, folder = "planted/sides", tmp_path / "certificates"
    world[name] = planted("sides", [equal(X + X, 2 * X, positive("x"))])
    check.write([name], folder)
    assert check.run(only=[name]).problems == ()
    world[name] = planted("sides", [equal(3 * X, X + 2 * X, positive("x"))])
    assert [p for p in check.run(only=[name]).problems if "proves another claim" in p]
    apart = equal(X + X, 2 * X, positive("x"))
    with pytest.raises(Rejected, match="instead of"):
        planted("sides", [replace(apart, tactic=TRIVIAL[0].tactic)]).prove()


def test_a_page_shows_both_sides_as_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    words: Any = importlib.import_module("words")
    assert words.stated(equal(X + X, 2 * X, ())) == "$2 x=2 x$, by construction"
    assert words.stated(equal(X * (Y + 1), X * Y + X, ())) == r"$x \left(y + 1\right)=x y + x$"
    assert words.stated(TRIVIAL[0]).startswith("both sides are one term, by construction")
    long = equal((X + Y) ** 3 * (X - Y), X**4 + 2 * X**3 * Y - 2 * X * Y**3 - Y**4, positive("x"))
    assert words.stated(long).startswith("for $x>0$\n\n  $$\n  ")


# ------------------------------------------------------------------------------------ python -m proofs


def test_the_module_checks_one_obligation_and_names_an_unknown_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["proofs", "gaussian/delta-decreasing"])
    assert __main__.main() == 0
    assert capsys.readouterr().out.startswith("formula                | proved          | gaussian/delta-decreasing")
    monkeypatch.setattr("sys.argv", ["proofs", "--write", "gaussian/nothing"])
    with pytest.raises(SystemExit):
        __main__.main()
    assert "no obligation is named gaussian/nothing" in capsys.readouterr().err
