"""NoisySFW: the run by hand, its batches and what they cost, its noise, and the lemma that the print rests on."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import noisy_frank_wolfe as package
from dpref.algorithms.forms import Form
from dpref.algorithms.noisy_frank_wolfe import algorithm
from dpref.algorithms.noisy_frank_wolfe.plan import Params, Plan, ledger, plan
from dpref.curator import LiveCurator
from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import LpBall, Polytope
from dpref.geometry.norms import Index
from dpref.mechanisms.noise import GaussianNoise
from dpref.privacy.accountants import certify
from dpref.privacy.events.ledger import Gaussian
from dpref.problems.datasets import Dataset, scale_rows
from dpref.problems.losses import Linear, Logistic, Squared
from dpref.problems.stream import StreamProblem
from dpref.reals import FloatArray
from dpref.units import L2, AddOrRemoveOne, ReplaceOne, Sensitivity, ZeroOut
from tests.oracle_calls import counted_gradients
from tests.streams import data, recorded

N, D = 50, 4
DELTA = Fraction(1, 1000)


def problem(p: Index = Fraction(3, 2), n: int = N, loss: Any = None) -> StreamProblem:
    return StreamProblem(loss or Squared(), n=n, dimension=D, domain=LpBall(p, Fraction(2)), clip=Fraction(1, 2))


def made(of: StreamProblem, **change: Any) -> Plan[Any]:
    given: dict[str, Any] = {"epsilon": Fraction(1), "delta": DELTA, "adjacency": ReplaceOne}
    return plan(of, Params(**(given | change)))


def from_the_paper(x: FloatArray, y: FloatArray, p: float, eta: float, noise: FloatArray) -> FloatArray:
    """The baseline in plain numpy, for clipped halved squares on a ball of radius 2; the noise is scaled."""
    q, n = p / (p - 1), len(y)
    b = math.floor(math.sqrt(n) / 2)

    def mean(w: FloatArray, rows: slice) -> FloatArray:
        return np.clip(x[rows] @ w - y[rows], -0.5, 0.5) @ x[rows] / len(y[rows])

    w = old = np.zeros(x.shape[1])
    estimate = mean(w, slice(0, n // 2)) + noise[0]
    for t in range(math.floor(math.sqrt(n))):
        if t > 0:
            rows = slice(n // 2 + (t - 1) * b, n // 2 + t * b)
            estimate = estimate + mean(w, rows) - mean(old, rows) + noise[t]
        powers = np.abs(estimate) ** (q - 1)
        vertex = -2 * np.sign(estimate) * powers / np.sum(powers**p) ** (1 / p)
        w, old = w + eta * (vertex - w), w
    return w


# ------------------------------------------------------------------------------------ the run


@pytest.mark.parametrize("p", [Fraction(3, 2), Fraction(2)])
def test_an_own_implementation_agrees_on_the_same_noise(p: Fraction) -> None:
    of = problem(p)
    numbers = made(of)
    output, transcript = recorded(algorithm.run, of, numbers)
    noise = np.array([entry.scale * entry.noise for entry in transcript.answers])
    rows = data(of)
    eta = math.log(N) / (2 * math.sqrt(N))
    assert np.abs(from_the_paper(rows.features, rows.labels, float(p), eta, noise) - output).max() <= 1e-12


def test_planted_bug_a_dropped_difference_is_seen_by_the_own_implementation(monkeypatch: pytest.MonkeyPatch) -> None:
    of = problem()
    honest = algorithm.difference
    monkeypatch.setattr(algorithm, "difference", lambda *rest: 0 * honest(*rest))
    output, transcript = recorded(algorithm.run, of, made(of))
    noise = np.array([entry.scale * entry.noise for entry in transcript.answers])
    rows = data(of)
    eta = math.log(N) / (2 * math.sqrt(N))
    assert np.abs(from_the_paper(rows.features, rows.labels, 1.5, eta, noise) - output).max() > 1e-6


@pytest.mark.parametrize(("n", "answers"), [(2, 1), (4, 2), (15, 3), (16, 4), (50, 7), (1000, 31)])
def test_gradients_are_counted(n: int, answers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """n/2 and then two a record of each batch: counted at the problem, and never more than 3 n / 2."""
    of = problem(n=n)
    numbers = made(of)
    seen = counted_gradients(monkeypatch, StreamProblem)
    recorded(algorithm.run, of, numbers)
    batch = max(1, math.floor(math.sqrt(n) / 2))
    assert numbers.steps == answers
    assert sum(seen) == numbers.oracle_calls == n // 2 + 2 * batch * (answers - 1) <= 1.5 * n


def test_of_linear_losses_nothing_is_asked_twice() -> None:
    of = problem(loss=Linear())
    numbers = made(of)
    assert (numbers.steps, numbers.iterations, numbers.oracle_calls) == (1, 7, 25)
    assert len(recorded(algorithm.run, of, numbers)[1].answers) == 1


# ------------------------------------------------------------------------------------ noise and ledger


def test_sensitivities_are_those_of_the_batches() -> None:
    """S-10 and S-11: 2L/25 and 2 beta D eta / 3 with L = 1/2, beta = 1, D = 4."""
    numbers = made(problem(Fraction(2)))
    assert numbers.sensitivity.value == Fraction(1, 25)
    assert numbers.difference is not None
    assert float(numbers.difference.value) == pytest.approx(2 * 4 * math.log(50) / (2 * math.sqrt(50)) / 3, rel=1e-12)
    assert made(problem(Fraction(2)), adjacency=ZeroOut).sensitivity.value == Fraction(1, 50)


def test_the_printed_noise_is_that_of_the_formulas() -> None:
    """Section 8.2 with kappa = 2 and the sampler mended: sigma_0 and sigma_1, and their roots as printed."""
    log = math.log(1000)
    eta = math.log(50) / (2 * math.sqrt(50))
    levels = [math.sqrt(32 * 2 * 0.25 * log) / 50, math.sqrt(32 * 2 * 16 * eta**2 * log / 50)]
    mended = made(problem(), form=Form.AS_PRINTED, repairs=("E-1", "E-2"))
    assert (mended.std, mended.difference_std) == pytest.approx(levels, rel=1e-12)
    slip = made(problem(), form=Form.AS_PRINTED, repairs=("E-1",))
    assert (slip.std, slip.difference_std) == pytest.approx(np.sqrt(levels), rel=1e-12)


@pytest.mark.parametrize("p", [Fraction(3, 2), Fraction(2), math.inf, Fraction(1)])
@pytest.mark.parametrize("how", ["accountant", "zcdp", "eq-3.2"])
def test_a_run_spends_at_most_its_budget_and_one_answer_spends_it(p: Index, how: str) -> None:
    numbers = made(problem(p), calibration=how)
    spent = certify(ledger(numbers), delta=DELTA)
    assert spent.upper <= 1
    halved = certify(ledger(replace(numbers, std=numbers.std / 2)), delta=DELTA)  # a planted bug
    assert halved.upper > 1


def test_the_printed_batches_are_too_small_for_the_printed_sensitivity() -> None:
    """S-11 at n = 15: b = 1 where the print divides by 1.94, so that differences are 1.94 times the costlier."""
    numbers = made(problem(n=15, p=Fraction(2)), form=Form.AS_PRINTED, repairs=("E-1", "E-2"))
    assert numbers.difference is not None
    first, later = (
        numbers.std / float(numbers.sensitivity.value),
        numbers.difference_std / float(numbers.difference.value),
    )
    assert later / first == pytest.approx((2 / math.sqrt(15)) / (14 / 15), rel=1e-12)
    assert ledger(numbers).event == Gaussian(Fraction(numbers.difference_std) / numbers.difference.value)
    even = made(problem(n=16, p=Fraction(2)), form=Form.AS_PRINTED, repairs=("E-1", "E-2"))
    assert even.difference is not None
    assert even.difference_std / float(even.difference.value) == pytest.approx(even.std / float(even.sensitivity.value))


def test_planted_bug_batches_that_overlap_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the batches shifted back by one record the curator refuses the answer before it is computed."""
    of = problem()
    numbers = replace(made(of), half=24)
    state = algorithm.init(of, numbers, LiveCurator(of.read(data(of)), ReplaceOne, np.random.default_rng(0)).ops)
    curator = LiveCurator(of.read(data(of)), ReplaceOne, np.random.default_rng(0))
    state = algorithm.step(of, replace(numbers, half=25), state, curator)
    with pytest.raises(InvalidArgumentError, match="disjoint"):
        algorithm.step(of, numbers, state, curator)
    assert curator.ledger == replace(ledger(replace(numbers, difference=None)))


