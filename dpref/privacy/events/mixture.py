"""The event of a draw from a mixture of exponential mechanisms."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dpref.checks import positive_rational


@final
@dataclass(frozen=True)
class ExponentialMixture:
    r"""One candidate from a fixed mixture of exponential mechanisms, the parts' scores being kept secret.

    Every part is a `dpref.privacy.events.ledger.Exponential` of this epsilon.  The ratio of one outcome's probabilities
    stays within $e^{\pm\varepsilon}$, and every divergence that is jointly convex (the hockey stick) or quasi-convex
    (Rényi's) is at most the largest of the parts.  The log-ratios of two outcomes may differ by more than epsilon: a
    mixture has no bounded range, and what rests on bounded range alone must not be used of it.

    Attributes:
        epsilon: Of every part, exact and positive.
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive_rational("epsilon", self.epsilon))

    def __str__(self) -> str:
        return f"exponential_mixture(epsilon={self.epsilon})"
