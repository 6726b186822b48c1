"""What must type-check: the same operations, used as they are meant."""

from fractions import Fraction
from typing import assert_type

import numpy as np
from flint import arb

from dpref.curator import LiveCurator, RecordingCurator, ReplayingCurator
from dpref.mechanisms.gaussian import GaussianMechanism
from dpref.privacy.closed_forms.conversions import zcdp_epsilon
from dpref.privacy.closed_forms.divergences import gaussian_delta
from dpref.privacy.events.ledger import Compose, Gaussian, Ledger, Repeat
from dpref.reals import BALL, FLOAT, Array, FloatArray, ball, evaluate, upper
from dpref.units import GDP, L1, L2, ZCDP, Adjacency, PrivacyLoss, ReplaceOne, Sensitivity, ZeroOut, adjacency_named


def total(data: FloatArray) -> FloatArray:
    return data


l1 = Sensitivity(Fraction(1), L1, ReplaceOne)
l2 = Sensitivity(Fraction(1, 3), L2, ReplaceOne)
assert_type(l1, Sensitivity[L1, ReplaceOne])
assert_type(l2 + l2.scale(3), Sensitivity[L2, ReplaceOne])

mechanism = GaussianMechanism(l2, 2.0)
assert_type(mechanism.zcdp() + mechanism.zcdp(), PrivacyLoss[ZCDP, ReplaceOne])
assert_type(mechanism.gdp(), PrivacyLoss[GDP, ReplaceOne])

event = Gaussian(Fraction(3, 2))
assert_type(Ledger(event, ZeroOut) + Ledger(Repeat(Compose((event,)), 3), ZeroOut), Ledger[ZeroOut])

generator = np.random.default_rng(0)
live = LiveCurator(np.zeros(3), ReplaceOne, generator)
assert_type(live.gaussian(total, sensitivity=l2, std=1.0, label="total"), Array)
assert_type(live.ledger, Ledger[ReplaceOne])
recording = RecordingCurator(np.zeros(3), ReplaceOne, generator)
ReplayingCurator(np.ones(3), ReplaceOne, recording.transcript, force="answers")

assert_type(zcdp_epsilon(FLOAT, 0.5, 8.0), float)
assert_type(gaussian_delta(BALL, ball(1), ball(Fraction(1, 2))), arb)
assert_type(upper(evaluate(lambda: zcdp_epsilon(BALL, ball(1), ball(8)))), float)


def of_any_adjacency(adjacency: type[Adjacency]) -> Ledger[Adjacency]:
    """A name that is known at run time only gives the base class; the run-time checks then hold the rule."""
    return Ledger(event, adjacency) + Ledger(event, adjacency)


of_any_adjacency(adjacency_named("zero-out"))
