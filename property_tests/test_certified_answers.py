"""A sample of the certified answers, what the truths that they are held against rest on, and planted bugs."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx

from dpref.privacy.interval import Interval
from property_tests import certified_answers, composed_questions
from property_tests.certified_answers import answers, certified, checked, drawn, exceeds, main, table, wrong
from property_tests.certified_questions import REPLACE, ZERO, Asked, Case, Truth, single
from property_tests.composed_questions import discrete_gaussians, discrete_laplaces
from property_tests.independent_compositions import (
    Law,
    NoTruthError,
    few,
    laplace,
    listed,
    many,
    normals,
    repeated,
    together,
)
from property_tests.independent_epochs import many_steps
from property_tests.independent_laws import (
    LAPLACE,
    NORMAL,
    Curve,
    Masses,
    Noise,
    Root,
    Weighted,
    discrete_gaussian,
    discrete_laplace,
    either_way,
    on_a_line,
    on_integers,
    on_outcomes,
    real,
    two_candidates,
)

ZEROTH, HALF, TENTH = Fraction(0), Fraction(1, 2), Fraction(1, 10)


def at(curve: Curve, x: Fraction | float, bits: int = 256) -> float:
    before = ctx.prec
    ctx.prec = bits
    try:
        return float(curve(real(Fraction(x))).mid())
    finally:
        ctx.prec = before


@pytest.fixture
def single_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions about one answer alone: those about several are dear."""
    monkeypatch.setattr(composed_questions, "MIXED", {single: 1})


@pytest.mark.usefixtures("single_answers")
def test_no_answer_of_a_sample_is_wrong() -> None:
    found = list(answers(3, range(25), 1))
    assert [(one.number, one.problem) for one in found if one.problem] == []
    assert sum(one.lower is not None for one in found) > 20
    assert not any(one.unchecked for one in found)
    assert all(one.family in table(found) for one in found)


@pytest.mark.slow
@pytest.mark.usefixtures("single_answers")
def test_no_answer_of_a_larger_sample_is_wrong() -> None:
    found = list(answers(4, range(150), 1))
    assert [(one.number, one.problem) for one in found if one.problem] == []
    assert len({one.family for one in found}) > 25


@pytest.mark.slow
@pytest.mark.sampled(5)
@pytest.mark.parametrize("family", list(composed_questions.MIXED))
def test_no_answer_of_each_kind_of_composition_is_wrong(
    family: Callable[[random.Random], Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composed_questions, "MIXED", {family: 1})
    found = list(answers(9, range(3), 1))
    assert [(one.number, one.problem) for one in found if one.problem] == []


# ------------------------------------------------------------------------------------ planted bugs


def upper_too_small(asked: Asked) -> Interval:
    found = certified(asked)
    high = found.upper * (1 - 1e-6)
    return replace(found, lower=min(found.lower, high), upper=high)


def lower_too_large(asked: Asked) -> Interval:
    found = certified(asked)
    low = found.lower * (1 + 1e-6)
    return replace(found, lower=low, upper=max(low, found.upper))


def half_the_shift(asked: Asked) -> Interval:
    text = asked.case.text.replace("gaussian(", "gaussian(2*", 1)
    return certified(replace(asked, case=replace(asked.case, text=text)))


def another_adjacency(asked: Asked) -> Interval:
    other = ZERO if asked.case.adjacency != ZERO else "add-or-remove-one"
    return certified(replace(asked, case=replace(asked.case, adjacency=other)))


@pytest.mark.usefixtures("single_answers")
def test_planted_bug_an_upper_end_that_is_a_millionth_too_small_is_found() -> None:
    numbers = [n for n in range(14) if 0 < certified(drawn(3, n)).upper < math.inf]
    found = [checked(3, n, upper_too_small) for n in numbers]
    tight = [one for one in found if one.width < 1e-7]
    assert len(tight) > 4
    assert all("upper end" in one.problem for one in tight)


@pytest.mark.usefixtures("single_answers")
def test_planted_bug_a_lower_end_that_is_a_millionth_too_large_is_found() -> None:
    numbers = [n for n in range(14) if certified(drawn(3, n)).lower > 0]
    found = [checked(3, n, lower_too_large) for n in numbers]
    tight = [one for one in found if one.width < 1e-5]
    assert len(tight) > 4
    assert all("lower end" in one.problem for one in tight)


def asked(text: str, adjacency: str, truth: Curve, delta: Fraction | None = Fraction(1, 10**6)) -> Asked:
    epsilon = Fraction(1) if delta is None else None
    return Asked(Case("planted", text, adjacency, Truth(truth)), delta, epsilon)


@pytest.mark.parametrize("delta", [Fraction(1, 10**6), None])
def test_planted_bug_a_shift_of_c_where_it_is_2c_is_found(delta: Fraction | None) -> None:
    batch = either_way(NORMAL, [(1 - TENTH, ZEROTH), (TENTH, Fraction(2))], [(Fraction(1), ZEROTH)])
    question = asked("sample_without_replacement(gaussian(1), 1, 10)", "add-or-remove-one", batch, delta)
    assert wrong(question, certified(question)) == ""
    assert "upper end" in wrong(question, half_the_shift(question))
    assert "upper end" in wrong(question, another_adjacency(question))


def test_planted_bug_the_smaller_direction_is_found() -> None:
    removal = on_a_line(NORMAL, [(1 - TENTH, ZEROTH), (TENTH, Fraction(1))], [(Fraction(1), ZEROTH)])
    addition = on_a_line(NORMAL, [(Fraction(1), ZEROTH)], [(1 - TENTH, ZEROTH), (TENTH, Fraction(-1))])
    text = "poisson(gaussian(1), rate=1/10)"
    assert wrong(asked(text, ZERO, removal), certified(asked(text, ZERO, removal))) == ""
    assert "lower end" in wrong(asked(text, ZERO, addition), certified(asked(text, ZERO, addition)))


@pytest.mark.usefixtures("single_answers")
def test_an_exception_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Asked) -> Interval:
        raise ZeroDivisionError

    monkeypatch.setattr(certified_answers, "certified", fail)
    assert "ZeroDivisionError" in checked(3, 0, fail).problem


