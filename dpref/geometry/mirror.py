r"""Mirror maps on $\ell_p$ balls, and the step that mirror descent takes with them.

The ball $C=\{\|x\|_p\le R\}$ has the Minkowski norm $\|x\|_C=\frac{\|x\|_p}R$.  With an index $a\in(1,2]$ and a scale
s,

.. math:: w(x)=\frac{\|x\|_a^2}{2sR^2}

is 1-strongly convex with respect to $\|\cdot\|_C$: $\frac12\|\cdot\|_a^2$ is $(a-1)$-strongly convex with respect to
$\|\cdot\|_a$ for $1<a\le2$, and $\|x\|_p^2\le\kappa\|x\|_a^2$, so that $s=\frac{a-1}\kappa$ will do.

==============  ====================  ========================  ================================
p               a                     $\kappa$                  the step
==============  ====================  ========================  ================================
$1<p\le2$       p                     1                         that without C, scaled into C
1, $d\ge3$      $1+\frac1{\ln d}$     $d^{2(1-1/a)}\le e^2$     the soft threshold, mapped back
1, $d\le2$      2                     d                         the same
$\infty$        2                     1                         every coordinate cut off
==============  ====================  ========================  ================================

The step is $\arg\min_{u\in C}B_w(u,z)+\alpha\langle g,u\rangle$.  With $h=\nabla\frac12\|z/R\|_a^2-sR\alpha g$ and
$\frac1a+\frac1b=1$ it is $u=R\,\nabla\frac12\|t\|_b^2$.  Here t is $\frac h{\max(1,\|h\|_b)}$ for $1<p\le2$, and for
$p=1$ the soft threshold of h with the largest top v for which $\|u\|_1\le R$; for $p=\infty$ u is R times h, cut off.
The top is found by 60 halvings.  As $\nabla w$ is inverted by a map of modulus 1, the point is the exact step on a
ball whose radius is smaller by a factor of at least $1-2^{-60}/s$.

For $2<p<\infty$ there is no map here, and none is worth its step.  $w=\frac{\|x\|_2^2}{2R^2}$ would do, as
$\|x\|_p\le\|x\|_2$; its step is the Euclidean projection on C, a root in each coordinate within a root.  But every w
that is 1-strongly convex has a point with $B_w(x,0)\ge\frac12d^{1-2/p}$: of $x=Rd^{-1/p}(\pm1,\dots,\pm1)$ with signs
that are drawn one after another, each adds $\frac12d^{-2/p}$ to the mean of w.  The Euclidean ball of radius
$Rd^{1/2-1/p}$ holds C and has $B_w\le\frac12$ from its centre; and since $\mathbb E\|b\|_q\ge d^{1/q-1}\mathbb
E\|b\|_1$, $\frac1p+\frac1q=1$, its $W=G_C^2+\frac14\|C\|_2^2$ is at most $\frac\pi2$ times that of C.  Theorem 5.4's
bound, proportional to $\sqrt{B_wW}$, is $\sqrt{\pi/2}\,d^{1/p-1/2}$ times as large there, or less.

References:
    D. Wang, M. Ye, J. Xu, "Differentially private empirical risk minimization revisited", 2017, Section 5.
    S. Shalev-Shwartz, "Online learning and online convex optimization", 2012, Lemma 17 (strong convexity).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb

from dpref.checks import natural
from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import LpBall
from dpref.kernels.records import CUT, HALVINGS, SCALED, THRESHOLDED
from dpref.reals import (
    BALL,
    BALL_ARRAY,
    Array,
    FloatArray,
    Ops,
    T,
    ball,
    evaluate,
    exact,
    lower,
)


def scale(o: Ops[T], index: T, log_dimension: T) -> T:
    r"""$s=\frac{a-1}\kappa$ with $\kappa=d^{2(1-1/a)}$: the scale of the map of the $\ell_1$ ball.

    Args:
        index: a.
        log_dimension: $\ln d$.

    >>> from dpref.reals import FLOAT
    >>> scale(FLOAT, 2.0, 0.0), round(1 / scale(FLOAT, 1.5, 2.0) / 2, 3)  # at most e^2 ln(d) / 2
    (1.0, 3.794)
    """
    return (index - 1) * o.exp(-2 * (1 - 1 / index) * log_dimension)


def largest_divergence(o: Ops[T], reach: T, start: T, s: T) -> T:
    r"""$\frac{(\rho+\rho_0)^2}{2s}\ge B_w(x,x_0)$ for every x of the ball.

    Args:
        reach: $\rho=\max_{x\in C}\|x\|_a/R$.
        start: $\rho_0=\|x_0\|_a/R$.
        s: The map's scale.

    >>> from dpref.reals import FLOAT
    >>> largest_divergence(FLOAT, 1.0, 0.5, 0.25)
    4.5
    """
    return (reach + start) * (reach + start) / (2 * s)


@dataclass(frozen=True)
class MirrorMap:
    """The distance generating function of a ball.

    Attributes:
        ball: C.
        dimension: d.
        index: a, exact.
        scale: s, exact.

    >>> mirror_map(LpBall(Fraction(3, 2), Fraction(4)), 7).scale
    Fraction(1, 2)
    """

    ball: LpBall
    dimension: int
    index: Fraction
    scale: Fraction

    @property
    def dual(self) -> Fraction:
        """b."""
        return self.index / (self.index - 1)

    @property
    def half_diameter_squared(self) -> Fraction:
        r"""$\max_{x\in C}\|x\|_2^2=\frac14\|C\|_2^2$, exact.

        >>> mirror_map(LpBall(math.inf, Fraction(1, 2)), 12).half_diameter_squared
        Fraction(3, 1)
        """
        return self.ball.radius**2 * (self.dimension if self.ball.p == math.inf else 1)

    @property
    def kind(self) -> int:
        """How the step stays within the ball, as kernels know it."""
        return {math.inf: CUT, Fraction(1): THRESHOLDED}.get(self.ball.p, SCALED)

    def value(self, o: Ops[Array], x: Array) -> Array:
        """w(x), a number; x has shape (d,)."""
        size = vector_norm(o, x / o.number(self.ball.radius), self.index)
        found: Array = size * size / (2 * o.number(self.scale))
        return found

    def gradient(self, o: Ops[Array], x: Array) -> Array:
        r"""$\nabla w(x)$, shape (d,)."""
        r = o.number(self.ball.radius)
        found: Array = half_square_gradient(o, x, self.index) / (o.number(self.scale) * r * r)
        return found

    def divergence(self, o: Ops[Array], y: Array, x: Array) -> Array:
        r"""$B_w(y,x)=w(y)-\langle\nabla w(x),y-x\rangle-w(x)$, a number.

        Args:
            y: Shape (d,).
            x: Shape (d,).

        >>> from dpref.reals import FLOAT_ARRAY
        >>> euclidean = mirror_map(LpBall(Fraction(2), Fraction(2)), 2)
        >>> float(euclidean.divergence(FLOAT_ARRAY, np.array([3.0, 0.0]), np.array([1.0, 0.0])))  # |y - x|^2 / (2 R^2)
        0.5
        """
        found: Array = self.value(o, y) - self.value(o, x) - (self.gradient(o, x) * (y - x)).sum()
        return found

    def most(self, start: FloatArray) -> arb:
        """A ball of the largest divergence of a point of the set from a start, or a little more.

        Args:
            start: A point of the set, shape (d,).

        >>> mirror_map(LpBall(Fraction(3, 2), Fraction(4)), 7).most(np.zeros(7))
        1.00000000000000
        """
        reach = ball(self.dimension).sqrt() if self.ball.p == math.inf else arb(1)
        size = vector_norm(BALL_ARRAY, BALL_ARRAY.lift(start) / ball(self.ball.radius), self.index)
        found: arb = largest_divergence(BALL, reach, arb(np.asarray(size, dtype=object).item()), ball(self.scale))
        return found

    def step(self, o: Ops[Array], z: Array, g: Array, alpha: Array) -> Array:
        r"""$\arg\min_{u\in C}B_w(u,z)+\alpha\langle g,u\rangle$.

        Args:
            z: A point of the set, shape (d,).
            g: Shape (d,).
            alpha: A positive number of that system.

        Returns:
            A point of the set, shape (d,).

        >>> from dpref.reals import FLOAT_ARRAY as o
        >>> square = mirror_map(LpBall(math.inf, Fraction(2)), 2)
        >>> square.step(o, np.array([1.0, 0.0]), np.array([-0.5, 0.125]), o.lift(1.0)).tolist()
        [2.0, -0.5]
        """
        r, p = o.number(self.ball.radius), self.ball.p
        h = half_square_gradient(o, z, self.index) / r - o.number(self.scale) * r * alpha * g
        if p == math.inf:
            found: Array = r * o.maximum(o.minimum(h, o.number(1)), o.number(-1))
        elif p == 1:
            found = r * half_square_gradient(o, self._thresholded(o, h), self.dual)
        else:
            size = vector_norm(o, h, self.dual)
            found = r * half_square_gradient(o, h, self.dual) / o.maximum(size, o.number(1))
        return found

    def _thresholded(self, o: Ops[Array], h: Array) -> Array:
        """The soft threshold of h whose image has an l1 norm of one, or h where its own has less; shape (d,)."""
        sizes, zero, one = o.maximum(h, -h), o.number(0), o.number(1)
        best = largest(sizes)
        top = np.asarray(sizes[best])
        if top.item() == 0:
            return h
        gaps, low, high = top - sizes, zero, o.minimum(top, one)
        gaps[best] = zero.item()
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            image = half_square_gradient(o, o.maximum(middle - gaps, zero), self.dual)
            room = one - image.sum()
            low, high = where_positive(room, middle, low), where_positive(room, high, middle)
        kept = o.maximum(low - gaps, zero)
        return where_positive(h, kept, -kept)


def mirror_map(body: LpBall, dimension: int) -> MirrorMap:
    """The map of a ball.

    Raises:
        InvalidArgumentError: If 2 < p < infinity, for which the Euclidean ball around it serves better.

    >>> of_l1 = mirror_map(LpBall(Fraction(1), Fraction(1)), 100)
    >>> round(float(of_l1.index), 4), round(float(of_l1.scale), 4)
    (1.2171, 0.042)
    """
    d = natural("dimension", dimension)
    if body.p == math.inf:
        return MirrorMap(body, d, Fraction(2), Fraction(1))
    p = Fraction(body.p)
    if p > 2:
        radius = float(body.radius) * d ** (0.5 - 1 / float(p))
        rule = "must be at most 2, or infinity: the Euclidean ball around this ball serves better than a map of its own"
        raise InvalidArgumentError("p", p, f"{rule}; use LpBall(2, R d^(1/2 - 1/p)), here of radius {radius:.6g}")
    if p > 1:
        return MirrorMap(body, d, p, p - 1)
    a = exact(1 + 1 / math.log(d)) if d >= 3 else Fraction(2)
    return MirrorMap(body, d, a, exact(lower(evaluate(lambda: scale(BALL, ball(a), ball(d).log())))))


def retract(body: LpBall, o: Ops[Array], x: Array) -> Array:
    r"""A point of a ball: x cut off at the faces of a box, else $x\frac r{\max(r,\|x\|_p)}$; shape (d,).

    For $p\in\{2,\infty\}$ that is the Euclidean projection.

    Args:
        body: The ball.
        x: Shape (d,).

    >>> from dpref.reals import FLOAT_ARRAY
    >>> retract(LpBall(Fraction(1), Fraction(1)), FLOAT_ARRAY, np.array([3.0, -1.0])).tolist()
    [0.75, -0.25]
    """
    r = o.number(body.radius)
    if body.p == math.inf:
        return o.maximum(-r, o.minimum(r, x))
    found: Array = x * (r / o.maximum(r, vector_norm(o, x, Fraction(body.p))))
    return found


def largest(sizes: Array) -> int:
    """The place of the largest entry of an array of shape (d,); among balls that overlap, of one of them.

    >>> largest(np.array([1.0, 3.0, 2.0]))
    1
    """
    return int(np.argmax([float(x) for x in sizes]))


def _shares(o: Ops[Array], x: Array) -> tuple[Array, Array]:
    """The size of the largest entry, and every entry over it: that one's own share is a unit, in balls too."""
    sizes = o.maximum(x, -x)
    best = largest(sizes)
    shares = x / sizes[best]
    unit = np.asarray(o.number(1)).item()
    shares[best] = unit if x[best] > 0 else -unit
    return np.asarray(sizes[best]), shares


