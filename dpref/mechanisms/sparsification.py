r"""Maurey's sparsification: a point of the simplex becomes the average of vertices that are drawn from it.

For $\bar a=\frac1T\sum_te_{i_t}$ with independent $i_t\sim x$, $\bar a$ has at most T vertices and the mean x, and an
$L_1$-smooth function (with respect to the l1 norm) has there on average almost the value that it has at x.

Notation: T ``samples``, L0, L1 the Lipschitz and smoothness constants of every function, D ``diameter`` a bound on the
norm of $e_{i_t}-x$ (2 on a simplex), M ``functions`` how many of them there are.

References:
    T. Gonzalez, C. Guzman, C. Paquette, "Mirror descent algorithms with nearly dimension-independent rates for
    differentially-private stochastic saddle-point problems", 2024, Section 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from dpref.checks import finite_array, natural, rational
from dpref.errors import InvalidArgumentError
from dpref.reals import FloatArray, Ops, T

_SUM_TOLERANCE: Final = 1e-9
_MOST_MULTISETS: Final = 10**6


def sparsify(point: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """The average of vertices drawn from a point of the simplex: at most ``samples`` of its entries are not zero.

    Args:
        point: x, shape (d,).
        samples: T, at least 1.
        rng: Draws the vertices.

    Returns:
        Multiples of 1/T that sum to one, shape (d,).

    Raises:
        InvalidArgumentError: If the point is not in the simplex, or there are no vertices to draw.

    >>> sparsify(np.array([0.5, 0.5, 0.0]), 4, np.random.default_rng(0)).tolist()
    [0.5, 0.5, 0.0]
    """
    weights = finite_array("point", point, ndim=1)
    if (weights < 0).any() or abs(weights.sum() - 1) > _SUM_TOLERANCE:
        raise InvalidArgumentError("point", point, "must be weights that are not negative and sum to 1")
    return np.asarray(rng.multinomial(natural("samples", samples), weights / weights.sum()) / samples)


def multisets(point: Sequence[Fraction], samples: int) -> Iterator[tuple[Fraction, tuple[Fraction, ...]]]:
    """Every average of vertices that can be drawn, with its probability, all of them exact.

    Args:
        point: x, exact weights that sum to one.
        samples: T, at least 1.

    Yields:
        The probability of a multiset of T vertices, and the average of these.

    Raises:
        InvalidArgumentError: If the weights are not a point of the simplex, or there are more than a million multisets.

    >>> [(str(p), [*map(str, a)]) for p, a in multisets([Fraction(1, 3), Fraction(2, 3)], 2)]
    [('4/9', ['0', '1']), ('4/9', ['1/2', '1/2']), ('1/9', ['1', '0'])]
    """
    weights = tuple(rational("point", w) for w in point)
    if sum(weights) != 1:
        raise InvalidArgumentError("point", point, "must be exact weights that are not negative and sum to 1")
    if math.comb(natural("samples", samples) + len(weights) - 1, samples) > _MOST_MULTISETS:
        raise InvalidArgumentError("samples", samples, f"must leave at most {_MOST_MULTISETS} multisets")
    for counts in _compositions(samples, len(weights)):
        chance, left = Fraction(1), samples
        for weight, count in zip(weights, counts, strict=True):
            chance *= math.comb(left, count) * weight**count
            left -= count
        yield chance, tuple(Fraction(count, samples) for count in counts)


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def mean_value(
    point: Sequence[Fraction], samples: int, function: Callable[[tuple[Fraction, ...]], Fraction]
) -> Fraction:
    r"""$\mathbb EF(\bar a)$, exactly: the sum over all multisets.

    Args:
        point: x, exact weights that sum to one.
        samples: T, at least 1.
        function: F, from an exact point of the simplex to an exact number.

    >>> mean_value([Fraction(1, 2), Fraction(1, 2)], 2, lambda a: a[0] ** 2)
    Fraction(3, 8)
    """
    return sum((chance * function(average) for chance, average in multisets(point, samples)), Fraction(0))


def value_bias(o: Ops[T], L1: T, samples: T) -> T:
    r"""$|\mathbb EF(\bar a)-F(x)|\le\frac{2L_1}T$ (Corollary 2.3).

    >>> from dpref.reals import RATIONAL
    >>> value_bias(RATIONAL, Fraction(3), Fraction(4))
    Fraction(3, 2)
    """
    return 2 * L1 / samples


def deviation(o: Ops[T], L0: T, L1: T, diameter: T, samples: T, beta: T) -> T:
    r"""$\frac{L_1D^2}{2T}+\beta\frac{\sqrt2L_0D}{\sqrt T}$: reached with probability at most $e^{-\beta^2}$.

    Lemma 2.8.

    >>> from dpref.reals import FLOAT
    >>> deviation(FLOAT, 1.0, 2.0, 2.0, 8.0, 0.5)
    1.0
    """
    return L1 * diameter * diameter / (2 * samples) + beta * o.sqrt(2 / samples) * L0 * diameter


def printed_maximum_moment(o: Ops[T], L0: T, L1: T, diameter: T, samples: T, functions: T) -> T:
    r"""$2A^2+(4+\ln M)C^2$, $A=\frac{L_1D^2}{2T}$, $C^2=\frac{2L_0^2D^2}T$: Lemma 2.10, as printed.

    It is false for many functions (E5); `maximum_moment` holds.

    >>> from dpref.reals import FLOAT
    >>> printed_maximum_moment(FLOAT, 1.0, 1.0, 2.0, 8.0, 1.0)
    4.125
    """
    quadratic = L1 * diameter * diameter / (2 * samples)
    linear = 2 * L0 * L0 * diameter * diameter / samples
    return 2 * quadratic * quadratic + (4 + o.log(functions)) * linear


def maximum_moment(o: Ops[T], L0: T, L1: T, diameter: T, samples: T, functions: T) -> T:
    r"""$2A^2+2C^2(1+\ln2M)$: a bound on $\mathbb E\max_j|F_j(\bar a)-F_j(x)|^2$ that holds (Lemma 2.10, safe form).

    >>> from dpref.reals import FLOAT
    >>> round(maximum_moment(FLOAT, 1.0, 1.0, 2.0, 8.0, 1.0), 3)
    3.511
    """
    quadratic = L1 * diameter * diameter / (2 * samples)
    linear = 2 * L0 * L0 * diameter * diameter / samples
    return 2 * quadratic * quadratic + 2 * linear * (1 + o.log(2 * functions))