@pytest.mark.usefixtures("single_answers")
def test_the_command_says_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--count", "6", "--seed", "3"]) == 0
    assert "6 questions, seed 3: 0 wrong" in capsys.readouterr().out


# ------------------------------------------------------------------------------------ what the truths rest on


def test_a_truth_is_told_however_far_out() -> None:
    curve = either_way(NORMAL, [(Fraction(1), Root(Fraction(4 * 10**15)))], [(Fraction(1), ZEROTH)])
    tiny = Fraction(1, 10**14)  # reached 7.7 of 6e7 standard deviations beyond the mean of the loss
    assert exceeds(curve, Fraction(2 * 10**15 + 4 * 10**8), tiny, ZEROTH)
    assert exceeds(curve, Fraction(2 * 10**15 + 5 * 10**8), tiny, ZEROTH, below=True)


def test_a_truth_that_cannot_be_told_is_a_finding_and_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def untold(*_: object) -> str:
        raise ArithmeticError("cannot be told")

    monkeypatch.setattr(certified_answers, "wrong", untold)
    assert "cannot be told" in checked(3, 0).problem


def by_quadrature(noise: str, first: Weighted, second: Weighted, x: Fraction) -> mpmath.mpf:
    """The integral of what p has more than e^x q, of densities in mpmath, between all points where it may bend."""
    with mpmath.workdps(22):
        alpha = mpmath.exp(mpmath.mpf(x.numerator) / x.denominator)

        def density(side: Weighted, y: mpmath.mpf) -> mpmath.mpf:
            total = mpmath.mpf(0)
            for w, c in side:
                assert isinstance(c, Fraction)
                t = y - mpmath.mpf(c.numerator) / c.denominator
                one = mpmath.npdf(t) if noise == "normal" else mpmath.exp(-abs(t)) / 2
                total += mpmath.mpf(w.numerator) / w.denominator * one
            return total

        def excess(y: mpmath.mpf) -> mpmath.mpf:
            return density(first, y) - alpha * density(second, y)

        bends = sorted(
            {mpmath.mpf(c.numerator) / c.denominator for _, c in (*first, *second) if isinstance(c, Fraction)}
        )
        low, high = mpmath.mpf(-60), mpmath.mpf(60)
        for _ in range(70):
            middle = (low + high) / 2
            low, high = (low, middle) if excess(middle) > 0 else (middle, high)
        return mpmath.quad(excess, [high, *(b for b in bends if b > high), high + 20, high + 90])


