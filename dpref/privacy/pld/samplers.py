r"""Dominating pairs of truncated Poisson samples, draws with replacement, mixtures of Gaussians, and groups of records.

In units of the noise, s is the distance of a contribution from an absent record's.

* *Mixtures.* $P=\sum_iw_iN(c_i)$ and $Q=N(c)$ in any dimension with $\|c_i-c\|\le s_i$ are dominated by
  $(\sum w_iN(s_i),N(0))$ on the line, and in the other order: where $Q(S)=\Phi(a)$, $N(c_i)(S)\le\Phi(a+s_i)$.
* *Truncated Poisson.* That the other records fill the batch does not depend on the record, and may be revealed.  If
  they do not, the batch is a Poisson sample; if they do, the record is kept with probability $\bar r$, and then stands
  in for another one, as in a batch of fixed size.
* *With replacement.* Reveal the draws from the other records: a record that is drawn k times stands in for k of them.
* *Groups.* Of Gaussian answers m records move the sum by m times as much; of those on a sample, as many as are drawn
  of them.  For all else, of m steps from one data set to the next, $h_m(x)\le\sum_{i<m}e^{ix/m}h_i(\tfrac xm)$ (the
  group property at every x), $h_i$ the curve of the i-th step: where each step has a record less to draw from, it is
  not the curve of the step before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeAlias

from flint import arb, ctx

from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.privacy.closed_forms.binomial import Draws, Truncation, binomial_draws, hypergeometric_draws, truncation
from dpref.privacy.closed_forms.mixtures import Mixture, drawn_often
from dpref.privacy.events.batches import gaussian_mu_squared, rational_root, simplified
from dpref.privacy.events.groups import of_a_group, on_fewer_records
from dpref.privacy.events.ledger import (
    Event,
    Poisson,
    SampleWithoutReplacement,
)
from dpref.privacy.events.sampled import Group, MixtureGaussian, SampleWithReplacement, TruncatedPoisson
from dpref.privacy.pld.batches import PairsOf
from dpref.privacy.pld.pair import Curve, Pair, PairSet, extended
from dpref.reals import ball
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne

MOST_STEPS: Final = 1000  # from one data set to another, each a record
MOST_DRAWS: Final = 64  # of one record, or of a group: what is beyond counts as all, or as none

Weights: TypeAlias = tuple[tuple[int, Fraction], ...]


def sampler_pairs(event: Event, adjacency: type[Adjacency], answer: PairsOf) -> PairSet:
    """The dominating pairs of an event of `dpref.privacy.events.sampled`.

    Args:
        event: The event.
        adjacency: The neighbouring relation; of a `Group` the one that its records differ by.
        answer: The pairs of what is sampled, or grouped.

    Raises:
        UnsupportedEventError: If no dominating pair is known for the event under that adjacency.

    >>> from dpref.privacy.events.ledger import Gaussian
    >>> from dpref.privacy.pld.pairs import pairs
    >>> from dpref.units import ZeroOut
    >>> sampler_pairs(Group(Poisson(Gaussian(Fraction(1)), Fraction(1, 10)), 3), ZeroOut, pairs).add.name
    'group(poisson(gaussian(noise_multiplier=1), rate=1/10), size=3), added'
    """
    match event:
        case TruncatedPoisson():
            return _truncated(event, adjacency, answer)
        case SampleWithReplacement():
            return _with_replacement(event, adjacency)
        case MixtureGaussian(shifts, weights, multiplier):
            if adjacency is ReplaceOne:
                why = "no law of it is shared by both data sets; it is what a group spends that is removed or added"
                raise _unsupported(event, adjacency, why)
            return _mixture(str(event), 1 / multiplier**2, tuple(zip(shifts, weights, strict=True)))
        case Group():
            return _grouped(event, adjacency, answer)
        case _:
            raise _unsupported(event, adjacency, "no dominating pair is known")


# ------------------------------------------------------------------------------------ mixtures


def _mixture(name: str, square: Fraction, parts: tuple[tuple[Fraction, Fraction], ...]) -> PairSet:
    """The pairs of a mixture, given its shifts in a unit and their weights, and the square of the unit."""

    @lru_cache(maxsize=4)
    def law(_: int) -> Mixture:
        unit = _root(square)
        moved = [(ball(w), ball(s) * unit) for s, w in parts if s and w]
        return Mixture(ball(sum((w for s, w in parts if not s), Fraction(0))), moved)

    remove = Pair(f"{name}, removed", lambda x: law(ctx.prec).removed(x), smooth=True)
    add = Pair(f"{name}, added", lambda x: law(ctx.prec).added(x), smooth=True)
    return PairSet(remove, add, remove, add)


def _drawn(name: str, square: Fraction, draws: Draws) -> PairSet:
    """Mixtures of as many shifts as records are drawn."""
    above = _mixture(name, square, _shifts(draws.above))
    if draws.below == draws.above:
        return above
    below = _mixture(f"{name}, below", square, _shifts(draws.below))
    return PairSet(above.remove, above.add, below.remove, below.add)


def _shifts(draws: Weights) -> tuple[tuple[Fraction, Fraction], ...]:
    return tuple((Fraction(k), w) for k, w in draws)


# ------------------------------------------------------------------------------------ truncated Poisson samples


def _truncated(event: TruncatedPoisson, adjacency: type[Adjacency], answer: PairsOf) -> PairSet:
    inner, rate, batch, records = event.event, event.rate, event.batch, event.records
    sampled = Poisson(inner, rate, event.contribution)
    if batch == records:
        return answer(sampled, adjacency)
    if rate == 1:
        return answer(SampleWithoutReplacement(inner, batch, records), adjacency)
    if gaussian_mu_squared(inner) is None:
        why = (
            "where the batch is full another record stands in for an absent one, and how far that moves the answer is "
            "known of Gaussian ones alone; use poisson with batches that may have any size"
        )
        raise _unsupported(event, adjacency, why)
    free = answer(sampled, adjacency)
    known = truncation(rate, batch, records)
    share = known.share_above
    # Any batch that is kept with that probability has the curve of a batch of fixed size.
    full = answer(SampleWithoutReplacement(inner, share.numerator, share.denominator), adjacency)
    kept = answer(Poisson(inner, known.rate_below, event.contribution), adjacency) if known.rate_below else None

    def cut() -> Truncation:
        return truncation(rate, batch, records)

    remove = Pair(f"{event}, removed", _weighed(free.remove.curve, full.remove.curve, cut), smooth=True)
    add = remove
    if free.add is not free.remove or full.add is not full.remove:
        add = Pair(f"{event}, added", _weighed(free.add.curve, full.add.curve, cut), smooth=True)
    real, other = (None, None) if kept is None else (kept.attained_remove, kept.attained_add)
    return PairSet(remove, add, real, other)


def _weighed(free: Curve, full: Curve, cut: Callable[[], Truncation]) -> Curve:
    def curve(x: arb) -> tuple[arb, arb]:
        known = cut()
        (a, p), (b, q) = free(x), full(x)
        return known.free * a + known.full * b, known.free * p + known.full * q

    return curve


# ------------------------------------------------------------------------------------ draws with replacement


def _with_replacement(event: SampleWithReplacement | Group, adjacency: type[Adjacency]) -> PairSet:
    """Of one record, or of a group: as many draws as fall on it."""
    sampled, size = (event.event, event.size) if isinstance(event, Group) else (event, 1)
    inner, batch, rate = sampled.event, sampled.batch, Fraction(size, sampled.records)
    square = gaussian_mu_squared(inner)
    if square is None:
        why = "how far a record that is drawn several times moves the answer is known of Gaussian ones alone"
        raise _unsupported(event, adjacency, why)
    draws = binomial_draws(batch, rate, MOST_DRAWS)
    if adjacency is AddOrRemoveOne:
        return _drawn(str(event), 4 * square, draws)
    below = _drawn(str(event), square, draws)
    if rate == 1:  # every draw is the record
        return below
    back = _drawn_curve(draws.above, square, Fraction(1))
    if adjacency is ReplaceOne:
        bound = Pair(str(event), extended(back, back), smooth=True)
        return PairSet(bound, bound, below.attained_remove, below.attained_add)
    # The others stand at one end of the ball, twice as far from the record as what answers in its place.
    gone = _drawn_curve(draws.above, square, Fraction(2))
    return PairSet(
        Pair(f"{event}, zeroed out", extended(gone, back), smooth=True),
        Pair(f"{event}, filled in", extended(back, gone), smooth=True),
        below.attained_remove,
        below.attained_add,
    )


def _drawn_curve(draws: Weights, square: Fraction, rest: Fraction) -> Curve:
    """`drawn_often` with the distance of one draw from another record's answer, in that from the other data set's."""

    @lru_cache(maxsize=4)
    def parts(_: int) -> tuple[arb, list[tuple[arb, arb, arb]]]:
        unit, far = _root(square), ball(rest)
        still = sum((w for k, w in draws if not k), Fraction(0))
        return ball(still), [(ball(w), k * far * unit, k * unit) for k, w in draws if k]

    return lambda x: drawn_often(*parts(ctx.prec), x)


# ------------------------------------------------------------------------------------ groups


def _grouped(event: Group, adjacency: type[Adjacency], answer: PairsOf) -> PairSet:
    alone = of_a_group(event)
    if alone != event:
        return answer(alone, adjacency)
    found = _sampled_group(event, adjacency)
    if found is not None:
        return found
    size = event.size
    if size > MOST_STEPS:
        rule = f"of more than {MOST_STEPS} records nothing is known but of Gaussian answers, sampled or not"
        raise _unsupported(event, adjacency, rule)
    bases = _steps(event, adjacency, answer)
    base = bases[0]
    if base.remove.finite is not None or base.add.finite is not None:
        rule = "its losses may be infinite, and no pair of a group is known here for those (its group property holds)"
        raise _unsupported(event, adjacency, rule)
    remove = Pair(
        f"{event}, removed", _group_property([step.remove.curve for step in bases]), smooth=base.remove.smooth
    )
    add = remove
    if base.add is not base.remove or len(set(map(id, bases))) > 1:
        curves = [step.add.curve for step in reversed(bases)]  # from the smallest data set to the largest
        add = Pair(f"{event}, added", _group_property(curves), smooth=base.add.smooth)
    # The records of a group that change nothing leave what one of them spends.
    return PairSet(remove, add, base.attained_remove, base.attained_add)


def _steps(event: Group, adjacency: type[Adjacency], answer: PairsOf) -> list[PairSet]:
    """The pairs of removing one record after the other: each leaves fewer to draw from, and needs pairs of its own."""
    inner, size = event.event, event.size
    base = answer(inner, adjacency)
    if adjacency is not AddOrRemoveOne:
        return [base] * size
    made: dict[Event, PairSet] = {inner: base}
    found = []
    for gone in range(size):
        try:
            step = on_fewer_records(inner, gone)
        except InvalidArgumentError as error:
            rule = f"without {gone} records of the group there are too few to draw from: {error}"
            raise _unsupported(event, adjacency, rule) from None
        if step not in made:
            made[step] = answer(step, adjacency)
        found.append(made[step])
    return found


def _sampled_group(event: Group, adjacency: type[Adjacency]) -> PairSet | None:
    """Gaussian answers on a sample: as many records of the group as are drawn move the answer."""
    inner, size = simplified(event.event), event.size
    if isinstance(inner, SampleWithReplacement):
        rest = inner.records - size - (adjacency is AddOrRemoveOne)
        if rest < 0:
            rule = f"without the group there is none of the {inner.records} records to draw from"
            raise _unsupported(event, adjacency, rule)
        return _with_replacement(event, adjacency)
    if not isinstance(inner, Poisson | SampleWithoutReplacement) or adjacency is ReplaceOne:
        return None
    square = gaussian_mu_squared(inner.event)
    if square is None:
        return None
    if isinstance(inner, Poisson):
        return _drawn(str(event), square, binomial_draws(size, inner.rate, MOST_DRAWS))
    if adjacency is not AddOrRemoveOne:
        return None
    if inner.records - size < inner.batch:
        rule = f"without the group there are fewer than {inner.batch} records to draw a batch from"
        raise _unsupported(event, adjacency, rule)
    return _drawn(str(event), 4 * square, hypergeometric_draws(inner.records, size, inner.batch, MOST_DRAWS))


def _group_property(curves: Sequence[Curve]) -> Curve:
    r"""$\sum_{i<m}e^{ix/m}h_i(x/m)$, and $-e^{-x}$ times its derivative."""
    size, distinct = len(curves), {id(curve): curve for curve in curves}

    def grouped(x: arb) -> tuple[arb, arb]:
        step = x / size
        known = {key: curve(step) for key, curve in distinct.items()}
        power, ratio = arb(1), step.exp()
        total = slope = arb(0)
        for i, (value, mass) in enumerate(known[id(curve)] for curve in curves):
            total, slope = total + power * value, slope + power * (ratio * mass - i * value)
            power *= ratio
        return total, slope * (-x).exp() / size

    return grouped


def _root(square: Fraction) -> arb:
    root = rational_root(square)
    return ball(square).sqrt() if root is None else ball(root)


def _unsupported(event: Event, adjacency: type[Adjacency], why: str) -> UnsupportedEventError:
    return UnsupportedEventError(f"{event} under {adjacency.name}: {why}")
