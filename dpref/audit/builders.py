"""From a claim's words to a subject that can be judged and run: one builder an algorithm name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, TypeAlias

from dpref.audit.claims import Claim, Parameter
from dpref.audit.gaussian_mechanism import GaussianMechanismSubject, calibrated_multiplier
from dpref.audit.subjects import Subject
from dpref.errors import InvalidArgumentError

Builder: TypeAlias = Callable[[Claim], Subject]


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

    def integer(self, name: str, default: int | None = None) -> int:
        """An integer that must be there unless it has a default."""
        if default is not None and name not in self._values:
            return default
        value = self.number(name)
        if value.denominator != 1:
            raise InvalidArgumentError(f"parameters.{name}", value, "must be an integer")
        return int(value)

    def text(self, name: str, default: str | None = None) -> str:
        """A word that must be there unless it has a default."""
        if default is not None and name not in self._values:
            return default
        value = self._required(name)
        if not isinstance(value, str):
            raise InvalidArgumentError(f"parameters.{name}", value, "must be text")
        return value

    def _required(self, name: str) -> Parameter:
        try:
            return self._values[name]
        except KeyError:
            raise InvalidArgumentError(f"parameters.{name}", None, "is missing") from None


def gaussian_mechanism(claim: Claim) -> Subject:
    """``gaussian-mechanism``: ``noise_multiplier``, or ``calibration``, ``epsilon`` and ``delta``; and ``count``."""
    given = Parameters(claim, {"noise_multiplier", "calibration", "epsilon", "delta", "count"})
    count = given.integer("count", 1)
    if "noise_multiplier" in given:
        for name in ("calibration", "epsilon", "delta"):
            if name in given:
                raise InvalidArgumentError(
                    f"parameters.{name}", claim.parameters[name], "clashes with noise_multiplier"
                )
        return GaussianMechanismSubject(claim.adjacency, given.number("noise_multiplier"), count, claim.release)
    calibration = given.text("calibration")
    multiplier = calibrated_multiplier(calibration, given.number("epsilon"), given.number("delta"), count)
    return GaussianMechanismSubject(claim.adjacency, multiplier, count, claim.release, calibration)


BUILDERS: Final[Mapping[str, Builder]] = MappingProxyType({"gaussian-mechanism": gaussian_mechanism})


def build(claim: Claim) -> Subject:
    """The subject of a claim.

    Raises:
        InvalidArgumentError: If no builder has that name, or the parameters do not fit it.

    >>> from dpref.audit.catalogue import find
    >>> build(find("dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one")).adjacency.name
    'replace-one'
    """
    if claim.algorithm not in BUILDERS:
        raise InvalidArgumentError("algorithm", claim.algorithm, "must be one of " + ", ".join(BUILDERS))
    return BUILDERS[claim.algorithm](claim)