LINES: tuple[tuple[str, Noise, Weighted, Weighted], ...] = (
    ("normal", NORMAL, [(HALF, ZEROTH), (HALF, Fraction(3, 2))], [(Fraction(1), ZEROTH)]),
    ("normal", NORMAL, [(HALF, ZEROTH), (HALF, Fraction(1))], [(HALF, ZEROTH), (HALF, Fraction(-1))]),
    ("normal", NORMAL, [(1 - TENTH, Fraction(-1)), (TENTH, Fraction(1))], [(1 - TENTH, Fraction(-1)), (TENTH, ZEROTH)]),
    ("laplace", LAPLACE, [(HALF, ZEROTH), (HALF, Fraction(2))], [(Fraction(1), ZEROTH)]),
    ("laplace", LAPLACE, [(Fraction(1), Fraction(2))], [(Fraction(1), ZEROTH)]),
)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "noise", "first", "second"), LINES)
def test_a_hockey_stick_is_the_integral_of_densities(
    name: str, noise: Noise, first: Weighted, second: Weighted
) -> None:
    for x in (ZEROTH, HALF):
        found = at(on_a_line(noise, first, second), x)
        assert found == pytest.approx(float(by_quadrature(name, first, second, x)), rel=1e-14)


@pytest.mark.parametrize(
    ("first", "second", "x", "value"),
    [
        # Published beside the theorems: Poisson under replace-one, fixed batches under replace-one and zero-out.
        ([(99, 0), (1, 1)], [(99, 0), (1, -1)], 1, 2.95694897553222e-9),
        ([(99, 0), (1, 1)], [(100, 0)], 1, 2.73200926154613e-9),
        ([(90, 0), (10, 1)], [(100, 0)], HALF, 0.00203253692034036),
        ([(90, -1), (10, 1)], [(90, -1), (10, 0)], HALF, 0.0163658165290047),
        ([(90, -1), (10, 0)], [(100, -1)], TENTH, 0.0184719306880621),
    ],
)
def test_golden_values(first: list[tuple[int, int]], second: list[tuple[int, int]], x: Fraction, value: float) -> None:
    sides = [[(Fraction(w, 100), Fraction(c)) for w, c in side] for side in (first, second)]
    assert at(on_a_line(NORMAL, *sides), x) == pytest.approx(value, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [discrete_gaussian(Fraction(3, 2)), discrete_laplace(Fraction(3, 2))])
def test_a_hockey_stick_of_integers_is_a_sum_over_them(noise: Callable[[int], object]) -> None:
    first, second = [(HALF, ZEROTH), (HALF, Fraction(2))], [(Fraction(1), ZEROTH)]
    power = 2 if "gaussian" in repr(noise) else 1

    def weigh(k: int) -> float:
        return math.exp(-(2 / 9 if power == 2 else 2 / 3) * abs(k) ** power)

    whole = sum(map(weigh, range(-80, 81)))
    for x in (0.0, 0.25, 0.5):
        terms = (weigh(k) / 2 + weigh(k - 2) / 2 - math.exp(x) * weigh(k) for k in range(-80, 81))
        assert at(on_integers(noise, first, second), x) == pytest.approx(  # type: ignore[arg-type]
            sum(max(term, 0.0) for term in terms) / whole, rel=1e-13
        )


def test_the_worst_candidates_are_no_better_than_any() -> None:
    curve = two_candidates(Fraction(1), Fraction(1), back=False)
    best = at(curve, HALF)
    for odds in range(-30, 31):
        p, q = (1 / (1 + math.exp(-(odds / 10 + move))) for move in (1, 0))
        assert max(p - math.exp(0.5) * q, 0) + max(1 - p - math.exp(0.5) * (1 - q), 0) <= best * (1 + 1e-12)
    assert best == pytest.approx((1 - math.exp(-0.25)) ** 2 / (1 - math.exp(-1)), rel=1e-14)


@pytest.mark.slow
def test_compositions_of_normal_laws_are_one() -> None:
    one = normals([(1.0, 0.5)], [(1.0, 0.0)])
    for count, curve in ((2, few([one, one])), (3, few([one] * 3)), (40, many([(one, 40)]))):
        whole = on_a_line(NORMAL, [(Fraction(1), Root(Fraction(count, 4)))], [(Fraction(1), ZEROTH)])
        for x in (0.5, 2.0):
            assert at(curve, x) == pytest.approx(at(whole, x), rel=1e-8)