def where_positive(x: Array, a: Array, b: Array) -> Array:
    """``a`` where x > 0, else ``b``; the hull of both where a ball does not decide.

    Args:
        x: Numbers of an array system; both pieces take the same value where x is zero.
        a: What is taken for x > 0, of the shape of x.
        b: What is taken elsewhere, of the shape of x.

    >>> where_positive(np.array([0.5, -1.0]), np.ones(2), np.zeros(2)).tolist()
    [1.0, 0.0]
    >>> undecided = where_positive(np.asarray(arb(0, 1), dtype=object), *map(BALL_ARRAY.lift, (1.0, 2.0))).item()
    >>> undecided.contains(1), undecided.contains(2)
    (True, True)
    """
    if np.asarray(x).dtype != object:
        return np.where(x > 0, a, b)
    return np.asarray(np.frompyfunc(_decided, 3, 1)(x, a, b), dtype=object)


def _decided(x: arb, a: arb, b: arb) -> arb:
    if x > 0:
        return a
    return b if x <= 0 else arb(a).union(arb(b))


def vector_norm(o: Ops[Array], x: Array, index: Fraction) -> Array:
    r"""$\|x\|_p$ for a finite p, a number; x has shape (d,).

    >>> from dpref.reals import FLOAT_ARRAY
    >>> float(vector_norm(FLOAT_ARRAY, np.array([3.0, -4.0]), Fraction(2)))
    5.0
    """
    if index == 2:
        return o.sqrt(np.asarray((x * x).sum()))
    if np.asarray(x == 0, dtype=bool).all():
        return o.number(0)
    top, shares = _shares(o, x)
    found: Array = top * _root(o, (shares * odd_power(o, shares, index - 1)).sum(), 1 / index)
    return found


