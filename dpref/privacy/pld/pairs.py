r"""Dominating pairs: for each mechanism two distributions whose privacy curve bounds that of every pair of neighbours.

A pair (P, Q) is known to the accountant by its curve at every $x \in \mathbb R$, with $L = \ln\frac{dP}{dQ}$,

$$h(x) = \sup_S P(S) - e^x Q(S) = P(L>x) - e^x Q(L>x), \qquad q(x) = Q(L>x),$$

and $-q$ is a slope of h as a convex function of $e^x$.  Adaptive composition of mechanisms is dominated by the product
of their pairs.  Under an adjacency with two directions (a record is removed, or added) the direction is one throughout
a composition, so each direction is composed by itself and the larger result counts.  Where the worst direction may
change from step to step the curves are combined first: that is a bound, and ``PairSet.attained_*`` keeps pairs that a
mechanism really has, for the lower end.

References:
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022, Definition 7,
    Theorem 10 (composition), Theorem 11 (Poisson sampling), Proposition 30 (sampling without replacement).
    Balle, Barthe and Gaboardi, "Privacy amplification by subsampling", 2018.
    Dong, Durfee and Rogers, "Optimal differential privacy composition for exponential mechanisms", 2020.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias, final

from flint import arb

from dpref.errors import UnsupportedEventError
from dpref.privacy.closed_forms.curves import (
    added_factor,
    added_order,
    cut,
    discrete_gaussian_atoms,
    discrete_gaussian_curve,
    discrete_gaussian_outside,
    discrete_laplace_atoms,
    discrete_laplace_curve,
    exponential_curve,
    finite_curve,
    gaussian_curve,
    laplace_curve,
    laplace_delta,
    laplace_mass,
    randomized_response_atoms,
    randomized_response_null_atoms,
    removed_order,
)
from dpref.privacy.closed_forms.divergences import regular_gaussian_mu_squared
from dpref.privacy.events.ledger import (
    Compose,
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    Exponential,
    FilteredGaussians,
    Gaussian,
    GeneralizedGaussian,
    Laplace,
    NoisyMax,
    Poisson,
    RandomizedResponse,
    Repeat,
    SampleWithoutReplacement,
)
from dpref.reals import BALL, RATIONAL, ball
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

Curve: TypeAlias = Callable[[arb], tuple[arb, arb]]


LARGEST_SIGMA: Final = 1 << 14  # the discrete Gaussian's sums have about 30 sigma terms


@final
@dataclass(frozen=True)
class Split:
    """A pair whose atoms lie on a lattice: a grid that contains it puts them where they are.

    Attributes:
        lattice: The loss of every atom is a multiple of this number.
        atoms: (multiple, P-mass), increasing multiples, at the working precision.
        rest: The curve of what is not in the atoms, or None if nothing is left.
        rest_total: P-mass and Q-mass of the rest.
        above: P-mass of losses above the atoms listed (it counts as infinite loss in an upper bound).
        below: P-mass of losses below the atoms listed (moved up to the first of them in an upper bound).
    """

    lattice: Fraction
    atoms: Callable[[], list[tuple[int, arb]]]
    rest: Curve | None = None
    rest_total: Callable[[], tuple[arb, arb]] = lambda: (arb(0), arb(0))
    above: Callable[[], arb] = lambda: arb(0)
    below: Callable[[], arb] = lambda: arb(0)


@final
@dataclass(frozen=True)
class Pair:
    """Two distributions, known by their curve.

    Attributes:
        name: For messages and methods.
        curve: x, as a ball, to balls that hold h(x) and q(x).
        split: The same pair as atoms on a lattice and a rest, where it has atoms.
    """

    name: str
    curve: Curve
    split: Split | None = None


@final
@dataclass(frozen=True)
class PairSet:
    """The pairs of one event under one adjacency.

    Attributes:
        remove: Dominates when the first data set has the record.
        add: Dominates when the second data set has it (the same object where direction does not matter).
        attained_remove: A pair that some query attains in that direction, or None: a lower bound must not use more.
        attained_add: Likewise.
    """

    remove: Pair
    add: Pair
    attained_remove: Pair | None
    attained_add: Pair | None


def pairs(event: Event, adjacency: type[Adjacency]) -> PairSet:  # noqa: PLR0911 - one return for each kind
    """The dominating pairs of one mechanism event.

    Args:
        event: A mechanism, possibly under sampling; not a composition.
        adjacency: The neighbouring relation in which the event's multipliers are stated.

    Raises:
        UnsupportedEventError: If no dominating pair is known for the event under that adjacency.

    >>> pairs(Poisson(Gaussian(Fraction(1)), Fraction(1, 100)), AddOrRemoveOne).add.name
    'poisson(gaussian(noise_multiplier=1), rate=1/100), added'
    """
    match event:
        case Poisson(inner, rate):
            if adjacency not in {AddOrRemoveOne, ZeroOut}:
                why = "the sampled record may change either way in every step; use add-or-remove-one or zero-out"
                raise _unsupported(event, adjacency, why)
            if isinstance(inner, RandomizedResponse):
                return _poisson(event, _responses(inner, adjacency, sampled=True), rate)
            return _poisson(event, pairs(inner, adjacency), rate)
        case SampleWithoutReplacement(inner, batch, records):
            if adjacency is not ReplaceOne:
                why = "batches of fixed size are compared record against record; use replace-one"
                raise _unsupported(event, adjacency, why)
            if isinstance(inner, SampleWithoutReplacement):
                if inner.records != batch:
                    raise _unsupported(event, adjacency, f"the inner batch is drawn from {batch} records")
                # A batch of a batch is a batch: no other data sets than those of one batch attain anything.
                return pairs(SampleWithoutReplacement(inner.event, inner.batch, records), adjacency)
            return _without_replacement(event, pairs(inner, adjacency), Fraction(batch, records))
        case RandomizedResponse():
            return _responses(event, adjacency, sampled=False)
        case Exponential(epsilon) | NoisyMax(epsilon, "gumbel"):
            return _exponential(event, epsilon)
        case GeneralizedGaussian(multiplier, kappa):
            pair = gaussian_pair(regular_gaussian_mu_squared(RATIONAL, multiplier, kappa))
            attained = pair if kappa == 1 else None
            return PairSet(pair, pair, attained, attained)
        case NoisyMax(epsilon, _):
            # Only epsilon-DP is known of it, and randomised response on one bit dominates all of epsilon-DP.
            pure = _response(f"{event} (as epsilon-DP)", epsilon, 2)
            return PairSet(pure, pure, None, None)
        case _:
            pair = _plain(event, adjacency)
            return PairSet(pair, pair, pair, pair)


def gaussian_pair(mu_squared: Fraction) -> Pair:
    """N(mu, 1) and N(0, 1): several Gaussian answers are one, exactly."""
    return Pair(f"gaussian pair, mu^2 = {mu_squared}", lambda x: gaussian_curve(BALL, x, BALL.sqrt(ball(mu_squared))))


def _plain(event: Event, adjacency: type[Adjacency]) -> Pair:
    name = str(event)
    match event:
        case Gaussian(multiplier):
            return gaussian_pair(1 / multiplier**2)
        case FilteredGaussians(rho):
            return gaussian_pair(2 * rho)
        case Laplace(scale):
            return _laplace(name, 1 / scale)
        case DiscreteGaussian(sigma, shift):
            if sigma > LARGEST_SIGMA:
                raise _unsupported(event, adjacency, f"sigma above {LARGEST_SIGMA} makes its sums too long")
            return _discrete_gaussian(name, sigma, shift)
        case DiscreteLaplace(scale, shift):
            split = Split(1 / scale, lambda: discrete_laplace_atoms(scale, shift))
            return Pair(name, discrete_laplace_curve(scale, shift), split)
        case Compose() | Repeat():
            why = "several answers on one sampled batch have no known dominating pair; sample each answer by itself"
            raise _unsupported(event, adjacency, why)
        case _:
            raise _unsupported(event, adjacency, "no dominating pair is known")


def _laplace(name: str, shift: Fraction) -> Pair:
    """Atoms at both ends: noise beyond both centres has the loss s or -s."""

    def ends() -> tuple[arb, arb]:
        return ball(Fraction(1, 2)), (-ball(shift)).exp() / 2

    def atoms() -> list[tuple[int, arb]]:
        high, low = ends()
        return [(-1, low), (1, high)]

    def rest_total() -> tuple[arb, arb]:
        inside = 1 - sum(ends(), arb(0))
        return inside, inside

    def rest(x: arb) -> tuple[arb, arb]:
        high, low = ends()
        return cut(
            x,
            ball(shift),
            lambda y: (
                laplace_delta(BALL, y, ball(shift)) - high + y.exp() * low,
                laplace_mass(BALL, y, ball(shift)) - low,
            ),
            rest_total(),
        )

    return Pair(name, lambda x: laplace_curve(x, ball(shift)), Split(shift, atoms, rest, rest_total))


def _discrete_gaussian(name: str, sigma: Fraction, shift: int) -> Pair:
    def atoms() -> list[tuple[int, arb]]:
        return discrete_gaussian_atoms(sigma, shift)

    def outside() -> arb:
        return discrete_gaussian_outside(sigma)

    split = Split(Fraction(shift) / (2 * sigma**2), atoms, above=outside, below=outside)
    return Pair(name, discrete_gaussian_curve(sigma, shift), split)


def _response(name: str, epsilon: Fraction, categories: int) -> Pair:
    def curve(x: arb) -> tuple[arb, arb]:
        return finite_curve(x, randomized_response_atoms(BALL, ball(epsilon), categories))

    def atoms() -> list[tuple[int, arb]]:
        (_, high, _), (_, low, _), *rest = randomized_response_atoms(BALL, ball(epsilon), categories)
        return [(-1, low), *((0, p) for _, p, _ in rest), (1, high)]

    return Pair(name, curve, Split(epsilon, atoms))


def _responses(event: RandomizedResponse, adjacency: type[Adjacency], *, sampled: bool) -> PairSet:
    """Two categories against each other, or a category against what answers in place of an absent record.

    Whatever mixture of the categories' answers that is, by joint convexity two categories bound it; only what is
    stated is called attained.  An answer that is missing altogether is seen, so that unsampled answers under
    add-or-remove-one need a statement.
    """
    categories = _response(str(event), event.epsilon, event.categories)
    if adjacency is ReplaceOne or event.null == "category":
        return PairSet(categories, categories, categories, categories)
    if event.null == "uniform":
        remove, add = _against_uniform(event, forward=True), _against_uniform(event, forward=False)
        return PairSet(remove, add, remove, add)
    if adjacency is AddOrRemoveOne and not sampled:
        why = (
            "an absent record's answer is missing, unless null=uniform or null=category says what answers in its place"
        )
        raise _unsupported(event, adjacency, why)
    return PairSet(categories, categories, None, None)


def _against_uniform(event: RandomizedResponse, *, forward: bool) -> Pair:
    def curve(x: arb) -> tuple[arb, arb]:
        atoms = randomized_response_null_atoms(BALL, ball(event.epsilon), event.categories)
        return finite_curve(x, atoms if forward else [(-loss, q, p) for loss, p, q in atoms])

    return Pair(f"{event}, {'removed' if forward else 'added'}", curve)


def _exponential(event: Event, epsilon: Fraction) -> PairSet:
    """The supremum over all pairs with losses t and t - epsilon; the symmetric one, t = epsilon/2, is attained."""
    bound = Pair(str(event), lambda x: exponential_curve(x, ball(epsilon)))
    attained = _response(f"{event} on two outcomes", epsilon / 2, 2)
    return PairSet(bound, bound, attained, attained)


def mixed_first(curve: Curve, rate: Fraction) -> Curve:
    r"""The curve of $((1-\gamma)Q+\gamma P, Q)$ from that of (P, Q): $\gamma h$ at $1+(e^x-1)/\gamma$, if positive.

    References:
        Balle, Barthe and Gaboardi 2018, Theorem 2 (advanced joint convexity).
    """

    def mixed(x: arb) -> tuple[arb, arb]:
        gamma = ball(rate)
        alpha = removed_order(BALL, gamma, x)
        if alpha > 0:
            value, mass = curve(alpha.log())
            return gamma * value, mass
        outside = (-x.expm1(), arb(1))
        if alpha <= 0:
            return outside
        # The ball straddles the least loss ln(1 - gamma): the curve is convex and above both of its lines.
        return outside[0].union(outside[0] + gamma * alpha.upper().nonnegative_part()), arb(0).union(arb(1))

    return mixed


def mixed_second(curve: Curve, rate: Fraction) -> Curve:
    r"""The curve of $(P, (1-\gamma)P+\gamma Q)$ from that of (P, Q).

    With $c = 1-(1-\gamma)e^x$ it is c times the curve at $\gamma e^x/c$, and zero where c is not positive.
    """

    def mixed(x: arb) -> tuple[arb, arb]:
        gamma = ball(rate)
        rest = ball(1 - rate)
        c = added_factor(BALL, rest, x)
        if c > 0:
            value, mass = curve(added_order(BALL, gamma, c, x).log())
            return c * value, rest * value + gamma * mass / c
        if c <= 0:
            return arb(0), arb(0)
        return arb(0).union(c.upper()), arb(0).union(arb(1))

    return mixed


def _poisson(event: Event, base: PairSet, rate: Fraction) -> PairSet:
    if rate == 1:
        return base

    def removed(pair: Pair) -> Pair:
        return Pair(f"{event}, removed", mixed_first(pair.curve, rate))

    def added(pair: Pair) -> Pair:
        return Pair(f"{event}, added", mixed_second(pair.curve, rate))

    remove, add = removed(base.remove), added(base.add)
    return PairSet(
        remove,
        add,
        remove if base.attained_remove is base.remove else base.attained_remove and removed(base.attained_remove),
        add if base.attained_add is base.add else base.attained_add and added(base.attained_add),
    )


def _without_replacement(event: Event, base: PairSet, rate: Fraction) -> PairSet:
    """Mixing on the first side for e^x >= 1, on the second for e^x < 1; each alone is attained (all others equal).

    Of randomized response only where a category answers in place of a record that is not in the batch: mixed with
    another answer, or one that is not stated, the two sides are nearer to each other.
    """
    if rate == 1:
        return base
    first, second = mixed_first(base.remove.curve, rate), mixed_second(base.remove.curve, rate)

    def combined(x: arb) -> tuple[arb, arb]:
        if x >= 0:
            return first(x)
        if x < 0:
            return second(x)
        (a, p), (b, q) = first(x), second(x)
        return a.union(b), p.union(q)

    bound = Pair(f"{event}, combined", combined)
    real = base.attained_remove if _rest_is_an_answer(event) else None
    return PairSet(
        bound,
        bound,
        real and Pair(f"{event}, mixed first", mixed_first(real.curve, rate)),
        real and Pair(f"{event}, mixed second", mixed_second(real.curve, rate)),
    )


def _rest_is_an_answer(event: Event) -> bool:
    """Whether what is released when a record is not in the batch is the answer to some other record."""
    while isinstance(event, SampleWithoutReplacement):
        event = event.event
    return not isinstance(event, RandomizedResponse) or event.null == "category"


def _unsupported(event: Event, adjacency: type[Adjacency], why: str) -> UnsupportedEventError:
    return UnsupportedEventError(f"{event} under {adjacency.name}: {why}")


def supports(event: Event, adjacency: type[Adjacency]) -> bool:
    """Whether `pairs` knows dominating pairs for one mechanism event under an adjacency.

    >>> supports(Poisson(Gaussian(Fraction(1)), Fraction(1, 2)), ReplaceOne)
    False
    """
    try:
        pairs(event, adjacency)
    except UnsupportedEventError:
        return False
    return True
