"""Losses of one measure are no losses of another."""

from fractions import Fraction

from dpref.mechanisms.gaussian import GaussianMechanism
from dpref.units import GDP, L2, ZCDP, ApproximateDP, PrivacyLoss, PureDP, ReplaceOne, Sensitivity

pure = PrivacyLoss(Fraction(1), PureDP, ReplaceOne)
approximate = PrivacyLoss(Fraction(1), ApproximateDP, ReplaceOne, Fraction(1, 10**6))
zcdp = PrivacyLoss(Fraction(1), ZCDP, ReplaceOne)
gdp = PrivacyLoss(Fraction(1), GDP, ReplaceOne)
mechanism = GaussianMechanism(Sensitivity(Fraction(1), L2, ReplaceOne), 1.0)

pure + zcdp  # error: [operator]
pure + approximate  # error: [operator]
zcdp + gdp  # error: [operator]
mechanism.zcdp() + mechanism.gdp()  # error: [operator]
budget: PrivacyLoss[PureDP, ReplaceOne] = mechanism.zcdp()  # error: [assignment]
