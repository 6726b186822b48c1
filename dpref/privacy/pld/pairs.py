r"""Dominating pairs: for each mechanism two distributions whose privacy curve bounds that of every pair of neighbours.

Adaptive composition of mechanisms is dominated by the product of their pairs (`dpref.privacy.pld.pair`).  Under an
adjacency with two directions (a record is removed, or added) the direction is one throughout a composition, so each
direction is composed by itself and the larger result counts.  Where the worst direction may change from step to step
the curves are combined first: that is a bound, and ``PairSet.attained_*`` keeps pairs that a mechanism really has, for
the lower end.

References:
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022, Theorem 10
    (composition).
    Dong, Durfee and Rogers, "Optimal differential privacy composition for exponential mechanisms", 2020.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from flint import arb

from dpref.errors import UnsupportedEventError
from dpref.privacy.closed_forms.curves import (
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
)
from dpref.privacy.closed_forms.divergences import regular_gaussian_mu_squared
from dpref.privacy.events.allocation import RandomAllocation, Shuffled
from dpref.privacy.events.custom import Custom
from dpref.privacy.events.discrete import DiscreteGaussian, DiscreteLaplace
from dpref.privacy.events.guarantees import Approximate, Concentrated, Profile
from dpref.privacy.events.ledger import (
    Compose,
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
    VarianceReducedGaussian,
)
from dpref.privacy.events.matrix import MatrixGaussian, PrefixSumSqrt, SampledColumn, ToeplitzGaussian, TreeGaussian
from dpref.privacy.events.mixture import ExponentialMixture
from dpref.privacy.events.sampled import Group, MixtureGaussian, SampleWithReplacement, TruncatedPoisson
from dpref.privacy.events.selection import Select
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.pld.allocation import allocation_pairs, shuffled_pairs
from dpref.privacy.pld.assumed import assumed_pairs
from dpref.privacy.pld.batches import sampled_pairs
from dpref.privacy.pld.guarantees import guarantee_pairs
from dpref.privacy.pld.matrices import matrix_pairs
from dpref.privacy.pld.pair import Pair, PairSet, Split
from dpref.privacy.pld.samplers import sampler_pairs
from dpref.privacy.pld.selection import selected_pairs
from dpref.privacy.pld.variance_reduction import variance_reduced_pairs
from dpref.reals import BALL, RATIONAL, ball
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne

LARGEST_SIGMA: Final = 1 << 14  # the discrete Gaussian's sums have about 30 sigma terms


def pairs(event: Event, adjacency: type[Adjacency]) -> PairSet:  # noqa: PLR0911, PLR0912 - one for each kind
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
        case Poisson() | SampleWithoutReplacement():
            return sampled_pairs(event, adjacency, _answer)
        case TruncatedPoisson() | SampleWithReplacement() | MixtureGaussian() | Group():
            return sampler_pairs(event, adjacency, pairs)
        case RandomAllocation():
            return allocation_pairs(event, adjacency)
        case Shuffled():
            return shuffled_pairs(event, adjacency)
        case Custom():
            return assumed_pairs(event, adjacency)
        case Approximate() | Concentrated() | Profile():
            return guarantee_pairs(event, adjacency)
        case Select(run):
            return selected_pairs(event, _of_one_run(run, adjacency), adjacency)
        case RandomizedResponse():
            return _responses(event, adjacency, sampled=False)
        case VarianceReducedGaussian():
            return variance_reduced_pairs(event, adjacency)
        case Exponential(epsilon) | ExponentialMixture(epsilon) | NoisyMax(epsilon, "gumbel"):
            return _exponential(event, epsilon)
        case GeneralizedGaussian(multiplier, kappa):
            pair = gaussian_pair(regular_gaussian_mu_squared(RATIONAL, multiplier, kappa))
            attained = pair if kappa == 1 else None
            return PairSet(pair, pair, attained, attained)
        case NoisyMax(epsilon, _):
            # Only epsilon-DP is known of it, and randomised response on one bit dominates all of epsilon-DP.
            pure = _response(f"{event} (as epsilon-DP)", epsilon, 2)
            return PairSet(pure, pure, None, None)
        case MatrixGaussian() | ToeplitzGaussian() | PrefixSumSqrt() | TreeGaussian() | SampledColumn():
            return matrix_pairs(event, adjacency)
        case _:
            pair = _plain(event, adjacency)
            return PairSet(pair, pair, pair, pair)


def _answer(event: Event, adjacency: type[Adjacency]) -> PairSet:
    """The pairs of one answer on a sampled batch."""
    if isinstance(event, RandomizedResponse):
        return _responses(event, adjacency, sampled=True)
    return pairs(event, adjacency)


def gaussian_pair(mu_squared: Fraction) -> Pair:
    """N(mu, 1) and N(0, 1): several Gaussian answers are one, exactly."""
    name = f"gaussian pair, mu^2 = {mu_squared}"
    return Pair(name, lambda x: gaussian_curve(BALL, x, BALL.sqrt(ball(mu_squared))), smooth=True)


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
    """The supremum over all pairs with losses t and t - epsilon; the symmetric one, t = epsilon/2, is attained.

    Each of the others is attained too, by two candidates of other scores: at a single loss the best of them is.

    A supremum of curves, each of which is jointly convex in the two laws: it bounds mixtures too.
    """
    bound = Pair(str(event), lambda x: exponential_curve(x, ball(epsilon)))
    attained = _response(f"{event} on two outcomes", epsilon / 2, 2)
    return PairSet(bound, bound, attained, attained, pointwise=True)


def _of_one_run(run: Event, adjacency: type[Adjacency]) -> PairSet:
    """The pairs of one run of a selection; Gaussian answers are one, of other compositions no curve is known here."""
    if not isinstance(run, Compose | Repeat):
        return pairs(run, adjacency)
    counts = multiplicities(run)
    if not counts or not all(isinstance(answer, Gaussian) for answer in counts):
        why = "no curve is known of a run that composes other than Gaussian answers; the accountant renyi may answer"
        raise _unsupported(run, adjacency, why)
    squares = (count / e.noise_multiplier**2 for e, count in counts.items() if isinstance(e, Gaussian))
    one = gaussian_pair(sum(squares, Fraction(0)))
    return PairSet(one, one, one, one)


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
