"""Sensitivities of one norm are no sensitivities of another."""

from fractions import Fraction

import numpy as np

from dpref.curator import LiveCurator
from dpref.mechanisms.gaussian import GaussianMechanism, gaussian_event
from dpref.reals import FloatArray
from dpref.units import L1, L2, Linf, ReplaceOne, Sensitivity

l1 = Sensitivity(Fraction(1), L1, ReplaceOne)
l2 = Sensitivity(Fraction(1), L2, ReplaceOne)
linf = Sensitivity(Fraction(1), Linf, ReplaceOne)


def total(data: FloatArray) -> FloatArray:
    return data


GaussianMechanism(l1, 1.0)  # error: [arg-type]
GaussianMechanism(linf, 1.0)  # error: [arg-type]
gaussian_event(l1, 1.0)  # error: [arg-type]

curator = LiveCurator(np.zeros(3), ReplaceOne, np.random.default_rng(0))
curator.gaussian(total, sensitivity=l1, std=1.0, label="total")  # error: [arg-type]
curator.gaussian(total, sensitivity=linf, std=1.0, label="total")  # error: [arg-type]

l1 + l2  # error: [operator]
l2 + linf  # error: [operator]
sum([l1, l2], start=l1)  # error: [type-var]
as_l2: Sensitivity[L2, ReplaceOne] = l1.scale(2)  # error: [assignment]
