r"""Privacy curves of the mechanisms' worst pairs.

With $L = \ln\frac{dP}{dQ}$ they are $h(x) = P(L>x) - e^xQ(L>x)$ and its slope in $e^x$, $-q(x) = -Q(L>x)$.

Where a formula has no case distinction it is a formula over ``Ops[T]``; the rest decides its cases in balls, and where
a ball straddles a jump of q it returns a ball that holds both sides.

References:
    Balle and Wang, "Improving the Gaussian mechanism for differential privacy", 2018, Theorem 8.
    Balle, Barthe and Gaboardi, "Privacy amplification by subsampling", 2018, Theorem 3 (Laplace).
    Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy", 2020, Definition 1.
    Dong, Durfee and Rogers, "Optimal differential privacy composition for exponential mechanisms", 2020, Lemma 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

from flint import arb, ctx

from dpref.privacy.closed_forms.divergences import gaussian_delta, normal_cdf
from dpref.privacy.time_limit import checkpoint
from dpref.reals import BALL, Ops, T, ball

_MOST_INTEGERS: Final = 1000  # between which a bound that is a ball may lie


def gaussian_curve(o: Ops[T], x: T, mu: T) -> tuple[T, T]:
    r"""$P = N(\mu, 1)$, $Q = N(0, 1)$: $q(x) = \Phi(-\mu/2 - x/\mu)$."""
    return gaussian_delta(o, x, mu), normal_cdf(o, -mu / 2 - x / mu)


def laplace_delta(o: Ops[T], x: T, shift: T) -> T:
    r"""$h(x) = 1-e^{(x-s)/2}$ for $|x| \le s$: Laplace noise of scale one moved by s."""
    return -o.expm1((x - shift) / 2)


def laplace_mass(o: Ops[T], x: T, shift: T) -> T:
    r"""$q(x) = \frac12e^{-(s+x)/2}$ for $|x| < s$."""
    return o.exp(-(shift + x) / 2) / 2


def laplace_curve(x: arb, shift: arb) -> tuple[arb, arb]:
    """Laplace noise of scale one moved by ``shift``; the losses fill [-s, s]."""
    return cut(x, shift, lambda y: (laplace_delta(BALL, y, shift), laplace_mass(BALL, y, shift)))


def exponential_delta(o: Ops[T], x: T, epsilon: T) -> T:
    r"""$h(x) = \frac{(1-e^{(x-\varepsilon)/2})^2}{1-e^{-\varepsilon}}$ for $|x| \le \varepsilon$.

    The supremum over t of the curves of the pairs with losses t and $t-\varepsilon$: the best t is $(x+\varepsilon)/2$.
    """
    u = -o.expm1((x - epsilon) / 2)
    return -(u * u) / o.expm1(-epsilon)


def exponential_mass(o: Ops[T], x: T, epsilon: T) -> T:
    r"""$q(x) = e^{-(x+\varepsilon)/2}\frac{1-e^{(x-\varepsilon)/2}}{1-e^{-\varepsilon}}$ for $|x| < \varepsilon$."""
    return o.exp(-(x + epsilon) / 2) * o.expm1((x - epsilon) / 2) / o.expm1(-epsilon)


def exponential_curve(x: arb, epsilon: arb) -> tuple[arb, arb]:
    """All of epsilon-bounded range at once: what dominates the exponential mechanism, adaptively."""
    return cut(x, epsilon, lambda y: (exponential_delta(BALL, y, epsilon), exponential_mass(BALL, y, epsilon)))


def cut(
    x: arb, bound: arb, inside: Callable[[arb], tuple[arb, arb]], total: tuple[arb, arb] | None = None
) -> tuple[arb, arb]:
    """A curve whose losses lie in [-bound, bound]: inside as given, zero above, $P-e^xQ$ of the totals below.

    Args:
        x: The level.
        bound: The largest loss.
        inside: The formula between.
        total: All P-mass and all Q-mass; one each if not given.
    """
    if x > bound:
        return arb(0), arb(0)
    below = (-x.expm1(), arb(1)) if total is None else (total[0] - x.exp() * total[1], total[1])
    if x < -bound:
        return below
    value, mass = inside(x)
    if abs(x) < bound:
        return value, mass
    # At the ends h is continuous and q may jump.  What the formula gives beyond its ends is mended by the union.
    return value.union(arb(0) if x > 0 else below[0]), arb(0).union(below[1])


def randomized_response_atoms(o: Ops[T], epsilon: T, categories: int) -> list[tuple[T, T, T]]:
    r"""Atoms (loss, P, Q): the truth of P, the truth of Q, and the answers that are neither."""
    total = o.exp(epsilon) + (categories - 1)
    high, low = o.exp(epsilon) / total, 1 / total
    zero = epsilon - epsilon
    atoms = [(epsilon, high, low), (-epsilon, low, high)]
    rest = (categories - 2) / total
    return [*atoms, (zero, rest, rest)] if categories > 2 else atoms


def randomized_response_null_atoms(o: Ops[T], epsilon: T, categories: int) -> list[tuple[T, T, T]]:
    r"""Atoms (loss, P, Q) of a true answer against a uniform one: the truth, and the other answers together.

    >>> from dpref.reals import FLOAT
    >>> [(round(loss, 3), round(p, 3), q) for loss, p, q in randomized_response_null_atoms(FLOAT, 1.0, 2)]
    [(0.38, 0.731, 0.5), (-0.62, 0.269, 0.5)]
    """
    total = o.exp(epsilon) + (categories - 1)
    each, other = o.number(1) / categories, o.log(categories / total)
    return [
        (epsilon + other, o.exp(epsilon) / total, each),
        (other, (categories - 1) / total, (categories - 1) * each),
    ]


def finite_curve(x: arb, atoms: Sequence[tuple[arb, arb, arb]]) -> tuple[arb, arb]:
    """The curve of finitely many atoms (loss, P, Q)."""
    value, mass = arb(0), arb(0)
    scale = x.exp()
    for loss, p, q in atoms:
        if loss <= x:
            continue
        gain = p - scale * q
        if loss > x:
            value, mass = value + gain, mass + q
        else:
            value, mass = value + gain.nonnegative_part(), mass + arb(0).union(q)
    return value, mass


def removed_order(o: Ops[T], rate: T, x: T) -> T:
    r"""$1+\frac{e^x-1}\gamma$: $(1-\gamma)q+\gamma p-e^xq$ is $\gamma$ times $p$ less that times $q$.

    >>> from dpref.reals import FLOAT
    >>> removed_order(FLOAT, 0.5, 0.0)
    1.0
    """
    return 1 + o.expm1(x) / rate


def added_factor(o: Ops[T], rest: T, x: T) -> T:
    r"""$c=1-(1-\gamma)e^x$: $p-e^x((1-\gamma)p+\gamma q)$ is c times $p$ less `added_order` times $q$.

    Args:
        rest: $1-\gamma$.
        x: The loss.

    >>> from dpref.reals import FLOAT
    >>> added_factor(FLOAT, 0.5, 0.0)
    0.5
    """
    return 1 - rest * o.exp(x)


def added_order(o: Ops[T], rate: T, factor: T, x: T) -> T:
    r"""$\frac{\gamma e^x}c$, c the `added_factor`.

    >>> from dpref.reals import FLOAT
    >>> added_order(FLOAT, 0.5, 0.5, 0.0)
    1.0
    """
    return rate * o.exp(x) / factor


def discrete_laplace_curve(scale: Fraction, shift: int) -> Callable[[arb], tuple[arb, arb]]:
    r"""$P(z) \propto e^{-|z|/t}$ and Q the same moved by ``shift``: $L > x$ iff $2z < \Delta-xt$, if $|x| < \Delta/t$.

    Noise with log-concave probabilities has a monotone likelihood ratio, so a shift by less is dominated.
    """

    def below(z: int) -> arb:
        ratio = (-ball(1 / scale)).exp()
        if z < 0:
            return ratio ** (-z) / (1 + ratio)
        return 1 - ratio ** (z + 1) / (1 + ratio)

    def curve(x: arb) -> tuple[arb, arb]:
        bound = ball(shift / scale)
        return cut(x, bound, lambda y: _threshold_curve(y, (shift - y * ball(scale)) / 2, shift, below))

    return curve


def discrete_laplace_atoms(scale: Fraction, shift: int) -> list[tuple[int, arb]]:
    r"""(multiple of 1/t, P-mass) of the losses $(|z-\Delta|-|z|)/t$."""
    ratio = (-ball(1 / scale)).exp()
    inner = [(shift - 2 * z, ratio**z * (1 - ratio) / (1 + ratio)) for z in range(shift - 1, 0, -1)]
    return [(-shift, ratio**shift / (1 + ratio)), *inner, (shift, 1 / (1 + ratio))]


def discrete_gaussian_curve(sigma: Fraction, shift: int) -> Callable[[arb], tuple[arb, arb]]:
    r"""$P(z) \propto e^{-z^2/(2\sigma^2)}$ and Q moved by ``shift``: $L > x$ iff $z < \Delta/2-x\sigma^2/\Delta$.

    Smaller shifts are dominated, as for `discrete_laplace_curve`.
    """
    square = sigma * sigma

    def below(z: int) -> arb:
        sums, whole, reach = _gaussian_sums(square, ctx.prec)
        if z < -reach:
            # The remainder beyond the table, by a geometric series: at most the first term over (1 - ratio).
            first = (-ball(Fraction(z * z) / (2 * square))).exp()
            return arb(0).union(first / -(-ball(-z / square)).expm1() / whole)
        return sums[min(z, reach) + reach] / whole

    def curve(x: arb) -> tuple[arb, arb]:
        return _threshold_curve(x, ball(Fraction(shift, 2)) - x * ball(square / shift), shift, below)

    return curve


def discrete_gaussian_atoms(sigma: Fraction, shift: int) -> list[tuple[int, arb]]:
    r"""(multiple of $\Delta/(2\sigma^2)$, P-mass) of the losses $\Delta(\Delta-2z)/(2\sigma^2)$, without far tails."""
    square = sigma * sigma
    _, whole, reach = _gaussian_sums(square, ctx.prec)
    weights = ((z, (-ball(Fraction(z * z) / (2 * square))).exp()) for z in range(reach, -reach - 1, -1))
    return [(shift - 2 * z, weight / whole) for z, weight in weights]


def discrete_gaussian_outside(sigma: Fraction) -> arb:
    """The P-mass on either side of the atoms listed."""
    square = sigma * sigma
    _, whole, reach = _gaussian_sums(square, ctx.prec)
    first = (-ball(Fraction((reach + 1) ** 2) / (2 * square))).exp()
    return arb(0).union(first / -(-ball(reach / square)).expm1() / whole)


@lru_cache(maxsize=8)
def _gaussian_sums(square: Fraction, bits: int) -> tuple[list[arb], arb, int]:
    """Sums of ``exp(-z^2 / (2 sigma^2))`` over all integers up to z = -reach, ..., reach, then over all."""
    reach = 2 + int((2 * float(square) * (bits + 32) * 0.6932) ** 0.5)
    first = (-ball(Fraction(reach * reach) / (2 * square))).exp()
    rest = arb(0).union(first / -(-ball(reach / square)).expm1())
    total, sums = rest, []
    rate = -ball(1 / (2 * square))
    weights = [(rate * (z * z)).exp() for z in _counted(reach)]
    for z in range(-reach, reach):
        total += weights[abs(z)]
        sums.append(total)
    whole = total + weights[reach] + rest
    return [*sums, whole], whole, reach


def _counted(reach: int) -> Iterator[int]:
    """0, 1, ..., reach: there may be many, so that the time may be over on the way."""
    for z in range(reach + 1):
        checkpoint()
        yield z


def _threshold_curve(x: arb, bound: arb, shift: int, below: Callable[[int], arb]) -> tuple[arb, arb]:
    """The curve when L > x means z < bound, with the integers below z of P (and of Q: moved by ``shift``)."""
    # The largest integer that is surely below the bound, and the largest that may be.
    sure = _ceiling(bound.lower()) - 1
    most = _ceiling(bound.upper()) - 1
    scale = x.exp()
    if most - sure > _MOST_INTEGERS:  # all that is known of any curve; more bits know more
        return (1 - scale).nonnegative_part().union(arb(1)), arb(0).union(arb(1))
    value, mass = _threshold(sure, scale, shift, below)
    for z in range(sure + 1, most + 1):
        other, more = _threshold(z, scale, shift, below)
        value, mass = value.union(other), mass.union(more)
    return value, mass


def _threshold(z: int, scale: arb, shift: int, below: Callable[[int], arb]) -> tuple[arb, arb]:
    q = below(z - shift)
    return below(z) - scale * q, q


def _ceiling(x: arb) -> int:
    whole = x.ceil().unique_fmpz()
    if whole is None:
        raise ArithmeticError("an exact number has a ceiling")
    return int(whole)
