"""Small closed forms at their ends: roots, pure losses, parts of a data set, and errors of both kinds."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from flint import arb
from mpmath import mpf

from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.guarantees import concentrated_delta, table_atoms
from dpref.privacy.closed_forms.parallel import alongside, check_part, heaviest
from dpref.privacy.closed_forms.pure import pure_epsilon
from dpref.privacy.closed_forms.roots import rational_root
from dpref.privacy.closed_forms.tradeoff import dp_tradeoff_at, gaussian_tradeoff_at, laplace_tradeoff_at
from dpref.privacy.events.discrete import DiscreteLaplace
from dpref.privacy.events.ledger import (
    Compose,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    Ledger,
    NoisyMax,
    NonPrivate,
    RandomizedResponse,
    Repeat,
)
from dpref.privacy.events.mixture import ExponentialMixture
from dpref.privacy.interval import Interval
from dpref.reals import ball, precision
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut
from tests.losses import approximate, pure

# ------------------------------------------------------------------------------------ roots


@pytest.mark.parametrize(
    "square", [Fraction(2), Fraction(4), Fraction(1, 3), Fraction(10**100), Fraction(7, 10**60), Fraction(10**19, 3)]
)
def test_a_root_has_96_bits_or_two_more_and_is_rounded_in_both_directions(square: Fraction) -> None:
    lengths = square.denominator.bit_length() - square.numerator.bit_length()
    bits = max(96 + math.floor(Fraction(lengths, 2)) + 1, 0)
    low, high = (rational_root(square, up=up) for up in (False, True))
    unit = Fraction(1, 2**bits)
    assert (low / unit).denominator == 1
    assert high - low == unit
    assert low**2 <= square < high**2
    if bits:
        assert 2**95 <= low / unit < 2**98


# ------------------------------------------------------------------------------------ pure losses


@pytest.mark.parametrize(
    ("event", "adjacency", "epsilon"),
    [
        (Laplace(Fraction(3, 2)), ReplaceOne, Fraction(2, 3)),
        (DiscreteLaplace(Fraction(3, 2), 2), ReplaceOne, Fraction(4, 3)),
        (Exponential(Fraction(2, 7)), ReplaceOne, Fraction(2, 7)),
        (ExponentialMixture(Fraction(2, 7)), ReplaceOne, Fraction(2, 7)),
        (NoisyMax(Fraction(2, 7), "laplace"), ReplaceOne, Fraction(2, 7)),
        (RandomizedResponse(Fraction(2, 7)), ReplaceOne, Fraction(2, 7)),
        (RandomizedResponse(Fraction(2, 7)), AddOrRemoveOne, math.inf),
        (Gaussian(Fraction(9)), ReplaceOne, math.inf),
    ],
    ids=str,
)
def test_the_pure_loss_of_an_event_adds_up(event: Event, adjacency: type[Adjacency], epsilon: Fraction) -> None:
    assert pure_epsilon(Ledger(event, adjacency)) == epsilon
    twice = Compose((Repeat(event, 2), Laplace(Fraction(5))))
    assert pure_epsilon(Ledger(twice, adjacency)) == 2 * epsilon + (Fraction(1, 5) if epsilon < math.inf else 0)


# ------------------------------------------------------------------------------------ parts


@pytest.mark.parametrize("part", [range(1, 1), range(3, 1), range(0, 4, 2), range(4, 0, -1), range(-1, 2)])
def test_a_part_is_a_stretch_of_places(part: range) -> None:
    with pytest.raises(InvalidArgumentError, match="must be places in order"):
        check_part(part, [], ReplaceOne)


@pytest.mark.parametrize(
    ("other", "disjoint"), [((0, 3), True), ((6, 9), True), ((0, 4), False), ((5, 9), False), ((4, 5), False),
                            ((0, 9), False), ((3, 6), True)]
)  # fmt: skip
def test_parts_are_disjoint_or_the_same(other: tuple[int, int], disjoint: bool) -> None:
    for others in ([range(*other)], [range(10, 12), range(*other)]):
        if disjoint:
            check_part(range(3, 6), others, ReplaceOne)
        else:
            with pytest.raises(InvalidArgumentError, match="disjoint"):
                check_part(range(3, 6), others, ReplaceOne)
    with pytest.raises(InvalidArgumentError, match="keep their places"):
        check_part(range(3, 6), [], AddOrRemoveOne)


@pytest.mark.parametrize("order", [(3, 2, 5), (2, 3, 5), (5, 3, 2)])
def test_the_part_with_the_least_noise_is_the_heaviest(order: tuple[int, ...]) -> None:
    ledgers = [Ledger(Gaussian(Fraction(z)), ReplaceOne) for z in order]
    assert heaviest(ledgers).event == alongside(ledgers) == Gaussian(Fraction(2))
    assert heaviest([*ledgers, Ledger(NonPrivate(), ReplaceOne)]).event == NonPrivate()
    nulled = [Ledger(Gaussian(Fraction(z)), ZeroOut) for z in order]
    assert heaviest(nulled, partition="by record").event == Gaussian(Fraction(2))


# ------------------------------------------------------------------------------------ errors of both kinds


def mp(x: Fraction | float) -> mpf:
    return mpf(Fraction(x).numerator) / Fraction(x).denominator


def encloses(found: Interval, value: mpf) -> bool:
    """Whether an interval of neighbouring doubles, or nearly, holds a number."""
    return bool(mp(found.lower) <= value <= mp(found.upper)) and found.upper - found.lower <= 1e-15 * found.upper


ERRORS = [Fraction(k, 100) for k in (1, 5, 18, 19, 30, 49, 50, 51, 90, 99)]


@pytest.mark.parametrize("a", ERRORS)
def test_the_trade_off_functions_are_their_formulas(a: Fraction) -> None:
    with mpmath.workdps(40):
        x = mp(a)
        for epsilon, delta in ((Fraction(1), Fraction(0)), (Fraction(1, 3), Fraction(1, 50))):
            e, d = mp(epsilon), mp(delta)
            lines = (mpf(0), 1 - d - mpmath.exp(e) * x, mpmath.exp(-e) * (1 - d - x))
            assert encloses(dp_tradeoff_at(approximate(epsilon, delta), a), max(lines))
        for squared in (Fraction(1, 4), Fraction(3)):
            quantile = mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * x)
            assert encloses(gaussian_tradeoff_at(squared, a), mpmath.ncdf(quantile - mpmath.sqrt(mp(squared))))
        for scale in (Fraction(1, 2), Fraction(1), Fraction(3)):
            shrink = mpmath.exp(-1 / mp(scale))
            # The best test between Laplace laws 1 apart is a threshold: below, between and above both centres.
            value = 1 - x / shrink if x < shrink / 2 else shrink / (4 * x) if x < mpf(1) / 2 else shrink * (1 - x)
            assert encloses(laplace_tradeoff_at(scale, a), value)


def test_the_trade_off_functions_at_their_ends() -> None:
    for of in (gaussian_tradeoff_at, laplace_tradeoff_at):
        assert [(of(1, a).lower, of(1, a).upper) for a in (0, 1)] == [(1.0, 1.0), (0.0, 0.0)]
        with pytest.raises(InvalidArgumentError, match="must not exceed one"):
            of(1, Fraction(101, 100))
    assert encloses(gaussian_tradeoff_at(0, Fraction(1, 4)), mpf(3) / 4)
    assert [dp_tradeoff_at(pure(Fraction(1)), a).upper for a in (0, 1)] == [1.0, 0.0]
    third = approximate(Fraction(1), Fraction(1, 3))
    assert (dp_tradeoff_at(third, Fraction(2, 3)).lower, dp_tradeoff_at(third, Fraction(2, 3)).upper) == (0.0, 0.0)
    assert dp_tradeoff_at(third, Fraction(3, 5)).lower > 0


def test_an_error_is_at_most_one_to_the_last_digit() -> None:
    tiny = Fraction(1, 10**60)
    for found in (
        dp_tradeoff_at(pure(Fraction(1)), tiny),
        gaussian_tradeoff_at(Fraction(1, 10**40), tiny),
        gaussian_tradeoff_at(Fraction(0), tiny),
        laplace_tradeoff_at(Fraction(3), tiny),
    ):
        assert found.upper == 1.0
        assert found.lower > 1 - 1e-15


# ------------------------------------------------------------------------------------ concentrated guarantees


@pytest.mark.parametrize(("rho", "xi", "x"), [("1/2", "0", "1"), ("1/50", "1/10", "3/2"), ("3", "1", "9")])
def test_the_curve_of_a_concentrated_guarantee_is_its_best_conversion(rho: str, xi: str, x: str) -> None:
    """The least over all orders, and the mass of Q is minus its slope in e^x."""
    with precision(128), mpmath.workdps(30):
        value, mass = concentrated_delta(Fraction(rho), Fraction(xi), ball(Fraction(x)))
        r, shift = mp(Fraction(rho)), mp(Fraction(xi))

        def log_delta(t: mpf, at: mpf) -> mpf:
            return t * (shift + r * (1 + t) - at) - (1 + t) * mpmath.log1p(1 / t) - mpmath.log(t)

        def best(at: mpf) -> mpf:
            t = mpmath.findroot(lambda t: r * (1 + 2 * t) + shift - at - mpmath.log1p(1 / t), (at - shift) / (2 * r))
            return mpmath.exp(log_delta(t, at))

        at = mp(Fraction(x))
        assert abs(mpf(str(value.mid().str(25, radius=False))) / best(at) - 1) < 1e-13
        slope = -mpmath.diff(best, at) * mpmath.exp(-at)
        assert abs(mpf(str(mass.mid().str(25, radius=False))) / slope - 1) < 1e-9


def test_the_totals_of_a_table_are_one_each_whether_or_not_it_has_a_point_at_zero() -> None:
    tenth = Fraction(1, 10)
    for removed, added in (
        ([(Fraction(0), tenth)], [(Fraction(1), tenth)]),
        ([(Fraction(1), tenth)], [(Fraction(0), tenth)]),
        ([(Fraction(0), tenth), (Fraction(1), tenth / 10)], [(Fraction(0), tenth / 2)]),
    ):
        atoms = table_atoms(removed, added)
        for total in (sum((p for _, p, _ in atoms), arb(0)), sum((q for _, _, q in atoms), arb(0))):
            assert abs(total - 1) < 1e-12
    least = {loss: p for loss, p, _ in table_atoms(removed, added)}
    assert least[Fraction(0)] > 0


Table = list[tuple[Fraction, Fraction]]
TABLES: list[tuple[Table, Table]] = [
    ([(Fraction(0), Fraction(9, 10)), (Fraction(1, 10), Fraction(1, 100))], [(Fraction(1), Fraction(1, 10))]),
    ([(Fraction(k, 4), Fraction(d, 64)) for k, d in ((1, 40), (2, 36), (3, 9), (5, 8), (7, 1))], []),
    ([(Fraction(k, 4), Fraction(d, 64)) for k, d in ((1, 24), (2, 12), (3, 6), (5, 5), (7, 5))], []),
    ([(Fraction(1), Fraction(1, 8)), (Fraction(2), Fraction(1, 8))], [(Fraction(1), Fraction(1, 8))]),
    ([(Fraction(1, 2), Fraction(1, 5))], [(Fraction(k, 3), Fraction(d, 50)) for k, d in ((0, 20), (1, 9), (4, 2))]),
]


@pytest.mark.parametrize(("removed", "added"), TABLES)
def test_the_atoms_of_a_table_have_the_lowest_convex_curve_below_all_that_it_says(removed: Table, added: Table) -> None:
    """At every level, against all chords; no atom is empty, and losses increase."""
    dots = [(mpf(0), mpf(1))] + [(mpmath.exp(mp(e)), mp(d)) for e, d in removed]
    dots += [(mpmath.exp(-mp(e)), 1 - mpmath.exp(-mp(e)) * (1 - mp(d))) for e, d in added]
    atoms = table_atoms(removed, added)
    losses = [loss for loss, _, _ in atoms]
    assert losses == sorted(losses)
    assert all(p > 0 and q > 0 for _, p, q in atoms[1:-1])

    def least(at: mpf) -> mpf:
        above = [v for x, v in dots if x <= at]
        chords = [
            v + (w - v) * (at - x) / (y - x) for x, v in dots for y, w in dots if x < at < y
        ]  # fmt: skip
        return min(above + chords)

    for at in [x * scale for x, _ in dots[1:] for scale in (mpf("0.9"), mpf(1), mpf("1.05"))]:
        curve = sum((max(mpf(float(p.mid())) - at * mpf(float(q.mid())), mpf(0)) for _, p, q in atoms), mpf(0))
        assert abs(curve - least(at)) < 1e-12


def test_a_concentrated_guarantee_says_nothing_below_its_mean() -> None:
    """Below xi the best order's formula gives more than one, here 1.15 and 6.2; far below the mean it has no digits."""
    for rho, x in (("1/50", "1/2"), ("1/50", "1/8"), ("50", "1/100")):
        assert concentrated_delta(Fraction(rho), Fraction(1), ball(Fraction(x))) == (arb(1), arb(0))
