r"""The vertices of a polytope as candidates: scores of a choice among them, and the vertex that was chosen.

The l_1 ball of radius r has the 2d vertices $re_1,\dots,re_d,-re_1,\dots,-re_d$, in this order, and their scores cost
O(d); any other polytope lists its own.
"""

from __future__ import annotations

import numpy as np

from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import CROSS_POLYTOPE, VERTICES, LinearMinimizationOracle
from dpref.reals import Array, Ops


def count(domain: LinearMinimizationOracle, dimension: int) -> int:
    """The number of vertices.

    Args:
        domain: An l_1 ball or a polytope.
        dimension: d.

    Raises:
        InvalidArgumentError: If the set does not list its vertices.

    >>> from fractions import Fraction
    >>> from dpref.geometry.linear_minimization import LpBall
    >>> count(LpBall(Fraction(1), Fraction(2)), 3)
    6
    """
    encoding = domain.encoding()
    if encoding.kind not in {CROSS_POLYTOPE, VERTICES}:
        raise InvalidArgumentError("domain", domain.name, "must be an l_1 ball or a polytope, chosen by its vertices")
    return 2 * dimension if encoding.kind == CROSS_POLYTOPE else len(encoding.vertices)


def scores(o: Ops[Array], domain: LinearMinimizationOracle, g: Array) -> Array:
    r"""$-\langle g,v\rangle$ of every vertex, shape (V,): the largest belongs to the minimiser.

    Args:
        domain: An l_1 ball or a polytope.
        g: Shape (d,).

    >>> from fractions import Fraction
    >>> from dpref.geometry.linear_minimization import LpBall
    >>> from dpref.reals import FLOAT_ARRAY
    >>> scores(FLOAT_ARRAY, LpBall(Fraction(1), Fraction(2)), np.array([3.0, -1.0])).tolist()
    [-6.0, 2.0, 6.0, -2.0]
    """
    encoding = domain.encoding()
    if encoding.kind == CROSS_POLYTOPE:
        sizes = o.number(domain.radius_bound()) * g
        return np.concatenate([-sizes, sizes])
    found: Array = -(o.lift(encoding.vertices) @ g)
    return found


def vertex(o: Ops[Array], domain: LinearMinimizationOracle, dimension: int, chosen: int) -> Array:
    """The vertex of that number, shape (d,).

    Args:
        domain: An l_1 ball or a polytope.
        dimension: d.
        chosen: Its number, from 0.

    >>> from fractions import Fraction
    >>> from dpref.geometry.linear_minimization import LpBall
    >>> from dpref.reals import FLOAT_ARRAY
    >>> vertex(FLOAT_ARRAY, LpBall(Fraction(1), Fraction(2)), 2, 3).tolist()
    [0.0, -2.0]
    """
    encoding = domain.encoding()
    if encoding.kind != CROSS_POLYTOPE:
        return o.lift(encoding.vertices[chosen])
    found = np.zeros(dimension)
    found[chosen % dimension] = 1.0 if chosen < dimension else -1.0
    unit: Array = o.number(domain.radius_bound()) * o.lift(found)
    return unit
