r"""The answer of stochastic variance reduction: a sampled difference plus a full mean plus Gaussian noise.

.. math:: \frac1b\sum_{i\in B}(g_i-h_i)+\frac1n\sum_{i=1}^nh_i+N(0,\sigma^2I),\qquad \|g_i\|,\|h_i\|\le G,

with B a fresh, secret, uniform set of b of the n records.  `dpref.privacy.renyi.variance_reduction` accounts for it.

The same in two parts: the full mean is answered once, with noise of its own, and each sampled difference with another,
a Gaussian answer on a batch of fixed size (`dpref.mechanisms.sampled`).

References:
    Wang, Ye and Xu, "Differentially private empirical risk minimization revisited", 2017, Algorithms 1 and 2, line 7.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

from dpref.checks import positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.gaussian import gaussian_event
from dpref.privacy.events.ledger import Event, NonPrivate, VarianceReducedGaussian
from dpref.reals import RATIONAL, Ops, T, exact
from dpref.units import L2, Adjacency, ReplaceOne, Sensitivity, ZeroOut

A = TypeVar("A", bound=Adjacency)


def largest_move(o: Ops[T], bound: T, batch: T, records: T, differing: T) -> T:
    r"""$k(\frac{2G}b-\frac Gn)$: how far an answer moves when the batch is the same and k gradients of norm G differ.

    Args:
        bound: G, a bound on the norm of one record's gradient.
        batch: b, the number of records in a sampled batch.
        records: n, the number of records.
        differing: k: 2 when a record is replaced, 1 when it is nulled.

    >>> largest_move(RATIONAL, *map(Fraction, (1, 1, 10, 2)))
    Fraction(19, 5)
    """
    return differing * bound * (2 / batch - 1 / records)


def variance_reduced_sensitivity(
    gradient_bound: Fraction, batch: int, records: int, adjacency: type[A]
) -> Sensitivity[L2, A]:
    r"""How far the answer moves when the batch is the same: $\frac{4G}b-\frac{2G}n$, half if one is nulled.

    With the record in the batch the answer moves by $\frac1b(g-g')-(\frac1b-\frac1n)(h-h')$, without it by
    $\frac1n(h-h')$; each difference is at most 2G long (G if one of them is zero).

    Args:
        gradient_bound: G, a bound on the norm of one record's gradient, exact.
        batch: b, the number of records in a sampled batch.
        records: n, the number of records.
        adjacency: Replace-one or zero-out: a fixed number of records is sampled from.

    Raises:
        InvalidArgumentError: Under add-or-remove-one.

    References:
        The bound is the errata's (S4, S6); the paper feeds the sampled difference to a lemma that wants norm 1 (E6).

    >>> variance_reduced_sensitivity(Fraction(1), 1, 10, ReplaceOne).value
    Fraction(19, 5)
    """
    differing = Fraction(_differing(adjacency))
    bound = positive_rational("gradient_bound", gradient_bound)
    moved = largest_move(RATIONAL, bound, Fraction(batch), Fraction(records), differing)
    return Sensitivity(moved, L2, adjacency)


def largest_difference(o: Ops[T], bound: T, batch: T, differing: T) -> T:
    r"""$k\frac{2G}b$: how far a sampled difference alone moves when the batch is the same and k records differ.

    Args:
        bound: G, a bound on the norm of one record's gradient.
        batch: b, the number of records in a sampled batch.
        differing: k: 2 when a record is replaced, 1 when it is nulled.

    >>> largest_difference(RATIONAL, *map(Fraction, (1, 10, 2)))
    Fraction(2, 5)
    """
    return differing * 2 * bound / batch


def sampled_difference_sensitivity(gradient_bound: Fraction, batch: int, adjacency: type[A]) -> Sensitivity[L2, A]:
    r"""How far $\frac1b\sum_{i\in B}(g_i-h_i)$ moves when the batch is the same: $\frac{4G}b$, half if one is nulled.

    Args:
        gradient_bound: G, a bound on the norm of one record's gradient, exact.
        batch: b, the number of records in a sampled batch.
        adjacency: Replace-one or zero-out: a fixed number of records is sampled from.

    Raises:
        InvalidArgumentError: Under add-or-remove-one.

    >>> sampled_difference_sensitivity(Fraction(1), 10, ReplaceOne).value
    Fraction(2, 5)
    """
    bound, differing = positive_rational("gradient_bound", gradient_bound), Fraction(_differing(adjacency))
    return Sensitivity(largest_difference(RATIONAL, bound, Fraction(batch), differing), L2, adjacency)


def _differing(adjacency: type[Adjacency]) -> int:
    """How many gradients of a record a pair of neighbours has."""
    if adjacency not in {ReplaceOne, ZeroOut}:
        raise InvalidArgumentError(
            "adjacency", adjacency.name, "a fixed number of records is sampled from: use replace-one or zero-out"
        )
    return 2 if adjacency is ReplaceOne else 1


def variance_reduced_event(
    gradient_bound: Fraction, batch: int, records: int, std: float, adjacency: type[Adjacency]
) -> Event:
    """The ledger's event of one answer; plain Gaussian if the batch is all records, `NonPrivate` without noise.

    Args:
        gradient_bound: G, a bound on the norm of one record's gradient, exact.
        batch: b, the number of records in a sampled batch.
        records: n, the number of records.
        std: Standard deviation per coordinate in the gradients' unit, a finite double, at least 0.
        adjacency: Replace-one or zero-out.

    Raises:
        InvalidArgumentError: Under add-or-remove-one, if the bound is not positive, or if the batch is larger than the
            data.

    >>> print(variance_reduced_event(Fraction(2), 1, 10, 4.0, ReplaceOne))
    variance_reduced_gaussian(noise_multiplier=2, batch=1, records=10)
    >>> print(variance_reduced_event(Fraction(2), 10, 10, 4.0, ReplaceOne))
    gaussian(noise_multiplier=10)
    """
    sensitivity = variance_reduced_sensitivity(gradient_bound, batch, records, adjacency)
    if std == 0:
        return NonPrivate()
    if batch == records:
        return gaussian_event(sensitivity, std)
    return VarianceReducedGaussian(exact(std) / gradient_bound, batch, records)
