r"""How far one record moves $Cx$ when it takes part in several rows of x: certified squared sensitivities.

C has n columns, one for each step; a record contributes $u_i$ with $\|u_i\|\le1$ to the rows i of a pattern $\pi$: at
most k steps, any two of them at least b apart.  With $G=C^\top C$,

$$\mathrm{sens}^2=\max_\pi\max_{\|u_i\|\le1}\Big\|\sum_{i\in\pi}C_{:,i}u_i\Big\|^2,\qquad
V=\max_\pi\sum_{i\in\pi}G_{ii}\;\le\;\mathrm{sens}^2\;\le\;\max_\pi\sum_{i,j\in\pi}|G_{ij}|\;\le\;kV.$$

The first inequality is the mean over independent signs $u_i=\pm e$, so that some signs attain it, and often more (what
signs chosen one after another reach on steps that are b apart is counted as well); the second is the
triangle inequality, an equality where signs $s_i$ with $s_is_jG_{ij}=|G_{ij}|$ exist on a largest pattern (all equal,
if $G\ge0$); the third is Cauchy's.  What is computed is exact: numbers are integers over a common denominator.

*Nonincreasing Toeplitz.*  With $C_{ts}=c_{t-s}$ and $c_0\ge c_1\ge\dots\ge0$, for $i<j$

$$G_{ij}=f(j,j-i),\qquad f(j,g)=\sum_{m=0}^{n-1-j}c_mc_{m+g},$$

and f falls in j and in g.  The l-th step of a pattern is not before step $(l-1)b$ and two of them are no nearer to each
other than those, so that no pattern exceeds $0,b,2b,\dots,(k-1)b$, which attains its value.

*A bound by dynamic programming.*  $\tau_i$, the most that $\sum_{j\in\pi}|G_{ij}|$ is over patterns that contain i, is
found by a walk over the columns, and $\max_\pi\sum_{i\in\pi}\tau_i$ by another one.

References:
    Choquette-Choo, Ganesh, McKenna, McMahan, Rush, Guha Thakurta and Xu, "(Amplified) banded matrix factorization: a
    unified approach to private training", 2023 (patterns, the bound by dynamic programming).
    Kalinin and Lampert, "Banded square root matrix factorization for differentially private model training", 2024
    (nonincreasing Toeplitz matrices).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise, product
from typing import Final, TypeVar, final

import numpy as np
from flint import arb

from dpref.checks import natural
from dpref.privacy.time_limit import checkpoint
from dpref.reals import Array

MOST_COLUMNS: Final = 1024  # whose inner products are computed one by one
MOST_BITS: Final = 1 << 29  # of all their inner products, about
MOST_PATTERNS: Final = 20_000  # that are looked at one by one
MOST_WALKS: Final = 1 << 18  # steps of the dynamic programme, each for all columns at once
MOST_TERMS: Final = 1 << 20  # inner products that are added up in search of what is attained
MOST_SIGNED: Final = 10  # participations whose signs are tried
_CHECKED: Final = 1 << 14
_ROUNDING: Final = Fraction(1, 1 << 100)
_GRID: Final = 1 << 52
_UNIT: Final = Fraction(1, _GRID)

ONE: Final = "one participation"
EVERY: Final = "every step"
ORTHOGONAL: Final = "orthogonal columns"
ENUMERATION: Final = "enumeration of patterns"
TOEPLITZ: Final = "nonincreasing Toeplitz: columns 0, b, 2b, ..."
DYNAMIC: Final = "dynamic programming"
NORMS: Final = "column norms"

N = TypeVar("N", int, Fraction, arb)


@final
@dataclass(frozen=True)
class Pattern:
    """Which steps one record may take part in.

    Attributes:
        steps: n.
        most: k, of which as many fit.
        separation: b, at most n: with step i, none of the b - 1 steps before and after it.
    """

    steps: int
    most: int
    separation: int

    @classmethod
    def of(cls, steps: int, max_participations: int | None, min_separation: int) -> Pattern:
        """The pattern of n steps; with None, as many participations as fit.

        >>> Pattern.of(8, None, 3).most, Pattern.of(8, 5, 3).most, Pattern.of(8, 2, 1).most
        (3, 3, 2)
        """
        n, b = natural("steps", steps), natural("min_separation", min_separation)
        fit = -(-n // b)
        most = fit if max_participations is None else natural("max_participations", max_participations)
        return cls(n, min(most, fit), min(b, n))

    def count(self) -> int:
        """How many patterns there are, the smaller ones included.

        >>> Pattern.of(8, 2, 4).count()
        18
        """
        sizes = range(1, self.most + 1)
        return sum(math.comb(self.steps - (size - 1) * (self.separation - 1), size) for size in sizes)


@final
@dataclass(frozen=True)
class SquaredSensitivity:
    """A squared sensitivity between two exact numbers.

    Attributes:
        squared: It is at most this.
        attained: Some record attains this.
        rule: Which theorem the upper number comes from.
    """

    squared: Fraction
    attained: Fraction
    rule: str

    @property
    def exact(self) -> bool:
        """Whether both are the same number."""
        return self.squared == self.attained

    @property
    def is_attained(self) -> bool:
        """Whether some record attains it: the two numbers differ by the rounding of square roots at most."""
        return self.squared - self.attained <= _ROUNDING * self.squared


def heaviest(weights: Sequence[N], pattern: Pattern) -> N:
    """The largest sum of weights, none of them negative, over a pattern.

    >>> heaviest([3, 9, 8, 0, 7], Pattern.of(5, 2, 2)), heaviest([3, 9, 8, 0, 7], Pattern.of(5, 3, 2))
    (16, 18)
    """
    zero = weights[0] - weights[0]
    best = [zero] * (len(weights) + 1)
    for _ in range(pattern.most):
        following = [zero]
        for t, weight in enumerate(weights):
            following.append(max(following[t], weight + best[max(0, t + 1 - pattern.separation)]))
        best = following
    return best[-1]


def of_gram(gram: Sequence[Sequence[int]], unit: Fraction, pattern: Pattern) -> SquaredSensitivity:
    """The sensitivity of a matrix whose columns have these inner products.

    Args:
        gram: The symmetric matrix G of inner products, in units.
        unit: What one unit is.
        pattern: Which columns a record may take part in.

    >>> found = of_gram([[2, 1], [1, 2]], Fraction(1, 4), Pattern.of(2, 2, 1))
    >>> found.squared, found.exact, found.rule
    (Fraction(3, 2), True, 'every step')
    """
    n, k, b = pattern.steps, pattern.most, pattern.separation
    diagonal = [gram[i][i] for i in range(n)]
    if k == 1:
        return _attained(max(diagonal) * unit, ONE)
    apart = heaviest(diagonal, pattern)
    if not any(gram[i][j] for i in range(n) for j in range(i + b, n)):
        return _attained(apart * unit, ORTHOGONAL)
    if k == n:
        return _of_largest(gram, unit, (sum(abs(x) for row in gram for x in row), tuple(range(n))), apart, EVERY)
    if pattern.count() <= MOST_PATTERNS:
        return _of_largest(gram, unit, _enumerated(gram, pattern), apart, ENUMERATION)
    norms = SquaredSensitivity(k * apart * unit, max(apart, _of_equal_steps(gram, pattern)) * unit, NORMS)
    if n * k > MOST_WALKS:
        return norms
    bound = _dynamic(gram, max(diagonal), pattern) * unit
    return SquaredSensitivity(bound, norms.attained, DYNAMIC) if bound < norms.squared else norms


def _attained(squared: Fraction, rule: str) -> SquaredSensitivity:
    return SquaredSensitivity(squared, squared, rule)


def _of_largest(
    gram: Sequence[Sequence[int]], unit: Fraction, largest: tuple[int, tuple[int, ...]], apart: int, rule: str
) -> SquaredSensitivity:
    """Of the largest sum of absolute values: attained, if signs make all its terms positive."""
    total, chosen = largest
    signs = _balanced(gram, chosen)
    if signs is not None:
        return _attained(total * unit, rule)
    low = apart
    if len(chosen) <= MOST_SIGNED:
        trials = product((1, -1), repeat=len(chosen) - 1)
        low = max(low, *(_value(gram, chosen, (1, *rest)) for rest in trials))
    return SquaredSensitivity(total * unit, low * unit, rule)


def _of_equal_steps(gram: Sequence[Sequence[int]], pattern: Pattern) -> int:
    """The most that is reached by steps that are b apart, with signs that are chosen one after another."""
    k, b = pattern.most, pattern.separation
    best = 0
    for first in range(min(pattern.steps - (k - 1) * b, 1 + MOST_TERMS // k**2)):
        signs: list[int] = []
        total = 0
        for i in range(first, first + k * b, b):
            pull = sum(s * gram[i][j] for s, j in zip(signs, range(first, i, b), strict=True))
            signs.append(-1 if pull < 0 else 1)
            total += gram[i][i] + 2 * abs(pull)
        best = max(best, total)
    return best


def _value(gram: Sequence[Sequence[int]], chosen: tuple[int, ...], signs: tuple[int, ...]) -> int:
    signed = list(zip(chosen, signs, strict=True))
    return sum(s * r * gram[i][j] for i, s in signed for j, r in signed)


def _balanced(gram: Sequence[Sequence[int]], chosen: tuple[int, ...]) -> dict[int, int] | None:
    """Signs of the chosen columns that make all their inner products nonnegative, or None if there are none."""
    signs: dict[int, int] = {}
    for first in chosen:
        waiting = [] if first in signs else [first]
        signs.setdefault(first, 1)
        while waiting:
            i = waiting.pop()
            for j in chosen:
                if gram[i][j] == 0:
                    continue
                wanted = signs[i] if gram[i][j] > 0 else -signs[i]
                if j not in signs:
                    signs[j] = wanted
                    waiting.append(j)
                elif signs[j] != wanted:
                    return None
    return signs


def _enumerated(gram: Sequence[Sequence[int]], pattern: Pattern) -> tuple[int, tuple[int, ...]]:
    """The largest sum of absolute inner products over a pattern, and a pattern that has it."""
    best: tuple[int, tuple[int, ...]] = (0, ())
    waiting: list[tuple[int, tuple[int, ...], int]] = [(0, (), 0)]
    while waiting:
        total, chosen, start = waiting.pop()
        if total > best[0] or not best[1]:
            best = total, chosen
        if len(chosen) == pattern.most:
            continue
        for i in range(start, pattern.steps):
            more = gram[i][i] + 2 * sum(abs(gram[i][j]) for j in chosen)
            waiting.append((total + more, (*chosen, i), i + pattern.separation))
    return best


def _dynamic(gram: Sequence[Sequence[int]], largest: int, pattern: Pattern) -> Fraction:
    """A bound on the sum of absolute inner products over any pattern, in doubles that are rounded up.

    In units of the largest one every number is at most one.  Sums of nonnegative doubles are off by at most half a unit
    in the last place for each addition, of which there are fewer than 2k on the way to any result.
    """
    n, k = pattern.steps, pattern.most
    shares = np.array([[(abs(x) * _GRID // largest + (x != 0)) / _GRID for x in row] for row in gram])
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) >= pattern.separation
    others = Pattern(n, k - 1, pattern.separation)
    with_each = np.diag(shares) + _walk(np.where(apart, shares, 0.0), others)
    total = float(_walk(with_each[None, :], pattern)[0])
    return Fraction(total) * largest * (1 + (2 * k + 2) * _UNIT)


def _walk(weights: Array, pattern: Pattern) -> Array:
    """`heaviest` of each row."""
    rows, columns = weights.shape
    best = np.zeros((columns + 1, rows))
    for _ in range(pattern.most):
        following = np.zeros_like(best)
        for t in range(columns):
            reached = weights[:, t] + best[max(0, t + 1 - pattern.separation)]
            following[t + 1] = np.maximum(following[t], reached)
        best = following
    return np.asarray(best[-1])


def of_toeplitz(coefficients: Sequence[int], unit: Fraction, pattern: Pattern) -> SquaredSensitivity:
    """The sensitivity of the lower triangular Toeplitz matrix with these coefficients on its diagonals.

    Args:
        coefficients: c_0, c_1, ... in units; zero after the last one.
        unit: What one unit is.
        pattern: Which columns a record may take part in.

    >>> of_toeplitz([2, 1], Fraction(1, 2), Pattern.of(4, 2, 2))  # columns 0 and 2
    SquaredSensitivity(squared=Fraction(5, 2), attained=Fraction(5, 2), rule='orthogonal columns')
    """
    n, k, b = pattern.steps, pattern.most, pattern.separation
    c = list(coefficients[:n])
    square = unit * unit
    norms = column_norms(c, n)
    if k == 1:
        return _attained(norms[0] * square, ONE)
    apart = sum(norms[i * b] for i in range(k))  # norms fall, so that no pattern has more
    if all(x == 0 for x in c[b:]):
        return _attained(apart * square, ORTHOGONAL)
    if is_nonincreasing(c):
        return _attained(squared_sum(c, pattern) * square, TOEPLITZ)
    if n > MOST_COLUMNS or n * n * max(map(abs, c)).bit_length() > MOST_BITS:
        return SquaredSensitivity(k * apart * square, apart * square, NORMS)
    return of_gram(_toeplitz_gram(c, n), square, pattern)


def is_nonincreasing(coefficients: Sequence[N]) -> bool:
    """Whether no coefficient is negative or larger than the one before it."""
    return coefficients[-1] >= 0 and all(x >= y for x, y in pairwise(coefficients))


def column_norms(coefficients: Sequence[N], steps: int) -> list[N]:
    """The squared norms of the columns of a lower triangular Toeplitz matrix, from the first one to the last.

    >>> column_norms([2, 1], 3)
    [5, 5, 4]
    """
    sums = list(accumulate(x * x for x in coefficients[:steps]))
    return [sums[min(steps - i, len(sums)) - 1] for i in range(steps)]


def squared_sum(coefficients: Sequence[N], pattern: Pattern) -> N:
    """The squared norm of the sum of the columns 0, b, 2b, ... of a lower triangular Toeplitz matrix.

    Its entries satisfy $S_t=S_{t-b}+c_t-c_{t-kb}$.

    >>> squared_sum([2, 1], Pattern.of(3, 2, 1))  # 2, 1 + 2, 1
    14
    """
    n, k, b = pattern.steps, pattern.most, pattern.separation
    zero = coefficients[0] - coefficients[0]
    total, last = zero, [zero] * b
    for t in range(n):
        if t % _CHECKED == 0:
            checkpoint(TOEPLITZ)
        entry = last[t % b]
        if t < len(coefficients):
            entry = entry + coefficients[t]
        if 0 <= t - k * b < len(coefficients):
            entry = entry - coefficients[t - k * b]
        last[t % b] = entry
        total = total + entry * entry
    return total


def _toeplitz_gram(coefficients: Sequence[int], steps: int) -> list[list[int]]:
    c = [*coefficients, *[0] * (steps - len(coefficients))]
    gram = [[0] * steps for _ in range(steps)]
    for gap in range(steps):
        sums = list(accumulate(c[m] * c[m + gap] for m in range(steps - gap)))
        for j in range(gap, steps):
            gram[j][j - gap] = gram[j - gap][j] = sums[steps - 1 - j]
    return gram
