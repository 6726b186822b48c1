"""The event of a selection: a mechanism is run a random number of times, and the best outcome alone is released."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, final

from dpref.checks import open_unit, positive_rational
from dpref.errors import InvalidArgumentError


@final
@dataclass(frozen=True)
class Select:
    r"""The best outcome of K independent runs of an event on the same data.

    K is drawn from a public law and is not released; outcomes are ranked by a fixed public order, or by a score that
    depends on the outcome alone, ties broken by fresh noise.  Without runs nothing is released, and that is seen.

    Attributes:
        event: What one run spends.
        eta: None for a Poisson number of runs; else the shape, above -1, of the truncated negative binomial law on 1,
            2, ...: 1 for the geometric law, 0 for the logarithmic one.
        mean: The expected number of runs, exact; positive, and above 1 with a shape.
        gamma: The other parameter of a truncated negative binomial law, in (0, 1), in place of the mean.
    """

    event: Any
    eta: Fraction | None = field(default=None, metadata={"silent": True})
    mean: Fraction | None = field(default=None, metadata={"silent": True})
    gamma: Fraction | None = field(default=None, metadata={"silent": True})

    def __post_init__(self) -> None:
        if self.eta is not None:
            object.__setattr__(self, "eta", _shape(self.eta))
        if (self.mean is None) == (self.gamma is None) or (self.eta is None and self.mean is None):
            rule = "must be given, of a Poisson number of runs; with a shape eta either mean or gamma"
            raise InvalidArgumentError("mean", self.mean, rule)
        if self.gamma is not None:
            object.__setattr__(self, "gamma", open_unit("gamma", self.gamma))
        if self.mean is not None:
            object.__setattr__(self, "mean", positive_rational("mean", self.mean))
            if self.eta is not None and self.mean <= 1:
                raise InvalidArgumentError("mean", self.mean, "must be above 1: there is at least one run")

    def __str__(self) -> str:
        given = {"eta": self.eta, "mean": self.mean, "gamma": self.gamma}
        written = [f"{name}={value}" for name, value in given.items() if value is not None]
        return f"select({', '.join([str(self.event), *written])})"


def _shape(eta: object) -> Fraction:
    if isinstance(eta, bool) or not isinstance(eta, int | Fraction) or eta <= -1:
        raise InvalidArgumentError("eta", eta, "must be an exact number above -1")
    return Fraction(eta)
