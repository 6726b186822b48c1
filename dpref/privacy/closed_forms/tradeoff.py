r"""Trade-off functions: the least type II error of a test between neighbours, at each type I error.

$f(a) = \inf\{\beta : $ some test has type I error at most a and type II error $\beta\}$.  A mechanism is f-DP if no
test between neighbours does better than f; a larger f is more private.  Each notion of privacy is such a function:

* $(\varepsilon,\delta)$-DP: $\max\{0,\ 1-\delta-e^\varepsilon a,\ e^{-\varepsilon}(1-\delta-a)\}$;
* mu-GDP: $\Phi(\Phi^{-1}(1-a)-\mu)$, the Gaussian mechanism's own function;
* the Laplace mechanism's: $1-e^\varepsilon a$ up to $a = e^{-\varepsilon}/2$, $e^{-\varepsilon}/(4a)$ up to $1/2$,
  $e^{-\varepsilon}(1-a)$ from there.

Back to $(\varepsilon,\delta)$: f-DP implies it with $\delta = \sup_a(1-f(a)-e^\varepsilon a)$, so that every single a
gives a lower bound on the delta of the mechanism whose function f is.

References:
    Dong, Roth and Su, "Gaussian differential privacy", 2022, Propositions 2.4, 2.5, 2.12 and (for Laplace) A.6.
    Wasserman and Zhou, "A statistical framework for differential privacy", 2010.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from flint import arb

from dpref.checks import positive_rational, rational
from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.divergences import normal_cdf
from dpref.privacy.interval import Interval, enclose
from dpref.reals import BALL, DEFAULT_PRECISION, Exact, Ops, T, ball
from dpref.units import ApproximateDP, PrivacyLoss, PureDP

_QUANTITY: Final = "type ii error"
_PRECISION_LIMIT: Final = 1 << 12


def dp_tradeoff(o: Ops[T], a: T, epsilon: T, delta: T) -> T:
    r"""$\max\{0,\ 1-\delta-e^\varepsilon a,\ e^{-\varepsilon}(1-\delta-a)\}$ (Wasserman and Zhou 2010).

    >>> from dpref.reals import FLOAT
    >>> round(dp_tradeoff(FLOAT, 0.1, 1.0, 0.0), 9)
    0.728171817
    """
    steep = 1 - delta - o.exp(epsilon) * a
    flat = o.exp(-epsilon) * (1 - delta - a)
    return o.maximum(o.number(0), o.maximum(steep, flat))


def gaussian_tradeoff(o: Ops[T], threshold: T, mu: T) -> tuple[T, T]:
    r"""$(\Phi(-t), \Phi(t-\mu))$: both errors of the test "above t" between $N(0,1)$ and $N(\mu,1)$.

    The curve of `gaussian_tradeoff_at` by its parameter, which needs no inverse: $t = \Phi^{-1}(1-a)$.
    """
    return normal_cdf(o, -threshold), normal_cdf(o, threshold - mu)


def tradeoff_delta(o: Ops[T], a: T, error: T, epsilon: T) -> T:
    r"""$1-f(a)-e^\varepsilon a$: what one test with errors a and f(a) says about delta, from below."""
    return 1 - error - o.exp(epsilon) * a


def dp_tradeoff_at(loss: PrivacyLoss[PureDP, Any] | PrivacyLoss[ApproximateDP, Any], a: Exact) -> Interval:
    r"""f(a) of $(\varepsilon,\delta)$-DP, certified.

    Args:
        loss: Pure or approximate.
        a: The type I error, exact, in [0, 1].

    Returns:
        An interval that holds the exact value; the *lower* end is the promise (no test has a smaller type II error).

    Raises:
        InvalidArgumentError: If the loss is of another measure, or the type I error out of its domain or a float.

    >>> from dpref.units import ReplaceOne
    >>> print(dp_tradeoff_at(PrivacyLoss(Fraction(1), PureDP, ReplaceOne), Fraction(1, 10)))
    type ii error in [0.7281718171, 0.7281718172]
    """
    if getattr(loss, "measure", None) not in {PureDP, ApproximateDP}:
        raise InvalidArgumentError("loss", loss, "must be a pure or approximate DP loss")
    x = _error(a)
    if loss.delta + x >= 1:
        return Interval(0.0, 0.0, _QUANTITY, _METHOD, DEFAULT_PRECISION, loss.adjacency)
    found = enclose(
        lambda: dp_tradeoff(BALL, ball(x), ball(loss.value), ball(loss.delta)), _QUANTITY, _METHOD, most=1.0
    )
    return replace(found, adjacency=loss.adjacency)


_METHOD: Final = "trade-off function"


def gaussian_tradeoff_at(mu_squared: Exact, a: Exact) -> Interval:
    r"""$\Phi(\Phi^{-1}(1-a)-\mu)$, certified: the trade-off function of mu-GDP and of the Gaussian mechanism.

    Args:
        mu_squared: Exact, not negative (as Gaussian losses are kept, since the squares add).
        a: The type I error, exact, in [0, 1].

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float.
        PrecisionError: If the precision limit does not suffice.

    References:
        Dong, Roth and Su 2022, Definition 2.6 and equation (6).

    >>> print(gaussian_tradeoff_at(1, Fraction(1, 20)))
    type ii error in [0.7404889771, 0.7404889772]
    """
    m, x = rational("mu_squared", mu_squared), _error(a)
    if x in {0, 1}:  # the quantile is infinite
        return _exactly(1 - x)

    def value() -> arb:
        quantile = BALL.sqrt(arb(2)) * ball(2 * x).erfcinv()
        return normal_cdf(BALL, quantile - BALL.sqrt(ball(m)))

    return enclose(value, _QUANTITY, "Gaussian trade-off function", most=1.0, limit=_PRECISION_LIMIT)


def laplace_tradeoff_at(scale: Exact, a: Exact) -> Interval:
    r"""The trade-off function of $\mathrm{Lap}(0,1)$ and $\mathrm{Lap}(1/b,1)$, certified.

    Args:
        scale: b, the noise's scale over the l1 sensitivity, exact and positive.
        a: The type I error, exact, in [0, 1].

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float.
        PrecisionError: If the precision limit does not suffice.

    References:
        Dong, Roth and Su 2022, Proposition A.6.

    >>> print(laplace_tradeoff_at(1, Fraction(1, 20)))
    type ii error in [0.8640859085, 0.8640859086]
    """
    b, x = positive_rational("scale", scale), _error(a)

    def value() -> arb:
        shrink = (-1 / ball(b)).exp()
        if x >= Fraction(1, 2):
            return shrink * ball(1 - x)
        steep, curved = 1 - ball(x) / shrink, shrink / (4 * ball(x))
        edge = shrink / 2 - ball(x)
        # The two pieces meet at the edge: where it is undecided on which side a lies, both are enclosed.
        return steep if edge > 0 else (curved if edge < 0 else steep.union(curved))

    return enclose(value, _QUANTITY, "Laplace trade-off function", most=1.0, limit=_PRECISION_LIMIT)


def _error(a: Exact) -> Fraction:
    x = rational("a", a)
    if x > 1:
        raise InvalidArgumentError("a", a, "must not exceed one")
    return x


def _exactly(x: Fraction) -> Interval:
    return enclose(lambda: ball(x), _QUANTITY, _METHOD)
