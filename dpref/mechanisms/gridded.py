r"""Answers on a grid: how far they move, and how a record's contribution is made to fit, in integers alone.

*Any query.*  The answer q is computed in doubles with an error of at most e in the l2 norm, and each coordinate is
rounded to the nearest multiple of g, which moves it by at most $g/2$.  Between neighbours the integers therefore move
by at most $\Delta/g+2e/g+\sqrt d$ in the l2 norm; the square of that distance is an integer, so that its floor bounds
it.

*A node of a tree.*  Each element is rounded when it arrives, and a node's integers are the exact sums of its elements'.
A record enters one element, and the others are the same doubles without it: of the sum one term moves, as far as any
query, whatever the height of the node.  (A sum of doubles that is rounded afterwards moves further: of $2^{60}$, x and
$-2^{60}$ a multiple of 256 is left.)

*A sum over records.*  Each contribution is divided by g and cut off toward zero, which lengthens no coordinate; if the
square of its length still exceeds $\lfloor(C/g)^2\rfloor$, it is shrunk, again toward zero.  The integers are added
exactly: neither rounding nor the order of summation enters the sensitivity.

References:
    Mironov, "On significance of the least significant bits for differential privacy", 2012.
    Casacuberta, Shoemate, Vadhan and Wagaman, "Widespread underestimation of sensitivity in differentially private
    libraries and how to fix it", 2022.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from dpref.checks import natural, positive_rational, rational
from dpref.errors import InvalidArgumentError
from dpref.reals import FloatArray
from dpref.units import Adjacency, differing_records

SATURATED: Final = 2**53  # beyond which not every integer is a double
FINEST: Final = 64  # the least noise, in units of the grid
_LARGEST_EXPONENT: Final = 500
_FACTOR_BITS: Final = 64


def check_grid(grid: Fraction) -> int:
    """The exponent k of a grid of width 2^k.

    Raises:
        InvalidArgumentError: If the width is no power of two between 2^-500 and 2^500.

    >>> check_grid(Fraction(1, 8))
    -3
    """
    width = positive_rational("grid", grid)
    exponent = width.numerator.bit_length() - width.denominator.bit_length()
    if width != Fraction(2) ** exponent or abs(exponent) > _LARGEST_EXPONENT:
        raise InvalidArgumentError("grid", grid, "must be a power of two between 2^-500 and 2^500")
    return exponent


def squared_sensitivity(sensitivity: Fraction, grid: Fraction, dimension: int, evaluation_error: Fraction) -> int:
    r"""$\lfloor(\Delta/g+2e/g+\sqrt d)^2\rfloor$, exactly: of a query that is rounded to a grid.

    Args:
        sensitivity: $\Delta$, of the exact query in the l2 norm.
        grid: g.
        dimension: d.
        evaluation_error: e, of the doubles that are rounded, in the l2 norm.

    >>> squared_sensitivity(Fraction(1), Fraction(1, 4), 4, Fraction(0))  # (4 + 2)^2
    36
    """
    moved = (rational("sensitivity", sensitivity) + 2 * rational("evaluation_error", evaluation_error)) / grid
    d = natural("dimension", dimension)
    # floor(a + b + 2 sqrt(a b)) with a = moved^2 = p/q^2, b = d: (p + d q^2 + isqrt(4 p d q^2)) // q^2.
    p, q = moved.numerator**2, moved.denominator**2
    return (p + d * q + math.isqrt(4 * p * d * q)) // q


def rounded(value: FloatArray, grid: Fraction) -> list[int]:
    r"""The nearest multiples of the grid, in units of it; what is beyond $2^{53}$ of them is put there.

    Args:
        value: Finite doubles, or what doubles can hold, shape (d,).
        grid: A power of two.

    >>> rounded(np.array([0.3, -0.3, 1e300]), Fraction(1, 4))
    [1, -1, 9007199254740992]
    """
    with np.errstate(over="ignore"):  # of another type, such as booleans, ldexp would make half precision
        scaled = np.ldexp(np.asarray(value, dtype=np.float64), -check_grid(grid))
    return [int(x) for x in np.clip(np.rint(scaled), -SATURATED, SATURATED).tolist()]


def released(integers: Sequence[int], grid: Fraction) -> FloatArray:
    """The doubles that integers of a grid are, exactly; saturated like `rounded`.

    Args:
        integers: In units of the grid.
        grid: A power of two.

    >>> released([3, -(10**40)], Fraction(1, 2)).tolist()
    [1.5, -4503599627370496.0]
    """
    within = [float(max(-SATURATED, min(SATURATED, x))) for x in integers]
    return np.asarray(np.ldexp(np.array(within), check_grid(grid)))


def clipped_square(clip: Fraction, grid: Fraction) -> int:
    r"""$\lfloor(C/g)^2\rfloor$: how long a contribution may be, squared.

    >>> clipped_square(Fraction(3, 2), Fraction(1))
    2
    """
    return math.floor((positive_rational("clip", clip) / grid) ** 2)


def contribution(row: Sequence[float], most: int, grid: Fraction) -> list[int]:
    """What a record adds to a sum: integers of the grid whose squares add up to at most ``most``, for every doubles.

    Args:
        row: The record's vector; if an entry is not finite, it adds nothing.
        most: As of `clipped_square`.
        grid: A power of two.

    >>> contribution([3.0, 4.0], 4, Fraction(1)), contribution([float("nan"), 1.0], 4, Fraction(1))
    ([1, 1], [0, 0])
    """
    if not all(map(math.isfinite, row)):
        return [0] * len(row)
    integers = [int(Fraction(x) / grid) for x in row]
    square = sum(x * x for x in integers)
    if square <= most:
        return integers
    # The root of most / square, rounded down; for a square so large that this is zero, nothing is left.
    factor = math.isqrt((most << (2 * _FACTOR_BITS)) // square)
    shrunk = (abs(x) * factor >> _FACTOR_BITS for x in integers)
    return [int(math.copysign(1, value)) * x for value, x in zip(row, shrunk, strict=True)]


def summed_square(clip: Fraction, grid: Fraction, adjacency: type[Adjacency]) -> int:
    r"""The squared sensitivity of a sum of clipped contributions: $\lfloor(C/g)^2\rfloor$, or four times it.

    Args:
        clip: C.
        grid: g.
        adjacency: The neighbouring relation.

    >>> from dpref.units import ReplaceOne
    >>> summed_square(Fraction(1), Fraction(1, 4), ReplaceOne)
    64
    """
    return differing_records(adjacency) ** 2 * clipped_square(clip, grid)
