"""What obligations rest on in Coq: the named theorems exist, say what is recorded, and hold the library's formulas."""

from __future__ import annotations

import itertools
import json
import math
import re
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
import sympy as sp

from dpref.privacy.renyi.without_replacement import amplified_divergence
from dpref.reals import FLOAT
from proofs.check import CERTIFICATES, assumed
from proofs.coq import privacy
from proofs.coq.axioms import REALS
from proofs.coq.corollaries import COROLLARIES
from proofs.coq.corollary import Corollary
from proofs.coq.statements import term
from proofs.kernel import encode
from proofs.registry import Obligation, Theorem, finite, proven, registry
from proofs.status import Gap, Row, evidence, row_of

FILES = tuple(sorted(p.stem for p in privacy.THEORY.glob("*.v")))
OURS = privacy.needed(sorted({name.partition(".")[0] for name in privacy.named(registry().values())}))
with_coq = pytest.mark.skipif(not shutil.which("coqc"), reason="coqc is not installed")


def problems(folder: Path) -> list[str]:
    return privacy.problems(folder, registry().values())


def one(name: str) -> Corollary:
    return next(c for c in COROLLARIES if c.name == name)


# ------------------------------------------------------------------------------------ what is named


@pytest.mark.parametrize("name", privacy.named(registry().values()))
def test_every_named_theorem_stands_in_the_library_and_in_the_record(name: str) -> None:
    file, _, theorem = name.partition(".")
    assert re.search(rf"^ *(Theorem|Corollary|Lemma) {theorem}\b", privacy.source(file), re.MULTILINE)
    assert json.loads((CERTIFICATES / privacy.RECORD).read_text())["statements"][name]


@pytest.mark.parametrize("file", OURS)
def test_every_file_is_short(file: str) -> None:
    assert len(privacy.source(file).splitlines()) < 400


@pytest.mark.parametrize("file", OURS)
def test_every_file_says_first_what_is_proved(file: str) -> None:
    header = privacy.header(file)
    assert header.title
    assert len(header.text) > 80


def test_the_record_rests_on_the_axioms_of_the_reals_alone() -> None:
    assert set(json.loads((CERTIFICATES / privacy.RECORD).read_text())["axioms"]) == REALS


@pytest.mark.parametrize("c", COROLLARIES, ids=lambda c: c.name)
def test_a_corollary_belongs_to_an_obligation_that_is_about_its_formulas(c: Corollary) -> None:
    o = registry()[c.obligation]
    assert set(c.about) <= set(o.about)
    assert c.theorem in {t.name for t in o.theorems}


@pytest.mark.parametrize("c", COROLLARIES, ids=lambda c: c.name)
def test_a_corollary_states_the_formula_that_the_library_has_today(c: Corollary) -> None:
    assert c.formulas()
    for formula in c.formulas().values():
        assert term(encode(sp.sympify(formula))) in c.stated()


@pytest.mark.parametrize(("order", "pure"), list(itertools.product((2, 3, 4), (False, True))))
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(3, 2)])
def test_of_all_numbers_between_the_sides_of_its_minima_the_library_takes_the_least(
    order: int, pure: bool, epsilon: Fraction
) -> None:
    """The corollary holds at all weights; the library's number is its formula at the best ones."""
    read = one(f"amplified_{'pure' if pure else 'any'}_{order}").formulas()["divergence"]
    values = {"q": Fraction(1, 100), "epsilon": epsilon} | {f"D{j}": Fraction(j, 5) for j in range(2, order + 1)}
    weights = sorted(x.name for x in read.free_symbols if x.name.startswith("m"))
    at = {sp.Symbol(name): sp.Rational(v.numerator, v.denominator) for name, v in values.items()}
    found = [
        float(read.subs(at | {sp.Symbol(m): w for m, w in zip(weights, chosen, strict=True)}))
        for chosen in itertools.product((0, 1), repeat=len(weights))
    ]
    library = amplified_divergence(FLOAT, order, 0.01, lambda j: j / 5, float(epsilon) if pure else None)
    assert min(found) == pytest.approx(library, rel=1e-12)
    assert max(found) > 1.01 * library


