r"""The accountant for ledgers of Gaussian answers: exact, by Gaussian differential privacy.

Adaptive composition of Gaussian mechanisms with multipliers $z_i$ is dominated by one Gaussian pair with
$\mu^2 = \sum_i z_i^{-2}$, and a worst-case query attains it, so the privacy curve

$$\delta(\varepsilon) = \Phi(\mu/2-\varepsilon/\mu) - e^\varepsilon\,\Phi(-\mu/2-\varepsilon/\mu)$$

is exact.  Generalised Gaussian noise on a $\kappa$-regular norm is dominated by the Gaussian pair of
$\mu^2=\kappa/z^2$, which it attains for $\kappa=1$; otherwise the lower end does not count it.  A matrix mechanism is
one Gaussian answer of its sensitivity, of which the lower end counts what is attained.

$\mu^2$ is a rational number; epsilon is found by Newton's method and then certified by two evaluations in
balls, which is rigorous because delta strictly decreases in epsilon and strictly increases in mu.

An event that has no noise has no finite loss: `gdp` and `zcdp` refuse it, `epsilon` returns ``[inf, inf]`` and `delta`
returns ``[1, 1]``, which are the exact values for its worst query.

References:
    Dong, Roth and Su, "Gaussian differential privacy", 2022, Corollaries 2.13 and 3.3.
    Balle and Wang, "Improving the Gaussian mechanism for differential privacy", 2018, Theorem 8.
    Bun and Steinke, "Concentrated differential privacy", 2016, Proposition 1.6, Lemma 1.7.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Final, TypeVar

from flint import arb, fmpq

from dpref.checks import open_unit, rational
from dpref.errors import InvalidArgumentError, PrecisionError, UnsupportedEventError
from dpref.privacy.closed_forms.divergences import gaussian_delta, gaussian_delta_slope, regular_gaussian_mu_squared
from dpref.privacy.events.factorization import is_factored, squared_mu
from dpref.privacy.events.ledger import Event, FilteredGaussians, Gaussian, GeneralizedGaussian, Ledger, NonPrivate
from dpref.privacy.events.matrix import MatrixGaussian, PrefixSumSqrt, ToeplitzGaussian, TreeGaussian
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.interval import Interval, enclose
from dpref.reals import BALL, DEFAULT_PRECISION, PRECISION_LIMIT, RATIONAL, Exact, ball, precision
from dpref.units import GDP, ZCDP, Adjacency, PrivacyLoss

A = TypeVar("A", bound=Adjacency)


METHOD: Final = "analytic Gaussian"
NO_NOISE: Final = "an answer without noise"
_LARGEST: Final = math.nextafter(math.inf, 0.0)
_NEWTON_STEPS: Final = 200
_NEWTON_STOP: Final = 2.0**-40  # convergence is quadratic: the next error is about 2**-80


def gdp(ledger: Ledger[A]) -> PrivacyLoss[GDP, A]:
    r"""The Gaussian-DP parameter, squared: $\mu^2 = \sum_i\kappa_iz_i^{-2}$, with $\kappa_i = 1$ for Gaussian answers.

    Args:
        ledger: Gaussian events with exact multipliers $z_i$, and generalised ones with their $\kappa_i$.

    Returns:
        mu squared (what adds under composition), a rational number; exact for Gaussian answers, a bound for those of
        a regular norm that is not Euclidean.

    Raises:
        UnsupportedEventError: If an event has no finite parameter here.

    References:
        Dong, Roth and Su 2022, Corollary 3.3.

    >>> from dpref.privacy.events.ledger import Repeat
    >>> from dpref.units import ReplaceOne
    >>> gdp(Ledger(Repeat(Gaussian(Fraction(10)), 25), ReplaceOne)).value
    Fraction(1, 4)
    """
    return PrivacyLoss(_mu_squared(ledger), GDP, ledger.adjacency)


def attained_gdp(ledger: Ledger[A]) -> Fraction:
    """What is known to be attained of `gdp`: nothing of an event of which no answers are known that attain it.

    >>> from dpref.units import ReplaceOne
    >>> attained_gdp(Ledger(GeneralizedGaussian(Fraction(2), Fraction(3)), ReplaceOne))
    Fraction(0, 1)
    """
    return _mu_squared(ledger, attained=True)


def _mu_squared(ledger: Ledger[A], *, attained: bool = False) -> Fraction:
    """Of all events, or of those whose worst case is known to be attained."""
    terms: list[fmpq] = []
    for event, count in multiplicities(ledger.event).items():
        match event:
            case Gaussian(multiplier):
                terms.append(fmpq(count) * fmpq(multiplier.denominator, multiplier.numerator) ** 2)
            case GeneralizedGaussian(_, kappa) if attained and kappa > 1:
                continue
            case GeneralizedGaussian(multiplier, kappa):
                mu_squared = regular_gaussian_mu_squared(RATIONAL, multiplier, kappa)
                terms.append(fmpq(count) * fmpq(mu_squared.numerator, mu_squared.denominator))
            case FilteredGaussians(rho):
                terms.append(fmpq(2 * count) * fmpq(rho.numerator, rho.denominator))
            case MatrixGaussian() | ToeplitzGaussian() | PrefixSumSqrt() | TreeGaussian():
                found = squared_mu(event, ledger.adjacency)
                square = found.attained if attained else found.squared
                terms.append(fmpq(count) * fmpq(square.numerator, square.denominator))
            case _:
                raise UnsupportedEventError(f"{event} is not Gaussian and has no finite Gaussian-DP parameter")
    total = _sum(terms)
    return Fraction(int(total.p), int(total.q))


def zcdp(ledger: Ledger[A]) -> PrivacyLoss[ZCDP, A]:
    r"""The zCDP parameter: $\rho = \frac12\sum_i\kappa_iz_i^{-2}$, half of `gdp` and exact where that is.

    Raises:
        UnsupportedEventError: If an event has no finite parameter here.

    References:
        Bun and Steinke 2016, Proposition 1.6 and Lemma 1.7.

    >>> from dpref.units import ZeroOut
    >>> zcdp(Ledger(Gaussian(Fraction(1, 2)), ZeroOut)).value
    Fraction(2, 1)
    """
    return PrivacyLoss(gdp(ledger).value / 2, ZCDP, ledger.adjacency)


def _sum(terms: list[fmpq]) -> fmpq:
    """The sum by a balanced tree: denominators grow only as far up as they must."""
    if len(terms) <= 2:
        return sum(terms, fmpq(0))
    half = len(terms) // 2
    return _sum(terms[:half]) + _sum(terms[half:])


def epsilon(ledger: Ledger[A], delta: Exact) -> Interval:
    r"""The least epsilon for which a ledger of Gaussians is $(\varepsilon,\delta)$-DP, certified.

    Args:
        ledger: Gaussian and generalised Gaussian events (and answers without noise, which make epsilon infinite).
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).

    Returns:
        An interval that holds the exact value, under the ledger's adjacency; its ends are a few units in the last
        place apart, but for regular norms that are not Euclidean, which count for the upper end alone.

    Raises:
        InvalidArgumentError: If ``delta`` is a float or outside (0, 1).
        UnsupportedEventError: If an event is neither Gaussian nor without noise.
        PrecisionError: If the precision limit does not decide.

    >>> from dpref.privacy.events.ledger import Repeat
    >>> from dpref.units import ReplaceOne
    >>> print(epsilon(Ledger(Repeat(Gaussian(Fraction(100)), 10**4), ReplaceOne), Fraction(1, 10**6)))
    epsilon in [4.886554117, 4.886554118]
    """
    open_unit("delta", delta)
    if _is_infinite(ledger):
        return Interval(math.inf, math.inf, "epsilon", NO_NOISE, DEFAULT_PRECISION, ledger.adjacency)
    return _enclosed(ledger, lambda mu_squared: gaussian_epsilon(mu_squared, delta))


def delta(ledger: Ledger[A], epsilon: Exact) -> Interval:
    r"""The least delta for which a ledger of Gaussians is $(\varepsilon,\delta)$-DP, certified.

    Args:
        ledger: Gaussian and generalised Gaussian events (and answers without noise, which make delta one).
        epsilon: Exact, not negative (zero gives the total variation distance).

    Returns:
        An interval that holds the exact value, under the ledger's adjacency.

    Raises:
        InvalidArgumentError: If ``epsilon`` is a float or negative.
        UnsupportedEventError: If an event is neither Gaussian nor without noise.
        PrecisionError: If the precision limit does not decide.

    >>> from dpref.units import ReplaceOne
    >>> print(delta(Ledger(Gaussian(Fraction(1)), ReplaceOne), 1))
    delta in [0.1269367375, 0.1269367376]
    """
    rational("epsilon", epsilon)
    if _is_infinite(ledger):
        return Interval(1.0, 1.0, "delta", NO_NOISE, DEFAULT_PRECISION, ledger.adjacency)
    return _enclosed(ledger, lambda mu_squared: gaussian_delta_at(mu_squared, epsilon))


def supports(event: Event) -> bool:
    """Whether this accountant has a theorem for a mechanism event, under any adjacency.

    >>> supports(Gaussian(Fraction(1))), supports(GeneralizedGaussian(Fraction(1), Fraction(2)))
    (True, True)
    """
    return isinstance(event, Gaussian | GeneralizedGaussian | FilteredGaussians | NonPrivate) or is_factored(event)


def _enclosed(ledger: Ledger[A], of: Callable[[Fraction], Interval]) -> Interval:
    most, least = _mu_squared(ledger), _mu_squared(ledger, attained=True)
    found = of(most)
    lower = found.lower if least == most else of(least).lower
    return replace(found, lower=lower, adjacency=ledger.adjacency)


def _is_infinite(ledger: Ledger[A]) -> bool:
    """Whether some answer has no noise; any other event that is not Gaussian is refused first."""
    events = multiplicities(ledger.event)
    for event in events:
        if not supports(event):
            raise UnsupportedEventError(f"{event} is not Gaussian; the analytic Gaussian accountant cannot bound it")
    return any(isinstance(event, NonPrivate) for event in events)


def gaussian_delta_at(mu_squared: Exact | arb, epsilon: Exact) -> Interval:
    r"""$\delta(\varepsilon)$ of the pair $N(\mu,1)$, $N(0,1)$, certified to the last place of a double.

    Args:
        mu_squared: Exact, or a ball (then the interval holds the value for every mu in it).
        epsilon: The epsilon of (epsilon, delta)-DP, exact, not negative.

    Returns:
        An interval inside [0, 1]; it speaks of two distributions, so its adjacency is None.

    Raises:
        InvalidArgumentError: If an argument is negative, not finite, or a float.
        PrecisionError: If the precision limit does not decide.

    References:
        Balle and Wang 2018, Theorem 8.

    >>> print(gaussian_delta_at(Fraction(1, 4), 1))
    delta in [0.006829594983, 0.006829594984]
    """
    e = rational("epsilon", epsilon)
    return _over(mu_squared, lambda mu_squared: _delta_of(mu_squared, e))


def gaussian_epsilon(mu_squared: Exact | arb, delta: Exact) -> Interval:
    r"""$\varepsilon(\delta)$ of the pair $N(\mu,1)$, $N(0,1)$: the inverse of `gaussian_delta_at`, certified.

    Args:
        mu_squared: Exact, or a ball (then the interval holds the value for every mu in it).
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).

    Returns:
        An interval, ``[0, 0]`` if delta is at least $\delta(0)$; it speaks of two distributions, so its adjacency
        is None.

    Raises:
        InvalidArgumentError: If an argument is out of its domain, not finite, or a float.
        PrecisionError: If the precision limit does not decide.

    References:
        Balle and Wang 2018, Theorem 8.

    >>> print(gaussian_epsilon(1, Fraction(1, 10**5)))
    epsilon in [4.377178095, 4.377178096]
    """
    d = open_unit("delta", delta)
    return _over(mu_squared, lambda mu_squared: _epsilon_of(mu_squared, d))


def _over(mu_squared: Exact | arb, at: Callable[[Callable[[], arb]], Interval]) -> Interval:
    """What holds for every mu squared, of a quantity that grows with it."""
    low, high = _ends(mu_squared)
    least = at(low)
    most = least if high is low else at(high)
    return Interval(least.lower, most.upper, least.quantity, METHOD, max(least.precision, most.precision), None)


def _ends(mu_squared: Exact | arb) -> tuple[Callable[[], arb], Callable[[], arb]]:
    """Mu squared at its lower and its upper end, read anew at every precision; one function if it is exact."""
    if isinstance(mu_squared, arb):
        if not (mu_squared.is_finite() and mu_squared >= 0):
            raise InvalidArgumentError("mu_squared", mu_squared, "must be a finite ball that is not negative")
        with precision(DEFAULT_PRECISION):
            low, high = mu_squared.lower(), mu_squared.upper()
        return (lambda: low), (lambda: high)
    q = rational("mu_squared", mu_squared)

    def exact_value() -> arb:
        return ball(q)

    return exact_value, exact_value


def _delta_of(mu_squared: Callable[[], arb], epsilon: Fraction) -> Interval:
    if mu_squared() == 0:
        return Interval(0.0, 0.0, "delta", METHOD, DEFAULT_PRECISION, None)
    return enclose(lambda: gaussian_delta(BALL, ball(epsilon), BALL.sqrt(mu_squared())), "delta", METHOD, most=1.0)


def _epsilon_of(mu_squared: Callable[[], arb], delta: Fraction) -> Interval:
    """Search, then certify; the precision doubles until both certificates are there."""
    bits = DEFAULT_PRECISION
    while bits <= PRECISION_LIMIT:
        with precision(bits):
            bracket = _bracket(mu_squared(), ball(delta))
        if bracket is not None:
            return Interval(*bracket, "epsilon", METHOD, bits, None)
        bits *= 2
    raise PrecisionError(f"no certified epsilon at delta = {float(delta)!r} with up to {PRECISION_LIMIT} bits")


def _bracket(mu_squared: arb, delta: arb) -> tuple[float, float] | None:
    """Two doubles, an ulp or two apart, between which epsilon lies; None if this precision does not certify them."""
    mu = BALL.sqrt(mu_squared)
    if mu == 0 or gaussian_delta(BALL, arb(0), mu) <= delta:
        return 0.0, 0.0
    guess = _newton(mu.mid(), delta.mid())
    if guess is None:
        return None
    nearest = min(float(guess), _LARGEST)
    low, high = math.nextafter(nearest, 0.0), math.nextafter(nearest, math.inf)
    # Each comparison is False unless the balls are disjoint, so doubt leads to a higher precision.
    if not gaussian_delta(BALL, arb(low), mu) >= delta:
        return None
    if not (math.isinf(high) or gaussian_delta(BALL, arb(high), mu) <= delta):
        return None
    return low, high


def _newton(mu: arb, delta: arb) -> arb | None:
    r"""Newton's method on $\ln\delta(\varepsilon)$ from the right end $\mu^2/2 + \mu\sqrt{2\ln(1/\delta)}$.

    Midpoints only: nothing here is certified.  None if cancellation has eaten the value.
    """
    log_delta = delta.log()
    x = (mu * mu / 2 + mu * (-2 * log_delta).sqrt()).mid()
    for _ in range(_NEWTON_STEPS):
        value = gaussian_delta(BALL, x, mu)
        if not value > 0:
            return None
        step = ((value.log() - log_delta) * value / gaussian_delta_slope(BALL, x, mu)).mid()
        following = (x - step).mid()
        x = following if following > 0 else x / 2
        if abs(step) <= x * _NEWTON_STOP:
            return x
    return None
