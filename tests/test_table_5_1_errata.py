"""What the published Table 5.1 of the online Frank-Wolfe paper says of the problem that it is about (E-21)."""

from __future__ import annotations

import numpy as np
import pytest

from dpref.experiments.private_online_frank_wolfe.printed import TABLE_5_1
from dpref.experiments.private_online_frank_wolfe.regression import NOISE, TableCell, drawn
from dpref.reals import FloatArray

# Cells at p = inf that both algorithms have.
SHARED = [(T, d) for T, d, p, name in TABLE_5_1 if p == "inf" and name == "NoisySGD"]


def quotient(horizon: int, d: int, name: str) -> float:
    """What a cell says of E<x, theta>^2 if the label noise has the deviation that the table shows."""
    cell = TABLE_5_1[horizon, d, "inf", name]
    return (cell.risk - NOISE**2) / cell.subopt


def signal(truth: FloatArray, rng: np.random.Generator) -> float:
    """E<x, theta>^2 for normal records of l_1 norm one, simulated."""
    rows = rng.standard_normal((20_000, truth.size))
    rows /= np.abs(rows).sum(axis=1, keepdims=True)
    return float(np.mean((rows @ truth) ** 2))


def test_one_problem_gives_one_quotient() -> None:
    """Risk and SubOpt of any parameter, on one data set, have the quotient of the problem."""
    found = drawn(TableCell(10, 5, "inf", 5), 0)
    best = found.risk(found.truth)
    rng = np.random.default_rng(0)
    quotients = [(found.risk(w) - best) / found.suboptimality(w) for w in rng.uniform(-2, 2, (20, 5))]
    assert np.ptp(quotients) < 1e-12
    assert quotients[0] == pytest.approx(signal(np.ones(5), rng), rel=0.06)


def test_the_cells_are_of_two_problems() -> None:
    """Of equal entries, but for NoisySGD up to T = 2000, whose parameter has five entries that are not zero."""
    rng = np.random.default_rng(1)
    assert len(SHARED) == 11
    for horizon, d in SHARED:
        equal, five = signal(np.ones(d), rng), signal((np.arange(d) < 5).astype(float), rng)
        assert quotient(horizon, d, "DP-TOFW") == pytest.approx(equal, rel=0.06)
        assert quotient(horizon, d, "NoisySGD") == pytest.approx(five if horizon <= 2000 else equal, rel=0.07)


def test_the_parameter_of_the_text_is_not_that_of_the_table() -> None:
    """A normal parameter over its largest entry has less than half of the signal, at each of 200 draws' mean."""
    rng = np.random.default_rng(2)
    for d in (5, 10, 20):
        normal = rng.standard_normal((200, d))
        normal /= np.abs(normal).max(axis=1, keepdims=True)
        # by symmetry of the records the signal is a multiple of the squared length
        mean = signal(np.ones(d), rng) / d * float((normal**2).sum(axis=1).mean())
        printed = [quotient(horizon, size, "DP-TOFW") for horizon, size in SHARED if size == d]
        assert max(mean / q for q in printed) < 0.5
