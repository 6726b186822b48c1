r"""Rényi divergences of a mechanism on a uniform batch without replacement, under replace-one: three upper bounds.

A batch of b of the n records, $\gamma = b/n$; the Gaussian mechanism's answer moves by at most $s = \Delta/\sigma$
standard deviations when one record *of the batch* is replaced.  With b = 1 the sampler draws one uniform index.

* ``wang-balle-kasiviswanathan``: their Theorem 9, for integer orders, from the divergences of the mechanism itself.
* ``small-shift``: for integer orders with $4\alpha s^2 \le 1$,
  $D_\alpha \le \frac{4\alpha^2+(2\alpha-1)^2}{\alpha-1}\gamma^2s^2$.
* ``weak-triangle``: $D_\alpha(P\|Q) \le \frac{\alpha-1/2}{\alpha-1}D_{2\alpha}(P\|R)+D_{2\alpha-1}(R\|Q)$, where R is
  the answer's law given that the record in question is not in the batch, which the two data sets share.  Exchanging
  that record, in each batch that has it, for a random other one maps to R and moves the answer by at most s; by joint
  convexity $(P, R)$ and $(R, Q)$ are dominated by the pair of the Poisson-subsampled Gaussian with rate gamma and
  shift s and by its reverse, whose divergences are enclosed without any condition.  ``small-shift`` is the same
  argument with these divergences bounded by $2\alpha^2\gamma^2s^2/(\alpha-1)$ (`shifted_mixture`).

References:
    Wang, Balle and Kasiviswanathan, "Subsampled Rényi differential privacy and analytical moments accountant", 2019,
    Theorem 9.
    Mironov, "Rényi differential privacy", 2017, Proposition 11.
    Mironov, Talwar and Zhang, "Rényi differential privacy of the sampled Gaussian mechanism", 2019, Theorem 5.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final, Literal, TypeAlias, get_args

from flint import arb, ctx

from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.divergences import gaussian_renyi
from dpref.privacy.interval import Interval, enclose
from dpref.privacy.renyi.curves import LARGEST_ORDER
from dpref.privacy.renyi.divergences import weak_triangle
from dpref.privacy.renyi.subsampled_gaussian import PRECISION_LIMIT_OF_INTEGRALS, checked, poisson_divergence
from dpref.reals import BALL, Exact, Ops, T, ball, precision
from dpref.units import ReplaceOne

Bound: TypeAlias = Literal["wang-balle-kasiviswanathan", "small-shift", "weak-triangle"]
BOUNDS: Final[tuple[Bound, ...]] = get_args(Bound)


def amplified_divergence(o: Ops[T], order: int, rate: T, divergence: Callable[[int], T], pure: T | None = None) -> T:
    r"""Wang, Balle and Kasiviswanathan 2019, Theorem 9, at an integer order $\alpha \ge 2$.

    $\frac1{\alpha-1}\ln\Bigl(1+\gamma^2\binom\alpha2\min\{4(e^{D_2}-1), e^{D_2}m_2\}
    +\sum_{j=3}^\alpha\gamma^j\binom\alpha je^{(j-1)D_j}m_j\Bigr)$ with $m_j = \min\{2, (e^\varepsilon-1)^j\}$ for an
    epsilon-DP mechanism and 2 otherwise.

    Args:
        order: An integer, at least 2.
        rate: gamma.
        divergence: $j \mapsto D_j$ of the mechanism on its batch, under replace-one.
        pure: epsilon, if the mechanism is epsilon-DP.

    >>> from dpref.reals import FLOAT
    >>> round(amplified_divergence(FLOAT, 2, 0.01, lambda j: j / 2), 9)
    0.000543509
    """
    _integer(order)
    two = o.number(2)

    def factor(j: int) -> T:
        return two if pure is None else o.minimum(two, o.expm1(pure) ** j)

    second = divergence(2)
    total = rate**2 * math.comb(order, 2) * o.minimum(4 * o.expm1(second), o.exp(second) * factor(2))
    for j in range(3, order + 1):
        total = total + o.number(math.comb(order, j)) * rate**j * o.exp((j - 1) * divergence(j)) * factor(j)
    return o.log1p(total) / (order - 1)


def shifted_mixture(o: Ops[T], order: int, rate: T, shift: T) -> T:
    r"""$D_\alpha((1-\gamma)N(0,1)+\gamma N(s,1)\|N(0,1)) \le 2\alpha^2\gamma^2s^2/(\alpha-1)$ if $2\alpha s^2 \le 1$.

    The left side is $\ln\mathbb E e^{k(k-1)s^2/2}/(\alpha-1)$ with $k \sim \mathrm{Bin}(\alpha,\gamma)$.  With a random
    half I of the trials, $k(k-1) = 4\,\mathbb E_I k_Ik_{I^c}$; Jensen's inequality and
    $(1+\gamma(e^y-1))^j \le e^{2j\gamma y}$ for $0 \le y \le 1$, used twice, give the bound.
    """
    _integer(order)
    return mixture_bound(o, o.number(order), rate, shift)


def mixture_bound(o: Ops[T], alpha: T, rate: T, shift: T) -> T:
    r"""$2\alpha^2\gamma^2s^2/(\alpha-1)$, the bound of `shifted_mixture`.

    >>> from dpref.reals import FLOAT
    >>> mixture_bound(FLOAT, 2.0, 0.5, 0.25)
    0.125
    """
    return 2 * alpha * alpha * rate * rate * shift * shift / (alpha - 1)


def small_shift(o: Ops[T], order: int, rate: T, shift: T) -> T:
    r"""$\frac{4\alpha^2+(2\alpha-1)^2}{\alpha-1}\gamma^2s^2$, at an integer order with $4\alpha s^2 \le 1$."""
    _integer(order)
    return difference_bound(o, o.number(order), rate, shift)


def difference_bound(o: Ops[T], alpha: T, rate: T, shift: T) -> T:
    r"""$\frac{4\alpha^2+(2\alpha-1)^2}{\alpha-1}\gamma^2s^2$, the bound of `small_shift`.

    >>> from dpref.reals import FLOAT
    >>> difference_bound(FLOAT, 2.0, 0.5, 0.25)
    0.390625
    """
    return (4 * alpha**2 + (2 * alpha - 1) ** 2) * rate * rate * shift * shift / (alpha - 1)


def _integer(order: int) -> None:
    if type(order) is not int or order < 2:
        raise InvalidArgumentError("order", order, "must be an integer of at least 2")


def applicable(order: Fraction, noise_multiplier: Fraction) -> tuple[Bound, ...]:
    """The bounds that have a theorem at this order and noise."""
    found: list[Bound] = []
    if order.denominator == 1:
        found.append("wang-balle-kasiviswanathan")
        if 4 * order <= noise_multiplier**2:
            found.append("small-shift")
    if 2 * order <= LARGEST_ORDER:
        found.append("weak-triangle")
    return tuple(found)


def gaussian_bound(bound: Bound, order: Fraction, rate: Fraction, noise_multiplier: Fraction) -> arb:
    """One of the bounds as a ball at the working precision; the arguments are taken as checked and applicable."""
    shift = 1 / ball(noise_multiplier)
    if rate == 0:
        return arb(0)
    if rate == 1:
        return gaussian_renyi(BALL, ball(order), shift)
    if bound == "wang-balle-kasiviswanathan":
        return _amplified_gaussian(int(order), ball(rate), shift)
    if bound == "small-shift":
        return small_shift(BALL, int(order), ball(rate), shift)
    first = poisson_divergence(2 * order, rate, noise_multiplier)
    return weak_triangle(BALL, ball(order), first, poisson_divergence(2 * order - 1, rate, noise_multiplier))


def _amplified_gaussian(order: int, rate: arb, shift: arb) -> arb:
    """`amplified_divergence` of the Gaussian mechanism with running products, which is faster at large orders."""
    with precision(ctx.prec + 2 * order.bit_length() + 8):
        growth = (shift * shift).exp()
        first = rate * rate * (order * (order - 1) // 2)
        total = first * (4 * (shift * shift).expm1()).min(2 * growth)
        chance, power, step = first, growth, growth * growth
        for j in range(3, order + 1):
            chance = chance * rate * (order - j + 1) / j
            power *= step  # exp(j (j - 1) s^2 / 2)
            step *= growth
            total += 2 * chance * power
        return total.log1p() / (order - 1)


def gaussian_without_replacement(order: Fraction, rate: Fraction, noise_multiplier: Fraction) -> arb:
    r"""The least of the bounds that apply at an order, as a ball; the arguments are taken as checked.

    At an order between two integers it may be the chord of $(\alpha-1)D_\alpha$, which is convex (at order one it is
    zero).
    """
    bounds = [gaussian_bound(b, order, rate, noise_multiplier) for b in applicable(order, noise_multiplier)]
    if order.denominator != 1:
        low, high = math.floor(order), math.ceil(order)
        below = (low - 1) * gaussian_without_replacement(Fraction(low), rate, noise_multiplier) if low > 1 else arb(0)
        above = (high - 1) * gaussian_without_replacement(Fraction(high), rate, noise_multiplier)
        weight = ball(order - low)
        bounds.append(((1 - weight) * below + weight * above) / (ball(order) - 1))
    least = bounds[0]
    for other in bounds[1:]:
        least = least.min(other)
    return least


def without_replacement_renyi(
    order: Exact, *, rate: Exact, noise_multiplier: Exact, bound: Bound | Literal["best"] = "best"
) -> Interval:
    r"""A bound on $D_\alpha$ of the Gaussian mechanism on a batch without replacement, under replace-one.

    Args:
        order: $\alpha > 1$, exact.
        rate: $\gamma = b/n$, exact, in [0, 1].
        noise_multiplier: sigma over the l2 sensitivity of the answer to replacing one record of the batch, exact.
        bound: One of `BOUNDS`, or the best of those that apply.

    Returns:
        ``[0, bound]`` under replace-one.

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float, or the bound's condition fails.
        PrecisionError: If the precision limit does not suffice.

    >>> g, z = Fraction(1, 1000), Fraction(10)
    >>> print(without_replacement_renyi(4, rate=g, noise_multiplier=z, bound=BOUNDS[0]))
    renyi divergence in [0, 8.314991296E-8]
    >>> print(without_replacement_renyi(4, rate=g, noise_multiplier=z))  # the best bound
    renyi divergence in [0, 8.208097097E-8]
    """
    a, g, z = checked(order, rate, noise_multiplier)
    if bound not in {*BOUNDS, "best"}:
        raise InvalidArgumentError("bound", bound, "must be one of best, " + ", ".join(BOUNDS))
    if bound == "best":
        name, value = "best bound", lambda: gaussian_without_replacement(a, g, z)
    else:
        if bound not in applicable(a, z):
            rule = "is a theorem at integer orders only (small-shift: with 4 order <= noise_multiplier**2 besides)"
            raise InvalidArgumentError("bound", f"{bound} at order {a}", rule)
        name, value = bound, lambda: gaussian_bound(bound, a, g, z)
    method = f"Gaussian without replacement ({name})"
    found = enclose(value, "renyi divergence", method, limit=PRECISION_LIMIT_OF_INTEGRALS)
    return Interval(0.0, found.upper, found.quantity, method, found.precision, ReplaceOne)
