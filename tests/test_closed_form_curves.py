"""The curves of single answers against sums and half-lines in mpmath: values, and the mass of Q that attains them.

A curve at x is the largest P(S) - e^x Q(S), attained where P exceeds e^x Q; its slope in e^x is minus the mass of Q.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from flint import arb
from mpmath import mpf

from dpref.privacy.closed_forms import curves, three_laws
from dpref.privacy.closed_forms.mixtures import Mixture
from dpref.reals import ball, precision

Law = list[tuple[Fraction, Fraction]]  # weights and centres of normal laws of unit variance


def real(x: Fraction | int) -> mpf:
    return mpf(Fraction(x).numerator) / Fraction(x).denominator


def near(found: arb, expected: mpf, digits: int = 30) -> bool:
    """Whether a ball holds a number and is as narrow as that many digits."""
    with mpmath.workdps(55):
        text = mpmath.nstr(expected, 50)
    least = arb(10) ** -digits
    return bool(abs(found - arb(text)) < 2 * least) and bool(found.rad() < least)


# ------------------------------------------------------------------------------------ normal laws


def density(law: Law, y: mpf) -> mpf:
    return sum(real(w) * mpmath.npdf(y, real(c)) for w, c in law)


def mass(law: Law, begin: mpf, end: mpf) -> mpf:
    return sum(real(w) * (mpmath.ncdf(end - real(c)) - mpmath.ncdf(begin - real(c))) for w, c in law)


def attained(first: Law, second: Law, x: Fraction) -> tuple[mpf, mpf]:
    """Where P exceeds e^x Q: between the places at which it changes, found on a grid and then by bisection."""
    scale = mpmath.exp(real(x))

    def excess(y: mpf) -> mpf:
        return density(first, y) - scale * density(second, y)

    grid = [mpf(k) / 4 for k in range(-60, 61)]
    signs = [excess(y) > 0 for y in grid]
    ends = [
        mpmath.findroot(excess, (a, b), solver="anderson", tol=mpf(10) ** -80, verify=False)
        for (a, b), (s, t) in zip(itertools.pairwise(grid), itertools.pairwise(signs), strict=True)
        if s != t
    ]
    places = [-mpmath.inf, *ends, mpmath.inf]
    cells = list(itertools.pairwise(places))
    inside = [cell for k, cell in enumerate(cells) if signs[0] == (k % 2 == 0)]  # the sign changes at every end
    total = sum((mass(second, a, b) for a, b in inside), mpf(0))
    return sum((mass(first, a, b) for a, b in inside), mpf(0)) - scale * total, total


RATE, SHIFT = Fraction(3, 10), Fraction(6, 5)
REST = 1 - RATE
PAIRS: list[tuple[str, Law, Law, list[Fraction]]] = [
    ("poisson_replaced", [(REST, Fraction(0)), (RATE, SHIFT)], [(REST, Fraction(0)), (RATE, -SHIFT)],
     [Fraction(-2, 5), Fraction(0), Fraction(2, 5)]),
    ("batch_zeroed", [(REST, -SHIFT), (RATE, SHIFT)], [(REST, -SHIFT), (RATE, Fraction(0))],
     [Fraction(0), Fraction(2, 5)]),
    ("batch_filled", [(REST, -SHIFT), (RATE, Fraction(0))], [(REST, -SHIFT), (RATE, SHIFT)],
     [Fraction(1, 20), Fraction(1, 5)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "first", "second", "x"), [(n, p, q, x) for n, p, q, xs in PAIRS for x in xs], ids=lambda v: str(v)[:18]
)
def test_a_curve_of_three_laws_is_attained_where_one_exceeds_the_other(
    name: str, first: Law, second: Law, x: Fraction
) -> None:
    with precision(160), mpmath.workdps(45):
        found = getattr(three_laws, name)(ball(RATE), ball(SHIFT), ball(x))
        assert all(near(a, b) for a, b in zip(found, attained(first, second, x), strict=True))


def test_a_batch_that_is_filled_exceeds_the_other_up_to_a_level_and_nowhere_beyond() -> None:
    """Where both roots meet: at 4 e^x (e^x - 1) (1 - g) = g e^(s^2); a level that may be that one covers both sides."""
    with precision(120), mpmath.workdps(40):
        g, s = ball(RATE), ball(SHIFT)
        root = (1 + mpmath.sqrt(1 + real(RATE) / real(REST) * mpmath.exp(real(SHIFT) ** 2))) / 2
        end = arb(mpmath.nstr(mpmath.log(root), 40))
        for beyond in (end + arb("0.001"), end + 1, arb(9)):
            assert three_laws.batch_filled(g, s, beyond) == (arb(0), arb(0))
        low = end - arb("0.0001")
        inside = three_laws.batch_filled(g, s, low)
        assert inside[0] > 0
        assert inside[1] > 0
        unsure = three_laws.batch_filled(g, s, low.union(end + arb("0.0001")))
        for wide, least in zip(unsure, inside, strict=True):
            assert wide.contains(least.mid())
            assert wide.contains(0)
            assert wide.rad() < 0.1
        for unknown in (arb(0), arb(-1), arb(-1).union(arb(1))):
            for part in three_laws.batch_filled(g, s, unknown):
                assert part.contains(0)
                assert part.contains(1)
                assert part.rad() < 0.51


@pytest.mark.parametrize("x", [Fraction(-7, 10), Fraction(-1, 4), Fraction(0), Fraction(1, 2), Fraction(3)])
def test_a_mixture_against_a_normal_law_in_both_directions(x: Fraction) -> None:
    still, parts = Fraction(3, 5), [(Fraction(3, 10), Fraction(6, 5)), (Fraction(1, 10), Fraction(5, 2))]
    law: Law = [(still, Fraction(0)), *parts]
    alone: Law = [(Fraction(1), Fraction(0))]
    with precision(160), mpmath.workdps(45):
        mixture = Mixture(ball(still), [(ball(w), ball(s)) for w, s in parts])
        for found, pair in ((mixture.removed(ball(x)), (law, alone)), (mixture.added(ball(x)), (alone, law))):
            assert all(near(a, b) for a, b in zip(found, attained(*pair, x), strict=True))


@pytest.mark.parametrize("x", [Fraction(-1, 3), Fraction(1, 100), Fraction(4), Fraction(30)])
def test_the_crossing_of_a_mixture_of_unlike_parts_is_enclosed(x: Fraction) -> None:
    """A rare part that is far away, a frequent one that is near: the likelihood ratio at the crossing is the level."""
    still = Fraction(1, 2)
    parts = [(Fraction(1, 2) - Fraction(1, 10**9), Fraction(1, 10)), (Fraction(1, 10**9), Fraction(8))]
    with precision(160):
        mixture = Mixture(ball(still), [(ball(w), ball(s)) for w, s in parts])
        place = mixture.crossing(ball(x))
        assert place.rad() < arb(2) ** -100
        assert mixture.log_ratio(place).overlaps(ball(x))
        assert mixture.log_ratio(place.lower()) < ball(x) < mixture.log_ratio(place.upper())


def test_below_the_weight_that_stays_everything_exceeds_a_mixture_and_nothing_is_exceeded_by_it() -> None:
    """The loss of a record that is removed is above ln w_0 everywhere, that of an added one below -ln w_0."""
    with precision(120):
        mixture = Mixture(ball(Fraction(3, 5)), [(ball(Fraction(2, 5)), arb(1))])
        value, everything = mixture.removed(arb(-1))
        assert value.overlaps(-arb(-1).expm1())
        assert everything == 1
        assert mixture.added(arb(1)) == (arb(0), arb(0))
        undecided = ball(Fraction(3, 5)).log()
        value, mass_of_second = mixture.removed(undecided)
        assert value.overlaps(ball(Fraction(2, 5)))
        assert mass_of_second.contains(0)
        assert mass_of_second.contains(1)
        assert mass_of_second.rad() < 0.51
        value, mass_of_second = mixture.added(-undecided)
        assert value.contains(0)
        assert value < ball(Fraction(1, 10**20))
        assert mass_of_second.contains(0)
        assert mass_of_second.contains(1)
        assert mass_of_second.rad() < 0.51
        for side, sign in (("removed", 1), ("added", -1)):
            level = sign * undecided
            curve = getattr(mixture, side)
            wide, both = curve(level.union(level + arb("0.05")).union(level - arb("0.05")))
            for exact in (level - arb("0.05"), level + arb("0.05")):
                value, mass_of_second = curve(exact)
                assert wide.contains(value.mid())
                assert both.contains(mass_of_second.mid())
            assert wide.rad() < 0.1


# ------------------------------------------------------------------------------------ integers


def summed(p: Callable[[int], mpf], q: Callable[[int], mpf], x: Fraction) -> tuple[mpf, mpf]:
    """The curve of two laws on the integers, by a sum over the middle of them."""
    scale = mpmath.exp(real(x))
    above = [z for z in range(-150, 151) if p(z) > scale * q(z)]
    return sum((p(z) - scale * q(z) for z in above), mpf(0)), sum((q(z) for z in above), mpf(0))


XS = [Fraction(k, 10) for k in (-31, -19, -7, 0, 3, 11, 19, 31)]


@pytest.mark.parametrize("shift", [1, 2, 3])
@pytest.mark.parametrize("x", XS)
def test_the_discrete_laplace_curve_is_the_sum_over_the_integers(shift: int, x: Fraction) -> None:
    scale = Fraction(3, 2)
    with precision(160), mpmath.workdps(45):
        ratio = mpmath.exp(-1 / real(scale))

        def law(z: int) -> mpf:
            return (1 - ratio) / (1 + ratio) * ratio ** abs(z)

        found = curves.discrete_laplace_curve(scale, shift)(ball(x))
        expected = summed(lambda z: law(z - shift), law, x)
        assert all(near(a, b, 20) for a, b in zip(found, expected, strict=True))
        atoms = curves.discrete_laplace_atoms(scale, shift)
        for loss in range(-shift, shift + 1):
            there = [z for z in range(-150, 151) if abs(z) - abs(z - shift) == loss]
            listed = sum((p for k, p in atoms if k == loss), arb(0))
            assert near(listed, sum((law(z - shift) for z in there), mpf(0)), 20)


@pytest.mark.parametrize("shift", [1, 2])
@pytest.mark.parametrize("x", XS)
def test_the_discrete_gaussian_curve_is_the_sum_over_the_integers(shift: int, x: Fraction) -> None:
    sigma = Fraction(5, 4)
    with precision(160), mpmath.workdps(45):
        total = mpmath.nsum(lambda z: mpmath.exp(-(z**2) / (2 * real(sigma) ** 2)), [-60, 60])

        def law(z: int) -> mpf:
            return mpmath.exp(-mpf(z * z) / (2 * real(sigma) ** 2)) / total

        found = curves.discrete_gaussian_curve(sigma, shift)(ball(x))
        expected = summed(lambda z: law(z - shift), law, x)
        assert all(near(a, b, 25) for a, b in zip(found, expected, strict=True))
        listed_atoms = curves.discrete_gaussian_atoms(sigma, shift)
        atoms = dict(listed_atoms)
        _, _, reach = curves._gaussian_sums(sigma**2, 160)
        assert [loss for loss, _ in listed_atoms] == [shift - 2 * z for z in range(reach, -reach - 1, -1)]
        for z in range(-6, 7):
            assert near(atoms[shift - 2 * z], law(z), 25)
        listed = sum(atoms.values(), arb(0))
        outside = curves.discrete_gaussian_outside(sigma)
        assert (listed + 2 * outside).overlaps(arb(1))
        assert outside.contains(0)


def test_what_lies_outside_the_listed_atoms_is_bounded_and_nearly_nothing() -> None:
    sigma = Fraction(5, 4)
    with precision(60):
        outside = curves.discrete_gaussian_outside(sigma)
        reach = max(abs(loss - 1) // 2 for loss, _ in curves.discrete_gaussian_atoms(sigma, 1))
    with precision(400), mpmath.workdps(100):
        square = real(sigma) ** 2
        terms = [mpmath.exp(-mpf(z * z) / (2 * square)) for z in range(reach + 60)]
        tail = sum(terms[reach + 1 :]) / (2 * sum(terms) - 1)
        assert arb(mpmath.nstr(tail, 60)) < outside.upper()
        assert outside.upper() < arb(mpmath.nstr(2 * tail, 60))
        assert tail < mpf(2) ** -60


@pytest.mark.parametrize(("square", "bits"), [("25/16", 53), ("1/4", 128), ("16", 128), ("9", 24)])
def test_sums_reach_as_far_as_a_term_of_32_bits_more_than_asked_for_and_two_further(square: str, bits: int) -> None:
    exact = Fraction(square)
    with precision(bits):
        sums, whole, reach = curves._gaussian_sums(exact, bits)
    assert len(sums) == 2 * reach + 1
    assert sums[-1] is whole
    with mpmath.workdps(80):
        bound = mpmath.sqrt(2 * real(exact) * (bits + 32) * mpmath.log(2))
        assert reach - 2 == int(bound * mpmath.sqrt(mpf("0.6932") / mpmath.log(2)))
        terms = {z: mpmath.exp(-mpf(z * z) / (2 * real(exact))) for z in range(-4 * reach, 4 * reach + 1)}
        for place, z in enumerate(range(-reach, reach + 1)):
            upto = sum(w for k, w in terms.items() if k <= z) if z < reach else sum(terms.values())
            with precision(240):
                assert sums[place].overlaps(arb(mpmath.nstr(upto, 70)))


@pytest.mark.parametrize(("square", "bits"), [(10_000, 24), (400, 53), (2500, 20)])
def test_one_bit_more_or_less_is_another_reach(square: int, bits: int) -> None:
    with precision(bits):
        _, _, reach = curves._gaussian_sums(Fraction(square), bits)
    squared = Fraction("0.6932") * 2 * square * (bits + 32)
    assert reach - 2 == math.isqrt(math.floor(squared))
    assert list(curves._counted(3)) == [0, 1, 2, 3]


@pytest.mark.parametrize("x", [15, 30, 45])
def test_the_far_tail_of_a_discrete_gaussian_is_bounded_from_above_and_closely(x: int) -> None:
    """Far above all losses that are summed the mass of Q is bounded by a geometric series of its first term."""
    sigma, shift = Fraction(5, 4), 1
    square = sigma**2
    with precision(60):
        value, mass_of_second = curves.discrete_gaussian_curve(sigma, shift)(arb(x))
    first = math.ceil(Fraction(shift, 2) - x * square / shift) - 1 - shift
    with mpmath.workdps(60):
        terms = [mpmath.exp(-mpf(z * z) / (2 * real(square))) for z in range(200)]
        tail = sum(terms[-first:]) / (2 * sum(terms) - 1)
        with precision(200):
            assert mass_of_second.contains(0)
            assert arb(mpmath.nstr(tail, 50)) < mass_of_second.upper()
            assert mass_of_second.upper() < arb(mpmath.nstr(tail * mpf("1.001"), 50))
            assert value.contains(0)


def test_a_level_that_is_not_known_covers_the_curve_at_all_that_it_may_be() -> None:
    """A ball in which several thresholds lie: both curves hold all their values in it, and not much more."""
    for curve in (curves.discrete_laplace_curve(Fraction(3, 2), 3), curves.discrete_gaussian_curve(Fraction(5, 4), 2)):
        value, mass_of_second = curve((arb(1) / 16).union(arb(31) / 16))
        values, masses = zip(*(curve(arb(k) / 16) for k in range(1, 32)), strict=True)
        assert all(value.contains(v) for v in values)
        assert all(mass_of_second.contains(m) for m in masses)
        assert masses[0] > masses[-1]
        assert mass_of_second.rad() < (masses[0] - masses[-1]) * 0.51


@pytest.mark.parametrize(
    ("first", "last", "counted"),
    [(0, 0, True), (0, 7, True), (0, 1000, True), (0, 1001, False), (600, 900, True), (-900, 200, False)],
)
def test_a_thousand_thresholds_are_tried(first: int, last: int, counted: bool) -> None:
    tried = list[int]()

    def below(z: int) -> arb:
        tried.append(z)
        return arb(z) / 2000

    half = arb(1) / 2
    value, mass_of_second = curves._threshold_curve(arb(-1), (first + half).union(last + half), 5000, below)
    if counted:
        assert sorted(tried) == sorted([*range(first, last + 1), *(z - 5000 for z in range(first, last + 1))])
    else:
        assert tried == []
        least = -arb(-1).expm1()
        assert value.overlaps(least)
        assert value.contains(1)
        assert value.rad() < (1 - least) * 0.51
        assert mass_of_second.contains(0)
        assert mass_of_second.contains(1)
        assert mass_of_second.rad() < 0.51
        value, _ = curves._threshold_curve(arb(1), (first + half).union(last + half), 5000, below)
        assert value.contains(0)
        assert value.rad() < 0.51


# ------------------------------------------------------------------------------------ the ends of a range of losses


@pytest.mark.parametrize("bound", [arb(2), arb(1) / 2], ids=str)
@pytest.mark.parametrize("name", ["laplace", "exponential"])
def test_a_curve_whose_losses_end_is_zero_above_and_everything_below(name: str, bound: arb) -> None:
    """At the ends the mass of Q jumps: every number between both sides' is a slope, and all are in the ball."""
    curve = {"laplace": curves.laplace_curve, "exponential": curves.exponential_curve}[name]
    step = arb(1) / 1024
    assert curve(bound + step, bound) == (arb(0), arb(0))
    below, everything = curve(-bound - step, bound)
    assert below.overlaps(-(-bound - step).expm1())
    assert everything == 1
    for end, value in ((bound, arb(0)), (-bound, -(-bound).expm1())):
        found, jump = curve(end, bound)
        assert found.overlaps(value)
        assert found.rad() < 1e-12
        assert jump.contains(0)
        assert jump.contains(1)
        assert jump.rad() < 0.51
    for inside in (bound - step, -bound + step, arb(0)):
        found, slope = curve(inside, bound)
        later, _ = curve(inside + arb(2) ** -20, bound)
        chord = (found - later) / ((inside + arb(2) ** -20).exp() - inside.exp())
        assert abs(chord - slope) < 1e-5
        assert slope.rad() < 1e-12