def test_compositions_of_responses_are_binomial() -> None:
    def masses() -> Masses:
        return [(arb(3) / 4, arb(1) / 4), (arb(1) / 4, arb(3) / 4)]

    def exactly(x: float) -> float:
        ways = ((math.comb(3, k) * 3**k / 64, math.comb(3, k) * 3 ** (3 - k) / 64) for k in range(4))
        return float(sum(max(p - math.exp(x) * q, 0) for p, q in ways))

    response = listed([(0.75, 0.25), (0.25, 0.75)])
    for x in (0.0, 0.5, 2.0):
        for curve in (
            on_outcomes(repeated(masses, 3)),
            on_outcomes(together(masses, masses, masses)),
            few([response] * 3),
        ):
            assert at(curve, x) == pytest.approx(exactly(x), rel=1e-14)


def test_a_list_that_is_cut_tells_nothing_of_what_lies_beyond() -> None:
    """3.957294244188690699808938e-80 by a sum over 501 integers in 60 digits; a list to 12 deviations said 6e-83."""
    scale, z, q = Fraction(1401, 287), 1.42672190946594601, 0.443257580555903086
    sampled = normals([(1 - q, 0.0), (q, 0.5 / z)], [(1 - q, 0.0), (q, -0.5 / z)])

    def lattice(reach: int, cut: float) -> Law:
        weight = [math.exp(-(k**2) / (2 * float(scale) ** 2)) for k in range(-reach, reach + 1)]
        there, absent = ([w / sum(weight) for w in side] for side in ([0.0, 0.0, *weight], [*weight, 0.0, 0.0]))
        return listed([(p, a) for p, a in zip(there, absent, strict=True) if p > 0 and a > 0], cut)

    assert at(few([sampled, lattice(185, 1e-300)]), 10) == pytest.approx(3.957294244188690699808938e-80, rel=1e-8)
    with pytest.raises(NoTruthError, match="left out"):
        at(few([sampled, lattice(62, 1e-33)]), 10)
    with pytest.raises(NoTruthError, match="left out"):
        at(few([normals([(1.0, 0.5)], [(1.0, 0.0)])] * 2), 10)


def test_lattice_laws_are_whole() -> None:
    for laws in (discrete_gaussians(1.7, 3), discrete_laplaces(1.7, 3)):
        for law in laws:
            assert sum(law) == pytest.approx(1, rel=1e-14)
    there, absent = discrete_laplaces(2.0, 1)
    assert there[0] / absent[0] == pytest.approx(math.exp(-1 / 2))
    assert there[1] / absent[1] == pytest.approx(math.exp(1 / 2))


@pytest.mark.slow
def test_laplace_answers_with_a_gaussian_one() -> None:
    """A sum over the other one's list against an integral over this one's."""
    noise, other = laplace(1.5), normals([(1.0, 0.7)], [(1.0, 0.0)])
    whole = on_a_line(LAPLACE, [(Fraction(1), Fraction(3, 2))], [(Fraction(1), ZEROTH)])
    direct = sum(
        w * at(whole, Fraction(0.5 - loss)) for loss, w in zip(other.losses, other.weights, strict=True) if w > 1e-8
    )
    assert at(few([other, noise]), 0.5) == pytest.approx(direct, rel=1e-3)


def test_a_sum_that_half_as_many_points_change_is_no_truth() -> None:
    # A sampled answer whose loss hardly varies makes a step of the last hockey stick, which no Gauss rule follows.
    scale, rate = 238640401197795 / 281474976710656, 43 / 625
    weight = [math.exp(-(k**2) / (2 * scale**2)) for k in range(-14, 15)]
    absent, moved = ([w / sum(weight) for w in side] for side in ([*weight, 0.0], [0.0, *weight]))
    there = [rate * p + (1 - rate) * a for p, a in zip(moved, absent, strict=True)]
    lattice = listed([(p, a) for p, a in zip(there, absent, strict=True) if p > 0 and a > 0])
    sampled = normals([(1 - 13 / 3125, 0.0), (13 / 3125, 0.1)], [(1.0, 0.0)])
    with pytest.raises(NoTruthError):  # 9.99995474e-6 by quadrature between the kinks; it said 1.0000121e-5
        at(few([sampled, lattice, laplace(1000 / 511)]), 3.94107449844305)


def test_an_integrand_beyond_doubles_is_no_truth() -> None:
    with pytest.raises(NoTruthError):
        at(many_steps(2881919811951467 / 9007199254740992, 316), 10)


def test_every_single_family_is_drawn() -> None:
    rng = random.Random(0)  # noqa: S311 - a sample, not a secret
    found = {single(rng).adjacency for _ in range(60)}
    assert found == {REPLACE, ZERO, "add-or-remove-one"}
