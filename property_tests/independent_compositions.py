r"""What several answers spend, computed without the library: exactly where laws are finite, else in doubles.

A law in doubles is a list of losses with weights that stand for P, and its hockey stick h.  Two or three answers need
no transform: $h_{12}(x)=\mathbb E_{P_1}h_2(x-L_1)$, a sum over the first law's list.  Many are an integral on a line,

$$h(x)=\frac1{2\pi i}\int_{c-i\infty}^{c+i\infty}\frac{\mathbb E_P[e^{(z-1)L}]\,e^{-(z-1)x}}{z(z-1)}\,dz,\qquad c>1,$$

with c near the saddle, so that nothing cancels, and trapezoids, which converge faster than any power.  How far half as
many points change the result is its error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Final, TypeAlias

import numpy as np
from flint import arb
from numpy.typing import NDArray
from scipy.special import ndtr

from property_tests.independent_laws import Curve, Masses

Doubles: TypeAlias = NDArray[np.float64]
Centres: TypeAlias = Sequence[tuple[float, float]]
ERROR: Final = Fraction(1, 10**7)  # of what is computed in doubles, relatively
_STEP: Final = 0.08
_TAIL: Final = 13.0  # standard deviations
_LARGEST_TILT: Final = 40.0


class NoTruthError(ArithmeticError):
    """Doubles do not give the number that is asked for."""


@dataclass(frozen=True)
class Law:
    """The loss of one answer.

    Attributes:
        losses: Of points that stand for P.
        weights: Of the points; their sum is one, but for what losses of infinity have.
        stick: h.
        smooth: Whether h has no kinks, and every second point stands for P as well.
        coarser: Losses and weights of fewer points, where the points are a rule that is neither exact nor smooth.
        cut: At most this much of P stands beyond all points.
    """

    losses: Doubles
    weights: Doubles
    stick: Callable[[Doubles], Doubles]
    smooth: bool
    coarser: tuple[Doubles, Doubles] | None = None
    cut: float = 0.0

    def points(self, *, half: bool) -> tuple[Doubles, Doubles]:
        """Losses and weights, of all points or of about half as many, so that the difference shows the error."""
        if not half or not (self.smooth or self.coarser):
            return self.losses, self.weights
        return self.coarser or (self.losses[::2], 2 * self.weights[::2])

    @property
    def spread(self) -> float:
        """The standard deviation of the loss."""
        finite = np.isfinite(self.losses)
        mean = float(self.weights[finite] @ self.losses[finite])
        return math.sqrt(float(self.weights[finite] @ (self.losses[finite] - mean) ** 2))


def normals(first: Centres, second: Centres) -> Law:
    """Two mixtures of normal laws of variance one, whose ratio rises from left to right."""
    centres = [c for _, c in (*first, *second)]
    spread = max(centres) - min(centres)
    y = np.arange(min(centres) - _TAIL, max(centres) + _TAIL + min(_LARGEST_TILT * spread, _LARGEST_TILT), _STEP)

    def log_density(side: Centres, at: Doubles) -> Doubles:
        terms = [math.log(w) - (at - c) ** 2 / 2 for w, c in side if w > 0]
        return np.asarray(np.logaddexp.reduce(terms, axis=0))

    def above(side: Centres, at: Doubles) -> Doubles:
        return np.asarray(sum(w * ndtr(c - at) for w, c in side))

    def loss(at: Doubles) -> Doubles:
        return log_density(first, at) - log_density(second, at)

    def stick(x: Doubles) -> Doubles:
        low, high = np.full(x.shape, -200.0 / spread), np.full(x.shape, 200.0 / spread)
        for _ in range(45):
            middle = (low + high) / 2
            over = loss(middle) > x
            low, high = np.where(over, low, middle), np.where(over, middle, high)
        return np.maximum(above(first, high) - np.exp(x) * above(second, high), 0.0)

    p = np.exp(log_density(first, y)) * _STEP / math.sqrt(2 * math.pi)
    return Law(loss(y), p, stick, smooth=True, cut=2 * float(ndtr(-_TAIL)))


def mirrored(first: Centres, second: Centres) -> tuple[Centres, Centres]:
    """(Q, P), seen from the other end of the line, so that the ratio rises."""
    return [(w, -c) for w, c in second], [(w, -c) for w, c in first]


def listed(masses: Sequence[tuple[float, float]], cut: float = 0.0) -> Law:
    """Finitely many outcomes, each with both probabilities; ``cut`` bounds what P has beyond them."""
    p, q = (np.array([pair[side] for pair in masses]) for side in (0, 1))
    kept = p > 0

    def stick(x: Doubles) -> Doubles:
        flat = np.exp(x).reshape(-1, 1)
        return np.asarray(np.maximum(p - flat * q, 0.0).sum(axis=1)).reshape(x.shape)

    with np.errstate(divide="ignore"):
        losses = np.log(p[kept]) - np.log(q[kept])
    return Law(losses, p[kept], stick, smooth=False, cut=cut)


def laplace(shift: float) -> Law:
    """Two Laplace laws of scale one: beyond both centres the loss is constant, between them it rises evenly."""

    def rule(count: int) -> tuple[Doubles, Doubles]:
        points, weights = np.polynomial.legendre.leggauss(count)
        y = shift * (points + 1) / 2
        between = weights * shift / 2 * np.exp(y - shift) / 2
        losses = np.concatenate([2 * y - shift, [shift, -shift]])
        return losses, np.concatenate([between, [0.5, math.exp(-shift) / 2]])

    return Law(*rule(200), lambda _: _, smooth=False, coarser=rule(100))


def few(laws: Sequence[Law]) -> Curve:
    """h of two or three answers of these laws; the smooth one whose losses spread most, if there is one, is last.

    What the lists of the others leave out is worth at most its probability, so that an h no larger is not told.
    """
    *before, last = sorted(laws, key=lambda law: (law.smooth, law.spread))
    cut = sum(law.cut for law in before)

    def value(x: float, half: bool) -> float:
        losses, weights = np.zeros(1), np.ones(1)
        for law in before:
            points, parts = law.points(half=half)
            kept = parts > 0
            losses = np.add.outer(losses, points[kept]).ravel()
            weights = np.multiply.outer(weights, parts[kept]).ravel()
        infinite = np.isinf(losses)
        return float(weights[~infinite] @ last.stick(x - losses[~infinite]) + weights[infinite].sum())

    def curve(x: arb) -> arb:
        found = [value(float(x.mid()), half) for half in (False, True)]
        if cut > float(ERROR) / 4 * found[0]:
            raise NoTruthError(f"{found[0]}, and {cut} was left out")
        return arb(agreed(found))

    return curve


def agreed(found: Sequence[float]) -> float:
    """The finer of two values, if the coarser one is near enough."""
    if not abs(found[0] - found[1]) <= float(ERROR) / 4 * found[0]:
        raise NoTruthError(f"{found[0]} or {found[1]}")
    return found[0]


def many(laws: Sequence[tuple[Law, int]]) -> Curve:
    """h of a number of answers of each of some smooth laws."""

    def log_moment(z: NDArray[np.complex128], law: Law, every: int) -> NDArray[np.complex128]:
        losses, weights = law.losses[::every], law.weights[::every] * every
        exponents = np.multiply.outer(z - 1, losses) + np.log(weights + 1e-320)
        top = exponents.real.max(axis=1, keepdims=True)
        return np.asarray(np.log(np.exp(exponents - top).sum(axis=1)) + top[:, 0])

    def log_integrand(z: NDArray[np.complex128], x: float, every: int = 1) -> NDArray[np.complex128]:
        total = sum((count * log_moment(z, law, every) for law, count in laws), -(z - 1) * x)
        return np.asarray(total - np.log(z * (z - 1)))

    def curve(x: arb) -> arb:
        at = float(x.mid())
        saddle = _saddle(lambda c: float(log_integrand(np.array([complex(c)]), at)[0].real))
        peak = float(log_integrand(np.array([complex(saddle)]), at)[0].real)
        reach = 1.0
        while log_integrand(np.array([complex(saddle, reach)]), at)[0].real > peak - 36:
            reach *= 1.3
            if reach > 1e5:
                raise NoTruthError("the integrand does not fall")
        found = [_trapezoids(log_integrand, saddle, reach, at, peak, points, every) for points, every in _GRIDS]
        return arb(agreed(found)) * arb(peak).exp()

    return curve


_GRIDS: Final = ((1600, 1), (800, 2))


def _trapezoids(
    log_integrand: Callable[[NDArray[np.complex128], float, int], NDArray[np.complex128]],
    saddle: float,
    reach: float,
    x: float,
    peak: float,
    points: int,
    every: int,
) -> float:
    t = (np.arange(points) + 0.5) * reach / points
    points_on_it = np.asarray(saddle + 1j * t, dtype=np.complex128)
    values = np.exp(log_integrand(points_on_it, x, every) - peak).real
    return float(values.sum() * reach / points / math.pi)


def _saddle(value: Callable[[float], float]) -> float:
    """Where a convex function of c > 1 is least, roughly."""
    low, high = math.log(1e-3), math.log(_LARGEST_TILT)
    for _ in range(40):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if value(1 + math.exp(a)) < value(1 + math.exp(b)) else (a, high)
    return 1 + math.exp(low)


# ------------------------------------------------------------------------------------ exactly


def repeated(outcomes: Callable[[], Masses], count: int) -> Callable[[], Masses]:
    """Outcomes of several equal answers: what counts is how often each was given."""

    def masses() -> Masses:
        once = list(outcomes())
        found = []
        for times in _parts(count, len(once)):
            ways = math.factorial(count)
            p = q = arb(1)
            for k, (a, b) in zip(times, once, strict=True):
                ways //= math.factorial(k)
                p, q = p * a**k, q * b**k
            found.append((ways * p, ways * q))
        return found

    return masses


def together(*several: Callable[[], Masses]) -> Callable[[], Masses]:
    """Outcomes of several answers."""

    def masses() -> Masses:
        found: list[tuple[arb, arb]] = [(arb(1), arb(1))]
        for outcomes in several:
            found = [(p * a, q * b) for (p, q), (a, b) in product(found, outcomes())]
        return found

    return masses


def _parts(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as a sum of so many, in order."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _parts(total - first, parts - 1):
            yield (first, *rest)
