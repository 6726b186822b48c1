"""What a plan promises where no formula does: what an accountant certifies of its ledger."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from dpref.errors import InvalidArgumentError
from dpref.privacy.accountants import certify
from dpref.privacy.events.ledger import Ledger
from dpref.reals import decimal_up
from dpref.units import A, ApproximateDP, PrivacyLoss

# Of a promised epsilon, rounded up: accountants that answer at an epsilon are then not asked for their last bit.
PROMISED_DIGITS: Final = 6


def certified_epsilon(spent: Ledger[A], delta: Fraction, digits: int = PROMISED_DIGITS) -> Fraction:
    """The epsilon of a ledger at a delta, certified, as a decimal that is rounded up.

    Args:
        spent: What a run spends.
        delta: Exact, in (0, 1).
        digits: How many the decimal has; fewer where accountants that answer at an epsilon are less sharp.

    Raises:
        InvalidArgumentError: If no finite one is known.

    >>> from dpref.privacy.events.ledger import Gaussian
    >>> from dpref.units import ReplaceOne
    >>> certified_epsilon(Ledger(Gaussian(Fraction(4)), ReplaceOne), Fraction(1, 100))
    Fraction(359851, 1000000)
    """
    epsilon = certify(spent, delta=delta).upper
    if epsilon == math.inf:
        raise InvalidArgumentError("delta", delta, "no finite epsilon is certified at it for so little noise")
    return Fraction(decimal_up(epsilon, digits))


def certified(spent: Ledger[A], delta: Fraction, digits: int = PROMISED_DIGITS) -> PrivacyLoss[ApproximateDP, A]:
    """The same with its delta, as a loss.

    Args:
        spent: What a run spends.
        delta: Exact, in (0, 1).
        digits: Of epsilon.

    Raises:
        InvalidArgumentError: If no finite epsilon is known.

    >>> from dpref.privacy.events.ledger import Gaussian
    >>> from dpref.units import ReplaceOne
    >>> certified(Ledger(Gaussian(Fraction(4)), ReplaceOne), Fraction(1, 100), digits=2).value
    Fraction(9, 25)
    """
    return PrivacyLoss(certified_epsilon(spent, delta, digits), ApproximateDP, spent.adjacency, delta)
