r"""The fast path's point value: delta and epsilon of sampled Gaussians as one float each, without a certificate.

Along a vertical line in the complex plane, for any $\theta>0$,

$$\delta(\varepsilon) = \frac1\pi\int_0^\infty\operatorname{Re}\frac{e^{\Lambda(\theta+it)-(\theta+it)\varepsilon}}
{(\theta+it)(\theta+1+it)}\,dt,\qquad\Lambda(s) = \sum_iT_i\ln\mathbb E_{P_i}e^{sL_i},$$

and both this integral and the one for each expectation are sums over equidistant points, whose error falls
exponentially as the points come closer (both integrands are analytic in a strip).  With theta at the saddle point
hardly anything cancels, so that a delta of 1e-14 has as many digits as one of 1e-2.  Where a few large losses weigh
much (a record that is hardly ever sampled), it cancels after all, and what has lost too many digits is refused.  A
point value is right to six digits at least, mostly nine (tests hold it to that against closed forms and certified
intervals), but nothing is proved: `fast_accountant` proves.

References:
    Alghamdi, Gomez, Asoodeh, Calmon, Kosut and Sankar, "The saddle-point method in differential privacy", 2023,
    Theorem 1.
    Trefethen and Weideman, "The exponentially convergent trapezoidal rule", 2014, Theorem 5.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dpref.checks import open_unit
from dpref.errors import PrecisionError
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.fast.accountant import ledger_pairs
from dpref.privacy.fast.cells import Pair
from dpref.privacy.fast.doubles import in_doubles, loss_in_doubles
from dpref.privacy.fast.grids import Pairs
from dpref.privacy.fast.measure import tilted
from dpref.privacy.time_limit import checkpoint
from dpref.reals import Exact, FloatArray

METHOD: Final = "saddle-point integral, not certified"
_SPACING: Final = 0.1  # of the nodes of an expectation, in standard deviations; less where the loss is steep
_REACH: Final = 12.0
_MOST_NODES: Final = 1 << 16
_BLOCK: Final = 32
_MOST_BLOCKS: Final = 256
_NEGLIGIBLE: Final = 1e-13
_SPREAD: Final = 20.0  # standard deviations of the tilted sum that fit into one period of the sum over the line
_NATS: Final = 30.0
_STEPS: Final = 100
_TILTS: Final = (1.0, 4.0, 16.0, 64.0, 256.0)
_ACCURATE: Final = 1e-10
_TINY: Final = 1e-150
_DIGITS: Final = 22.0  # nats below the sum for what other periods add
_MOST_DOUBLINGS: Final = 8
_UNIT: Final = 2.0**-52
_CANCELLED: Final = 1e-6  # of the sum over the line, that rounding may change
_FARTHEST: Final = 1e6  # a tilt beyond which no bound on what other periods add is sought


Complex: TypeAlias = NDArray[np.complex128]


def delta(ledger: Ledger[Any], epsilon: Exact) -> float:
    r"""A point value of $\delta(\varepsilon)$, without a certificate.

    Args:
        ledger: Gaussians, and Gaussians on Poisson samples (under add-or-remove-one or zero-out) or on batches of fixed
            size (under add-or-remove-one).
        epsilon: The epsilon of (epsilon, delta)-DP, exact, not negative.

    Returns:
        A float, right to six digits, and to nine where fewer than about a million answers are composed.

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float.
        UnsupportedEventError: If an event is not supported under the ledger's adjacency.
        PrecisionError: If the integral does not converge; then only `fast_accountant` helps.

    >>> from dpref.privacy.examples import sampled_gaussians
    >>> f"{delta(sampled_gaussians(steps=10**5), 30):.4e}"
    '5.9928e-08'
    """
    e, pairs = loss_in_doubles(epsilon), ledger_pairs(ledger)
    with in_doubles():
        return max(math.exp(_log_delta(law, float(e)).settled()) for law in _laws(pairs))


def epsilon(ledger: Ledger[Any], delta: Exact) -> float:
    r"""A point value of $\varepsilon(\delta)$, without a certificate; zero where that much delta needs no epsilon.

    Args:
        ledger: As for `delta`.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).

    >>> from fractions import Fraction
    >>> from dpref.privacy.examples import sampled_gaussians
    >>> f"{epsilon(sampled_gaussians(steps=10**5), Fraction(1, 10**6)):.6f}"
    '27.672598'
    """
    d, pairs = open_unit("delta", delta), ledger_pairs(ledger)
    goal = math.log(d.numerator) - math.log(d.denominator)
    found = 0.0
    with in_doubles():
        for law in _laws(pairs):
            found = _root(law, goal, found)
    return found


@final
@dataclass(frozen=True)
class _Law:
    """The privacy losses of one direction of every pair."""

    pairs: Pairs
    removed: bool

    def nodes(self, pair: Pair, theta: float) -> tuple[FloatArray, FloatArray]:
        """Losses, and logarithms of their weights, at nodes that cover what a tilt by theta makes likely."""
        sign = 1.0 if self.removed else -1.0
        moved = pair.mu * (theta + (1 if self.removed else 0))
        low, high = min(0.0, sign * moved) - _REACH, max(0.0, sign * moved) + _REACH
        spacing = _SPACING / max(1.0, pair.mu / 2)
        count = math.ceil((high - low) / spacing)
        if count > _MOST_NODES:
            raise PrecisionError(f"an expectation needs {count} nodes")
        z: FloatArray = low + spacing * np.arange(count + 1, dtype=np.float64)
        t = pair.mu * z - pair.mu * pair.mu / 2
        loss: FloatArray = np.asarray(t, dtype=np.float64)
        if not pair.plain:
            low_side = np.log1p(pair.q * np.expm1(np.minimum(t, 0.0)))
            high_side = t + np.log(pair.q + pair.rest * np.exp(-np.maximum(t, 0.0)))
            loss = np.asarray(np.where(t < 0, low_side, high_side), dtype=np.float64)
        log_weight = -z * z / 2 + math.log(spacing / math.sqrt(2 * math.pi))
        return (loss, log_weight + loss) if self.removed else (-loss, log_weight)

    def cumulants(self, theta: float) -> tuple[float, float, float]:
        """Lambda at a real point, with two derivatives."""
        value = mean = variance = 0.0
        for pair, count in self.pairs:
            x, log_weight = self.nodes(pair, theta)
            cumulant, m, spread = tilted(x, log_weight, theta)
            value += count * cumulant
            mean += count * m
            variance += count * spread
        return value, mean, variance

    def ratios(self, theta: float, points: FloatArray) -> Complex:
        """exp(Lambda(theta + i t) - Lambda(theta)) at points t."""
        result: Complex = np.ones(len(points), dtype=np.complex128)
        for pair, count in self.pairs:
            x, log_weight = self.nodes(pair, theta)
            exponent = log_weight + theta * x
            weight = np.exp(exponent - exponent.max())
            weight /= weight.sum()
            # Not a matrix product: on matrices as small as these it mostly waits for its threads.
            result *= (np.exp(1j * np.multiply.outer(points, x)) * weight).sum(axis=1) ** count
        return result


def _laws(pairs: Pairs) -> tuple[_Law, ...]:
    removed = _Law(pairs, removed=True)
    return (removed,) if all(pair.plain for pair, _ in pairs) else (removed, _Law(pairs, removed=False))


class _LogDelta(NamedTuple):
    """The logarithm of delta at an epsilon, how fast it falls there, the tilt at which it was computed, and its doubt.

    What rounding may change is the doubt, relatively to delta; a search may use a doubtful value, but not return it.
    """

    value: float
    fall: float
    theta: float
    doubt: float

    def settled(self) -> float:
        """The value, if enough of its digits are accurate."""
        if self.doubt > _CANCELLED:
            raise PrecisionError("too many digits of the integral over the line cancel")
        return self.value


def _log_delta(law: _Law, epsilon: float, near: float = 1.0, *, sure: bool = True) -> _LogDelta:
    """Log delta; unless it need not be sure, with periods so long that the next ones provably add nothing."""
    checkpoint(METHOD)
    theta = _saddle_point(law, epsilon, near)
    value, mean, variance = law.cumulants(theta)
    period = max(_SPREAD * math.sqrt(variance) + 2 * abs(mean - epsilon), _NATS / theta, _NATS / (theta + 1))
    for _ in range(_MOST_DOUBLINGS):
        total, fall, scale, doubt = _line(law, theta, epsilon, period)
        if not (total > 0 and fall > 0):
            raise PrecisionError("the integral over the line has no accurate digit")
        least = math.log(total) + scale - _DIGITS
        if not sure or all(_aliased(law, theta, value, epsilon + s * period, s) <= least for s in (-1, 1)):
            return _LogDelta(value - theta * epsilon + math.log(total) + scale, fall / total, theta, doubt)
        period *= 2
    raise PrecisionError("the losses spread too far for the integral over the line")


def _aliased(law: _Law, theta: float, value: float, there: float, sign: int) -> float:
    r"""The logarithm of a bound on what the next period, around another epsilon x, adds to a sum over the line.

    It adds $e^{\theta x-\Lambda(\theta)}\delta(x)$, and $\delta(x) \le e^{\Lambda(t)-tx}$ for $t \ge 0$ (Chernoff).
    Few large losses can weigh much under a tilt, however far they lie: standard deviations do not tell.
    """
    reach = _NATS / max(abs(there), _TINY)
    moves = (min(sign * reach * 2.0**k, _FARTHEST) if sign > 0 else max(-reach * 2.0**k, -theta) for k in range(-1, 7))
    return min(law.cumulants(theta + move)[0] - value - move * there for move in moves)


def _saddle_point(law: _Law, epsilon: float, near: float) -> float:
    """A tilt under which epsilon is typical: any is valid, but far from the saddle point the line's sum cancels."""

    def off(theta: float) -> float:
        """How far, in quarters of a standard deviation, epsilon is below where the integrand is least."""
        _, mean, variance = law.cumulants(theta)
        return 4 * (mean - 1 / theta - 1 / (theta + 1) - epsilon) / max(math.sqrt(variance), _TINY)

    return _increasing_root(off, near)


