r"""How good the chosen candidate is: the last chain of Proof 3.25, with explicit constants.

With probability at least $1-p_h-p_c-2I2^{-J}$

.. math::
    \mathrm{Gap}(x_{i^*},y_{i^*})\le\min_i\mathrm{Gap}(x_i,y_i)+2(c_x+c_y)+2h+e,

with $c_x,c_y$ bounds on the mean excess risk of one response, of which J are made (Markov's inequality: the best is at
most twice that with probability $1-2^{-J}$), h `held_out_error`, e `choice_error`.  And
$\min_i\mathrm{Gap}(x_i,y_i)$ is at most g with probability $1-2^{-I}$ where a run has a gap of at most g with
probability $\frac12$ (Theorem 3.14, whose constants are not explicit).

Notation: I ``runs``, J ``responses``, B a bound on a record's loss, m ``size`` the records of the choice, p a
probability of failure.

References:
    Gonzalez, Guzman and Paquette 2024, Theorems 3.20 and 3.24, Proof 3.25.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def held_out_error(o: Ops[T], B: T, size: T, runs: T, responses: T, p: T) -> T:
    r"""$h=B\sqrt{\frac8m\ln\frac{2IJ^2}p}$: how far any proxy is from its mean, but with probability p.

    A proxy is the largest of $J^2$ means of numbers in $[-2B,2B]$: Hoeffding's inequality for $IJ^2$ of them.

    >>> from math import exp
    >>> from dpref.reals import FLOAT
    >>> round(held_out_error(FLOAT, 1.0, 16.0, 2.0, 1.0, 4 * exp(-2)), 9)
    1.0
    """
    return B * o.sqrt(8 * o.log(2 * runs * responses * responses / p) / size)


def choice_error(o: Ops[T], B: T, size: T, epsilon: T, runs: T, p: T) -> T:
    r"""$e=\frac{8B}{m\varepsilon}\ln\frac Ip$: how far the chosen proxy is from the least, but with probability p.

    >>> from math import exp
    >>> from dpref.reals import FLOAT
    >>> round(choice_error(FLOAT, 1.0, 16.0, 1.0, 2.0, 2 * exp(-2)), 9)
    1.0
    """
    return 8 * B / (size * epsilon) * o.log(runs / p)


def vertex_excess(o: Ops[T], B: T, size: T, epsilon: T, dimension: T) -> T:
    r"""$\frac{4B\ln d}{m\varepsilon}+2B\sqrt{\frac{2\ln2d}m}$: the mean excess of one vertex, of linear losses.

    The first term is what the exponential mechanism loses, its entropy at most $\ln d$; the second twice the mean of
    the largest deviation of d means of numbers in $[-B,B]$; m are the records of one response, d the vertices.

    >>> from dpref.reals import FLOAT
    >>> round(vertex_excess(FLOAT, 1.0, 100.0, 1.0, 2.0), 4)
    0.3607
    """
    return 4 * B * o.log(dimension) / (size * epsilon) + 2 * B * o.sqrt(2 * o.log(2 * dimension) / size)


def chosen_gap(o: Ops[T], best: T, responses: T, held_out: T, choice: T) -> T:
    r"""$g+2(c_x+c_y)+2h+e$.

    Args:
        best: g, the least gap of the candidates.
        responses: $c_x+c_y$.
        held_out: h.
        choice: e.

    >>> from dpref.reals import FLOAT
    >>> chosen_gap(FLOAT, 0.25, 0.125, 0.25, 0.5)
    1.5
    """
    return best + 2 * responses + 2 * held_out + choice


def failure(o: Ops[T], runs: T, all_responses_miss: T, held_out: T, choice: T) -> T:
    r"""$p_h+p_c+2I2^{-J}$: with which probability `chosen_gap` may fail.

    ``held_out`` is $p_h$, ``choice`` $p_c$ and ``all_responses_miss`` $2^{-J}$, with which the J responses to one point
    all have more than twice the mean excess.

    >>> from dpref.reals import FLOAT
    >>> failure(FLOAT, 4.0, 1 / 64, 0.125, 0.125)
    0.375
    """
    return held_out + choice + 2 * runs * all_responses_miss
