r"""The dominating pairs of a selection: the bound by one run's curve, and exact pairs of randomized responses.

Where one run is a randomized response, the best of K has finitely many outcomes, whose chances are differences of the
generating function: for each two truths there is a pair, each is attained, and the largest of their curves bounds all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from itertools import pairwise, permutations
from typing import Final, final

from flint import arb, ctx

from dpref.errors import PrecisionError
from dpref.privacy.closed_forms.best_of import (
    expected_repetitions,
    expected_repetitions_logarithmic,
    logarithmic_generating,
    negative_binomial_generating,
    negative_binomial_ratio,
    negative_binomial_shift,
    poisson_generating,
    poisson_shift,
)
from dpref.privacy.closed_forms.curves import finite_curve
from dpref.privacy.events.ledger import RandomizedResponse
from dpref.privacy.events.selection import Select
from dpref.privacy.pld.pair import Curve, Pair, PairSet, extended, worse
from dpref.reals import BALL, ball, exact, precision
from dpref.units import Adjacency, ReplaceOne

_MOST_CATEGORIES: Final = 6
_BISECTIONS: Final = 80
_SEARCH_BITS: Final = 64
_NEAR: Final = Fraction(1, 1 << 40)  # relative distance within which a parameter is enclosed
_LEAST: Final = 1e-12  # of ln(1/gamma)
_LARGEST: Final = 690.0


def selected_pairs(event: Select, base: PairSet, adjacency: type[Adjacency]) -> PairSet:
    """The pairs of the best of several runs.

    Args:
        event: The selection.
        base: The pairs of one run.
        adjacency: Under which one run's are stated.

    >>> from dpref.privacy.events.ledger import Laplace
    >>> from dpref.privacy.pld.pairs import pairs
    >>> best = Select(Laplace(Fraction(1)), mean=Fraction(1))
    >>> selected_pairs(best, pairs(Laplace(Fraction(1)), ReplaceOne), ReplaceOne).attained_remove is None
    True
    """
    run = event.event
    known = isinstance(run, RandomizedResponse) and run.categories <= _MOST_CATEGORIES
    if isinstance(run, RandomizedResponse) and known and (adjacency is ReplaceOne or run.null == "category"):
        return _of_responses(event, run)
    one = larger(base)
    curve = SelectedCurve(event, one)
    given = [pair.finite for pair in (base.remove, base.add) if pair.finite is not None]

    def finite() -> tuple[arb, arb]:
        most = reduce(lambda a, b: a.max(b), (1 - masses()[0] for masses in given))
        return 1 - curve.at_most(most), 1 - curve.at_most(most)

    smooth = base.remove.smooth and base.add.smooth
    pair = Pair(str(event), extended(curve, curve), finite=finite if given else None, smooth=smooth)
    return PairSet(pair, pair, None, None)


def larger(base: PairSet) -> Curve:
    """The larger of both directions' curves."""
    return base.remove.curve if base.remove is base.add else worse("", base.remove, base.add).curve


@final
@dataclass(frozen=True)
class Runs:
    r"""The law of the number of runs, at the working precision.

    Attributes:
        mean: Its mean, as a ball.
        generating: $z\mapsto\phi(1-z)$.
        shift: From one run's curve to a bound of $\ln\frac{\phi'(F_P)}{\phi'(F_Q)}$.
    """

    mean: arb
    generating: Callable[[arb], arb]
    shift: Callable[[Curve], arb]


def law_of_runs(event: Select) -> Runs:
    """The law of the number of runs of a selection.

    >>> from dpref.privacy.events.ledger import Laplace
    >>> float(law_of_runs(Select(Laplace(Fraction(1)), eta=Fraction(1), gamma=Fraction(1, 4))).mean)
    4.0
    """
    if event.eta is None:
        mean = ball(event.mean or 0)
        return Runs(
            mean,
            lambda failure: poisson_generating(BALL, mean, failure),
            lambda curve: poisson_shift(BALL, mean, curve(arb(0))[0]),
        )
    eta, gamma = event.eta, gamma_of(event)
    mean = _mean(eta, gamma) if event.mean is None else ball(event.mean)

    def generating(failure: arb) -> arb:
        if eta == 0:
            return logarithmic_generating(BALL, gamma, failure)
        return negative_binomial_generating(BALL, ball(eta), gamma, failure)

    def shift(curve: Curve) -> arb:
        at = ball(Fraction(_balanced(curve, gamma)))
        ratio = at.exp().max(negative_binomial_ratio(BALL, gamma, curve(at)[0]))
        return negative_binomial_shift(BALL, ball(eta), ratio)

    return Runs(mean, generating, shift)


def _mean(eta: Fraction, gamma: arb) -> arb:
    if eta == 0:
        return expected_repetitions_logarithmic(BALL, gamma)
    return expected_repetitions(BALL, ball(eta), gamma)


def gamma_of(event: Select) -> arb:
    """The parameter gamma of a truncated negative binomial number of runs: given, or enclosed from the mean.

    Raises:
        PrecisionError: If it is too near to 0 or 1 to be enclosed.

    >>> round(float(gamma_of(Select(None, eta=Fraction(0), mean=Fraction(2)))), 6)
    0.284668
    """
    if event.gamma is not None:
        return ball(event.gamma)
    eta, mean = event.eta or Fraction(0), event.mean or Fraction(0)
    if eta == 1:
        return ball(1 / mean)
    near = _near_gamma(eta, float(mean))
    low, high = near * (1 - _NEAR), min(near * (1 + _NEAR), 1 - (1 - near) / 2)
    if not (_mean(eta, ball(low)) > ball(mean) and _mean(eta, ball(high)) < ball(mean)):
        raise PrecisionError(f"gamma could not be enclosed from the mean {mean} and the shape {eta}")
    return ball(low).union(ball(high))


