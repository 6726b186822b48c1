"""A claim's parameters, as builders read them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from dpref.algorithms.forms import Form
from dpref.audit.claim_files import exact_number
from dpref.audit.claims import Claim, Parameter
from dpref.checks import runnable
from dpref.errors import InvalidArgumentError

# A printed formula may be judged without the range that its theorem gives it.
FORMS: Final[Mapping[str, Form]] = MappingProxyType(
    {"as-printed": Form.AS_PRINTED, "repaired": Form.REPAIRED, "without-range": Form.AS_PRINTED}
)


def form_of(claim: Claim) -> Form:
    """The form of the algorithm that a claim is about: the one that its form is, or begins with before a suffix.

    Raises:
        InvalidArgumentError: If it is neither: a slip of the pen must not audit the other form.
    """
    for name, form in FORMS.items():
        if claim.form == name or claim.form.startswith(name + "-"):
            return form
    rule = "must be " + " or ".join(FORMS) + ", or one of these with a suffix"
    raise InvalidArgumentError("form", claim.form, rule)


MOST_TO_RUN: Final = 10_000
MOST_STEPS: Final = 100_000  # of one run with short steps
MOST_STORED: Final = 1_000_000  # records of few numbers each
MOST_NUMBERS: Final = 10_000_000  # in one array
MOST_PUBLIC: Final = 10**9  # a size that is only calculated with


class Parameters:
    """A claim's parameters, read by name and checked for leftovers.

    Args:
        claim: Whose parameters they are.
        names: Every name that the builder knows.

    Raises:
        InvalidArgumentError: If the claim has a parameter that the builder does not know.
    """

    def __init__(self, claim: Claim, names: Collection[str]) -> None:
        self._values: Mapping[str, Parameter] = claim.parameters
        for name, value in self._values.items():
            if name not in names:
                raise InvalidArgumentError(
                    f"parameters.{name}", value, f"{claim.algorithm} knows the parameters " + ", ".join(sorted(names))
                )

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def number(self, name: str) -> Fraction:
        """An exact number that must be there."""
        value = self._required(name)
        if isinstance(value, str):
            raise InvalidArgumentError(f"parameters.{name}", value, "must be an exact number")
        return Fraction(value)

    def integer(self, name: str, default: int | None = None, *, most: int = MOST_TO_RUN) -> int:
        """An integer that must be there unless it has a default, and not too large for a run in memory."""
        if default is not None and name not in self._values:
            return default
        value = self.number(name)
        if value.denominator != 1:
            raise InvalidArgumentError(f"parameters.{name}", value, "must be an integer")
        if value > most:
            raise InvalidArgumentError(f"parameters.{name}", value, f"must be at most {most} to be run")
        return int(value)

    def fits(self, what: str, names: Collection[str], size: int, most: int) -> None:
        """Refuse parameters that fit one by one, and whose product does not fit into memory or into a day."""
        if size > most:
            place = ", ".join(f"parameters.{name}" for name in names)
            shown = ", ".join(str(self._values.get(name)) for name in names)
            raise InvalidArgumentError(place, shown, f"must make at most {most} {what} to be run")

    def text(self, name: str, default: str | None = None) -> str:
        """A word that must be there unless it has a default."""
        if default is not None and name not in self._values:
            return default
        value = self._required(name)
        if not isinstance(value, str):
            raise InvalidArgumentError(f"parameters.{name}", value, "must be text")
        return value

    def numbers(self, name: str) -> tuple[Fraction, ...]:
        """Exact numbers with commas between them (one alone is a number already)."""
        value = self._required(name)
        if not isinstance(value, str):
            return (Fraction(value),)
        place = f"parameters.{name}"
        return tuple(Fraction(runnable(place, exact_number(part.strip(), place))) for part in value.split(","))

    def _required(self, name: str) -> Parameter:
        try:
            return self._values[name]
        except KeyError:
            raise InvalidArgumentError(f"parameters.{name}", None, "is missing") from None
