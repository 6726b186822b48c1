"""Every error that dpref raises: each names the argument, the value and the rule that it breaks."""

from __future__ import annotations

from fractions import Fraction


class DprefError(Exception):
    """Base class of all errors raised by dpref."""


class InvalidArgumentError(DprefError, ValueError):
    """An argument breaks a rule of the function that it was given to.

    Args:
        argument: Name of the argument, as the caller knows it.
        value: The offending value (shown, shortened, in the message).
        rule: What must hold, as a phrase: ``"must be positive"``.
    """

    def __init__(self, argument: str, value: object, rule: str) -> None:
        shown = str(value) if isinstance(value, Fraction) else repr(value)
        if len(shown) > 80:
            shown = shown[:77] + "..."
        super().__init__(f"{argument} = {shown}: {rule}")
        self.argument = argument
        self.rule = rule


class UnsupportedEventError(DprefError):
    """An accountant was asked for an event that it cannot bound; it never guesses."""


class PoissonAccountingWarning(UserWarning):
    """The batches asked about are shuffled: what is commonly reported for them is the number of Poisson samples."""


class PrecisionError(DprefError, ArithmeticError):
    """Ball arithmetic did not reach the wanted accuracy within its precision limit."""


class OutOfTimeError(DprefError):
    """The limit of time of a question is over; whoever asked it answers with what is proved so far."""


class UnknownClaimError(DprefError, KeyError):
    """No claim of that name exists in the catalogue."""

    def __str__(self) -> str:
        return str(self.args[0])


class DocumentError(DprefError, ValueError):
    """A text is not JSON, or does not follow its schema; the message names the place in it."""


class ClaimFileError(DprefError, ValueError):
    """A claims file is not JSON, or does not follow the published schema."""


class MissingExtraError(DprefError, ImportError):
    """An optional dependency is needed; the message names the extra that brings it."""


class ExpressionError(DprefError, ValueError):
    """A text is not an event expression.

    Args:
        text: The whole text.
        position: Where it stops making sense, counted from 0.
        rule: What must hold there, as a phrase: ``"must be an exact number"``.
    """

    def __init__(self, text: str, position: int, rule: str) -> None:
        rest = text[position : position + 20]
        where = f"at {rest!r}" if rest else "at the end"
        super().__init__(f"column {position + 1}, {where}: {rule}")
        self.position = position
        self.rule = rule


class WorkerError(DprefError):
    """A process that worked beside this one ended before its work did; the message says what is lost."""


class BudgetError(DprefError):
    """No value of the open parameter meets the budget, or every value does."""


class BudgetExceededError(DprefError):
    """A privacy filter refused a release: its loss does not fit what is left of the budget; nothing was spent."""


class LeakError(DprefError):
    """A compiled kernel reads the private data other than through its queries."""


class StoreError(DprefError):
    """A store of results says two things, or cannot be what it is taken for; the message names the file."""


class ChunkError(DprefError):
    """A part of a long audit failed each time that it was tried; the message names it and the cause."""


class ForeignCodeError(DprefError):
    """Somebody else's callable did what it must not: it raised, printed, changed its data, or never came back."""
