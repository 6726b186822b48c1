"""Several answers on one batch: the sampler is over all of them at once, Gaussian ones exactly, others on a grid."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import mpmath as mp
import numpy as np
import pytest
from flint import arb
from scipy.integrate import trapezoid

from dpref.errors import UnsupportedEventError
from dpref.privacy.accountants import certify
from dpref.privacy.events.batches import enclosed, rational_root, simplified
from dpref.privacy.events.expression import parse_event
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.pld.pairs import pairs
from dpref.reals import ball, lower, upper
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut
from tests.normal_mixtures import against_one

SIDES = ("remove", "add", "attained_remove", "attained_add")
SMALL = Fraction(1, 10**6)


def curve(text: str, adjacency: type[Adjacency], side: str, x: Fraction) -> arb:
    found: arb = getattr(pairs(parse_event(text), adjacency), side).curve(ball(x))[0]
    return found


# ------------------------------------------------------------------------------------ Gaussian answers


def test_two_gaussian_answers_are_one() -> None:
    """To fourteen digits, from a computation with another library."""
    found = curve("poisson(compose(gaussian(1), 2), rate=1/10)", AddOrRemoveOne, "remove", Fraction(1))
    assert float(found.mid()) == pytest.approx(0.0036636549589791, rel=1e-13)


def test_gaussian_answers_on_a_sample_at_random_points() -> None:
    """Against 30 digits of an own computation; planted bugs: noise that adds up, and a direction for the other."""
    rng = np.random.default_rng(3)
    caught = [0, 0]
    with mp.workdps(30):
        for _ in range(50):
            z, k = Fraction(int(rng.integers(4, 40)), 8), int(rng.integers(2, 6))
            other, rate = Fraction(int(rng.integers(4, 40)), 8), Fraction(int(rng.integers(1, 10)), 20)
            x, forward = Fraction(int(rng.integers(-40, 80)), 80), bool(rng.integers(2))
            text = f"poisson(compose(compose(gaussian({z}), {k}), gaussian({other})), rate={rate})"
            q = mp.mpf(rate.numerator) / rate.denominator
            square = k / z**2 + 1 / other**2
            mu = mp.sqrt(mp.mpf(square.numerator) / square.denominator)
            level = mp.mpf(x.numerator) / x.denominator
            exact = against_one([1 - q, q], [mp.mpf(0), mu], level, forward=forward)
            side = "remove" if forward else "add"
            found = curve(text, AddOrRemoveOne, side, x)
            assert lower(found) - 1e-15 <= float(exact) <= upper(found) + 1e-15
            assert curve(text, ZeroOut, f"attained_{side}", x) == found or float(found.mid()) == pytest.approx(exact)
            bugs = (
                against_one([1 - q, q], [mp.mpf(0), mu / mp.sqrt(2)], level, forward=forward),
                against_one([1 - q, q], [mp.mpf(0), mu], level, forward=not forward),
            )
            caught = [c + (abs(b - exact) > 1e-6) for c, b in zip(caught, bugs, strict=True)]
    assert min(caught) > 20


@pytest.mark.slow
def test_a_sampler_over_each_answer_is_not_the_sampler_over_both() -> None:
    """Planted bug: batches drawn anew for each answer, which spends less than one batch for both."""
    both = Ledger(parse_event("poisson(compose(gaussian(1), 2), rate=1/10)"), AddOrRemoveOne)
    bug = Ledger(parse_event("compose(poisson(gaussian(1), rate=1/10), 2)"), AddOrRemoveOne)
    assert certify(both, delta=SMALL).lower > certify(bug, delta=SMALL).upper + 0.5


def test_the_radius_of_several_answers_under_replace_one() -> None:
    """Four answers of multiplier 2 are one of multiplier 1, also where a record may change either way."""
    four = parse_event("poisson(compose(gaussian(2), 4), rate=1/10, contribution=ball)")
    one = parse_event("poisson(gaussian(1), rate=1/10, contribution=ball)")
    two = parse_event("poisson(compose(gaussian(1), 2), rate=1/10, contribution=ball)")
    known = {event: certify(Ledger(event, ReplaceOne), delta=SMALL) for event in (four, one, two)}
    assert known[four].lower == known[one].lower
    assert known[four].upper == known[one].upper < known[two].lower


@pytest.mark.slow
def test_noise_that_is_no_rational_number_is_enclosed() -> None:
    ledger = Ledger(parse_event("compose(poisson(compose(gaussian(1), 2), rate=1/100), 30)"), ZeroOut)
    fast, grid = (certify(ledger, delta=SMALL, accountant=name) for name in ("fast", "pld"))
    assert max(fast.lower, grid.lower) <= min(fast.upper, grid.upper)
    assert fast.upper - fast.lower < 1e-3
    assert certify(ledger, delta=SMALL, accountant="renyi").upper > fast.upper


@pytest.mark.parametrize("multiplier", ["1/1000000000000", "7/3", "1000000000000"])
def test_less_noise_spends_more_than_what_is_enclosed(multiplier: str) -> None:
    more, less = enclosed(parse_event(f"poisson(compose(gaussian({multiplier}), 3), rate=1/10)"))
    square = Fraction(multiplier) ** 2 / 3
    low, high = (Fraction(str(event).split("=")[1].split(")")[0]) for event in (more, less))
    assert low**2 < square < high**2
    assert high - low < low / 10**30
    assert rational_root(square) is None


# ------------------------------------------------------------------------------------ samplers of samplers, fixed sizes


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("poisson(poisson(gaussian(1), 1/2), 1/5)", "poisson(gaussian(1), 1/10)"),
        ("poisson(poisson(compose(gaussian(3), 9), 1/2, ball), 1/5)", "poisson(gaussian(1), 1/10, ball)"),
        ("sample_without_replacement(sample_without_replacement(gaussian(1), 2, 5), 5, 20)",
         "sample_without_replacement(gaussian(1), 2, 20)"),
        ("compose(sample_without_replacement(compose(gaussian(2), 4), 2, 5), 7)",
         "compose(sample_without_replacement(gaussian(1), 2, 5), 7)"),
        ("poisson(laplace(1), 1/5)", "poisson(laplace(1), 1/5)"),
    ],
)  # fmt: skip
def test_what_is_the_same_is_written_one_way(text: str, same: str) -> None:
    assert simplified(parse_event(text)) == parse_event(same)
    assert enclosed(parse_event(text)) == (parse_event(same), parse_event(same))


@pytest.mark.parametrize("adjacency", [AddOrRemoveOne, ZeroOut, ReplaceOne])
def test_batches_of_fixed_size_take_several_gaussian_answers(adjacency: type[Adjacency]) -> None:
    """Between the same with a multiplier just below and just above."""
    text = "sample_without_replacement({}, batch=1, records=10)"
    found = certify(Ledger(parse_event(text.format("compose(gaussian(2), 2)")), adjacency), delta=SMALL)
    ends = [
        certify(Ledger(parse_event(text.format(f"gaussian({z})")), adjacency), delta=SMALL) for z in (1.4143, 1.4142)
    ]
    assert ends[0].lower < found.lower <= found.upper < ends[1].upper
    assert ends[1].upper - ends[0].lower < 1e-3 + (found.upper - found.lower)


# ------------------------------------------------------------------------------------ answers of several kinds


@pytest.mark.parametrize(
    ("text", "adjacency"),
    [
        ("poisson(compose(approximate(1, 1e-6), randomized_response(1/100, null=category)), 1/2)", AddOrRemoveOne),
        ("sample_without_replacement(compose(approximate(1, 1e-6), randomized_response(1/100)), 1, 10)", ReplaceOne),
    ],
)
def test_a_delta_below_the_mass_of_infinite_losses_has_no_epsilon(text: str, adjacency: type[Adjacency]) -> None:
    """A search that finds none goes on to the largest double, which is no whole number of cells."""
    assert certify(Ledger(parse_event(text), adjacency), delta=Fraction(1, 10**9)).upper == float("inf")
    assert certify(Ledger(parse_event(text), adjacency), delta=Fraction(1, 10**5)).upper < 1


def test_losses_on_a_lattice_that_is_too_fine_are_put_on_a_grid() -> None:
    """Of a long decimal the common lattice is astronomically fine; a short one nearby spends nearly the same."""
    text = "poisson(compose(randomized_response(157/1000, 2, category), randomized_response({}, 2, category)), 1/100)"
    long, short = (parse_event(text.format(epsilon)) for epsilon in ("4187439413473617/9007199254740992", "465/1000"))
    found, near = (certify(Ledger(event, ZeroOut), delta=Fraction(1, 10**4)) for event in (long, short))
    assert near.upper < near.lower * (1 + 1e-9)
    assert found.lower < found.upper < found.lower * 1.001
    assert found.upper == pytest.approx(near.upper, rel=1e-3)


_RESPONSES = "compose(randomized_response(1, null=category), randomized_response(1/2, 3, null=category))"
_LATTICES = "compose(compose(discrete_laplace(2, 1), 2), randomized_response(1/3, null=category))"
MIXED = {
    _RESPONSES: ["randomized_response(1)", "randomized_response(1/2, 3)"],
    _LATTICES: ["discrete_laplace(2, 1)", "discrete_laplace(2, 1)", "randomized_response(1/3)"],
}


def outcomes(text: str) -> list[tuple[mp.mpf, mp.mpf]]:
    """P and Q of every outcome of one answer, far tails of a lattice left out."""
    name, _, rest = text.partition("(")
    numbers = [Fraction(part) for part in rest.rstrip(")").split(",") if "=" not in part]
    if name == "randomized_response":
        categories = int(numbers[1]) if len(numbers) > 1 else 2
        true = mp.exp(mp.mpf(numbers[0].numerator) / numbers[0].denominator)
        total = true + categories - 1
        return [(true / total, 1 / total), (1 / total, true / total), *[(1 / total, 1 / total)] * (categories - 2)]
    ratio = mp.exp(-1 / mp.mpf(int(numbers[0])))
    scale = (1 - ratio) / (1 + ratio)
    return [(scale * ratio ** abs(z), scale * ratio ** abs(z - 1)) for z in range(-60, 62)]


@pytest.mark.parametrize("text", MIXED)
def test_mixed_answers_at_random_points(text: str) -> None:
    """Against the sum over all outcomes; planted bug: each answer on a sample of its own."""
    parts = MIXED[text]
    rng = np.random.default_rng(7)
    caught = 0
    with mp.workdps(30):
        single = [outcomes(part) for part in parts]
        if len(single) == 3:  # what only the difference from an end of the lattice tells: three losses, not 122
            single[:2] = [merged(one) for one in single[:2]]
        joint = [(prod(p for p, _ in way), prod(q for _, q in way)) for way in product(*single)]
        for _ in range(25):
            rate, x = Fraction(int(rng.integers(1, 19)), 20), Fraction(int(rng.integers(-50, 120)), 100)
            g, scale = mp.mpf(rate.numerator) / rate.denominator, mp.exp(mp.mpf(x.numerator) / x.denominator)
            values = {
                "remove": sum(max((1 - g) * q + g * p - scale * q, 0) for p, q in joint),
                "add": sum(max(p - scale * ((1 - g) * p + g * q), 0) for p, q in joint),
            }
            apart = product(*([((1 - g) * q + g * p, q) for p, q in one] for one in single))
            bug = sum(max(prod(p for p, _ in way) - scale * prod(q for _, q in way), 0) for way in apart)
            caught += abs(bug - values["remove"]) > 1e-4
            for side, exact in values.items():
                above, below = (
                    curve(f"poisson({text}, {rate})", AddOrRemoveOne, s, x) for s in (side, f"attained_{side}")
                )
                assert lower(below) <= exact + 1e-12
                assert exact <= upper(above) + 1e-12
                assert upper(above) - lower(below) < 1e-9
    assert caught > 10


def merged(one: list[tuple[mp.mpf, mp.mpf]]) -> list[tuple[mp.mpf, mp.mpf]]:
    """Outcomes of the same loss as one."""
    found: dict[int, list[mp.mpf]] = {}
    for p, q in one:
        sums = found.setdefault(round(float(mp.log(p / q)) * 1000), [mp.mpf(0), mp.mpf(0)])
        sums[0] += p
        sums[1] += q
    return [(p, q) for p, q in found.values()]


@pytest.mark.slow
def test_a_gaussian_and_a_laplace_answer_on_one_sample() -> None:
    """Against the trapezoidal rule in two dimensions, the Laplace answer summed in closed form."""
    event = "poisson(compose(gaussian(1), laplace(2)), rate=1/10)"
    y = np.linspace(-12, 13, 200_001)
    normal = np.exp(-(y**2) / 2) / np.sqrt(2 * np.pi)
    gauss = y - 0.5  # the loss of N(1) against N(0)
    for x in (Fraction(1, 20), Fraction(1, 2), Fraction(3, 2)):
        order = float(np.log1p(np.expm1(float(x)) / 0.1))
        rest = order - gauss
        inner = np.where(rest > 0.5, 0.0, np.where(rest < -0.5, -np.expm1(rest), -np.expm1((rest - 0.5) / 2)))
        exact = 0.1 * float(trapezoid(normal * np.exp(gauss) * inner, y))
        above, below = (curve(event, AddOrRemoveOne, side, x) for side in ("remove", "attained_remove"))
        assert lower(below) <= exact * (1 + 1e-9)
        assert exact * (1 - 1e-9) <= upper(above)
        # In delta; the slope of its logarithm makes that less than a hundred-thousandth of epsilon.
        assert upper(above) - lower(below) <= 4e-5 * upper(above)


def test_a_composition_of_mixed_answers_on_many_samples() -> None:
    """The same outcomes convolved by hand: two samples of two answers each."""
    text = _RESPONSES
    ledger = Ledger(parse_event(f"compose(poisson({text}, 1/4), 2)"), AddOrRemoveOne)
    with mp.workdps(30):
        single = [outcomes("randomized_response(1)"), outcomes("randomized_response(1/2, 3)")]
        joint = [(prod(p for p, _ in way), prod(q for _, q in way)) for way in product(*single)]
        g, scale = mp.mpf(1) / 4, mp.exp(mp.mpf(1) / 4)
        ways = {
            "remove": [((1 - g) * q + g * p, q) for p, q in joint],
            "add": [(q, (1 - g) * q + g * p) for p, q in joint],
        }
        exact = max(sum(max(p * u - scale * q * v, 0) for (p, q), (u, v) in product(way, way)) for way in ways.values())
    found = certify(ledger, epsilon=Fraction(1, 4), accountant="pld")
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower < 1e-3 * found.upper


REFUSED = [
    ("poisson(compose(laplace(1), gaussian(1)), 1/10, ball)", ReplaceOne, "may change either way"),
    ("poisson(compose(gaussian(1), 2), 1/10)", ReplaceOne, "contribution=ball"),
    ("sample_without_replacement(compose(laplace(1), gaussian(1)), 1, 10)", ZeroOut, "of a Gaussian one alone"),
    ("poisson(compose(), 1/10)", ZeroOut, "there is no answer on the batch"),
    ("poisson(compose(variance_reduced_gaussian(2, 1, 10), gaussian(1)), 1/10)", ZeroOut, "draws its own batch"),
    ("poisson(compose(gaussian(1), nonprivate()), 1/10)", ZeroOut, "no dominating pair is known"),
]


@pytest.mark.parametrize(("text", "adjacency", "why"), REFUSED)
def test_what_has_no_pair_is_refused(text: str, adjacency: type[Adjacency], why: str) -> None:
    with pytest.raises(UnsupportedEventError, match=why):
        certify(Ledger(parse_event(text), adjacency), delta=SMALL)
