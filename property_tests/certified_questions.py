"""Random certified questions, each with the curve that answers it, written from the mechanism's definition.

A question is an event, an adjacency, and a delta or an epsilon.  Its truth is two curves: `Truth.owed` is what some
data sets and queries really spend, so that no upper end may lie below it; `Truth.allowed` is what no lower end may lie
above.  They are one curve wherever the worst data sets are known; where a page says that they are not, they differ.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from flint import arb

from property_tests.independent_laws import (
    LAPLACE,
    NORMAL,
    Curve,
    Masses,
    Root,
    Weighted,
    diluted,
    discrete_gaussian,
    discrete_laplace,
    either_way,
    largest,
    on_a_line,
    on_integers,
    on_outcomes,
    outcomes_either_way,
    real,
    reflected,
    response,
    two_candidates,
)

REPLACE: Final = "replace-one"
ADD_OR_REMOVE: Final = "add-or-remove-one"
ZERO: Final = "zero-out"
ALL: Final = (REPLACE, ADD_OR_REMOVE, ZERO)
ONE: Final = Fraction(1)
ROUNDING: Final = Fraction(1, 10**40)
Between: TypeAlias = Callable[[Weighted, Weighted], Curve]


@dataclass(frozen=True)
class Truth:
    """What an answer is held against.

    Attributes:
        owed: h of data sets and queries that the event allows: no upper end may be below it.
        allowed: h that no lower end may be above; None for the same.
        rounding: How far the curves are right, relatively.
    """

    owed: Curve
    allowed: Curve | None = None
    rounding: Fraction = ROUNDING

    @property
    def claimable(self) -> Curve:
        """What a lower end may claim."""
        return self.allowed or self.owed


@dataclass(frozen=True)
class Case:
    """One event under one adjacency.

    Attributes:
        family: What kind of event it is, in words.
        text: The event, as `dpref certify` reads it.
        adjacency: Its name.
        truth: What it spends.
    """

    family: str
    text: str
    adjacency: str
    truth: Truth


@dataclass(frozen=True)
class Asked:
    """A case, and what is asked of it: epsilon at a delta, or delta at an epsilon."""

    case: Case
    delta: Fraction | None
    epsilon: Fraction | None

    def __str__(self) -> str:
        at = f"--delta {self.delta}" if self.delta is not None else f"--epsilon {self.epsilon}"
        return f'certify "{self.case.text}" --adjacency {self.case.adjacency} {at}'


# ------------------------------------------------------------------------------------ numbers


def size(rng: random.Random, low: float, high: float) -> Fraction:
    """A number between 10^low and 10^high, short or long, plain or awkward."""
    exponent = rng.uniform(low, high)
    kind = rng.randrange(5)
    if kind == 0:
        return Fraction(10) ** round(exponent)
    if kind == 1:
        return Fraction(f"{10**exponent:.2e}")
    if kind == 2:
        return Fraction(f"{10**exponent:.17e}")
    if kind == 3:
        denominator = rng.randrange(1, 1000)
        return Fraction(max(1, round(10**exponent * denominator)), denominator)
    return Fraction(10**exponent)


def noise_size(rng: random.Random) -> Fraction:
    """A noise multiplier: ordinary mostly, tiny or huge now and then."""
    return size(rng, -0.5, 1.5) if rng.random() < 0.6 else size(rng, -2.5, 6)


def share(rng: random.Random) -> Fraction:
    """A rate below 1: ordinary mostly, near zero or near one now and then."""
    luck = rng.random()
    if luck < 0.6:
        return min(size(rng, -3, -0.1), Fraction(9, 10))
    return min(size(rng, -12, -3), Fraction(1, 2)) if luck < 0.8 else 1 - min(size(rng, -12, -0.5), Fraction(1, 2))


def small_delta(rng: random.Random) -> Fraction:
    """A delta: from 1e-3 to 1e-15 mostly."""
    luck = rng.random()
    if luck < 0.85:
        return min(size(rng, -15, -3), Fraction(1, 2))
    return min(size(rng, -40, -15), Fraction(1, 2)) if luck < 0.9 else Fraction(rng.randrange(1, 1000), 1000)


def some_epsilon(rng: random.Random) -> Fraction:
    """An epsilon: from 1e-3 to 30 mostly, zero sometimes."""
    luck = rng.random()
    if luck < 0.05:
        return Fraction(0)
    return size(rng, -3, 1.5) if luck < 0.9 else size(rng, -9, 3)


# ------------------------------------------------------------------------------------ single answers


def _shifted(rng: random.Random, which: str) -> tuple[str, Fraction | Root, Between]:
    """The text of a mechanism with added noise, how far its law moves, and h of mixtures of its laws."""
    if which == "laplace":
        scale = noise_size(rng)
        return f"laplace({scale})", 1 / scale, lambda p, q: either_way(LAPLACE, p, q)
    if which == "filtered_gaussians":
        rho = size(rng, -8, 3)
        return f"filtered_gaussians({rho})", Root(2 * rho), lambda p, q: either_way(NORMAL, p, q)
    if which == "generalized_gaussian":
        multiplier, kappa = noise_size(rng), 1 + size(rng, -3, 1.5)
        shift = Root(
            kappa / multiplier**2
        )  # of a Euclidean norm, with the associated norm that is sqrt(kappa) times it
        return f"generalized_gaussian({multiplier}, {kappa})", shift, lambda p, q: either_way(NORMAL, p, q)
    if which == "gaussian":
        multiplier = noise_size(rng)
        return f"gaussian({multiplier})", 1 / multiplier, lambda p, q: either_way(NORMAL, p, q)
    moved = rng.choice((1, 1, 1, 2, 3, rng.randrange(1, 30)))
    if which == "discrete_laplace":
        scale = size(rng, -1, 2)
        law = discrete_laplace(scale)
        text = f"discrete_laplace({scale}, {moved})"
    else:
        sigma = size(rng, -0.7, 1.3) if rng.random() < 0.97 else size(rng, 1.3, 2.5)
        law = discrete_gaussian(sigma)
        text = f"discrete_gaussian({sigma}, {moved})"

    def both(p: Weighted, q: Weighted) -> Curve:
        return largest(on_integers(law, p, q), on_integers(law, reflected(q), reflected(p)))

    return text, Fraction(moved), both


ADDED: Final = ("gaussian", "laplace", "discrete_gaussian", "discrete_laplace")


def added_noise(rng: random.Random) -> Case:
    """An answer with noise: the law of the noise, moved by the sensitivity."""
    which = rng.choice((*ADDED, "filtered_gaussians", "generalized_gaussian"))
    text, shift, between = _shifted(rng, which)
    return Case(which, text, rng.choice(ALL), Truth(between([(ONE, shift)], [(ONE, Fraction(0))])))


def sampled_noise(rng: random.Random) -> Case:
    """On a Poisson sample: the record's contribution is there with probability q; the other records contribute zero."""
    which, q = rng.choice((*ADDED, "gaussian", "gaussian")), share(rng)
    text, shift, between = _shifted(rng, which)
    written = f"poisson({text}, rate={q})"
    if rng.random() < 0.1:
        outer = share(rng)
        written, q = f"poisson({written}, rate={outer})", q * outer
    truth = between([(1 - q, Fraction(0)), (q, shift)], [(ONE, Fraction(0))])
    return Case(f"poisson({which})", written, rng.choice((ADD_OR_REMOVE, ZERO)), Truth(truth))


