r"""A Gaussian answer to a query on a random, secret batch: of fixed size without replacement, or a Poisson one.

References:
    Balle, Barthe and Gaboardi, "Privacy amplification by subsampling", 2018.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, TypeAlias, get_args

from dpref.checks import natural, one_of
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.gaussian import gaussian_event
from dpref.privacy.events.ledger import Event, NonPrivate, Poisson, SampleWithoutReplacement
from dpref.units import L2, A, ReplaceOne, Sensitivity, ZeroOut

Sampling: TypeAlias = Literal["fixed", "poisson"]


def sampled_gaussian_event(
    sensitivity: Sensitivity[L2, A], std: float, sampling: Sampling, batch: int, records: int
) -> Event:
    """The ledger's event of one answer; plain Gaussian if the batch is all records, `NonPrivate` without noise.

    Args:
        sensitivity: Of the query on a batch that has the record, exact.
        std: Standard deviation per coordinate in the query's unit, a finite double, at least 0.
        sampling: ``"fixed"``, a uniform set of b of the n records, or ``"poisson"``, each with probability b/n.
        batch: b, at most n.
        records: n, public.

    Raises:
        InvalidArgumentError: If an argument is out of its domain, or no accountant bounds such a sample under the
            adjacency.

    >>> one = Sensitivity(Fraction(1), L2, ZeroOut)
    >>> print(sampled_gaussian_event(one, 4.0, "poisson", 1, 10))
    poisson(gaussian(noise_multiplier=4), rate=1/10)
    """
    one_of("sampling", sampling, get_args(Sampling))
    if natural("batch", batch) > natural("records", records):
        raise InvalidArgumentError("batch", batch, f"must be at most the number of records, {records}")
    if sensitivity.adjacency not in {ReplaceOne, ZeroOut}:
        rule = "a fixed number of records is sampled from: use replace-one or zero-out"
        raise InvalidArgumentError("adjacency", sensitivity.adjacency.name, rule)
    event = gaussian_event(sensitivity, std)
    if batch == records or event == NonPrivate():
        return event
    if sampling == "fixed":
        return SampleWithoutReplacement(event, batch, records)
    if sensitivity.adjacency is ReplaceOne:
        rule = 'a replaced record may move a Poisson sample either way in every step: use zero-out, or "fixed"'
        raise InvalidArgumentError("sampling", sampling, rule)
    return Poisson(event, Fraction(batch, records))
