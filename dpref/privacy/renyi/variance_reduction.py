r"""The accountant for stochastic variance reduction: Rényi divergences at integer orders, certified.

One answer is $\frac1b\sum_{i\in B}(g_i-h_i)+\frac1n\sum_ih_i+N(0,\sigma^2I)$ with a secret batch B of b of n records
and all $\|g_i\|,\|h_i\|\le G$ (`dpref.privacy.events.ledger.VarianceReducedGaussian`).  Its noise is split, on paper
only, into $\sigma_1^2+\sigma_2^2=\sigma^2$: the answer is the sum of two mechanisms.

* The *sampled difference* with noise $\sigma_1$.  Let $P_0$ be its law given that the differing record is not in B.
  Exchanging the record for a random other one couples the laws, so that by joint convexity $(P,P_0)$ is dominated by
  $((1-\gamma)N(0,1)+\gamma N(s,1),\,N(0,1))$ with $\gamma=b/n$ and $s=4G/(b\sigma_1)$: a difference is at most 2G long,
  and two of them are compared.  The weak triangle inequality goes on to the neighbour's law.  This and the other bounds
  of `dpref.privacy.renyi.without_replacement` apply, under zero-out as well.
* The *full mean* with noise $\sigma_2$: a Gaussian answer of sensitivity $2G/n$ (replace-one) or $G/n$ (zero-out).

Where sampling does not help (little noise), the answer is charged as a Gaussian one of sensitivity $4G/b-2G/n$ (half of
it under zero-out).  Every order and every split gives a valid bound: they are searched in floats, and the chosen one is
evaluated in balls.  The lower end is attained by linear losses, whose sampled difference is zero.

References:
    Wang, Ye and Xu, "Differentially private empirical risk minimization revisited", 2017, Theorems 4.1 and 4.3; their
    proof (B.2) cites a lemma for another sampler, another adjacency and smaller vectors (E6).
    Mironov, "Rényi differential privacy", 2017, Propositions 1 and 11.
    Mironov, Talwar and Zhang, "Rényi differential privacy of the sampled Gaussian mechanism", 2019, Theorem 5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from flint import arb

from dpref.checks import natural, open_unit, positive_rational, rational
from dpref.errors import InvalidArgumentError, PrecisionError, UnsupportedEventError
from dpref.privacy.closed_forms.conversions import renyi_delta_optimised, renyi_epsilon_optimised
from dpref.privacy.closed_forms.divergences import gaussian_renyi
from dpref.privacy.closed_forms.gaussian import gaussian_delta_at, gaussian_epsilon
from dpref.privacy.events.ledger import Event, Gaussian, Ledger, NonPrivate, VarianceReducedGaussian
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.interval import Interval
from dpref.privacy.renyi.without_replacement import BOUNDS, Bound, applicable, gaussian_bound
from dpref.reals import BALL, DEFAULT_PRECISION, Exact, FloatArray, ball, evaluate, exact, upper
from dpref.units import Adjacency, ReplaceOne, ZeroOut

METHOD: Final = "Rényi, variance-reduced Gaussian; lower end: linear losses"


Events: TypeAlias = Mapping[Event, int]


Objective: TypeAlias = Callable[[float, int], float]
_LARGEST_SUM: Final = 2048  # above it only the closed form of small shifts is used
_ORDERS: Final = tuple(
    dict.fromkeys([*range(2, 17), *(round(16 * 1.15**k) for k in range(35)), *(round(2**k) for k in range(12, 21))])
)


_SHARES: Final = (0.3, 0.5, 0.7, 0.8, 0.87, 0.92, 0.97, 0.98, 0.99, 0.995, 0.998, 0.9995)
_FIRST_SHARE: Final = 0.95
_REFINED: Final = 12
_BISECTIONS: Final = 60
_FARTHEST: Final = (
    Fraction(10) ** 100
)  # of a noise multiplier, its inverse, or epsilon: beyond, floats find no good choice


class Choice(NamedTuple):
    """Where the bound on one event is evaluated: any choice with a theorem is valid.

    Attributes:
        order: An integer, at least 2.
        share: sigma_1 over sigma, in (0, 1), or None to forget the sampling.
        bound: Which bound on the sampled difference; None without sampling.
    """

    order: int
    share: float | None = None
    bound: Bound | None = None


class _Found(NamedTuple):
    """One order for a whole ledger, a choice for each of its events, and what that seems to give."""

    value: float
    order: int
    choices: Mapping[Event, Choice]


def supports(event: Event, adjacency: type[Adjacency]) -> bool:
    """Whether the accountant has a theorem for an event: a fixed number of records must be sampled from."""
    known = isinstance(event, Gaussian | NonPrivate | VarianceReducedGaussian)
    return known and adjacency in {ReplaceOne, ZeroOut}


def event_renyi(event: Event, adjacency: type[Adjacency], choice: Choice) -> arb:
    r"""A bound on $D_\alpha$ of one event, as a ball at the working precision.

    Args:
        event: Gaussian or variance-reduced.
        adjacency: Replace-one or zero-out.
        choice: The order, and how a variance-reduced event is split.

    Raises:
        InvalidArgumentError: If the order, the share or the bound is none for which there is a theorem.
        UnsupportedEventError: If there is no theorem for the event.

    >>> event = VarianceReducedGaussian(Fraction(8), batch=1, records=100)
    >>> sampled = event_renyi(event, ReplaceOne, Choice(2, 0.9, "weak-triangle"))
    >>> bool(sampled < event_renyi(event, ReplaceOne, Choice(2)))
    True
    """
    natural("order", choice.order, least=2)
    if isinstance(event, Gaussian):
        return gaussian_renyi(BALL, ball(choice.order), 1 / ball(event.noise_multiplier))
    if not isinstance(event, VarianceReducedGaussian):
        raise UnsupportedEventError(f"{event} is neither Gaussian nor variance-reduced")
    order, z, shifts = Fraction(choice.order), event.noise_multiplier, _shifts(event, adjacency)
    if choice.share is None or choice.bound is None:
        return gaussian_renyi(BALL, ball(order), ball(shifts.together / z))
    if type(choice.share) is not float or not 0 < choice.share < 1:
        raise InvalidArgumentError("share", choice.share, "must be a double strictly between 0 and 1")
    share = exact(choice.share)
    if choice.bound not in BOUNDS:
        raise InvalidArgumentError("bound", choice.bound, "must be one of " + ", ".join(BOUNDS))
    noise = share * z / shifts.sampled
    if choice.bound not in applicable(order, noise):
        raise InvalidArgumentError("bound", choice.bound, f"has no theorem at order {order} and this noise")
    sampled = gaussian_bound(choice.bound, order, Fraction(event.batch, event.records), noise)
    return sampled + gaussian_renyi(BALL, ball(order), ball(shifts.full / z)) / ball(1 - share * share)


class _Shifts(NamedTuple):
    """How far one answer moves, in units of G."""

    sampled: Fraction
    full: Fraction
    together: Fraction


def _shifts(event: VarianceReducedGaussian, adjacency: type[Adjacency]) -> _Shifts:
    if adjacency not in {ReplaceOne, ZeroOut}:
        raise UnsupportedEventError(f"{event} under {adjacency.name}: a fixed number of records is sampled from")
    differing = 2 if adjacency is ReplaceOne else 1
    full, batch = Fraction(differing, event.records), Fraction(1, event.batch)
    return _Shifts(4 * batch, full, differing * (2 * batch - Fraction(1, event.records)))


def epsilon(ledger: Ledger[Any], delta: Exact) -> Interval:
    r"""What a ledger of variance-reduced (and plain) Gaussian answers spends at delta, certified.

    Args:
        ledger: Variance-reduced and Gaussian events (and answers without noise, which make epsilon infinite), under
            replace-one or zero-out.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).

    Returns:
        An interval that holds the least epsilon of the worst losses; the lower end is what linear losses attain.

    Raises:
        InvalidArgumentError: If ``delta`` is a float or outside (0, 1).
        UnsupportedEventError: If an event, or a variance-reduced one under this adjacency, is not supported.
        PrecisionError: If the precision limit does not suffice.

    References:
        Mironov 2017, Proposition 1; Canonne, Kamath and Steinke 2020, Proposition 12 (conversion).

    >>> from dpref.privacy.events.ledger import Repeat
    >>> event = VarianceReducedGaussian(Fraction(4), batch=1, records=1000)
    >>> found = epsilon(Ledger(Repeat(event, 20), ReplaceOne), Fraction(1, 10**6))
    >>> 0 < found.lower < found.upper < 1
    True
    """
    at = open_unit("delta", delta)
    events = _supported(ledger)
    if NonPrivate() in events:
        return Interval(math.inf, math.inf, "epsilon", METHOD, DEFAULT_PRECISION, ledger.adjacency)
    found = _best(events, ledger.adjacency, _epsilon_objective(_length(at)))
    high = max(0.0, upper(_epsilon_at(events, ledger.adjacency, at, found)))
    low = gaussian_epsilon(linear_mu_squared(ledger), at).lower
    return Interval(low, high, "epsilon", METHOD, DEFAULT_PRECISION, ledger.adjacency)


def delta(ledger: Ledger[Any], epsilon: Exact) -> Interval:
    r"""What a ledger of variance-reduced (and plain) Gaussian answers spends at epsilon, certified.

    Args:
        ledger: As for `epsilon`.
        epsilon: The epsilon of (epsilon, delta)-DP, exact, not negative.

    Returns:
        An interval that holds the least delta of the worst losses; the lower end is what linear losses attain.

    Raises:
        InvalidArgumentError: If ``epsilon`` is a float or negative.
        UnsupportedEventError: If an event, or a variance-reduced one under this adjacency, is not supported.
        PrecisionError: If the precision limit does not suffice.

    References:
        Canonne, Kamath and Steinke 2020, Proposition 12.

    >>> delta(Ledger(VarianceReducedGaussian(Fraction(4), batch=1, records=1000), ReplaceOne), 1).upper < 1e-6
    True
    """
    at = rational("epsilon", epsilon)
    events = _supported(ledger)
    if NonPrivate() in events:
        return Interval(1.0, 1.0, "delta", METHOD, DEFAULT_PRECISION, ledger.adjacency)
    found = _best(events, ledger.adjacency, _delta_objective(float(min(at, _FARTHEST))))

    def bound() -> arb:
        return renyi_delta_optimised(BALL, _renyi(events, ledger.adjacency, found), ball(found.order), ball(at))

    high = min(1.0, upper(evaluate(bound, bits=30)))
    low = gaussian_delta_at(linear_mu_squared(ledger), at).lower
    return Interval(low, high, "delta", METHOD, DEFAULT_PRECISION, ledger.adjacency)


def linear_mu_squared(ledger: Ledger[Any]) -> Fraction:
    r"""$\mu^2$ of the transcript on linear losses, exact: the sampled difference vanishes, $\sum_t(2G/(n\sigma_t))^2$.

    A lower bound for the worst losses, under the ledger's adjacency (G/n instead of 2G/n under zero-out).

    >>> from dpref.privacy.events.ledger import Repeat
    >>> linear_mu_squared(Ledger(Repeat(VarianceReducedGaussian(Fraction(4), 1, 10), 25), ReplaceOne))
    Fraction(1, 16)
    """
    total = Fraction(0)
    for event, count in multiplicities(ledger.event).items():
        match event:
            case Gaussian(multiplier):
                total += count / multiplier**2
            case VarianceReducedGaussian(multiplier):
                total += count * (_shifts(event, ledger.adjacency).full / multiplier) ** 2
            case _:
                raise UnsupportedEventError(f"{event} has no linear-loss parameter")
    return total


def noise_multiplier(
    epsilon: Exact, delta: Exact, *, steps: int, batch: int, records: int, adjacency: type[Adjacency]
) -> float:
    r"""A $\sigma/G$ with which K variance-reduced answers are certified $(\varepsilon,\delta)$-DP, near the least.

    Args:
        epsilon: The epsilon of (epsilon, delta)-DP, exact, positive.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).
        steps: K, the number of answers.
        batch: b, below n.
        records: n.
        adjacency: Replace-one or zero-out.

    Returns:
        A double; the accountant's upper end at it is at most epsilon.

    Raises:
        InvalidArgumentError: If an argument is out of its domain, or no noise of reasonable size suffices.
        UnsupportedEventError: Under another adjacency.

    >>> round(noise_multiplier(1, Fraction(1, 10**6), steps=20, batch=1, records=1000, adjacency=ReplaceOne), 1)
    3.7
    """
    e, d, count = positive_rational("epsilon", epsilon), open_unit("delta", delta), natural("steps", steps)
    objective, target = _epsilon_objective(_length(d)), float(min(e, _FARTHEST))

    def events(z: float) -> Events:
        return {VarianceReducedGaussian(exact(z), batch, records): count}

    low, high = 2.0**-10, 1.0
    while high < 2.0**40 and _best(events(high), adjacency, objective).value > target:
        low, high = high, 4 * high
    for _ in range(_BISECTIONS):
        middle = math.sqrt(low * high)
        if high < low * (1 + 1e-9):
            break
        low, high = (low, middle) if _best(events(middle), adjacency, objective).value <= target else (middle, high)
    for _ in range(_BISECTIONS):
        found = _best(events(high), adjacency, objective)
        if upper(_epsilon_at(events(high), adjacency, d, found)) <= e:
            return high
        high *= 1 + 1e-9
    raise InvalidArgumentError("epsilon", epsilon, "is too small for this accountant's orders")


def _supported(ledger: Ledger[Any]) -> Events:
    events = multiplicities(ledger.event)
    for event in events:
        if not supports(event, ledger.adjacency):
            raise UnsupportedEventError(f"{event} under {ledger.adjacency.name}: no theorem of variance reduction")
        if isinstance(event, Gaussian | VarianceReducedGaussian):
            z = event.noise_multiplier
            if max(z, 1 / z) > _FARTHEST:
                raise PrecisionError(f"{event}: its noise is beyond what the search in doubles can square")
    return events


def _renyi(events: Events, adjacency: type[Adjacency], found: _Found) -> arb:
    return sum((count * event_renyi(event, adjacency, found.choices[event]) for event, count in events.items()), arb(0))


def _epsilon_at(events: Events, adjacency: type[Adjacency], delta: Fraction, found: _Found) -> arb:
    """The bound at what was found, certified."""

    def bound() -> arb:
        total = _renyi(events, adjacency, found)
        return renyi_epsilon_optimised(BALL, total, ball(found.order), -ball(delta).log())

    return evaluate(bound, bits=30)


def _length(delta: Fraction) -> float:
    """ln(1/delta), of numbers far below the doubles too."""
    return math.log(delta.denominator) - math.log(delta.numerator)


def _epsilon_objective(length: float) -> Objective:
    return lambda renyi, a: renyi + (length - math.log(a)) / (a - 1) + math.log1p(-1 / a)


def _delta_objective(epsilon: float) -> Objective:
    return lambda renyi, a: (a - 1) * (renyi - epsilon) + a * math.log1p(-1 / a) - math.log(a - 1)


def _best(events: Events, adjacency: type[Adjacency], objective: Objective) -> _Found:
    """The order and the choices that look best; nothing here is certified."""

    def valued(order: int, shares: tuple[float, ...]) -> _Found:
        best = {event: _float_renyi(event, adjacency, order, shares) for event in events}
        total = sum(count * best[event][0] for event, count in events.items())
        return _Found(objective(total, order), order, {event: choice for event, (_, choice) in best.items()})

    rough = sorted((valued(order, (_FIRST_SHARE,)) for order in _ORDERS), key=lambda found: found.value)
    fine = (valued(found.order, (_FIRST_SHARE, *_SHARES)) for found in rough[:_REFINED])
    return min(fine, key=lambda found: found.value)


def _float_renyi(
    event: Event, adjacency: type[Adjacency], order: int, shares: tuple[float, ...]
) -> tuple[float, Choice]:
    """One event's smallest bound at this order, without sampling or with one of the shares."""
    if isinstance(event, Gaussian):
        return order / float(event.noise_multiplier) ** 2 / 2, Choice(order)
    if not isinstance(event, VarianceReducedGaussian):
        raise UnsupportedEventError(f"{event} is neither Gaussian nor variance-reduced")
    z, shifts = float(event.noise_multiplier), _shifts(event, adjacency)
    found = [(order * (float(shifts.together) / z) ** 2 / 2, Choice(order))]
    rate = event.batch / event.records
    for share in shares if 0.0 < rate < 1.0 else ():  # as a double it may be neither
        sampled, bound = _float_sampled(order, rate, float(shifts.sampled) / (share * z))
        full = order * (float(shifts.full) / z) ** 2 / (2 * (1 - share * share))
        found.append((sampled + full, Choice(order, share, bound)))
    return min(found, key=lambda pair: pair[0])


