r"""What a training by DP-SGD spends: one call for its certified epsilon, and one for the least noise of a budget.

Each of T steps clips every gradient of a random batch to a norm of at most C, adds them up and adds normal noise of
standard deviation $\sigma$ a coordinate.  The noise multiplier is $\sigma/C$, as everywhere in practice.

* ``sampling="poisson"``: every record takes part with probability batch/records, independently in each step.
* ``sampling="fixed"``: each batch is a fresh uniform set of exactly ``batch`` records.
* ``sampling="truncated-poisson"``: as ``"poisson"``, but of more than ``truncated_batch`` records a uniform subset of
  that size is kept (for hardware that wants batches of one shape; smaller ones are padded).
* ``sampling="allocation"``, or ``"balls-in-bins"``: in every epoch each record goes into one of $\lceil n/b\rceil$
  batches, uniformly and independently of the others.
* ``sampling="shuffled"``: in every epoch the records are put into a fresh random order that is cut into batches.
  What is certified is two-sided and wide: above no amplification is proved, and the numbers of Poisson samples, which
  are commonly reported, often lie below what is attained (Chua et al. 2024).  The call says so by a
  `dpref.errors.PoissonAccountingWarning` with both numbers.

The sensitivity is C under add-or-remove-one and zero-out (in a batch of fixed size another record takes the place of an
absent one, and the answer moves by 2C) and 2C under replace-one, where contributions lie in a ball of radius C.

References:
    Abadi et al., "Deep learning with differential privacy", 2016, Algorithm 1.
    Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha and Zhang, "How private are DP-SGD implementations?", 2024.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias, final, get_args
from typing import Literal as OneOf

from dpref.checks import one_of
from dpref.errors import InvalidArgumentError, PoissonAccountingWarning
from dpref.privacy.accountants import BEST, certify
from dpref.privacy.event_calibration import calibrate
from dpref.privacy.events.allocation import RandomAllocation, Shuffled
from dpref.privacy.events.expression import (
    format_event,
    parse_template,
)
from dpref.privacy.events.given import Number, epochs_of, exactly, integer, positively, steps_of
from dpref.privacy.events.ledger import Event, Gaussian, Ledger, Poisson, Repeat, SampleWithoutReplacement
from dpref.privacy.events.sampled import TruncatedPoisson
from dpref.privacy.interval import Interval
from dpref.privacy.shuffling import poisson_instead
from dpref.units import Adjacency, ReplaceOne, adjacency_named

Sampling: TypeAlias = OneOf["poisson", "fixed", "truncated-poisson", "allocation", "balls-in-bins", "shuffled"]

_HOLE: Final = Fraction(1)


def dpsgd(
    *,
    records: Number,
    batch: Number,
    noise_multiplier: Number,
    delta: Number,
    sampling: Sampling,
    adjacency: type[Adjacency] | str,
    epochs: Number | None = None,
    steps: Number | None = None,
    truncated_batch: Number | None = None,
    accountant: str = BEST,
    limit: float | Fraction | None = None,
) -> Interval:
    """The epsilon of a training by DP-SGD, as a certified interval.

    Args:
        records: n, the size of the data set, public (under add-or-remove-one of the larger one).
        batch: Records in a batch; of Poisson samples their expected number, which need not be an integer.
        noise_multiplier: Standard deviation of the noise over the clipping norm, positive.
        delta: The delta of (epsilon, delta)-DP, in (0, 1).
        sampling: How batches are drawn; there is no default, because the answer depends on it.
        adjacency: The neighbouring relation, or its name; there is no default either.
        epochs: Then there are as many steps as it takes to see so many times n records, rounded up.
        steps: Or the number of steps.  Exactly one of the two is given.
        truncated_batch: Most records in a batch, an integer; given of truncated Poisson samples, and of these alone.
        accountant: See `dpref.privacy.accountants.certify`.
        limit: Seconds of processor time, likewise.

    Numbers are exact, text such as "1/3", or floats, which are read as the decimal that they print.

    Raises:
        InvalidArgumentError: If an argument breaks its rule.
        PrecisionError: If no accountant reaches a certified answer.

    >>> training = {"records": 60_000, "batch": 256, "epochs": 60, "noise_multiplier": 1.1, "delta": 1e-5}
    >>> print(dpsgd(**training, sampling="poisson", adjacency="add-or-remove-one"))
    epsilon in [2.380954048, 2.383132573]
    """
    multiplier = positively("noise_multiplier", noise_multiplier)
    ledger = training_ledger(
        records=records,
        batch=batch,
        noise_multiplier=multiplier,
        sampling=sampling,
        adjacency=adjacency,
        epochs=epochs,
        steps=steps,
        truncated_batch=truncated_batch,
    )
    d = exactly("delta", delta)
    found = certify(ledger, delta=d, accountant=accountant, limit=limit)
    _warn(ledger, found, d)
    return found


def training_ledger(
    *,
    records: Number,
    batch: Number,
    noise_multiplier: Number,
    sampling: Sampling,
    adjacency: type[Adjacency] | str,
    epochs: Number | None = None,
    steps: Number | None = None,
    truncated_batch: Number | None = None,
) -> Ledger[Any]:
    """The ledger of a training by DP-SGD; the arguments are those of `dpsgd`.

    >>> given = {"records": 100, "batch": 10, "steps": 5, "noise_multiplier": 2, "sampling": "fixed"}
    >>> print(training_ledger(**given, adjacency="replace-one").event.event)
    sample_without_replacement(gaussian(noise_multiplier=1), batch=10, records=100)
    """
    one_of("sampling", sampling, get_args(Sampling))
    relation = adjacency_named(adjacency) if isinstance(adjacency, str) else adjacency
    size, n = positively("batch", batch), integer("records", records)
    if size > n:
        raise InvalidArgumentError("batch", batch, f"must not exceed the number of records, {n}")
    multiplier = positively("noise_multiplier", noise_multiplier)
    most = None if truncated_batch is None else integer("truncated_batch", truncated_batch)
    if (most is None) == (sampling == "truncated-poisson"):
        rule = "must be given with truncated-poisson sampling, and with no other"
        raise InvalidArgumentError("truncated_batch", truncated_batch, rule)
    if most is not None and most > n:
        raise InvalidArgumentError("truncated_batch", most, f"must not exceed the number of records, {n}")
    answer = Gaussian(multiplier / 2 if relation is ReplaceOne else multiplier)
    if sampling in {"allocation", "balls-in-bins", "shuffled"}:
        batches = math.ceil(n / size)
        count = epochs_of(epochs, steps, batches)
        step = _epoch(answer, batches, sampling, relation)
    else:
        count = steps_of(epochs, steps, size / n)
        step = _fixed(answer, size, n) if sampling == "fixed" else _step(answer, size, n, most, relation)
    return Ledger(step if count == 1 else Repeat(step, count), relation)


def _step(answer: Gaussian, batch: Fraction, records: int, most: int | None, adjacency: type[Adjacency]) -> Event:
    """One step on a Poisson sample, cut to the most records if there is such a number."""
    contribution: OneOf["ball"] | None = "ball" if adjacency is ReplaceOne else None
    if most is not None:
        return TruncatedPoisson(answer, batch / records, most, records, contribution)
    return answer if batch == records else Poisson(answer, batch / records, contribution)


def _fixed(answer: Gaussian, batch: Fraction, records: int) -> Event:
    return SampleWithoutReplacement(answer, integer("batch", batch), records)


def _epoch(answer: Gaussian, batches: int, sampling: Sampling, adjacency: type[Adjacency]) -> Event:
    if sampling == "shuffled":
        return Shuffled(answer, batches)
    return RandomAllocation(answer, batches, contribution="ball" if adjacency is ReplaceOne else None)


def _warn(ledger: Ledger[Any], found: Interval, delta: Fraction) -> None:
    """Of shuffled batches, say what Poisson samples would spend."""
    both = poisson_instead(ledger, found, delta=delta)
    if both is not None:
        warnings.warn(str(both), PoissonAccountingWarning, stacklevel=3)


@final
@dataclass(frozen=True)
class LeastNoise:
    """A noise multiplier that provably meets a budget, beside one that provably does not.

    Attributes:
        value: Standard deviation over clipping norm, exact.
        beyond: A smaller one that does not meet the budget, as near as was decided; None if none is known.
        spent: Epsilon at the value, within the budget.
        ledger: What is spent at the value.
        wide: Whether a limit of time stopped the search.
    """

    value: Fraction
    beyond: Fraction | None
    spent: Interval
    ledger: Ledger[Any]
    wide: bool = False

    def __float__(self) -> float:
        return float(self.value)


def noise_for(
    *,
    epsilon: Number,
    delta: Number,
    records: Number,
    batch: Number,
    sampling: Sampling,
    adjacency: type[Adjacency] | str,
    epochs: Number | None = None,
    steps: Number | None = None,
    truncated_batch: Number | None = None,
    digits: int | None = None,
    accountant: str = BEST,
    limit: float | Fraction | None = None,
) -> LeastNoise:
    """The least noise multiplier with which a training by DP-SGD provably meets a budget.

    Args:
        epsilon: The epsilon of (epsilon, delta)-DP, positive.
        delta: The delta of (epsilon, delta)-DP, in (0, 1).
        records: As all further ones but ``digits``: see `dpsgd`.
        batch: As of `dpsgd`.
        sampling: As of `dpsgd`.
        adjacency: As of `dpsgd`.
        epochs: As of `dpsgd`.
        steps: As of `dpsgd`.
        truncated_batch: As of `dpsgd`.
        digits: Significant digits; by default as many as are decided, at most 6.
        accountant: As of `dpsgd`.
        limit: Seconds of processor time.

    Raises:
        BudgetError: If no noise meets the budget.
        InvalidArgumentError: If an argument breaks its rule.

    >>> step = {"records": 1000, "batch": 10, "steps": 1, "sampling": "poisson", "adjacency": "zero-out"}
    >>> found = noise_for(epsilon=1, delta=1e-5, **step)
    >>> float(found), found.spent.upper <= 1
    (0.673793, True)
    """
    relation = adjacency_named(adjacency) if isinstance(adjacency, str) else adjacency
    scale = 2 if relation is ReplaceOne else 1  # of the sensitivity in units of the clipping norm
    given: dict[str, Any] = {
        "records": records,
        "batch": batch,
        "sampling": sampling,
        "adjacency": relation,
        "epochs": epochs,
        "steps": steps,
        "truncated_batch": truncated_batch,
    }
    one = training_ledger(**given, noise_multiplier=scale * _HOLE)
    text = format_event(one.event).replace(f"noise_multiplier={_HOLE}", "noise_multiplier=?", 1)
    found = calibrate(
        parse_template(text),
        epsilon=positively("epsilon", epsilon),
        delta=exactly("delta", delta),
        adjacency=relation,
        accountant=accountant,
        digits=digits,
        limit=limit,
    )
    ledger = training_ledger(**given, noise_multiplier=scale * found.value)
    _warn(ledger, found.spent, exactly("delta", delta))
    beyond = None if found.beyond is None else scale * found.beyond
    return LeastNoise(scale * found.value, beyond, found.spent, ledger, found.wide)
