"""A sample of `property_tests.audit_coverage`, checks of its true values, and a planted bug that it must report."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.audit import empirical
from dpref.audit.statistics import Rates
from property_tests import audit_coverage
from property_tests.audit_coverage import MECHANISMS, Mechanism, coverage
from tests.effort import part

IDS = [m.name for m in MECHANISMS]


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", part(MECHANISMS, 4, seed=1), ids=lambda m: m.name)
def test_no_promise_is_broken(mechanism: Mechanism) -> None:
    """A correct program fails with probability at most 0.005 a mechanism, once and for all: the seeds are fixed."""
    for delta in (Fraction(0), Fraction(1, 100)):
        row = coverage(mechanism, 20, 400, delta, Fraction(4, 5))
        assert row.word != "BROKEN", audit_coverage.table([row])


@pytest.mark.slow
def test_planted_bug_rates_without_a_margin_break_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    def naive(hits: tuple[int, int], alarms: tuple[int, int], error: Fraction) -> Rates:
        return Rates(hits[0] / hits[1], alarms[0] / alarms[1])

    monkeypatch.setattr(empirical, "rates", naive)
    rows = [coverage(m, 20, 400, Fraction(1, 100), Fraction(4, 5)) for m in MECHANISMS]
    assert sum(row.word == "BROKEN" for row in rows) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", part(MECHANISMS, 6), ids=lambda m: m.name)
def test_the_true_epsilon_is_what_long_runs_come_close_to(mechanism: Mechanism) -> None:
    """Half of 200,000 outcomes evaluate; no margin and no set that a threshold cannot cut out costs more than this."""
    rng = np.random.default_rng(0)
    delta = Fraction(1, 100)
    seen = empirical.estimate((mechanism.draw(0, 200_000, rng), mechanism.draw(1, 200_000, rng)), delta)
    true = mechanism.epsilon(float(delta))
    assert 0.6 * true - 0.15 <= seen.epsilon <= true


@pytest.mark.parametrize(
    ("mechanism", "density"),
    [
        (MECHANISMS[1], lambda x: np.exp(-x * x / 2) / math.sqrt(2 * math.pi)),
        (MECHANISMS[2], lambda x: np.exp(-np.abs(x)) / 2),
        (MECHANISMS[3], lambda x: 1 / (math.pi * (1 + x * x))),
    ],
    ids=IDS[1:4],
)
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 0.8])
def test_the_true_delta_is_the_integral_of_the_densities(mechanism: Mechanism, density: Any, epsilon: float) -> None:
    x = np.linspace(-400, 400, 800_001)
    excess = np.maximum(density(x - 1) - math.exp(epsilon) * density(x), 0)
    assert mechanism.delta(epsilon) == pytest.approx(float(excess.sum()) * (x[1] - x[0]), abs=2e-3)


def test_the_command_prints_one_line_a_mechanism(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit_coverage.main(["--seeds", "2", "--trials", "100", "--delta", "1/100"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(MECHANISMS)
    assert all(name in line for name, line in zip(IDS, lines[2:], strict=True))


def test_mechanisms_of_every_kind_are_there() -> None:
    assert len(MECHANISMS) >= 8
    rng = np.random.default_rng(0)
    drawn: Any = [m.draw(1, 1000, rng) for m in MECHANISMS]
    assert any(np.isnan(x).any() for x in drawn)
    assert any(np.isinf(x).any() for x in drawn)
    assert any(np.unique(x[np.isfinite(x)]).size < 10 for x in drawn)
    assert any(np.abs(x[np.isfinite(x)]).max() > 100 and np.unique(x).size == 1000 for x in drawn)
    assert not math.isfinite(MECHANISMS[1].pure)
