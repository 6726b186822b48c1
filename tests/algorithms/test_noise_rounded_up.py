"""Noise that a formula prescribes is the least double that is not below it, at fifty digits of the formula."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from dpref.algorithms import local_mirror_descent, noisy_sgd
from dpref.geometry.linear_minimization import LpBall
from dpref.problems.losses import Squared
from dpref.problems.stream import StreamProblem
from dpref.units import ReplaceOne

LIPSCHITZ = Fraction(1, 2)  # of clipped halved squares


def problem(records: int) -> StreamProblem:
    ball = LpBall(Fraction(2), Fraction(1, 2))
    return StreamProblem(Squared(), n=records, dimension=3, domain=ball, clip=LIPSCHITZ)


def is_least_above(std: float, value: mpmath.mpf) -> bool:
    return bool(mpmath.mpf(math.nextafter(std, 0)) < value <= mpmath.mpf(std))


@pytest.mark.parametrize("inverse_delta", [1000, 12345, 10**6, 10**9 + 7])
@pytest.mark.parametrize("epsilon", [Fraction(8), Fraction(1, 3)])
def test_the_noise_of_baselines_is_rounded_up(epsilon: Fraction, inverse_delta: int) -> None:
    budget: dict[str, Any] = {"epsilon": epsilon, "delta": Fraction(1, inverse_delta), "adjacency": ReplaceOne}
    local = local_mirror_descent.ALGORITHM.plan(problem(1000), local_mirror_descent.plan.Params(**budget))
    alone = noisy_sgd.ALGORITHM.plan(problem(1000), noisy_sgd.plan.Params(**budget, points=5))
    with mpmath.workdps(50):
        root = mpmath.mpf(LIPSCHITZ.numerator) / LIPSCHITZ.denominator * mpmath.sqrt(mpmath.log(inverse_delta))
        spent = mpmath.mpf(epsilon.numerator) / epsilon.denominator
        assert len(local.scheduled_stds) > 2
        for i, (block, std) in enumerate(zip(local.blocks, local.scheduled_stds, strict=True), start=1):
            assert is_least_above(std, 100 * root / (block.batch * spent / 2**i))
        assert is_least_above(alone.std, 2 * mpmath.sqrt(2) * root / spent)
