"""A training by DP-SGD as an expression: ``dpsgd(records=..., batch=..., ...)``, read where events are read."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, final

from dpref.checks import rational
from dpref.errors import ExpressionError, InvalidArgumentError
from dpref.privacy.events.expression import MOST_ANSWERS, FileReader, Template, parse_event, parse_template
from dpref.privacy.events.ledger import Event, Ledger
from dpref.privacy.events.syntax import Call, Hole, Literal, Reader
from dpref.privacy.training import training_ledger
from dpref.reals import Exact
from dpref.units import Adjacency, ReplaceOne

_OPEN: Final = ("noise_multiplier", "steps")
_ARGUMENTS: Final = ("records", "batch", "noise_multiplier", "sampling", "epochs", "steps", "truncated_batch")


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
    call = _training_call(text, holes=1)
    if call is None:
        return Ledger(parse_event(text, read=read), adjacency)
    given, _ = _arguments(text, call, None)
    return training_ledger(**given, adjacency=adjacency)


@final
@dataclass(frozen=True)
class TrainingTemplate(Template):
    """A ``dpsgd(...)`` with one number left open; its ledgers are those of one adjacency."""

    adjacency: type[Adjacency] = ReplaceOne

    def fill(self, value: Exact) -> Event:
        """The event with that value.

        Args:
            value: Exact.

        Raises:
            ExpressionError: If the value is not allowed there.
        """
        filled = rational("value", value)
        try:
            return training_ledger(**_arguments(self.text, self._call, filled)[0], adjacency=self.adjacency).event
        except InvalidArgumentError as error:
            raise ExpressionError(self.text, 0, str(error)) from None

    def largest_count(self) -> int:
        """The largest number of steps."""
        return MOST_ANSWERS


def template_of(text: str, adjacency: type[Adjacency], *, read: FileReader | None = None) -> Template:
    """What an expression with one ``?`` describes: events, or ``dpsgd(...)`` with its noise or steps left open.

    Args:
        text: Such as ``"dpsgd(records=100, batch=10, epochs=3, noise_multiplier=?, sampling=poisson)"``.
        adjacency: The neighbouring relation.
        read: As of `dpref.privacy.events.expression.parse_event`.

    Raises:
        ExpressionError: If the text breaks the grammar, has no ``?``, or leaves something else open.
        InvalidArgumentError: If an argument of ``dpsgd`` breaks its rule.

    >>> text = "dpsgd(records=100, batch=10, steps=5, noise_multiplier=?, sampling=poisson)"
    >>> template = template_of(text, ReplaceOne)
    >>> template.parameter, str(template.fill(2).event)
    ('noise_multiplier', 'poisson(gaussian(noise_multiplier=1), rate=1/10, contribution=ball)')
    """
    call = _training_call(text, holes=1)
    if call is None:
        return parse_template(text, read=read)
    given, hole = _arguments(text, call, Fraction(1))
    if hole is None:
        raise ExpressionError(text, len(text), "one number must be '?'")
    training_ledger(**given, adjacency=adjacency)  # what is wrong with one step or unit noise is wrong with all
    return TrainingTemplate(text, hole, hole == "steps", call, None, adjacency)


def _training_call(text: str, holes: int) -> Call | None:
    """The call of ``dpsgd``, if the text is one."""
    if not text.lstrip().startswith("dpsgd"):
        return None
    reader = Reader(text, holes=holes)
    call = reader.call(0)
    if call.name != "dpsgd":
        return None
    reader.end()
    return call


def _arguments(text: str, call: Call, filling: Fraction | None) -> tuple[dict[str, Any], str | None]:
    """The arguments of a training, with what stands for an open one, and the open one's name."""
    given: dict[str, Any] = {}
    hole: str | None = None
    for keyword, argument in call.arguments:
        if keyword not in _ARGUMENTS:
            raise ExpressionError(text, argument.position, "dpsgd takes, by name, " + ", ".join(_ARGUMENTS))
        if keyword in given:
            raise ExpressionError(text, argument.position, f"{keyword} is given twice")
        if isinstance(argument, Hole) and filling is not None:
            if keyword not in _OPEN:
                raise ExpressionError(text, argument.position, "of dpsgd only these may be open: " + ", ".join(_OPEN))
            given[keyword], hole = filling, keyword
            continue
        if not isinstance(argument, Literal) or isinstance(argument.value, tuple):
            raise ExpressionError(text, argument.position, f"{keyword} must be a number, or of sampling a word")
        given[keyword] = argument.value
    missing = [name for name in _ARGUMENTS[:4] if name not in given]
    if missing:
        raise ExpressionError(text, call.position, "dpsgd needs " + ", ".join(missing) + ", and epochs or steps")
    return given, hole