def _line(law: _Law, theta: float, epsilon: float, period: float) -> tuple[float, float, float, float]:
    """The sum over the line, minus its derivative in epsilon, the logarithm of their constant factor, and the doubt."""
    step = 2 * math.pi / period
    noise = _UNIT * sum(count for _, count in law.pairs)  # of a power, relatively
    total = fall = size = 0.0
    for block in range(_MOST_BLOCKS):
        checkpoint()
        t: FloatArray = step * np.arange(block * _BLOCK, (block + 1) * _BLOCK, dtype=np.float64)
        s = theta + 1j * t
        terms = law.ratios(theta, t) * np.exp(-1j * epsilon * t) / (s * (s + 1))
        if block == 0:
            terms[0] /= 2
        total += float(terms.real.sum())
        fall += float((terms * s).real.sum())
        sizes = np.abs(terms)
        size += float(sizes.sum())
        if float(sizes.max()) * _BLOCK <= _NEGLIGIBLE * abs(total):
            return total, fall, math.log(step / math.pi), noise * size / max(abs(total), _TINY)
    raise PrecisionError("the integral over the line does not converge")


def _increasing_root(function: Callable[[float], float], near: float) -> float:
    """A positive number at which an increasing function is at most one from zero (or the double next to its root)."""
    low, x, high = 0.0, near, math.inf
    while low < x < high:
        value = function(x)
        if abs(value) <= 1:
            break
        low, high = (x, high) if value < 0 else (low, x)
        x = 2 * low if high == math.inf else (low + high) / 2
    return x


