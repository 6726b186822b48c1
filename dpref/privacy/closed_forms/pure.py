r"""Pure differential privacy: the epsilon of a ledger at delta = 0.

At delta = 0 the worst outcome counts, whatever its probability.  Laplace, discrete Laplace and the mechanisms that
choose among finitely many outcomes bound the log-ratio of every outcome's probabilities; composition adds the bounds.
Gaussian noise bounds it by nothing.

References:
    Dwork and Roth, "The algorithmic foundations of differential privacy", 2014, Theorems 3.6, 3.10, 3.14.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from dpref.privacy.events.discrete import DiscreteLaplace
from dpref.privacy.events.ledger import Event, Exponential, Laplace, Ledger, NoisyMax, RandomizedResponse
from dpref.privacy.events.mixture import ExponentialMixture
from dpref.privacy.events.walks import multiplicities
from dpref.units import AddOrRemoveOne, Adjacency


def pure_epsilon(ledger: Ledger[Any]) -> Fraction | float:
    r"""The least epsilon for which a ledger is known to be $(\varepsilon, 0)$-DP: a sum over its events.

    Args:
        ledger: Events and the adjacency under which their parameters are stated.

    Returns:
        Exact; infinite if the ledger has any other event (noise with unbounded loss, no noise, sampling), or a
        randomized response whose absent record's answer would be missing.

    >>> from dpref.privacy.events.expression import parse_event
    >>> from dpref.units import ReplaceOne
    >>> pure_epsilon(Ledger(parse_event("compose(laplace(2), compose(exponential(1/10), 5))"), ReplaceOne))
    Fraction(1, 1)
    """
    total = Fraction(0)
    for event, count in multiplicities(ledger.event).items():
        one = _of_one(event, ledger.adjacency)
        if one is None:
            return math.inf
        total += count * one
    return total


def _of_one(event: Event, adjacency: type[Adjacency]) -> Fraction | None:
    match event:
        case RandomizedResponse(null=None) if adjacency is AddOrRemoveOne:
            return None  # an answer that is missing is seen
        case Laplace(scale):
            return 1 / scale
        case DiscreteLaplace(scale, sensitivity):
            return sensitivity / scale
        case RandomizedResponse(epsilon, _) | Exponential(epsilon) | ExponentialMixture(epsilon) | NoisyMax(epsilon, _):
            return epsilon
        case _:
            return None
