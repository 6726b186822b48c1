"""Matrix mechanisms: what one record moves over several steps, and what that spends."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from proofs.registry import Goal, cited, declare, equal, goal, obligation, proven
from proofs.search import nonnegative, numbers

C, E, R, X, Y = sp.symbols("c e r x y")


@obligation(
    "matrix/one-answer",
    citation="denisov2022improved",
    tests=("tests/test_matrix_mechanisms.py::test_one_answer_agrees_with_fifty_digits",),
    theorems=(
        proven("GaussianStreams.streams_that_adapt", "streams that adapt spend no more than fixed ones (Theorem 2.1)"),
        proven("GaussianStreams.adaptive_stream_DP", "and keep the curve of one Gaussian answer"),
    ),
)
def one_answer() -> Sequence[Goal]:
    r"""A matrix mechanism is one Gaussian answer.

    With lower triangular C, the rows of $Cx+\sigma z$, each row of x chosen after those before it were released, are as
    private as one Gaussian answer of $\mu=\mathrm{sens}/\sigma$. Contributions of two records in the unit ball differ
    by at most 2 in norm, as $|u-u'|^2\le2|u|^2+2|u'|^2$ (coordinates x, y), and by 2 where $u'=-u$.
    """
    return [
        goal(2 * X**2 + 2 * Y**2 - (X - Y) ** 2, ">=", numbers("x", "y"), note="a record in the place of another one"),
        equal((X - (-X)) ** 2, 4 * X**2, numbers("x"), "opposite contributions"),
    ]


@obligation(
    "matrix/sensitivity",
    citation="choquette2023banded",
    tests=(
        "tests/test_matrix_sensitivity.py::test_the_sensitivity_is_between_what_signs_reach_and_the_triangle_inequality",
        "tests/test_matrix_sensitivity.py::test_no_unit_vectors_reach_more",
        "tests/test_matrix_sensitivity.py::test_every_rule_gives_the_same_or_a_looser_number",
    ),
    not_proved="that sums over more than two columns, and the largest over patterns, follow term by term, is in words",
)
def sensitivity() -> Sequence[Goal]:
    r"""Bounds on the sensitivity over a pattern.

    For each pattern $\pi$ and $|u_i|\le1$: $\sum_{i\in\pi}|C_i|^2\le\max_u|\sum_{i\in\pi}C_iu_i|^2\le\sum_{i,j\in\pi}
    |C_i\cdot C_j|\le|\pi|\sum_{i\in\pi}|C_i|^2$. Of two columns (coordinates x, y): the mean over both signs is the sum
    of the squares, and no sign exceeds twice that.
    """
    domain = numbers("x", "y")
    return [
        equal((X + Y) ** 2 + (X - Y) ** 2, 2 * (X**2 + Y**2), domain, "the mean over signs"),
        goal(2 * (X**2 + Y**2) - (X + Y) ** 2, ">=", domain, note="Cauchy, equal signs"),
        goal(2 * (X**2 + Y**2) - (X - Y) ** 2, ">=", domain, note="Cauchy, opposite signs"),
    ]


@obligation(
    "matrix/nonincreasing-toeplitz",
    citation="kalinin2024banded",
    tests=("tests/test_matrix_sensitivity.py::test_a_toeplitz_matrix_has_the_sensitivity_of_its_entries",),
    not_proved="that a pattern's l-th step is not before (l-1)b, and sums are compared term by term, is in words",
)
def nonincreasing_toeplitz() -> Sequence[Goal]:
    r"""Columns 0, b, 2b, ... of a nonincreasing Toeplitz matrix.

    With $c_0\ge c_1\ge\dots\ge0$ the inner product of the columns $j-g$ and j is $\sum_{m=0}^{n-1-j}c_mc_{m+g}$. It
    falls with g, as each term does ($c=c_m$, $e=c_{m+g+1}$, $e+r=c_{m+g}$), and with j, as terms that are not negative
    are left out. Of all patterns with steps at least b apart no two steps are earlier, or nearer to each other, than
    those of $0,b,2b,\dots$
    """
    return [
        goal(C * (E + R) - C * E, ">=", nonnegative("c", "e", "r"), note="a term falls with the distance"),
        goal(C * E, ">=", nonnegative("c", "e"), note="a later step leaves out terms that are not negative"),
    ]


@obligation(
    "matrix/cyclic-poisson",
    citation="choquette2023banded",
    tests=(
        "tests/test_matrix_mechanisms.py::test_a_banded_mechanism_is_the_law_of_its_rows",
        "tests/test_matrix_mechanisms.py::test_one_round_agrees_with_fifty_digits",
        "tests/test_matrix_sensitivity.py::test_rounds_have_the_norms_of_one_groups_columns",
    ),
)
def cyclic_poisson() -> Sequence[Goal]:
    r"""Banded matrices with cyclic Poisson sampling.

    With at most b nonzero diagonals and one of b groups a step, the columns of a record's steps have no row in common:
    the release is a composition of $\lceil n/b\rceil$ Gaussian answers to Poisson samples, of sensitivities
    $|C_i|,|C_{i+b}|,\dots$ for the records of group i.
    """
    return [cited("the release of banded matrices is a composition of sampled Gaussians", "choquette2023banded")]


declare(
    "matrix/tree",
    title="The tree over several leaves",
    statement=r"$\max_\pi\sum_v|\pi\cap v|^2$ over the nodes v is found by joining, from the leaves to the root, for "
    r"each number of a record's leaves in a node the largest sums and how many free leaves there can be before and "
    r"after them; a node of w leaves holds at most $\lceil w/b\rceil$ of a record's.",
    citation="denisov2022improved",
    tests=("tests/test_matrix_sensitivity.py::test_a_tree_has_the_largest_sum_over_all_patterns",),
)