def _float_sampled(order: int, rate: float, s: float) -> tuple[float, Bound]:
    small = 4 * order * s * s <= 1 - 1e-12
    closed = (4 * order**2 + (2 * order - 1) ** 2) * (rate * s) ** 2 / (order - 1) if small else math.inf
    found: list[tuple[float, Bound]] = [(closed, "small-shift")]
    if order <= _LARGEST_SUM:
        first, second = _float_mixture(2 * order, rate, s), _float_mixture(2 * order - 1, rate, s)
        found.append(((2 * order - 1) / (2 * (order - 1)) * first + second, "weak-triangle"))
        found.append((_float_amplified(order, rate, s), "wang-balle-kasiviswanathan"))
    return min(found)


def _float_mixture(order: int, rate: float, s: float) -> float:
    k = np.arange(2, order + 1, dtype=np.float64)
    growth = k * (k - 1) * (s * s / 2)
    return _log_one_plus(_log_binomials(order) + k * math.log(rate) + (order - k) * math.log1p(-rate), growth, order)


def _float_amplified(order: int, rate: float, s: float) -> float:
    j = np.arange(2, order + 1, dtype=np.float64)
    terms = _log_binomials(order) + j * math.log(rate) + math.log(2) + j * (j - 1) * (s * s / 2)
    terms[0] += min(0.0, math.log(2) + math.log(-math.expm1(-s * s)))
    return _log_one_plus(terms, None, order)


def _log_one_plus(terms: FloatArray, growth: FloatArray | None, order: int) -> float:
    """log(1 + sum of exp(terms) (exp(growth) - 1)) / (order - 1); without growth, of exp(terms) alone."""
    if growth is not None:
        grown, small = np.maximum(growth, 1.0), np.minimum(growth, 1.0)
        terms = terms + np.where(growth > 1, grown + np.log1p(-np.exp(-grown)), np.log(np.expm1(small)))
    top = float(terms.max())
    return float(np.logaddexp(0.0, top + math.log(float(np.exp(terms - top).sum())))) / (order - 1)


_LOG_FACTORIALS: Final = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, 2 * _LARGEST_SUM + 1)))])


def _log_binomials(order: int) -> FloatArray:
    """ln C(order, k) for k = 2, ..., order."""
    f = _LOG_FACTORIALS
    return np.asarray(f[order] - f[2 : order + 1] - f[order - 2 :: -1])
