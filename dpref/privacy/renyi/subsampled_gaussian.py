r"""Rényi divergences of the Poisson-subsampled Gaussian mechanism, enclosed at integer and at fractional orders.

A record takes part with probability q and then moves the answer by one; the noise is $N(0,\sigma^2)$, $s = 1/\sigma$.
Removing it is the pair $(M, N)$ with $M = (1-q)N(0,1)+qN(s,1)$ and $N = N(0,1)$, adding it the pair $(N, M)$.  With
$y(x) = q(e^{sx-s^2/2}-1)$, so that $dM/dN = 1+y$ and $\mathbb E_N y = 0$, both divergences are

$$D = \frac{1}{\alpha-1}\ln\bigl(1+\mathbb E_N\,g_\beta(y)\bigr),\qquad g_\beta(y) = (1+y)^\beta-1-\beta y \ge 0,$$

with $\beta = \alpha$ for removal and $\beta = 1-\alpha$ for addition.  Removal is never the smaller of the two
(Mironov, Talwar and Zhang 2019, Theorem 5).  At integer orders the expectation of removal is a finite sum; otherwise it
is an integral, and what is left out at both ends is bounded by Taylor's remainder

$$g_\beta(y) \le \tfrac{\alpha(\alpha-1)}2\,y^2\max\bigl(1,(1+y)^{\beta-2}\bigr).$$

References:
    Mironov, Talwar and Zhang, "Rényi differential privacy of the sampled Gaussian mechanism", 2019, Section 3.
    Johansson, "Numerical integration in arbitrary-precision ball arithmetic", 2018.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Final, Literal, TypeAlias, get_args

from flint import acb, arb, ctx

from dpref.checks import positive_rational, rational
from dpref.errors import InvalidArgumentError, OutOfTimeError, UnsupportedEventError
from dpref.privacy.closed_forms.divergences import gaussian_renyi, normal_cdf
from dpref.privacy.interval import Interval, enclose
from dpref.privacy.renyi.curves import valid_order
from dpref.privacy.time_limit import checkpoint
from dpref.reals import BALL, Exact, Ops, T, ball, precision
from dpref.units import AddOrRemoveOne, Adjacency, ZeroOut

Direction: TypeAlias = Literal["remove", "add"]
Integrand: TypeAlias = Callable[[acb, bool], acb]
METHOD: Final = "Poisson-subsampled Gaussian"
_NOISE_RANGE: Final = (Fraction(1, 1 << 10), Fraction(1 << 100))
_MOST_VALUES: Final = 1 << 20  # of an integrand
_LEAST_RATE: Final = Fraction(1, 1 << 200)
PRECISION_LIMIT_OF_INTEGRALS: Final = 1 << 12


def integer_moment(o: Ops[T], order: int, rate: T, inverse_variance: T) -> T:
    r"""$\sum_{k=2}^{\alpha}\binom\alpha k q^k(1-q)^{\alpha-k}\bigl(e^{k(k-1)/(2\sigma^2)}-1\bigr)$, order an integer.

    It is $\mathbb E_N(1+y)^\alpha - 1$, with the one taken off term by term, so that nothing cancels.

    Args:
        order: An integer, at least 2.
        rate: q, in [0, 1].
        inverse_variance: $1/\sigma^2$.

    References:
        Mironov, Talwar and Zhang 2019, Section 3.3.

    >>> from dpref.reals import FLOAT
    >>> round(integer_moment(FLOAT, 2, 0.5, 1.0), 9)  # q^2 (e - 1)
    0.429570457
    """
    if type(order) is not int or order < 2:
        raise InvalidArgumentError("order", order, "must be an integer of at least 2; the sum is wrong at any other")
    total = o.number(0)
    for k in range(2, order + 1):
        weight = o.number(math.comb(order, k)) * rate**k * (1 - rate) ** (order - k)
        total = total + weight * o.expm1(k * (k - 1) * inverse_variance / 2)
    return total


def integral_moment(order: Fraction, rate: Fraction, noise_multiplier: Fraction, direction: Direction) -> arb:
    r"""$\mathbb E_N\,g_\beta(y)$ for any order, as a ball: an enclosed integral plus enclosed tails.

    Args:
        order: $\alpha > 1$.
        rate: q, strictly between 0 and 1.
        noise_multiplier: sigma.
        direction: Which of the two pairs.

    Returns:
        A ball that holds the value, wide if the working precision does not suffice.
    """
    reach, peak, lost = _window(float(order), float(order - 1), float(rate), float(noise_multiplier), direction)
    with precision(ctx.prec + lost):
        alpha, q, shift = ball(order), ball(rate), 1 / ball(noise_multiplier)
        beta = alpha if direction == "remove" else 1 - alpha
        # Where both parts of the mixture weigh the same: the logarithm's zeros lie above and below this point.
        middle = (((1 - q) / q).log() / shift + shift / 2).mid()
        least, most = -arb(reach), arb(peak + reach)
        points = [least, *([middle] if least < middle < most else []), most]
        peaks = [arb(0), arb(1), arb(-1), 2 * shift, beta * shift, middle]
        heights = [_integrand(beta, q, shift, right=bool(x > middle))(acb(x.mid()), False).real for x in peaks]
        goal = max((abs(h).mid() for h in heights if h.is_finite()), default=arb(0)) * arb(2) ** -(ctx.prec // 2)
        total = _tails(alpha, beta, q, shift, least, most).union(arb(0))
        for low, high in itertools.pairwise(points):
            f, stopped = _watched(_integrand(beta, q, shift, right=bool(low >= middle)))
            whole = acb.integral(
                f, acb(low), acb(high), rel_tol=arb(2) ** -(ctx.prec // 2), abs_tol=goal,
                eval_limit=min(_MOST_VALUES, 1000 * ctx.prec + ctx.prec**2),
            )  # fmt: skip
            if stopped:
                raise stopped[0]
            total += whole.real / BALL.sqrt(2 * arb.pi())
        return total.nonnegative_part()


def _watched(f: Integrand) -> tuple[Integrand, list[OutOfTimeError]]:
    """A function that looks at the time, and the error that must not be raised inside of an integral, if it is over."""
    stopped: list[OutOfTimeError] = []

    def watched(x: acb, analytic: bool) -> acb:
        if not stopped:
            try:
                checkpoint("a Rényi divergence")
            except OutOfTimeError as error:
                stopped.append(error)
        return acb(arb.nan()) if stopped else f(x, analytic)

    return watched, stopped


def _integrand(beta: arb, rate: arb, shift: arb, *, right: bool) -> Integrand:
    r"""$g_\beta(y(x))e^{-x^2/2}$, written so that it is analytic far from the middle on one side of it.

    On the left $\ln(1+y) = \ln(1-q+qe^u)$, on the right $u+\ln(q+(1-q)e^{-u})$: equal on the real line, but each
    argument stays away from the cut on its own side, wherever the imaginary part of u lies.
    """
    half, exponent, linear, slope = shift * shift / 2, acb(beta), acb(beta * rate), acb(shift)

    def integrand(x: acb, analytic: bool) -> acb:
        u = slope * x - half
        moved = u.expm1()
        if right:
            log = u + ((-u).expm1() * (1 - rate) + 1).log(analytic=analytic)
        else:
            log = (moved * rate + 1).log(analytic=analytic)
        return ((exponent * log).exp() - 1 - linear * moved) * (-x * x / 2).exp()

    return integrand


def _window(order: float, gap: float, rate: float, noise: float, direction: Direction) -> tuple[int, int, int]:
    """How far to integrate on both sides, and how many bits cancel inside: floats, nothing here is certified."""
    s = 1 / noise
    lost = 20 - sum(math.frexp(min(x, 1.0))[1] for x in (gap, rate, rate, s, s))
    bits = ctx.prec / 2 + 30 - 2 * min(0, math.frexp(s)[1])
    # The tails are bounded with a power of 1 - q; the bits it costs are bought by integrating further.
    power = max(2 - order, 0.0) if direction == "remove" else order + 1
    bits -= power * math.log2(max(1 - rate, 2.0**-200))
    reach = math.ceil(math.sqrt(2 * math.log(2) * bits)) + 1
    peak = s * max(2.0, order if direction == "remove" else 2.0)
    return reach, math.ceil(peak), lost


def _tails(order: arb, beta: arb, rate: arb, shift: arb, least: arb, most: arb) -> arb:
    r"""An upper bound on what the integral leaves out on both sides.

    Right of ``most``, where $u = sx-s^2/2 > 0$: $y \le qe^u$ and $1+y \le ce^u$ with $c = q+(1-q)e^{-u}$ at ``most``.
    So Taylor's $y^2(1+y)^m$ with $m = \max(\beta-2, 0)$ is at most $q^2c^me^{(2+m)u}$, and $g_\beta$ itself at most
    $(1+y)^\beta \le c^\beta e^{\beta u}$ if $\beta > 1$ and at most $-\beta y \le -\beta qe^u$ if $\beta < 0$:
    Gaussian integrals, of which the smaller counts.  Left of ``least``, where $-q \le y \le 0$:
    $y^2(1+y)^{\beta-2} \le q^2(1-q)^{\min(\beta-2,0)}$.
    """
    zero, start = arb(0), shift * most - shift * shift / 2
    if not start > 0:
        return arb.pos_inf()
    log_c = (rate + (1 - rate) * (-start).exp()).log()

    def beyond(factor: arb, power: arb, n: arb) -> arb:
        """The integral of ``factor`` c**power exp(n u) right of ``most``."""
        return factor * (power * log_c + n * (n - 1) * shift * shift / 2).exp() * normal_cdf(BALL, n * shift - most)

    taylor, m = order * (order - 1) / 2 * rate * rate, (beta - 2).max(zero)
    whole = beyond(arb(1), beta, beta) if beta > 0 else beyond(-beta * rate, zero, arb(1))
    right = beyond(taylor, m, 2 + m).min(whole)
    return right + taylor * ((beta - 2).min(zero) * (1 - rate).log()).exp() * normal_cdf(BALL, least)


def poisson_divergence(
    order: Fraction, rate: Fraction, noise_multiplier: Fraction, direction: Direction = "remove"
) -> arb:
    r"""$D_\alpha$ of one pair as a ball at the working precision; the arguments are taken as checked.

    Integer orders of removal use the sum, everything else the integral; rates 0 and 1 are the closed forms.
    """
    shift = 1 / ball(noise_multiplier)
    if rate == 0:
        return arb(0)
    if rate == 1:
        return gaussian_renyi(BALL, ball(order), shift)
    if order.denominator == 1 and direction == "remove":
        moment = _integer_moment(int(order), ball(rate), shift * shift)
    else:
        moment = integral_moment(order, rate, noise_multiplier, direction)
    return moment.log1p() / (ball(order) - 1)


def _integer_moment(order: int, rate: arb, inverse_variance: arb) -> arb:
    """`integer_moment` in balls with running products, which is faster at large orders."""
    with precision(ctx.prec + 2 * order.bit_length() + 8):
        rest = 1 - rate
        odds, growth = rate / rest, inverse_variance.exp()
        power, step, total = arb(1), growth, arb(0)
        chance = rest**order * order * odds
        for k in range(2, order + 1):
            chance = chance * (order - k + 1) / k * odds
            power *= step  # exp(k (k - 1) / (2 sigma^2))
            step *= growth
            excess = power - 1 if power > 2 else (k * (k - 1) * inverse_variance / 2).expm1()
            total += chance * excess
        return total


def poisson_gaussian_renyi(
    order: Exact,
    *,
    rate: Exact,
    noise_multiplier: Exact,
    adjacency: type[Adjacency],
    direction: Direction | None = None,
) -> Interval:
    r"""$D_\alpha$ of the Gaussian mechanism on a Poisson sample, certified.

    Args:
        order: $\alpha > 1$, exact; integer or not.
        rate: q, exact, in [0, 1].
        noise_multiplier: sigma over the l2 sensitivity under ``adjacency``, exact.
        adjacency: Add-or-remove-one or zero-out.  Under replace-one the two samples differ by a record that moves the
            answer from anywhere to anywhere, and the sensitivity says nothing about either's distance from the answer
            without it, so there is no bound.
        direction: One pair only; by default the larger of the two, which is removal.

    Returns:
        An interval that holds the exact value.

    Raises:
        InvalidArgumentError: If an argument is out of its domain, a float, or beyond what is supported.
        UnsupportedEventError: Under replace-one.
        PrecisionError: If the precision limit does not suffice.

    References:
        Mironov, Talwar and Zhang 2019, Theorems 4 and 5, Section 3.3.

    >>> q, z = Fraction(1, 100), Fraction(1)
    >>> poisson_gaussian_renyi(Fraction(5, 2), rate=q, noise_multiplier=z, adjacency=AddOrRemoveOne).as_decimal(10)
    ('0.0002175753322', '0.0002175753323')
    """
    if adjacency not in {AddOrRemoveOne, ZeroOut}:
        raise UnsupportedEventError(f"Poisson sampling under {getattr(adjacency, 'name', adjacency)} has no bound")
    if direction is not None and direction not in get_args(Direction):
        raise InvalidArgumentError("direction", direction, "must be one of " + ", ".join(get_args(Direction)))
    a, q, z = checked(order, rate, noise_multiplier)
    side: Direction = "remove" if direction is None else direction
    found = enclose(
        lambda: poisson_divergence(a, q, z, side), "renyi divergence", METHOD, limit=PRECISION_LIMIT_OF_INTEGRALS
    )
    return replace(found, adjacency=adjacency)


def checked(order: Exact, rate: Exact, noise_multiplier: Exact) -> tuple[Fraction, Fraction, Fraction]:
    """The three arguments of a subsampled Gaussian, within the ranges in which it is supported."""
    a, q, z = valid_order(order), rational("rate", rate), positive_rational("noise_multiplier", noise_multiplier)
    if q > 1:
        raise InvalidArgumentError("rate", rate, "must not exceed one")
    if q != 0 and min(q, 1 - q or q) < _LEAST_RATE:
        raise InvalidArgumentError("rate", rate, "must be 0, 1, or away from both by at least 2**-200")
    least, most = _NOISE_RANGE
    if not least <= z <= most:
        raise InvalidArgumentError("noise_multiplier", noise_multiplier, "must lie between 2**-10 and 2**100")
    return a, q, z
