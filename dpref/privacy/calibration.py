r"""Calibration of Gaussian noise: the least noise, or the most steps, that provably meets a budget.

What is returned is certified on both sides: it satisfies the budget, and the next double below (the next number of
steps) does not.  Where balls at the precision limit cannot decide, the answer stays on the private side.

References:
    Balle and Wang, "Improving the Gaussian mechanism for differential privacy", 2018, Theorem 9.
    Bun and Steinke, "Concentrated differential privacy", 2016, Proposition 1.6.
    Dwork and Roth, "The algorithmic foundations of differential privacy", 2014, Theorem A.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from flint import arb

from dpref.checks import natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.privacy.closed_forms.conversions import classical_gaussian_multiplier
from dpref.privacy.closed_forms.divergences import gaussian_delta, gaussian_delta_mu_slope
from dpref.privacy.interval import Interval, sign
from dpref.privacy.searches import LARGEST, LAST, double, least_integer, ordinal
from dpref.reals import BALL, DEFAULT_PRECISION, PRECISION_LIMIT, Exact, ball, evaluate, exact, precision, upper

_NEWTON_STEPS: Final = 400
_NEWTON_STOP: Final = 2.0**-40  # convergence is quadratic: the next error is about 2**-80


def satisfies(mu_squared: Exact, epsilon: Exact, delta: Exact) -> bool:
    r"""Whether a composed Gaussian of parameter $\mu^2$ is provably $(\varepsilon, \delta)$-DP.

    Args:
        mu_squared: Exact, positive.
        epsilon: The epsilon of (epsilon, delta)-DP, exact, positive.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).

    Returns:
        True if it is; False if it is not, or if balls at the precision limit cannot decide.

    >>> satisfies(Fraction(1, 4), 1, Fraction(1, 100)), satisfies(Fraction(1, 4), 1, Fraction(1, 1000))
    (True, False)
    """
    m, e, d = _checked(mu_squared, epsilon, delta)
    return sign(lambda: ball(d) - gaussian_delta(BALL, ball(e), BALL.sqrt(ball(m)))) > 0


def largest_mu(epsilon: Exact, delta: Exact) -> Interval:
    r"""The largest Gaussian-DP parameter whose pair is $(\varepsilon, \delta)$-DP.

    Args:
        epsilon: The epsilon of (epsilon, delta)-DP, exact, positive.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).

    Returns:
        An interval that holds the exact mu; its lower end satisfies the budget.

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float.
        PrecisionError: If the precision limit does not decide.

    References:
        Balle and Wang 2018, Theorem 9.

    >>> mu = largest_mu(4, Fraction(1, 10**8))
    >>> round(mu.lower**2 / 2, 4), mu.relative_width < 1e-15
    (0.2567, True)
    """
    e, d = positive_rational("epsilon", epsilon), open_unit("delta", delta)

    def excess(mu: arb) -> arb:
        return gaussian_delta(BALL, ball(e), mu) - ball(d)

    bits = DEFAULT_PRECISION
    while bits <= PRECISION_LIMIT:
        with precision(bits):
            guess = _newton_mu(ball(e), ball(d))
            if guess is not None:
                nearest = min(float(guess), LARGEST)
                low, high = math.nextafter(nearest, 0.0), math.nextafter(nearest, math.inf)
                if (low == 0 or excess(arb(low)) <= 0) and (math.isinf(high) or excess(arb(high)) >= 0):
                    return Interval(low, high, "mu", "analytic Gaussian", bits, None)
        bits *= 2
    raise PrecisionError(f"no certified mu at epsilon = {epsilon}, delta = {float(d)!r} with {PRECISION_LIMIT} bits")


def gaussian_noise_multiplier(epsilon: Exact, delta: Exact, *, steps: int) -> float:
    r"""The least double $z = \sigma/\Delta_2$ for which ``steps`` Gaussian answers are $(\varepsilon, \delta)$-DP.

    Args:
        epsilon: The epsilon of (epsilon, delta)-DP, exact, positive.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).
        steps: Number of adaptive answers, at least 1.

    Returns:
        A noise multiplier that provably satisfies the budget, while the next double below provably does not.

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float, or the answer exceeds every double.
        PrecisionError: If the precision limit does not decide.

    References:
        Balle and Wang 2018, Theorem 9; Dong, Roth and Su 2022, Corollary 3.3.

    >>> round(gaussian_noise_multiplier(1, Fraction(1, 10**5), steps=1), 12)
    3.730631634816
    """
    e, d, t = positive_rational("epsilon", epsilon), open_unit("delta", delta), natural("steps", steps)
    mu = largest_mu(e, d)
    with precision(DEFAULT_PRECISION):
        guess = float(arb(t).sqrt() / arb(mu.lower)) if mu.lower > 0 else math.inf
    return _least_double(guess, lambda z: satisfies(t / (z * z), e, d))


def zcdp_noise_multiplier(rho: Exact, *, steps: int) -> float:
    r"""The least double $z = \sigma/\Delta_2$ for which ``steps`` Gaussian answers are rho-zCDP: $z^2 \ge T/(2\rho)$.

    Args:
        rho: Exact, positive.
        steps: Number of adaptive answers, at least 1.

    Returns:
        The noise multiplier; the comparison is in rational numbers, so no precision is involved.

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float, or the answer exceeds every double.

    References:
        Bun and Steinke 2016, Proposition 1.6 and Lemma 1.7.

    >>> zcdp_noise_multiplier(Fraction(1, 2), steps=9)
    3.0
    """
    r, t = positive_rational("rho", rho), natural("steps", steps)
    least = t / (2 * r)
    with precision(DEFAULT_PRECISION):
        guess = float(ball(least).sqrt())
    return _least_double(guess, lambda z: z * z >= least)


def _least_double(guess: float, good: Callable[[Fraction], bool]) -> float:
    """The least positive double with an increasing property."""
    if not guess <= LARGEST:
        raise InvalidArgumentError("budget", guess, "the noise multiplier exceeds every double")
    found = least_integer(ordinal(guess), lambda k: k > LAST or good(exact(double(k))))
    if found > LAST:
        raise InvalidArgumentError("budget", guess, "the noise multiplier exceeds every double")
    return double(found)


def largest_steps(noise_multiplier: Exact, epsilon: Exact, delta: Exact) -> int:
    r"""The largest number of Gaussian answers that is $(\varepsilon, \delta)$-DP.

    Args:
        noise_multiplier: $\sigma/\Delta_2$, exact, positive.
        epsilon: The epsilon of (epsilon, delta)-DP, exact, positive.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).

    Returns:
        The number of steps, provably private, while one more provably is not; zero if a single step is too many.

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float.
        PrecisionError: If the precision limit does not decide.

    >>> largest_steps(100, 1, Fraction(1, 10**5))
    718
    """
    z = positive_rational("noise_multiplier", noise_multiplier)
    e, d = positive_rational("epsilon", epsilon), open_unit("delta", delta)
    mu = exact(largest_mu(e, d).lower)
    guess = math.floor(mu * mu * z * z)
    return least_integer(guess + 1, lambda steps: not satisfies(steps / (z * z), e, d)) - 1


def largest_steps_zcdp(noise_multiplier: Exact, rho: Exact) -> int:
    r"""The largest number of Gaussian answers that is rho-zCDP: $\lfloor 2\rho z^2\rfloor$, exactly.

    Raises:
        InvalidArgumentError: If an argument is not exact and positive.

    >>> largest_steps_zcdp(3, Fraction(1, 2))
    9
    """
    z, r = positive_rational("noise_multiplier", noise_multiplier), positive_rational("rho", rho)
    return math.floor(2 * r * z * z)


def classical_noise_multiplier(epsilon: Exact, delta: Exact) -> float:
    r"""The textbook calibration $\sqrt{2\ln(1.25/\delta)}/\varepsilon$, rounded up, under its own condition.

    Args:
        epsilon: Exact, in (0, 1]: the condition of the theorem.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).

    Returns:
        A noise multiplier for one answer.

    Raises:
        InvalidArgumentError: If ``epsilon`` > 1, which the theorem excludes, or an argument is out of its domain.

    References:
        Dwork and Roth 2014, Theorem A.1.

    >>> classical_noise_multiplier(1, Fraction(1, 10**5)) > gaussian_noise_multiplier(1, Fraction(1, 10**5), steps=1)
    True
    """
    if positive_rational("epsilon", epsilon) > 1:
        raise InvalidArgumentError("epsilon", epsilon, "must be at most 1: the condition of Theorem A.1 is broken")
    return classical_noise_multiplier_as_printed(epsilon, delta)


def classical_noise_multiplier_as_printed(epsilon: Exact, delta: Exact) -> float:
    r"""The formula $\sqrt{2\ln(1.25/\delta)}/\varepsilon$ wherever papers use it, condition or not; for audits only.

    Beyond epsilon = 1 it is no guarantee: at epsilon = 10, delta = 1e-5 it allows a larger delta.

    >>> z = exact(classical_noise_multiplier_as_printed(Fraction(21, 2), Fraction(1, 10**5)))
    >>> satisfies(1 / (z * z), Fraction(21, 2), Fraction(1, 10**5))
    False
    """
    e, d = positive_rational("epsilon", epsilon), open_unit("delta", delta)
    return upper(evaluate(lambda: classical_gaussian_multiplier(BALL, ball(e), -ball(d).log())))


def _checked(mu_squared: Exact, epsilon: Exact, delta: Exact) -> tuple[Fraction, Fraction, Fraction]:
    return (
        positive_rational("mu_squared", mu_squared),
        positive_rational("epsilon", epsilon),
        open_unit("delta", delta),
    )


def _newton_mu(epsilon: arb, delta: arb) -> arb | None:
    r"""Newton's method on $\ln\delta$ as a function of $\ln\mu$; midpoints only, nothing here is certified.

    It starts left of the root: at $\mu^2/2 + \mu\sqrt{2L} = \varepsilon$, where the tail bound gives delta, or at
    $\mu = \delta\sqrt{2\pi}$, where delta(0) is at most delta.
    """
    log_delta = delta.log()
    root = (-2 * log_delta).sqrt()
    by_tail = (2 * epsilon / (root + (root * root + 2 * epsilon).sqrt())).mid()
    x = max(by_tail, (delta * (2 * arb.pi()).sqrt()).mid())
    for _ in range(_NEWTON_STEPS):
        value = gaussian_delta(BALL, epsilon.mid(), x)
        if not value > 0:
            return None
        step = ((log_delta - value.log()) * value / gaussian_delta_mu_slope(BALL, epsilon.mid(), x)).mid()
        # Far from the root the curve is nearly flat on one side: a step never more than doubles or halves mu.
        following = (x + step).mid()
        following = min(max(following, x / 2), 2 * x).mid()
        if not following.is_finite():
            return None
        done = abs(following - x) <= x * _NEWTON_STOP
        x = following
        if done:
            return x
    return None
