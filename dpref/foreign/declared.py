"""What a callable says of itself, composed and compared with the claim: declared, never believed."""

from __future__ import annotations

from typing import Any

from dpref.errors import InvalidArgumentError, PrecisionError, UnsupportedEventError
from dpref.foreign.claims import Claim, DPClaim, ZCDPClaim
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms.gaussian import gdp, zcdp
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.interval import Interval
from dpref.reals import BALL, DEFAULT_PRECISION, ball, float_down, float_up, lower, precision, upper
from dpref.units import Adjacency

_SMALLER: str = "the claim does not follow from the declared ledger, which spends more"
_UNBOUNDED: str = "the declared ledger cannot be composed"


def declared_loss(ledger: Ledger[Any], claim: Claim, adjacency: type[Adjacency]) -> tuple[Interval | None, str]:
    """What a ledger spends in the terms of a claim, and a remark if the claim does not follow from it.

    Args:
        ledger: What the callable says that it does.
        claim: What is claimed of it.
        adjacency: Under which relation.

    Returns:
        Epsilon at the claimed delta (with delta = 0: delta at the claimed epsilon), rho, or mu; None if no accountant
        bounds the ledger; and the remark.

    Raises:
        InvalidArgumentError: If the ledger is about another relation.

    >>> from fractions import Fraction
    >>> from dpref import Gaussian, ReplaceOne
    >>> said = Ledger(Gaussian(Fraction(1)), ReplaceOne)
    >>> declared_loss(said, DPClaim(Fraction(1), Fraction(1, 10**5)), ReplaceOne)[1]
    'the claim does not follow from the declared ledger, which spends more'
    """
    if ledger.adjacency is not adjacency:
        raise InvalidArgumentError("ledger", ledger.adjacency.name, f"must be about {adjacency.name}, as the claim is")
    try:
        loss, claimed = _loss(ledger, claim)
    except (UnsupportedEventError, PrecisionError) as error:
        return None, f"{_UNBOUNDED}: {error}"
    return loss, _SMALLER if claimed < loss.lower else ""


def _loss(ledger: Ledger[Any], claim: Claim) -> tuple[Interval, float]:
    if isinstance(claim, DPClaim):
        if claim.delta:
            return certify(ledger, delta=claim.delta), float(claim.epsilon)
        return certify(ledger, epsilon=claim.epsilon), 0.0
    if isinstance(claim, ZCDPClaim):
        rho = zcdp(ledger).value
        return Interval(float_down(rho), float_up(rho), "rho", "zCDP", DEFAULT_PRECISION, ledger.adjacency), float(
            claim.rho
        )
    with precision(DEFAULT_PRECISION):
        mu = BALL.sqrt(ball(gdp(ledger).value))
        ends = lower(mu), upper(mu)
    return Interval(*ends, "mu", "GDP", DEFAULT_PRECISION, ledger.adjacency), float(claim.value)
