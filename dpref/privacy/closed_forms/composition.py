r"""Composition of pure and approximate differential privacy: basic, advanced, optimal; parallel; random stopping.

What is composed may be chosen adaptively, but its losses are fixed in advance; `dpref.privacy.filters` is for losses
that are chosen on the way.  Every epsilon is a certified interval, every delta an exact number.  For $(\varepsilon,
\delta)$-DP the optimal composition is at most the heterogeneous one, which is at most the basic one and, at equal
losses, the advanced one; the advanced one undercuts the basic one only once there are enough steps.

References:
    Dwork, Rothblum and Vadhan, "Boosting and differential privacy", 2010, Theorem III.3.
    Kairouz, Oh and Viswanath, "The composition theorem for differential privacy", 2015, Theorems 3.3 and 3.5.
    Whitehouse, Ramdas, Rogers and Wu, "Fully-adaptive composition in differential privacy", 2023, Theorem 1.
    McSherry, "Privacy integrated queries", 2009, Theorem 4 (parallel composition).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar, final, get_args

from flint import arb, fmpq

from dpref.checks import natural, one_of, open_unit, rational
from dpref.errors import InvalidArgumentError
from dpref.privacy.events.ledger import Event, Repeat
from dpref.privacy.interval import Interval, enclose
from dpref.reals import BALL, DEFAULT_PRECISION, Exact, Ops, T, ball
from dpref.units import AddOrRemoveOne, Adjacency, ApproximateDP, Measure, PrivacyLoss, PureDP, ReplaceOne, ZeroOut

A = TypeVar("A", bound=Adjacency)


M = TypeVar("M", bound=Measure)


Partition: TypeAlias = Literal["by record", "by position"]


DPLoss: TypeAlias = PrivacyLoss[PureDP, A] | PrivacyLoss[ApproximateDP, A]
MOST_STEPS: Final = 1_000_000
_PRECISION_LIMIT: Final = 1 << 12


@final
@dataclass(frozen=True)
class Guarantee(Generic[A]):
    r"""$(\varepsilon,\delta)$-DP with a certified epsilon.

    Attributes:
        epsilon: An interval; its upper end is the claim.
        delta: Exact.
        adjacency: The neighbouring relation of the guarantee.
    """

    epsilon: Interval
    delta: Fraction
    adjacency: type[A]


def advanced_epsilon(o: Ops[T], epsilon: T, steps: int, log_inverse_slack: T) -> T:
    r"""$\varepsilon\sqrt{2k\ln(1/\delta')} + k\varepsilon(e^\varepsilon-1)$ (Dwork, Rothblum and Vadhan 2010).

    >>> from dpref.reals import FLOAT
    >>> round(advanced_epsilon(FLOAT, 0.1, 100, 8.0), 9)
    5.051709181
    """
    return epsilon * o.sqrt(2 * steps * log_inverse_slack) + steps * epsilon * o.expm1(epsilon)


def expected_loss(o: Ops[T], epsilon: T) -> T:
    r"""$\varepsilon\tanh(\varepsilon/2) = \varepsilon\frac{e^\varepsilon-1}{e^\varepsilon+1} \le \varepsilon^2/2$.

    The largest Kullback-Leibler divergence of an epsilon-DP mechanism.
    """
    return epsilon * o.tanh(epsilon / 2)


def concentrated_epsilon(o: Ops[T], mean: T, squares: T, log_inverse_slack: T) -> T:
    r"""$m + \sqrt{2\ln(1/\delta')\sum\varepsilon_i^2}$: a sum of losses of mean m that vary by the $\varepsilon_i$.

    With $m = \sum\varepsilon_i\tanh(\varepsilon_i/2)$ it is the last term of Kairouz, Oh and Viswanath's Theorem 3.5,
    with $m = \frac12\sum\varepsilon_i^2$ the fully adaptive bound of Whitehouse et al.
    """
    return mean + o.sqrt(2 * squares * log_inverse_slack)


def small_loss_epsilon(o: Ops[T], mean: T, squares: T, slack: T) -> T:
    r"""$m + \sqrt{2\ln(e+\sqrt{\sum\varepsilon_i^2}/\delta')\sum\varepsilon_i^2}$ (the middle term of Theorem 3.5)."""
    return mean + o.sqrt(2 * squares * o.log(o.exp(o.number(1)) + o.sqrt(squares) / slack))


def basic(losses: Sequence[PrivacyLoss[M, A]]) -> PrivacyLoss[M, A]:
    """Losses of one measure and one adjacency add (epsilon and delta, rho, or mu squared).

    Raises:
        InvalidArgumentError: If there is no loss, or they are of different measures or adjacencies.

    References:
        Dwork and Roth 2014, Theorem 3.16; Bun and Steinke 2016, Lemma 1.7; Dong, Roth and Su 2022, Corollary 3.3.

    >>> basic([PrivacyLoss(Fraction(1, 2), PureDP, ReplaceOne)] * 3).value
    Fraction(3, 2)
    """
    _one_adjacency(losses)
    return sum(losses[1:], losses[0])


def advanced(loss: DPLoss[A], steps: int, slack: Exact) -> Guarantee[A]:
    r"""Homogeneous advanced composition: $(\varepsilon\sqrt{2kL}+k\varepsilon(e^\varepsilon-1),\ k\delta+\delta')$-DP.

    Args:
        loss: What each step spends.
        steps: k, at least 1.
        slack: $\delta'$, exact, in (0, 1).

    Returns:
        Epsilon in ``[0, bound]`` and the total delta.

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float, or the loss is of another measure.

    References:
        Dwork, Rothblum and Vadhan 2010, Theorem III.3.

    >>> step = PrivacyLoss(Fraction(1, 10), PureDP, ReplaceOne)
    >>> print(advanced(step, 100, Fraction(1, 10**6)).epsilon)
    epsilon in [0, 6.308230951]
    """
    e, d = _approximate(loss)
    k, tail = natural("steps", steps), open_unit("slack", slack)
    found = enclose(lambda: advanced_epsilon(BALL, ball(e), k, -ball(tail).log()), "epsilon", "advanced composition")
    return Guarantee(_below(found, loss.adjacency), k * d + tail, loss.adjacency)


def heterogeneous(losses: Sequence[DPLoss[A]], slack: Exact) -> Guarantee[A]:
    r"""Heterogeneous advanced composition, the least of three bounds at $\delta = 1-(1-\delta')\prod(1-\delta_i)$.

    Args:
        losses: What the steps spend, fixed in advance.
        slack: $\delta'$, exact, in (0, 1).

    Returns:
        Epsilon in ``[0, bound]`` and the total delta.

    Raises:
        InvalidArgumentError: If there is no loss, one is of another measure, or adjacencies differ.

    References:
        Kairouz, Oh and Viswanath 2015, Theorem 3.5.

    >>> step = PrivacyLoss(Fraction(1, 10), PureDP, ReplaceOne)
    >>> print(heterogeneous([step] * 100, Fraction(1, 10**6)).epsilon)
    epsilon in [0, 5.75610552]
    """
    adjacency = _one_adjacency(losses)
    tail = open_unit("slack", slack)
    counts = Counter(_approximate(loss) for loss in losses)
    squares = _exact_sum(count * e * e for (e, _), count in counts.items())
    total = _exact_sum(count * e for (e, _), count in counts.items())

    def bound() -> arb:
        mean = sum((count * expected_loss(BALL, ball(e)) for (e, _), count in counts.items()), arb(0))
        usual = concentrated_epsilon(BALL, mean, ball(squares), -ball(tail).log())
        return ball(total).min(usual).min(small_loss_epsilon(BALL, mean, ball(squares), ball(tail)))

    kept = 1 - tail
    for (_, d), count in counts.items():
        kept *= (1 - d) ** count
    found = enclose(bound, "epsilon", "heterogeneous advanced composition")
    return Guarantee(_below(found, adjacency), 1 - kept, adjacency)


def optimal_delta(loss: DPLoss[A], steps: int, epsilon: Exact) -> Interval:
    r"""The least delta at which k-fold composition of $(\varepsilon_0,\delta_0)$-DP is $(\varepsilon,\delta)$-DP.

    $1-(1-\delta_0)^k(1-\sum_\ell[\cdot]_+)$ with the terms
    $\binom k\ell\frac{e^{(k-\ell)\varepsilon_0}-e^{\varepsilon+\ell\varepsilon_0}}{(1+e^{\varepsilon_0})^k}$: the
    worst mechanism is randomised response that fails with probability $\delta_0$.

    Args:
        loss: What each step spends.
        steps: k, between 1 and `MOST_STEPS`.
        epsilon: The epsilon of (epsilon, delta)-DP, exact, not negative.

    Returns:
        An interval that holds the exact value.

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float, or the loss is of another measure.
        PrecisionError: If the precision limit does not suffice.

    References:
        Kairouz, Oh and Viswanath 2015, Theorem 3.3 (there at the corners epsilon = (k - 2i) epsilon_0).

    >>> print(optimal_delta(PrivacyLoss(Fraction(1), PureDP, ReplaceOne), 2, 1))
    delta in [0.3378347121, 0.3378347122]
    """
    e0, d0 = _approximate(loss)
    k, e = _steps(steps), rational("epsilon", epsilon)

    def value() -> arb:
        total = arb(0)
        for index, weight in enumerate(_binomial(e0, k)):
            gap = e - (k - 2 * index) * e0
            if gap >= 0:
                break
            total += weight * -ball(gap).expm1()
        return total + (1 - total) * -(k * (-ball(d0)).log1p()).expm1()

    return replace(enclose(value, "delta", _OPTIMAL, most=1.0, limit=_PRECISION_LIMIT), adjacency=loss.adjacency)


def optimal_epsilon(loss: DPLoss[A], steps: int, delta: Exact) -> Interval:
    r"""The least epsilon at which k-fold composition of $(\varepsilon_0,\delta_0)$-DP is $(\varepsilon,\delta)$-DP.

    `optimal_delta` solved for epsilon: it is the largest of k functions that are affine in $e^\varepsilon$, so epsilon
    is the largest of k logarithms.

    Args:
        loss: What each step spends.
        steps: k, between 1 and `MOST_STEPS`.
        delta: Exact, in [0, 1).

    Returns:
        An interval that holds the exact value; infinite if delta is below $1-(1-\delta_0)^k$.

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float, or the loss is of another measure.
        PrecisionError: If the precision limit does not suffice.

    References:
        Kairouz, Oh and Viswanath 2015, Theorem 3.3.

    >>> step = PrivacyLoss(Fraction(1, 10), PureDP, ReplaceOne)
    >>> print(optimal_epsilon(step, 100, Fraction(1, 10**6)))
    epsilon in [4.774567588, 4.774567589]
    """
    e0, d0 = _approximate(loss)
    k, d = _steps(steps), rational("delta", delta)
    if d >= 1:
        raise InvalidArgumentError("delta", delta, "must be below one")
    # What is left for randomised response after the failures, exactly: its sign decides whether epsilon is finite.
    kept, each = 1 - d, 1 - d0
    left = 1 - fmpq(kept.numerator, kept.denominator) / fmpq(each.numerator, each.denominator) ** k
    if left < 0:
        return Interval(math.inf, math.inf, "epsilon", _OPTIMAL, DEFAULT_PRECISION, loss.adjacency)
    if left == 0:
        return replace(enclose(lambda: ball(k * e0), "epsilon", _OPTIMAL), adjacency=loss.adjacency)

    def value() -> arb:
        largest, above, below, target = arb(1), arb(0), arb(0), arb(left)
        tilt, growth = (-k * ball(e0)).exp(), (2 * ball(e0)).exp()
        for weight in itertools.islice(_binomial(e0, k), (k + 1) // 2):
            above, below = above + weight, below + weight * tilt
            largest = largest.max((above - target) / below)
            # The next candidate is a mediant of this one and 1 / tilt, which only falls: no later one is larger.
            if largest * tilt > 1:
                break
            tilt *= growth
        return largest.log()

    return replace(enclose(value, "epsilon", _OPTIMAL, limit=_PRECISION_LIMIT), adjacency=loss.adjacency)


_OPTIMAL: Final = "optimal composition"


def _binomial(epsilon: Fraction, steps: int) -> Iterable[arb]:
    r"""$\binom k\ell p^{k-\ell}(1-p)^\ell$ with $p = e^\varepsilon/(1+e^\varepsilon)$, for $\ell = 0, 1, ..., k-1$."""
    decay = (-ball(epsilon)).exp()
    weight = 1 / (1 + decay) ** steps
    for index in range(steps):
        yield weight
        weight = weight * decay * (steps - index) / (index + 1)


def parallel(losses: Sequence[PrivacyLoss[M, A]], *, partition: Partition) -> PrivacyLoss[M, A]:
    """Mechanisms that each see one part of the data: the largest loss counts, if neighbours differ in one part only.

    ``by record``: the part is a function of the record alone.  Adding or removing a record, or nulling it where it
    stands, touches one part; *replacing* it may take it from one part to another, so that two parts change, and is
    refused.  ``by position``: the part is a function of the record's index.  Replacing or nulling touches one part;
    *adding or removing* shifts the positions of all later records and is refused.

    Args:
        losses: One for each part; for approximate DP the largest epsilon and the largest delta count.
        partition: How the data is split, without looking at anything else.

    Raises:
        InvalidArgumentError: If there is no loss, losses are of different kinds, or the adjacency does not fit.

    References:
        McSherry 2009, Theorem 4.

    >>> parts = [PrivacyLoss(Fraction(k), PureDP, ReplaceOne) for k in (1, 3, 2)]
    >>> parallel(parts, partition="by position").value
    Fraction(3, 1)
    """
    adjacency = _one_adjacency(losses)
    one_of("partition", partition, get_args(Partition))
    allowed: tuple[type[Adjacency], ...] = (
        (AddOrRemoveOne, ZeroOut) if partition == "by record" else (ReplaceOne, ZeroOut)
    )
    if adjacency not in allowed:
        rule = f"neighbours under {adjacency.name} can differ in more than one part of a partition {partition}"
        raise InvalidArgumentError("partition", partition, rule)
    measures = {loss.measure for loss in losses}
    if len(measures) != 1:
        raise InvalidArgumentError("losses", losses, "must be of one measure")
    value, failure = max(loss.value for loss in losses), max(loss.delta for loss in losses)
    return PrivacyLoss(value, measures.pop(), adjacency, failure)


def random_stopping(step: Event, *, most_steps: int) -> Event:
    """What a run spends that stops at a random time, chosen from what it has released: its longest run.

    If the decision to stop is a function of the answers so far and of randomness that does not depend on the data, the
    stopped transcript is a function of the full one, so post-processing applies, whatever the stopping time's law.
    The step's loss must hold whatever the past was.  Without a bound on the number of steps use a filter.

    >>> from dpref.privacy.events.ledger import Gaussian
    >>> print(random_stopping(Gaussian(Fraction(2)), most_steps=10))
    compose(gaussian(noise_multiplier=2), 10)
    """
    return Repeat(step, natural("most_steps", most_steps))


def _approximate(loss: PrivacyLoss[Any, Any]) -> tuple[Fraction, Fraction]:
    """Epsilon and delta of a pure or approximate loss."""
    if getattr(loss, "measure", None) not in {PureDP, ApproximateDP}:
        raise InvalidArgumentError("loss", loss, "must be a pure or approximate DP loss (convert zCDP first)")
    if loss.value == 0:
        raise InvalidArgumentError("loss", loss, "epsilon must be positive")
    if loss.delta >= 1:
        raise InvalidArgumentError("loss", loss, "delta must be below one")
    return loss.value, loss.delta


def _steps(steps: int) -> int:
    if natural("steps", steps) > MOST_STEPS:
        raise InvalidArgumentError("steps", steps, f"must be at most {MOST_STEPS}")
    return int(steps)


def _one_adjacency(losses: Sequence[PrivacyLoss[Any, A]]) -> type[A]:
    if not losses:
        raise InvalidArgumentError("losses", losses, "must not be empty")
    if not all(isinstance(loss, PrivacyLoss) for loss in losses):
        raise InvalidArgumentError("losses", losses, "must be privacy losses")
    adjacencies = {loss.adjacency for loss in losses}
    if len(adjacencies) != 1:
        raise InvalidArgumentError("losses", losses, "must be stated under one adjacency")
    return adjacencies.pop()


def _exact_sum(terms: Iterable[Fraction]) -> Fraction:
    total = fmpq(0)
    for term in terms:
        total += fmpq(term.numerator, term.denominator)
    return Fraction(int(total.p), int(total.q))


def _below(bound: Interval, adjacency: type[Adjacency]) -> Interval:
    return replace(bound, lower=0.0, adjacency=adjacency)