def test_a_part_is_all_that_a_query_sees() -> None:
    of = problem()
    curator = LiveCurator(of.read(data(of)), ReplaceOne, np.random.default_rng(0))
    how: dict[str, Any] = {
        "sensitivity": Sensitivity(Fraction(1), L2, ReplaceOne),
        "noise": GaussianNoise(0.0),
        "label": "x",
    }
    seen = curator.on_part(lambda records: records.labels, part=range(3, 7), **how)
    assert np.array_equal(seen, data(of).labels[3:7])
    with pytest.raises(InvalidArgumentError, match="data"):
        LiveCurator(np.zeros(3), ReplaceOne, np.random.default_rng(0)).on_part(lambda x: x, part=range(1), **how)


# ------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"epsilon": Fraction(0)}, "epsilon"),
        ({"epsilon": 0.5}, "epsilon"),
        ({"delta": Fraction(1)}, "delta"),
        ({"step_scale": Fraction(0)}, "step_scale"),
        ({"step_scale": Fraction(8)}, "step_scale"),
        ({"adjacency": AddOrRemoveOne}, "adjacency"),
        ({"calibration": "eq-3.2", "epsilon": Fraction(3)}, "epsilon"),
        ({"repairs": ("E-1",)}, "repairs"),
        ({"form": Form.AS_PRINTED, "calibration": "zcdp"}, "calibration"),
    ],
)
def test_bad_input_is_refused_by_name(change: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{argument} = "):
        made(problem(), **change)


def test_one_record_makes_no_run() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^n = 1"):
        made(problem(n=1))


def test_a_polytope_is_a_set_like_any_other() -> None:
    square = Polytope(np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]))
    of = StreamProblem(Logistic(), n=20, dimension=2, domain=square)
    rng = np.random.default_rng(0)
    rows = Dataset(scale_rows(rng.standard_normal((20, 2)), math.inf), rng.choice([-1.0, 1.0], 20))
    numbers = plan(of, Params(Fraction(1), DELTA, ReplaceOne))
    output = algorithm.run(of, numbers, LiveCurator(of.read(rows), ReplaceOne, rng))
    assert np.abs(output).max() <= 1


@pytest.mark.slow
def test_the_kernel_agrees_with_the_reference() -> None:
    for p in (Fraction(3, 2), Fraction(2), math.inf):
        of = problem(p, n=200)
        numbers = made(of)
        output, transcript = recorded(algorithm.run, of, numbers)
        trace = package.ALGORITHM.trace(of, data(of), numbers, transcript.noise())
        assert np.abs(trace.points[-1] - output).max() <= 1e-12
        assert trace.queries.shape == (numbers.steps, D)