_SUM = "sum_over (seq 2 (a - 1)) (fun j => Binomial.C a j * rate ^ j * B j)."
_TERM = """if Nat.eqb j 2 then Rmin (4 * (exp (D 2%nat) - 1)) (exp (D 2%nat) * gap_factor pure 2)
  else exp ((INR j - 1) * D j) * gap_factor pure j."""
_FACTOR = "match pure with None => 2 | Some eps => Rmin 2 ((exp eps - 1) ^ j) end."


@pytest.mark.parametrize("pure", [None, Fraction(1, 10), Fraction(3, 2)])
def test_the_library_has_the_sum_of_coqs_theorem_at_every_order_up_to_64(pure: Fraction | None) -> None:
    """The theorem is about every integer order; its definitions, as they stand in the file, are added up here."""
    source = privacy.source("AmplifiedOrders")
    assert all(text in source for text in (_SUM, _TERM, _FACTOR))
    rate, mp = Fraction(1, 100), mpmath.MPContext()
    mp.dps = 40

    def factor(j: int) -> mpmath.mpf:
        return mp.mpf(2) if pure is None else min(mp.mpf(2), (mp.exp(float(pure)) - 1) ** j)

    def bound(j: int) -> mpmath.mpf:
        d = mp.mpf(j) / 50
        return min(4 * (mp.exp(d) - 1), mp.exp(d) * factor(2)) if j == 2 else mp.exp((j - 1) * d) * factor(j)

    for order in range(2, 65):
        terms = (math.comb(order, j) * mp.mpf(float(rate)) ** j * bound(j) for j in range(2, order + 1))
        coq = mp.log(1 + mp.fsum(terms)) / (order - 1)
        library = amplified_divergence(FLOAT, order, float(rate), lambda j: j / 50, float(pure) if pure else None)
        assert library == pytest.approx(float(coq), rel=1e-12), order


# ------------------------------------------------------------------------------------ drift: planted bugs


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    shutil.copy(CERTIFICATES / privacy.RECORD, tmp_path)
    return tmp_path


def test_what_is_committed_is_what_coq_has_checked() -> None:
    assert problems(CERTIFICATES) == []


def test_a_theorem_that_coq_has_not_checked_is_a_problem(kept: Path) -> None:
    path = kept / privacy.RECORD
    content = json.loads(path.read_text())
    del content["statements"]["Advanced.advanced_composition"]
    path.write_text(json.dumps(content))
    assert problems(kept) == [
        "Advanced.advanced_composition: no theorem that Coq has checked; run: python -m proofs --theorems"
    ]


