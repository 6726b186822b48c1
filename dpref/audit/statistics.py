r"""Lower bounds on a privacy loss from counted runs, certified in balls.

An adversary's test says "neighbour 1" on some runs.  With $p \le$ its true positive rate and $q \ge$ its false positive
rate, every notion of privacy that is closed under post-processing bounds the pair $(p, q)$, and so is bounded by it:

* $(\varepsilon,\delta)$-DP: $p \le e^\varepsilon q + \delta$, $1-q \le e^\varepsilon(1-p) + \delta$ (`epsilon_lower`);
* $\rho$-zCDP: $D_\alpha(\mathrm{Bern}(p)\|\mathrm{Bern}(q)) \le \rho\alpha$, in both orders (`zcdp_lower`);
* $\mu$-GDP: $\Phi^{-1}(p) - \Phi^{-1}(q) \le \mu$ (`gdp_lower`).

The counts give $p$ and $q$ by Clopper and Pearson's exact binomial bounds.  Every double returned here is on the safe
side: the search is done in midpoints, the last evaluation is a ball that proves it.

References:
    Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial", 1934.
    Kairouz, Oh and Viswanath, "The composition theorem for differential privacy", 2015, Section 2 (privacy regions).
    Dong, Roth and Su, "Gaussian differential privacy", 2022, Section 2 (trade-off functions).
    van Erven and Harremoes, "Renyi divergence and Kullback-Leibler divergence", 2014, Theorems 9, 13.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeVar, final

from flint import arb

from dpref.checks import half_open_unit, natural, open_unit
from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.gaussian import gaussian_epsilon
from dpref.reals import BALL, FloatArray, Ops, T, ball, exact, float_up, lower, precision

C = TypeVar("C", float, FloatArray)

_SEARCH_BITS: Final = 80
_PROOF_BITS: Final = 128
_NEWTON_STEPS: Final = 100
_ORDERS: Final = tuple(1 + 2.0**k for k in range(-6, 11))  # of Renyi divergences that are tried


# ------------------------------------------------------------------------------------ binomial bounds


@lru_cache(maxsize=4096)
def binomial_lower(successes: int, trials: int, error: Fraction) -> float:
    r"""A lower bound on a success probability that is too high with probability at most ``error``.

    The Clopper-Pearson bound is the $p$ with $\Pr(\mathrm{Bin}(n,p) \ge k) = I_p(k, n-k+1) = $ ``error``.  The double
    returned is a little smaller (relative $10^{-13}$), and $I_p(k, n-k+1) \le$ ``error`` is proved for it in balls.

    Args:
        successes: k, between 0 and n.
        trials: n, at least 1.
        error: Probability of a false bound, exact, in (0, 1).

    Raises:
        InvalidArgumentError: If an argument is out of its domain.

    >>> 0.9659 < binomial_lower(100, 100, Fraction(1, 32)) <= (1 / 32) ** 0.01
    True
    """
    k, n = natural("successes", successes, least=0), natural("trials", trials)
    level = open_unit("error", error)
    if k > n:
        raise InvalidArgumentError("successes", k, f"must not exceed trials = {n}")
    if k == 0:
        return 0.0
    with precision(_SEARCH_BITS):
        guess = _newton_tail(k, n, ball(level))
    shrink = 2.0**-47
    with precision(_PROOF_BITS):
        while shrink < 1:
            candidate = guess * (1 - shrink)
            # False for overlapping balls, and then a smaller candidate is tried.
            if _tail(k, n, arb(candidate)) <= ball(level):
                return candidate
            shrink *= 4
    return 0.0


def binomial_upper(successes: int, trials: int, error: Fraction) -> float:
    """An upper bound on a success probability that is too low with probability at most ``error``.

    One minus the lower bound of the failures' probability, rounded up.

    >>> binomial_upper(0, 1000, Fraction(1, 20)) < 0.003
    True
    """
    k, n = natural("successes", successes, least=0), natural("trials", trials)
    if k > n:
        raise InvalidArgumentError("successes", k, f"must not exceed trials = {n}")
    return float_up(1 - exact(binomial_lower(n - k, n, error)))


def _tail(k: int, n: int, p: arb) -> arb:
    r"""$\Pr(\mathrm{Bin}(n,p) \ge k)$, which increases in p."""
    return p.beta_lower(k, n - k + 1, regularized=True)


def _newton_tail(k: int, n: int, level: arb) -> float:
    r"""Newton's method on $\ln I_p(k, n-k+1) = \ln\mathrm{level}$, concave in p; nothing here is certified."""
    a, b = k, n - k + 1
    log_level = level.log()
    log_beta = arb(a).lgamma() + arb(b).lgamma() - arb(a + b).lgamma()
    z = math.sqrt(max(0.0, -2 * float(log_level)))
    p = arb(min(k / (n + 1), max(wilson(float(k), n, -z), 0.5 * k / (n + 1) / (1 + z))))
    for _ in range(_NEWTON_STEPS):
        log_value = _tail(k, n, p).log().mid()
        log_density = (a - 1) * p.log() + (b - 1) * (-p).log1p() - log_beta
        step = ((log_value - log_level) * (log_value - log_density).exp()).mid()
        following = (p - step).mid()
        p = following if 0 < following < 1 else (p / 2 if following <= 0 else (1 + p) / 2).mid()
        if abs(step) <= p * 2.0**-50:
            break
    return float(p)