def test_a_curve_of_parts_ends_in_their_totals() -> None:
    total = (ball(Fraction(1, 3)), ball(Fraction(1, 4)))
    value, mass_of_second = curves.cut(arb(-3), arb(2), lambda x: (x, x), total)
    assert value.overlaps(total[0] - arb(-3).exp() * total[1])
    assert mass_of_second == total[1]


ATOMS = [(arb(1), arb("0.5"), arb("0.25")), (arb(-1), arb("0.25"), arb("0.5")), (arb(0), arb("0.25"), arb("0.25"))]


@pytest.mark.parametrize(("x", "count"), [("-1.5", 3), ("-0.5", 2), ("0", 1), ("0.5", 1), ("1", 0), ("1.5", 0)])
def test_atoms_count_where_their_loss_is_larger(x: str, count: int) -> None:
    order = sorted(ATOMS, key=lambda atom: -float(atom[0]))[:count]
    value, mass_of_second = curves.finite_curve(arb(x), ATOMS)
    scale = arb(x).exp()
    assert value.overlaps(sum((p - scale * q for _, p, q in order), arb(0)))
    assert value.rad() < 1e-12
    assert mass_of_second == sum((q for _, _, q in order), arb(0))


def test_an_atom_whose_loss_may_be_the_level_counts_in_part() -> None:
    """What it gives is next to nothing, its mass all or nothing."""
    loss = ball(Fraction(1, 3))
    value, mass_of_second = curves.finite_curve(loss, [(loss, loss.exp() / 4, arb("0.25"))])
    assert value.contains(0)
    assert value < 1e-12
    assert mass_of_second.contains(0)
    assert mass_of_second.contains(arb("0.25"))
    assert mass_of_second.rad() < 0.126
    wide = arb("0.25").union(arb("0.75"))
    value, _ = curves.finite_curve(arb("0.5"), [(wide, wide.exp() / 4, arb("0.25"))])
    assert value.contains((arb("0.75").exp() - arb("0.5").exp()) / 4)
    assert not value.contains(-(arb("0.5").exp() - arb("0.25").exp()) / 8)
