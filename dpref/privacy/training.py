r"""What a training by DP-SGD spends: one call for its certified epsilon, and one for the least noise of a budget.

Each of T steps clips every gradient of a random batch to a norm of at most C, adds them up and adds normal noise of
standard deviation $\sigma$ a coordinate.  The noise multiplier is $\sigma/C$, as everywhere in practice.

* ``sampling="poisson"``: every record takes part with probability batch/records, independently in each step.
* ``sampling="fixed"``: each batch is a fresh uniform set of exactly ``batch`` records.

Batches that are cut out of a shuffled epoch are neither: no bound for them that is better than one Gaussian answer an
epoch is proved, and the numbers of Poisson samples can lie far below what they spend (Chua et al. 2024).

The sensitivity is C under add-or-remove-one and zero-out (in a batch of fixed size another record takes the place of an
absent one, and the answer moves by 2C) and 2C under replace-one, where contributions lie in a ball of radius C.

References:
    Abadi et al., "Deep learning with differential privacy", 2016, Algorithm 1.
    Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha and Zhang, "How private are DP-SGD implementations?", 2024.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias, final, get_args
from typing import Literal as OneOf

from dpref.checks import natural, one_of
from dpref.errors import InvalidArgumentError
from dpref.privacy.accountants import BEST, certify
from dpref.privacy.event_calibration import calibrate
from dpref.privacy.events.expression import FileReader, format_event, parse_event, parse_template
from dpref.privacy.events.given import Number, exactly, positively
from dpref.privacy.events.ledger import Event, Gaussian, Ledger, Poisson, Repeat, SampleWithoutReplacement
from dpref.privacy.events.syntax import Literal, Reader
from dpref.privacy.interval import Interval
from dpref.units import Adjacency, ReplaceOne, adjacency_named

Sampling: TypeAlias = OneOf["poisson", "fixed"]

_SHUFFLED: Final = (
    'must be "poisson" or "fixed": of batches that are cut out of a shuffled epoch nothing better is proved than one '
    "Gaussian answer an epoch, gaussian(noise_multiplier) repeated epochs times (under zero-out), and the numbers of "
    "Poisson samples are not theirs"
)
_HOLE: Final = Fraction(1)
_ARGUMENTS: Final = ("records", "batch", "noise_multiplier", "sampling", "epochs", "steps")


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
        accountant: See `dpref.privacy.accountants.certify`.
        limit: Seconds of processor time, likewise.

    Numbers are exact, text such as "1/3", or floats, which are read as the decimal that they print.

    Raises:
        InvalidArgumentError: If an argument breaks its rule.
        PrecisionError: If no accountant reaches a certified answer.

    >>> training = {"records": 60_000, "batch": 256, "epochs": 60, "noise_multiplier": 1.1, "delta": 1e-5}
    >>> print(dpsgd(**training, sampling="poisson", adjacency="add-or-remove-one"))
    epsilon in [2.380954076, 2.383132573]
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
    )
    return certify(ledger, delta=exactly("delta", delta), accountant=accountant, limit=limit)


def training_ledger(
    *,
    records: Number,
    batch: Number,
    noise_multiplier: Number,
    sampling: Sampling,
    adjacency: type[Adjacency] | str,
    epochs: Number | None = None,
    steps: Number | None = None,
) -> Ledger[Any]:
    """The ledger of a training by DP-SGD; the arguments are those of `dpsgd`.

    >>> given = {"records": 100, "batch": 10, "steps": 5, "noise_multiplier": 2, "sampling": "fixed"}
    >>> print(training_ledger(**given, adjacency="replace-one").event.event)
    sample_without_replacement(gaussian(noise_multiplier=1), batch=10, records=100)
    """
    if str(sampling) == "shuffled":
        raise InvalidArgumentError("sampling", sampling, _SHUFFLED)
    one_of("sampling", sampling, get_args(Sampling))
    relation = adjacency_named(adjacency) if isinstance(adjacency, str) else adjacency
    size, n = positively("batch", batch), _integer("records", records)
    if size > n:
        raise InvalidArgumentError("batch", batch, f"must not exceed the number of records, {n}")
    count = _steps(epochs, steps, size / n)
    multiplier = positively("noise_multiplier", noise_multiplier)
    step = _step(multiplier / 2 if relation is ReplaceOne else multiplier, size, n, sampling, relation)
    return Ledger(step if count == 1 else Repeat(step, count), relation)


def _step(multiplier: Fraction, batch: Fraction, records: int, sampling: Sampling, adjacency: type[Adjacency]) -> Event:
    """One step; the multiplier is over the sensitivity, under replace-one twice the clipping norm."""
    answer = Gaussian(multiplier)
    if sampling == "fixed":
        return SampleWithoutReplacement(answer, _integer("batch", batch), records)
    if batch == records:
        return answer
    return Poisson(answer, batch / records, "ball" if adjacency is ReplaceOne else None)


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
    return LeastNoise(
        scale * found.value,
        None if found.beyond is None else scale * found.beyond,
        found.spent,
        training_ledger(**given, noise_multiplier=scale * found.value),
        found.wide,
    )


def ledger_of(text: str, adjacency: type[Adjacency], *, read: FileReader | None = None) -> Ledger[Any]:
    """The ledger that an expression describes: events, or ``dpsgd(...)`` with the arguments of `training_ledger`.

    Args:
        text: Such as ``"dpsgd(records=60000, batch=256, epochs=60, noise_multiplier=1.1, sampling=poisson)"``.
        adjacency: The neighbouring relation.
        read: As of `dpref.privacy.events.expression.parse_event`.

    Raises:
        ExpressionError: If the text breaks the grammar.
        InvalidArgumentError: If an argument of ``dpsgd`` breaks its rule.

    >>> text = "dpsgd(records=100, batch=100/10, steps=5, noise_multiplier=2, sampling=fixed)"
    >>> print(ledger_of(text, ReplaceOne).event.event)
    sample_without_replacement(gaussian(noise_multiplier=1), batch=10, records=100)
    """
    reader = Reader(text, holes=1)
    call = reader.call(0) if text.lstrip().startswith("dpsgd") else None
    if call is None or call.name != "dpsgd":
        return Ledger(parse_event(text, read=read), adjacency)
    reader.end()
    given: dict[str, Any] = {}
    for keyword, argument in call.arguments:
        if keyword not in _ARGUMENTS:
            raise reader.fail(argument.position, "dpsgd takes, by name, " + ", ".join(_ARGUMENTS))
        if keyword in given:
            raise reader.fail(argument.position, f"{keyword} is given twice")
        if not isinstance(argument, Literal) or isinstance(argument.value, tuple):
            raise reader.fail(argument.position, f"{keyword} must be a number, or of sampling a word")
        given[keyword] = argument.value
    missing = [name for name in _ARGUMENTS[:4] if name not in given]
    if missing:
        raise reader.fail(call.position, "dpsgd needs " + ", ".join(missing) + ", and epochs or steps")
    return training_ledger(**given, adjacency=adjacency)


def _steps(epochs: Number | None, steps: Number | None, rate: Fraction) -> int:
    if (epochs is None) == (steps is None):
        raise InvalidArgumentError("epochs", epochs, "exactly one of epochs and steps must be given")
    if steps is not None:
        return _integer("steps", steps)
    return math.ceil(positively("epochs", epochs) / rate)


def _integer(argument: str, value: object) -> int:
    found = positively(argument, value)
    if found.denominator != 1:
        raise InvalidArgumentError(argument, value, "must be an integer")
    return natural(argument, found.numerator)
