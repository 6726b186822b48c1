"""Losses under replace-one, by their measure."""

from __future__ import annotations

from fractions import Fraction

from dpref.units import ZCDP, ApproximateDP, PrivacyLoss, PureDP, ReplaceOne


def pure(epsilon: Fraction) -> PrivacyLoss[PureDP, ReplaceOne]:
    return PrivacyLoss(epsilon, PureDP, ReplaceOne)


def approximate(epsilon: Fraction, delta: Fraction) -> PrivacyLoss[ApproximateDP, ReplaceOne]:
    return PrivacyLoss(epsilon, ApproximateDP, ReplaceOne, delta)


def zcdp_loss(rho: Fraction) -> PrivacyLoss[ZCDP, ReplaceOne]:
    return PrivacyLoss(rho, ZCDP, ReplaceOne)