def _root(o: Ops[Array], total: Array, exponent: Fraction) -> Array:
    """A number that is at least one, to a power."""
    return o.exp(o.number(exponent) * o.log(np.asarray(total)))


def odd_power(o: Ops[Array], x: Array, exponent: Fraction) -> Array:
    r"""$\mathrm{sign}(x)|x|^e$ of each entry, for a positive e; of a ball that holds zero the hull.

    Args:
        x: Shape (d,).
        exponent: e, exact.

    >>> from dpref.reals import FLOAT_ARRAY
    >>> odd_power(FLOAT_ARRAY, np.array([0.0, -4.0]), Fraction(1, 2)).tolist()
    [0.0, -2.0]
    """
    e = o.number(exponent)
    if x.dtype != object:
        found, inside = np.zeros_like(x), x != 0
        found[inside] = np.sign(x[inside]) * o.exp(e * o.log(np.abs(x[inside])))
        return found
    pieces = [_odd_piece(o, v, e) for v in x]
    return np.array(pieces, dtype=object)


def _odd_piece(o: Ops[Array], x: arb, e: Array) -> arb:
    """One ball of `odd_power`."""

    def rising(size: arb) -> arb:
        found: arb = np.asarray(o.exp(e * o.log(np.asarray(size, dtype=object))), dtype=object).item()
        return found

    if x > 0:
        return rising(x)
    if x < 0:
        return -rising(-x)
    top, bottom = arb(x).upper(), arb(x).lower()
    hull = arb(0)
    if top > 0:
        hull = hull.union(arb(rising(top)))
    return hull.union(-arb(rising(-bottom))) if bottom < 0 else hull


def half_square_gradient(o: Ops[Array], x: Array, index: Fraction) -> Array:
    r"""$\nabla\frac12\|x\|_a^2=\|x\|_a^{2-a}\,\mathrm{sign}(x)|x|^{a-1}$; the map with the dual index is its inverse.

    Args:
        x: Shape (d,).
        index: a > 1, exact.

    Returns:
        Shape (d,).

    >>> from dpref.reals import FLOAT_ARRAY as o
    >>> point = half_square_gradient(o, np.array([3.0, -4.0]), Fraction(3, 2))
    >>> half_square_gradient(o, point, Fraction(3)).round(12).tolist()
    [3.0, -4.0]
    """
    if index == 2 or np.asarray(x == 0, dtype=bool).all():
        return x
    top, shares = _shares(o, x)
    bent = odd_power(o, shares, index - 1)
    found: Array = top * bent * _root(o, (shares * bent).sum(), (2 - index) / index)
    return found
