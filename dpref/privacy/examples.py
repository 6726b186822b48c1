"""A ledger that the examples of the accountants start from."""

from __future__ import annotations

from fractions import Fraction

from dpref.privacy.events.ledger import Gaussian, Ledger, Poisson, Repeat
from dpref.units import AddOrRemoveOne


def sampled_gaussians(steps: int) -> Ledger[AddOrRemoveOne]:
    """What DP-SGD spends with noise multiplier 1, if each record enters a step with probability 1/100.

    Args:
        steps: Number of steps.

    >>> print(sampled_gaussians(steps=1000))
    compose(poisson(gaussian(noise_multiplier=1), rate=1/100), 1000) under add-or-remove-one
    """
    return Ledger(Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 100)), steps), AddOrRemoveOne)
