# pyright: strict
"""What somebody else's typed code looks like: public names alone, under mypy and under pyright's strictest rules."""

from fractions import Fraction
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import dpref
from dpref.foreign import DPClaim, Judgement

Rows = NDArray[np.float64]


def total(data: Rows, rng: np.random.Generator) -> float:
    return float(data.sum()) + rng.laplace(scale=2.0)


ledger = dpref.Ledger(dpref.Repeat(dpref.Gaussian(Fraction(100)), 10_000), dpref.ReplaceOne)
assert_type(ledger, dpref.Ledger[dpref.ReplaceOne])

spent = dpref.epsilon(ledger, Fraction(1, 10**6))
assert_type(spent, dpref.Interval)
assert_type(spent.upper, float)
assert_type(dpref.delta(ledger, Fraction(1)).lower, float)

pair = np.zeros(9), np.eye(9)[0]
verdict = dpref.audit_mechanism(total, pair, DPClaim(Fraction(1)), adjacency=dpref.ReplaceOne, trials=400)
assert_type(verdict, Judgement)
assert_type(verdict.outcome == "refuted", bool)

claims = dpref.catalogue()
assert_type(claims, tuple[dpref.Claim, ...])
assert_type(claims[0].id, str)

try:
    dpref.epsilon(ledger, Fraction(2))
except dpref.InvalidArgumentError as error:
    assert_type(error.argument, str)
    assert_type(error.rule, str)