def _root(law: _Law, goal: float, least: float) -> float:
    """The epsilon whose log delta is the goal, or ``least`` if that is enough: Newton's method inside a bracket.

    It starts where the saddle-point estimate of delta is the goal.
    """
    # Chernoff's bound tells quickly that a direction spends less.
    if any(law.cumulants(theta)[0] - theta * least <= goal for theta in _TILTS):
        return least

    def estimate(theta: float) -> float:
        """How far, in quarters of a nat, the saddle-point estimate of delta is below the goal."""
        value, mean, variance = law.cumulants(theta)
        spread = math.log1p(theta * (theta + 1) * math.sqrt(2 * math.pi * variance))
        return 4 * (goal - (value - theta * mean - spread))

    theta = _increasing_root(estimate, 1.0)
    for sure in (False, True):
        e, found = _newton(law, goal, least, theta, sure=sure)
        checked = found if sure else _log_delta(law, e, found.theta)
        if abs(checked.value - found.value) <= _CANCELLED:
            checked.settled()
            return e
    raise PrecisionError("the search for epsilon does not converge")


def _newton(law: _Law, goal: float, least: float, theta: float, *, sure: bool) -> tuple[float, _LogDelta]:
    above_least = False
    low, high, e = least, math.inf, max(least, law.cumulants(theta)[1])
    for _ in range(_STEPS):
        found = _log_delta(law, e, theta, sure=sure)
        theta, excess = found.theta, found.value - goal
        low, high = (e, high) if excess > 0 else (low, e)
        if (e == least and excess <= 0) or abs(excess) <= _ACCURATE or high - low <= _ACCURATE * low:
            return e, found
        above_least = above_least or excess > 0
        e += excess / found.fall
        if not low < e < high:
            e = (low + high) / 2 if above_least else least
    raise PrecisionError("the search for epsilon does not converge")