def sampled_ball(rng: random.Random) -> Case:
    """On a Poisson sample, one record replaced by its opposite: sensitivity 1, so that the ball has the radius 1/2."""
    z, q = noise_size(rng), share(rng)
    s, zero = 1 / (2 * z), Fraction(0)
    truth = either_way(NORMAL, [(1 - q, zero), (q, s)], [(q, -s), (1 - q, zero)])
    return Case(
        "poisson(gaussian, ball)", f"poisson(gaussian({z}), rate={q}, contribution=ball)", REPLACE, Truth(truth)
    )


def batch_of(rng: random.Random) -> tuple[int, int]:
    """A batch, smaller than the number of records."""
    records = rng.choice((2, 3, 10, rng.randrange(2, 1000), 10 ** rng.randrange(1, 13)))
    return rng.choice((1, rng.randrange(1, records), max(1, records // 100))), records


def fixed_batch(rng: random.Random) -> Case:
    """On a batch of fixed size: without the record another one is in its place, at the opposite end.

    Replace-one: the others all contribute 0, the sensitivity s is how far any two contributions are apart.  Otherwise s
    is the distance of a contribution from none, and the others contribute -s.
    """
    which, adjacency = rng.choice((*ADDED, "gaussian", "gaussian")), REPLACE
    if which == "gaussian":
        adjacency = rng.choice(ALL)
    text, shift, between = _shifted(rng, which)
    b, n = batch_of(rng)
    q, zero = Fraction(b, n), Fraction(0)
    if adjacency == REPLACE:
        truth = between([(1 - q, zero), (q, shift)], [(ONE, zero)])
    elif adjacency == ADD_OR_REMOVE:
        assert isinstance(shift, Fraction)
        truth = between([(1 - q, zero), (q, 2 * shift)], [(ONE, zero)])
    else:
        # Only x >= 0 is asked, where a half-line is optimal in each order: the record against none, none against it.
        assert isinstance(shift, Fraction)
        truth = largest(
            on_a_line(NORMAL, [(1 - q, -shift), (q, shift)], [(1 - q, -shift), (q, zero)]),
            between([(1 - q, -shift), (q, zero)], [(ONE, -shift)]),
        )
    return Case(
        f"sample_without_replacement({which})",
        f"sample_without_replacement({text}, batch={b}, records={n})",
        adjacency,
        Truth(truth),
    )


def randomized_response(rng: random.Random) -> Case:
    """One answer; where nothing is said of a null record, any mixture of answers may be its."""
    epsilon = size(rng, -3, 1.5) if rng.random() < 0.8 else size(rng, -9, 2.5)
    k, null = rng.choice((2, 2, 3, 7, 100)), rng.choice(("none", "uniform", "category"))
    adjacency = rng.choice(ALL if null != "none" else (REPLACE, ZERO))
    category, uniform = _answers(epsilon, k, 1), _answers(epsilon, k, None)
    owed = uniform if null == "uniform" and adjacency != REPLACE else category
    allowed = category if null == "category" or adjacency == REPLACE else uniform
    text, family = f"randomized_response({epsilon}, {k}, {null})", f"randomized_response(null={null})"
    if adjacency == REPLACE or rng.random() < 0.4:
        return Case(family, text, adjacency, Truth(outcomes_either_way(owed), outcomes_either_way(allowed)))
    q = share(rng)
    truth = Truth(outcomes_either_way(diluted(owed, q)), outcomes_either_way(diluted(allowed, q)))
    adjacency = rng.choice((ADD_OR_REMOVE, ZERO))
    return Case(f"poisson({family})", f"poisson({text}, rate={q})", adjacency, truth)


def _answers(epsilon: Fraction, categories: int, instead: int | None) -> Callable[[], Masses]:
    """A record of the first category, against one of another category or against uniform answers."""
    one, other = response(epsilon, categories, 0), response(epsilon, categories, instead)
    return lambda: list(zip(one(), other(), strict=True))


def batch_response(rng: random.Random) -> Case:
    """Randomized response of a uniform index: another record answers in the place of the one that is replaced."""
    epsilon, k = size(rng, -3, 1.5), rng.choice((2, 3, 7))
    b, n = batch_of(rng)
    rate = Fraction(b, n)
    truth = outcomes_either_way(diluted(_answers(epsilon, k, 1), rate))
    text = f"sample_without_replacement(randomized_response({epsilon}, {k}, category), batch={b}, records={n})"
    return Case("sample_without_replacement(randomized_response)", text, REPLACE, Truth(truth))


def exponential(rng: random.Random) -> Case:
    """The exponential mechanism on the worst two candidates, sampled or not."""
    epsilon = size(rng, -3, 1.3)
    which = rng.choice(("exponential({})", "exponential({})", "exponential_mixture({})", "noisy_max({}, gumbel)"))
    text = which.format(epsilon)
    family = which.partition("(")[0]
    if rng.random() < 0.6:
        return Case(family, text, rng.choice(ALL), Truth(two_candidates(epsilon, ONE, back=False)))
    q = share(rng)
    truth = largest(two_candidates(epsilon, q, back=False), two_candidates(epsilon, q, back=True))
    return Case(f"poisson({family})", f"poisson({text}, rate={q})", rng.choice((ADD_OR_REMOVE, ZERO)), Truth(truth))


def finite(rng: random.Random) -> Case:
    """Two lists of probabilities, sampled or not."""
    outcomes = rng.randrange(2, 9)
    sides = []
    for _ in range(2):
        weights = [rng.choice((0, 1, rng.randrange(1, 100), 10 ** rng.randrange(0, 12))) for _ in range(outcomes)]
        weights[0] += 1
        sides.append([Fraction(w, sum(weights)) for w in weights])
    return _given(rng, "finite", sides, lambda: [(real(p), real(q)) for p, q in zip(*sides, strict=True)])


def gibbs(rng: random.Random) -> Case:
    """Two lists of weights' logarithms."""
    outcomes = rng.randrange(2, 7)
    sides = [[rng.choice((-1, 1)) * size(rng, -3, 1) for _ in range(outcomes)] for _ in range(2)]
    if rng.random() < 0.5:
        sides[1] = rng.sample(sides[0], outcomes)

    def masses() -> Masses:
        p, q = ([real(weight).exp() for weight in side] for side in sides)
        return [(a / sum(p, arb(0)), b / sum(q, arb(0))) for a, b in zip(p, q, strict=True)]

    return _given(rng, "gibbs", sides, masses)


def _given(rng: random.Random, kind: str, sides: list[list[Fraction]], masses: Callable[[], Masses]) -> Case:
    attained, adjacency = rng.random() < 0.7, rng.choice(ALL)
    lists = ", ".join("[" + ", ".join(map(str, side)) + "]" for side in sides)
    text = f"custom(mine, {adjacency.replace('-', '_')}={kind}({lists}{', attained=true' if attained else ''}))"
    nothing: Curve = lambda x: arb(0)  # noqa: E731
    if adjacency == ADD_OR_REMOVE and rng.random() < 0.4:
        # The others are sampled too, so that the pair bounds what is released, and nobody says what attains it.
        q = share(rng)
        truth = Truth(outcomes_either_way(diluted(masses, q)), nothing)
        return Case(f"poisson(custom {kind})", f"poisson({text}, rate={q})", adjacency, truth)
    truth = Truth(outcomes_either_way(masses), None if attained else nothing)
    return Case(f"custom {kind}", text, adjacency, truth)


def noisy_max(rng: random.Random) -> Case:
    """Laplace noise on two scores that move apart: only epsilon-DP is claimed of it, and nothing is attained."""
    epsilon = size(rng, -3, 1.3)

    def at(odds: arb, x: arb) -> arb:
        before, after = (_larger(odds + move) for move in (-real(epsilon) / 2, real(epsilon) / 2))
        return on_outcomes(lambda: [(after, before), (1 - after, 1 - before)])(x)

    truth = Truth(lambda x: at(arb(0), x))
    return Case("noisy_max(laplace)", f"noisy_max({epsilon}, laplace)", rng.choice(ALL), truth)


def _larger(ahead: arb) -> arb:
    """How often the first of two scores wins, ahead by so many scales, both with Laplace noise.

    The difference of two such draws has the density $(1+|t|)e^{-|t|}/4$.
    """
    t = abs(ahead)
    tail = (2 + t) * (-t).exp() / 4
    return 1 - tail if ahead >= 0 else tail


def parts(rng: random.Random) -> Case:
    """Two events on disjoint parts of the data: the record is in one of them."""
    one = other = single(rng)
    while other is one or other.adjacency != one.adjacency:
        other = single(rng)
    truth = Truth(largest(one.truth.owed, other.truth.owed), largest(one.truth.claimable, other.truth.claimable))
    return Case("parallel", f"parallel({one.text}, {other.text})", one.adjacency, truth)


SINGLE: Final[Mapping[Callable[[random.Random], Case], int]] = {
    added_noise: 5,
    sampled_noise: 6,
    sampled_ball: 2,
    fixed_batch: 5,
    randomized_response: 3,
    batch_response: 1,
    exponential: 1,
    finite: 2,
    gibbs: 1,
    noisy_max: 1,
    parts: 1,
}


def single(rng: random.Random) -> Case:
    """A case of one answer."""
    return rng.choices(list(SINGLE), list(SINGLE.values()))[0](rng)