def wilson(k: C, n: int, z: float) -> C:
    """Wilson's approximate bound on a proportion, ``z`` standard errors up (down if negative): for searches only.

    >>> round(wilson(5.0, 10, -1.96), 3)
    0.237
    """
    deviation: C = (k / n * (1 - k / n) / n + z * z / (4 * n * n)) ** 0.5
    return (k / n + z * z / (2 * n) + z * deviation) / (1 + z * z / n)


# ------------------------------------------------------------------------------------ what rates imply


@final
@dataclass(frozen=True)
class Rates:
    """Bounds on how often a test says "neighbour 1".

    Attributes:
        true_positive: Not above the rate under neighbour 1.
        false_positive: Not below the rate under neighbour 0.
    """

    true_positive: float
    false_positive: float

    def __post_init__(self) -> None:
        for name in ("true_positive", "false_positive"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidArgumentError(name, getattr(self, name), "must be a probability")

    @property
    def informative(self) -> bool:
        """Whether the bounds tell the two data sets apart at all."""
        return self.true_positive > self.false_positive


def rates(hits: tuple[int, int], alarms: tuple[int, int], error: Fraction) -> Rates:
    """Joint bounds from counts: both hold together with probability at least ``1 - error`` (half of it each).

    Args:
        hits: True positives and the number of runs on neighbour 1.
        alarms: False positives and the number of runs on neighbour 0.
        error: Joint error probability, exact.
    """
    half = open_unit("error", error) / 2
    return Rates(binomial_lower(*hits, half), binomial_upper(*alarms, half))


def epsilon_lower(bounds: Rates, delta: Fraction) -> float:
    r"""$\max(0, \ln\frac{p-\delta}{q}, \ln\frac{1-q-\delta}{1-p})$, rounded down.

    Both terms rest on the one event that the rates are right: the second is the complementary test.

    Args:
        bounds: The rates.
        delta: Exact, in [0, 1).

    >>> round(epsilon_lower(Rates(0.5, 0.05), Fraction(1, 100)), 3)
    2.282
    """
    d = half_open_unit("delta", delta)
    p, q = exact(bounds.true_positive), exact(bounds.false_positive)
    best = 0.0
    for gain, cost in ((p - d, q), (1 - q - d, 1 - p)):
        if gain > cost == 0:
            return math.inf
        if gain > cost:
            with precision(_PROOF_BITS):
                best = max(best, lower(BALL.log(ball(gain) / ball(cost))))
    return best


def bernoulli_renyi(o: Ops[T], alpha: T, p: T, q: T) -> T:
    r"""$D_\alpha(\mathrm{Bern}(p)\|\mathrm{Bern}(q))$ for $\alpha > 1$ and rates strictly between 0 and 1.

    Away from p = q it grows in either argument's distance, so bounds on the rates bound the divergence.
    """
    hit = o.exp(alpha * o.log(p) + (1 - alpha) * o.log(q))
    miss = o.exp(alpha * o.log(1 - p) + (1 - alpha) * o.log(1 - q))
    return o.log(hit + miss) / (alpha - 1)


def zcdp_lower(bounds: Rates) -> float:
    r"""The largest $D_\alpha/\alpha$ of the test, over orders and over both directions, rounded down.

    >>> round(zcdp_lower(Rates(0.5, 0.05)), 2)
    0.89
    """
    if not bounds.informative:
        return 0.0
    p, q = exact(bounds.true_positive), exact(bounds.false_positive)
    best = 0.0
    with precision(_PROOF_BITS):
        for one, other in ((p, q), (q, p)):
            for order in _ORDERS:
                if other in {0, 1} and one != other:
                    return math.inf
                if 0 < one < 1 and 0 < other < 1:
                    alpha = arb(order)
                    best = max(best, lower(bernoulli_renyi(BALL, alpha, ball(one), ball(other)) / alpha))
    return best


def gdp_lower(bounds: Rates) -> float:
    r"""$\max(0, \Phi^{-1}(p) - \Phi^{-1}(q))$, rounded down: no smaller mu makes the release mu-GDP.

    >>> round(gdp_lower(Rates(0.8413, 0.5)), 2)
    1.0
    """
    p, q = exact(bounds.true_positive), exact(bounds.false_positive)
    if not bounds.informative:
        return 0.0
    if p == 1 or q == 0:
        return math.inf
    with precision(_PROOF_BITS):
        return max(0.0, lower(BALL.sqrt(arb(2)) * (ball(2 * q).erfcinv() - ball(2 * p).erfcinv())))


def gdp_epsilon_lower(mu: float, delta: Fraction) -> float:
    r"""$\varepsilon(\delta)$ of a Gaussian pair at distance mu, rounded down.

    That mu is a lower bound on the GDP parameter holds always; that this epsilon is a lower bound on the release's own
    holds under a hypothesis: the release's worst trade-off curve is exactly Gaussian.  It is so for a transcript of
    Gaussian answers, and need not be so for anything else, so no verdict rests on it.  At delta = 0 it is infinite.
    """
    if mu == math.inf or mu > 0 == delta:
        return math.inf
    return gaussian_epsilon(exact(mu) ** 2, delta).lower if mu > 0 else 0.0