def test_a_changed_file_of_the_library_is_a_problem(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = privacy.source

    def source(file: str, theory: Path = privacy.THEORY) -> str:
        text = changed(file, theory)
        return (
            text.replace("exp eps * prob l q E + del", "exp eps * prob l q E + 2 * del") if file == "Finite" else text
        )

    monkeypatch.setattr(privacy, "source", source)
    assert problems(kept) == ["Finite.v is not what Coq has checked; run: python -m proofs --theorems"]


def test_a_changed_formula_is_a_problem(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = replace(one("expected_loss"), formulas=lambda: {"loss": sp.Symbol("epsilon") ** 2 / 4})
    changed = tuple(wrong if c.name == wrong.name else c for c in COROLLARIES)
    monkeypatch.setattr(privacy, "script", lambda: "\n".join(c.stated() for c in changed))
    assert problems(kept) == ["Corollaries.v is not what Coq has checked; run: python -m proofs --theorems"]


@pytest.mark.parametrize("text", ["", "[]", '{"files": 3}', "{}"])
def test_a_malformed_record_is_a_problem(kept: Path, text: str) -> None:
    (kept / privacy.RECORD).write_text(text)
    assert "missing or malformed" in problems(kept)[0]


# ------------------------------------------------------------------------------------ statuses


def rests_on(*theorems: Theorem, **more: object) -> tuple[Row, str]:
    o = Obligation("planted/o", "planted", "o", "O", "O.", "hsu2014private", tuple, theorems=theorems, **more)  # type: ignore[arg-type]
    assert all(t.name in evidence(o, []) for t in theorems)
    return row_of(o, [])


def test_what_coq_proves_as_it_is_needed_is_proved() -> None:
    row, chain = rests_on(proven("Advanced.advanced_composition", "the billboard lemma"))
    assert (row.formulas, row.sentence) == ("-", "in words")
    assert (chain, row.gaps, assumed(row)) == ("proved", (), [])


def test_what_coq_proves_on_finite_spaces_is_proved_in_part_and_says_so() -> None:
    row, chain = rests_on(finite("Advanced.advanced_composition", "the billboard lemma", "hsu2014private"))
    words = "on output spaces that are not finite: hsu2014private: the billboard lemma"
    assert (chain, row.gaps, assumed(row)) == ("proved in part", (Gap("planted/o", words),), [words])
    assert f"not proved: {words}" in row.remarks


def test_a_theorem_does_not_make_a_gap_disappear() -> None:
    assert rests_on(proven("Advanced.advanced_composition", "it"), not_proved="The rest.")[1] == "proved in part"


def test_what_rests_on_a_finite_theorem_inherits_its_gap() -> None:
    below = rests_on(finite("Advanced.advanced_composition", "the billboard lemma", "hsu2014private"))
    o = Obligation("planted/p", "planted", "p", "P", "P.", "hsu2014private", tuple, premises=("planted/o",))
    row, chain = row_of(o, [], [below])
    assert (chain, row.gaps, row.beyond) == ("proved in part", below[0].gaps, below[0].beyond)


# ------------------------------------------------------------------------------------ Coq itself


@with_coq
@pytest.mark.slow
def test_coq_checks_everything_that_is_named() -> None:
    found = privacy.compiled(privacy.named(registry().values()))
    recorded = json.loads((CERTIFICATES / privacy.RECORD).read_text())
    assert dict(found.statements) == recorded["statements"]
    assert set(found.axioms) == REALS
    for name, statement in found.statements.items():
        print(f"{name} : {statement}")


@with_coq
@pytest.mark.slow
def test_coq_refuses_a_corollary_with_another_formula() -> None:
    said = one("test_says")
    assert privacy.compiled([], [said]).statements
    wrong = replace(said, formulas=lambda: {"says": 2 * said.formulas()["says"]})
    with pytest.raises(privacy.NotChecked, match="coqc refuses Corollaries"):
        privacy.compiled([], [wrong])


@with_coq
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "hole", "factor"),
    [
        ("permute_and_flip", "epsilon", "1/2"),
        ("amplified_pure_3", "divergence", "9/10"),
        ("poisson_curve", "shift", "1/2"),
    ],
)
def test_coq_refuses_half_the_price_of_a_choice_or_a_sample(name: str, hole: str, factor: str) -> None:
    right = one(name)
    wrong = replace(right, formulas=lambda: {**right.formulas(), hole: sp.Rational(factor) * right.formulas()[hole]})
    with pytest.raises(privacy.NotChecked, match="coqc refuses Corollaries"):
        privacy.compiled([], [wrong])


@with_coq
@pytest.mark.slow
def test_coq_refuses_a_theorem_that_is_not_there() -> None:
    with pytest.raises(privacy.NotChecked, match="coqc refuses Asked"):
        privacy.compiled(["Finite.hockey_is_nothing"], [])


def test_without_coq_the_answer_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(privacy.NotChecked, match=r"libcoq-coquelicot"):
        privacy.compiled(["Finite.hockey_is_delta"], [])
