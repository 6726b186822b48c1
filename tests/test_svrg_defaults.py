"""What the plans of DP-SVRG and DP-SVRG++ choose by themselves: batches, what they warn of, and what that reaches."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import svrg, svrg_plus_plus
from dpref.algorithms.svrg import algorithm as svrg_algorithm
from dpref.algorithms.svrg import calibration as svrg_calibration
from dpref.algorithms.svrg import plan as svrg_plan
from dpref.algorithms.svrg.defaults import smallest_batch, start_risk
from dpref.algorithms.svrg.formulas import largest_epsilon
from dpref.curator import LiveCurator
from dpref.geometry.sets import L2Ball
from dpref.problems.datasets import breast_cancer
from dpref.problems.erm import ERMProblem, Records
from dpref.problems.losses import Huber, Linear, Logistic
from dpref.reals import FLOAT_ARRAY, RATIONAL
from dpref.units import ReplaceOne

REAL = ERMProblem(Logistic(), n=569, dimension=30)
BOTH = pytest.mark.parametrize("algorithm", [svrg.ALGORITHM, svrg_plus_plus.ALGORITHM], ids=lambda a: a.name)


def params(**changes: Any) -> svrg_plan.Params[ReplaceOne]:
    base: dict[str, Any] = {
        "epsilon": Fraction(1), "delta": Fraction(1, 10**5), "epochs": 1, "inner": 4, "adjacency": ReplaceOne
    }  # fmt: skip
    return svrg_plan.Params(**{**base, **changes})


def pretended(monkeypatch: pytest.MonkeyPatch, sampled: float, full: float = 0.001) -> None:
    """Noise multipliers that are not searched, for a batch and for the whole data."""
    monkeypatch.setattr(svrg_calibration, "noise_multiplier", lambda *_, **__: sampled)
    monkeypatch.setattr(svrg_calibration, "gaussian_noise_multiplier", lambda *_, **__: full)


@pytest.mark.parametrize(("n", "steps"), [(569, 4), (569, 20), (1000, 2000), (10, 1), (7, 3), (100, 1428)])
def test_the_smallest_batch_is_the_least_one_in_the_proved_range(n: int, steps: int) -> None:
    for epsilon in (Fraction(1), Fraction(1, 3), Fraction(40)):
        b = smallest_batch(epsilon, steps, n)

        def most(size: int) -> Fraction:
            return largest_epsilon(RATIONAL, Fraction(7), Fraction(size), Fraction(n), Fraction(steps))

        assert b == n or epsilon <= most(b)
        assert b == 1 or epsilon > most(b - 1)


def test_the_start_can_lose_what_public_numbers_say() -> None:
    ball, start = L2Ball(Fraction(1, 4)), np.array([0.25])
    cases = [
        (ERMProblem(Logistic(), n=9, dimension=1), np.log1p(np.exp(0.25))),
        (ERMProblem(Logistic(), n=9, dimension=1, domain=ball), 0.5),
        (ERMProblem(Linear(), n=9, dimension=1, domain=ball), 0.5),
        (ERMProblem(Linear(), n=9, dimension=1), np.inf),
        (ERMProblem(Huber(Fraction(1)), n=9, dimension=1), 0.75),
        (ERMProblem(Huber(Fraction(1)), n=9, dimension=1, ridge=Fraction(3)), 0.75 + 3 / 2 * 0.25**2),
    ]
    for problem, bound in cases:
        assert start_risk(problem, start) == pytest.approx(bound, rel=1e-12)


@pytest.mark.parametrize("more", [{}, {"ridge": Fraction(1)}, {"clip": Fraction(1, 10)}])
def test_what_the_start_can_lose_is_at_least_what_it_loses(more: dict[str, Any]) -> None:
    """On the records that lose most from a far start; the best of a fine grid."""
    problem = ERMProblem(Logistic(), n=4, dimension=1, **more)
    records = Records(np.ones((4, 1)), -np.ones(4))
    risks = [float(problem.objective(FLOAT_ARRAY, np.array([t]), records)) for t in np.linspace(-60, 10, 7001)]
    assert risks[-1] - min(risks) <= start_risk(problem, np.array([10.0]))


@BOTH
def test_a_batch_is_sampled_where_its_noise_is_small_and_nothing_else(
    algorithm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = 4 if algorithm is svrg.ALGORITHM else 8
    small = smallest_batch(Fraction(1), steps, REAL.n)
    pretended(monkeypatch, 0.01)
    assert algorithm.plan(REAL, params()).batch == small
    assert algorithm.plan(REAL, params(batch=3)).batch == 3
    pretended(monkeypatch, 5.0)
    noisy = algorithm.plan(REAL, params())
    assert (noisy.batch, noisy.warning) == (REAL.n, "")
    assert algorithm.plan(REAL, params(calibration="formula", epsilon=Fraction(1, 10**6))).batch == 1


@BOTH
def test_what_cannot_beat_its_start_says_so_before_it_starts(algorithm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pretended(monkeypatch, 5.0, 3000.0)
    made = algorithm.plan(REAL, params())
    assert made.warning.startswith("n is too small: the noise's floor, ")
    assert made.warning.endswith(", exceeds the start's risk, 0.693")
    assert algorithm.plan(REAL, params(batch=5)).warning


def accuracy(plan: Any, runs: int = 15) -> float:
    data = breast_cancer()
    found = []
    for seed in range(runs):
        curator = LiveCurator(REAL.read(data), ReplaceOne, np.random.default_rng(seed))
        theta = svrg_algorithm.run(REAL, plan, curator)
        found.append(np.mean((data.features @ theta > 0) == (data.labels > 0)))
    return float(np.mean(found))


@pytest.mark.slow
def test_the_chosen_batch_is_about_as_accurate_as_full_batches() -> None:
    """Breast cancer, epsilon = 1, 15 seeds: within .02 of the same run with full batches, far above the majority."""
    chosen = svrg.ALGORITHM.plan(REAL, params())
    full = svrg.ALGORITHM.plan(REAL, params(batch=REAL.n))
    assert 1 < chosen.batch < REAL.n
    assert chosen.oracle_calls < full.oracle_calls / 2
    assert accuracy(chosen) > max(accuracy(full) - 0.02, 0.9)
    # A planted bug: noise for one index would not do.
    assert accuracy(replace(chosen, std=3.0)) < 0.85