@cache
def _near_gamma(eta: Fraction, mean: float) -> Fraction:
    """Roughly the gamma of a mean, which falls as gamma grows."""
    low, high = math.log(_LEAST), math.log(_LARGEST)
    with precision(_SEARCH_BITS):
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2  # of ln ln(1/gamma)
            found = float(_mean(eta, (-arb(middle).exp()).exp()).mid())
            low, high = (middle, high) if found < mean else (low, middle)
    return exact(math.exp(-math.exp((low + high) / 2)))


def _balanced(curve: Curve, gamma: arb) -> float:
    r"""Roughly the $\hat\varepsilon$ at which $e^{\hat\varepsilon}$ and the other bound of the ratio are alike."""
    low, high = 0.0, float((1 / gamma).log().mid())
    with precision(_SEARCH_BITS):
        for _ in range(_BISECTIONS // 2):
            middle = (low + high) / 2
            other = negative_binomial_ratio(BALL, gamma, curve(arb(middle))[0])
            low, high = (middle, high) if float(other.mid()) > math.exp(middle) else (low, middle)
    return high


def weight_shift(event: Select, base: PairSet) -> arb:
    r"""A bound of $\ln\frac{\phi'(F_P)}{\phi'(F_Q)}$, from the pairs of one run.

    >>> from dpref.privacy.events.ledger import RandomizedResponse
    >>> from dpref.privacy.pld.pairs import pairs
    >>> run = RandomizedResponse(Fraction(1))
    >>> round(float(weight_shift(Select(run, mean=Fraction(1)), pairs(run, ReplaceOne))), 6)
    0.462117
    """
    return law_of_runs(event).shift(larger(base))


class SelectedCurve:
    """What the best of several runs is bounded by, at losses that are not negative.

    Args:
        event: The selection.
        run: The larger of both curves of one run.
    """

    def __init__(self, event: Select, run: Curve) -> None:
        self.event = event
        self.run = run
        self._made: dict[int, tuple[arb, arb, arb, arb]] = {}

    def _known(self) -> tuple[arb, arb, arb, arb]:
        """Mean, shift, the bound of the distance, and the slope of one run at zero; once a precision."""
        if ctx.prec not in self._made:
            runs, (distance, slope) = law_of_runs(self.event), self.run(arb(0))
            apart = 1 - runs.generating(distance.min(arb(1)))
            self._made[ctx.prec] = (runs.mean, runs.shift(self.run), apart.min(arb(1)), slope)
        return self._made[ctx.prec]

    def at_most(self, gained: arb) -> arb:
        """The bound far out, where one run has only the infinite losses left."""
        mean, _, apart, _ = self._known()
        return (mean * gained).min(apart)

    def __call__(self, x: arb) -> tuple[arb, arb]:
        """The bound at x, and the slope that belongs to it."""
        mean, shift, apart, slope = self._known()
        scale = mean * (-shift).exp()
        if not x - shift >= 0:
            return apart, scale * slope
        value, mass = self.run(x - shift)
        return (mean * value).min(apart), scale * mass


# ------------------------------------------------------------------------------------ randomized responses


def _of_responses(event: Select, run: RandomizedResponse) -> PairSet:
    """Each two truths, as ranks; the best has the last rank."""
    ends = run.categories - 1
    ways = [_between(event, run, *way) for way in permutations(range(run.categories), 2)]
    one, other = (next(w for w in ways if w.name.endswith(f"{a} against {b}")) for a, b in ((0, ends), (ends, 0)))
    bound = reduce(lambda a, b: worse(str(event), a, b), ways)
    return PairSet(bound, bound, one, other, pointwise=True)


def largest_of_responses(event: Select, run: RandomizedResponse) -> arb:
    """The largest loss of the best of several randomized responses, over all truths and outcomes.

    >>> run = RandomizedResponse(Fraction(1))
    >>> round(float(largest_of_responses(Select(run, mean=Fraction(1)), run)), 6)
    1.250217
    """
    ways = permutations(range(run.categories), 2)
    losses = [loss for way in ways for loss, _, _ in _atoms(event, run, *way)]
    return reduce(lambda a, b: a.max(b), losses)


def _atoms(event: Select, run: RandomizedResponse, first: int, second: int) -> list[tuple[arb, arb, arb]]:
    generating = law_of_runs(event).generating
    sides = [_best(run, truth, generating) for truth in (first, second)]
    if event.eta is None:  # there may be no run
        sides = [[*side, generating(arb(1))] for side in sides]
    return [((p / q).log(), p, q) for p, q in zip(*sides, strict=True)]


def _between(event: Select, run: RandomizedResponse, first: int, second: int) -> Pair:
    made: dict[int, list[tuple[arb, arb, arb]]] = {}

    def atoms() -> list[tuple[arb, arb, arb]]:
        if ctx.prec not in made:
            made[ctx.prec] = _atoms(event, run, first, second)
        return made[ctx.prec]

    name = f"{event}, truths {first} against {second}"
    return Pair(name, lambda x: finite_curve(x, atoms()), kinks=Fraction(0))


def _best(run: RandomizedResponse, truth: int, generating: Callable[[arb], arb]) -> list[arb]:
    """The chances of the best outcome, by rank."""
    total = ball(run.epsilon).exp() + (run.categories - 1)
    chances = [(ball(run.epsilon).exp() if k == truth else arb(1)) / total for k in range(run.categories)]
    better = [sum(chances[k:], arb(0)) for k in range(run.categories)] + [arb(0)]  # than all below k
    known = [generating(b) for b in better]
    return [b - a for a, b in pairwise(known)]
