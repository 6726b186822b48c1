"""What is stated under one adjacency says nothing under another, and there is no default."""

from fractions import Fraction

import numpy as np

from dpref.curator import LiveCurator
from dpref.mechanisms.gaussian import GaussianMechanism
from dpref.privacy.events.ledger import Gaussian, Ledger
from dpref.reals import FloatArray
from dpref.units import L2, ZCDP, AddOrRemoveOne, PrivacyLoss, ReplaceOne, Sensitivity, ZeroOut

replaced = Sensitivity(Fraction(2), L2, ReplaceOne)
zeroed = Sensitivity(Fraction(1), L2, ZeroOut)


def total(data: FloatArray) -> FloatArray:
    return data


replaced + zeroed  # error: [operator]
PrivacyLoss(Fraction(1), ZCDP, ReplaceOne) + PrivacyLoss(Fraction(1), ZCDP, ZeroOut)  # error: [arg-type]
GaussianMechanism(replaced, 1.0).zcdp() + GaussianMechanism(zeroed, 1.0).zcdp()  # error: [operator]

event = Gaussian(Fraction(1))
Ledger(event, ReplaceOne) + Ledger(event, AddOrRemoveOne)  # error: [arg-type]
Ledger(event, ReplaceOne) + event  # error: [operator]

curator = LiveCurator(np.zeros(3), ReplaceOne, np.random.default_rng(0))
curator.gaussian(total, sensitivity=zeroed, std=1.0, label="total")  # error: [arg-type]
spent: Ledger[ZeroOut] = curator.ledger  # error: [assignment]

Sensitivity(Fraction(1), L2)  # error: [call-arg]
PrivacyLoss(Fraction(1), ZCDP)  # error: [call-arg]
Ledger(event)  # error: [call-arg]
Sensitivity(Fraction(1), L2, "replace-one")  # error: [arg-type]
