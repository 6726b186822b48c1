"""NoisySGD: the run by hand, its noise and what an accountant certifies of it, long runs without a trace."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import noisy_sgd as package
from dpref.algorithms.declaration import numbers_of
from dpref.algorithms.forms import Form
from dpref.algorithms.noisy_sgd import algorithm
from dpref.algorithms.noisy_sgd.kernel import advance
from dpref.algorithms.noisy_sgd.plan import Params, Plan, ledger, plan
from dpref.curator import Transcript
from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import LpBall, simplex
from dpref.geometry.norms import Index
from dpref.kernels.twin import interpreted, interpreted_run
from dpref.privacy.accountants import certify
from dpref.problems.losses import Squared
from dpref.problems.stream import StreamProblem
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, ReplaceOne, ZeroOut
from tests.streams import data, recorded

N, D = 7, 4
DELTA = Fraction(1, 1000)


def problem(p: Index = math.inf, n: int = N) -> StreamProblem:
    return StreamProblem(Squared(), n=n, dimension=D, domain=LpBall(p, Fraction(1, 2)), clip=Fraction(1, 2))


def made(of: StreamProblem, **change: Any) -> Plan[Any]:
    given: dict[str, Any] = {"epsilon": Fraction(1), "delta": DELTA, "adjacency": ReplaceOne}
    return plan(of, Params(**(given | change)))


def by_hand(of: StreamProblem, seen: Any, transcript: Transcript, steps: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The baseline in plain numpy on a box or the Euclidean ball of radius 1/2: the average and the last point."""
    x, y = seen.features, seen.labels
    w = np.zeros(D)
    points = [w]
    for i, entry, eta in zip(transcript.indices, transcript.answers, steps, strict=True):
        g = np.clip(x[i] @ w - y[i], -0.5, 0.5) * x[i] + entry.scale * entry.noise
        w = w - eta * g
        w = np.clip(w, -0.5, 0.5) if of.domain.index == math.inf else w * 0.5 / max(0.5, np.linalg.norm(w))
        points.append(w)
    return np.mean(points, axis=0), w


@pytest.mark.parametrize("p", [math.inf, Fraction(2)])
def test_an_own_implementation_agrees_on_the_same_noise(p: Index) -> None:
    of = problem(p)
    numbers = made(of)
    output, transcript = recorded(algorithm.run, of, numbers)
    assert [entry.label for entry in transcript.answers[:3]] == [f"gradient at w_{t}" for t in (1, 2, 3)]
    eta = 0.5 / (0.5 * N * max(math.sqrt(N), math.sqrt(D * math.log(1000))))
    average, last = by_hand(of, data(of), transcript, np.full(N * N - 1, eta))
    assert np.abs(average - output).max() <= 1e-12
    assert np.abs(last - recorded(algorithm.run, of, replace(numbers, output="last"))[0]).max() <= 1e-12
    longer, _ = by_hand(of, data(of), transcript, np.full(N * N - 1, 1.01 * eta))  # a planted bug: a longer step
    assert np.abs(longer - output).max() > 1e-6


def test_one_gradient_is_asked_for_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    of, asked = problem(), []
    honest = StreamProblem.gradient

    def counted(self: Any, o: Any, theta: Any, record: Any) -> Any:
        asked.append(1)
        return honest(self, o, theta, record)

    monkeypatch.setattr(StreamProblem, "gradient", counted)
    recorded(algorithm.run, of, made(of))
    assert len(asked) == made(of).oracle_calls == N * N - 1


def test_noise_and_ledger_are_those_of_the_formulas() -> None:
    """sigma = L sqrt(8 ln(1000)), L = 1/2; a ledger of 48 draws of one of 7; in l_3 the Euclidean bound is larger."""
    numbers = made(problem())
    assert numbers.std == pytest.approx(0.5 * math.sqrt(8 * math.log(1000)), rel=1e-12)
    assert str(ledger(numbers)).endswith("batch=1, records=7), 48) under replace-one")
    assert numbers.sensitivity.value == 1
    assert made(problem(), adjacency=ZeroOut).sensitivity.value == Fraction(1, 2)
    assert float(made(problem(Fraction(3, 2))).sensitivity.value) == pytest.approx(4 ** (1 / 6))
    assert made(problem(), points=1).steps == 0


@pytest.mark.slow
def test_what_is_promised_is_certified_and_halved_noise_breaks_it() -> None:
    numbers = made(problem(), certify=True, points=4)
    assert numbers.promise is not None
    assert certify(ledger(numbers), delta=DELTA).upper <= numbers.promise.value
    louder = replace(numbers, std=numbers.std / 2)
    assert certify(ledger(louder), delta=DELTA).lower > numbers.promise.value
    assert made(problem(), form=Form.AS_PRINTED).promise is None


@pytest.mark.slow
def test_the_kernel_agrees_with_the_reference_and_with_runs_without_a_trace() -> None:
    for p in (math.inf, Fraction(2), Fraction(3, 2)):
        of = problem(p)
        numbers = made(of)
        output, transcript = recorded(algorithm.run, of, numbers)
        drawn = np.array(transcript.indices, dtype=np.int64)
        trace = package.ALGORITHM.trace(of, data(of), numbers, transcript.noise(), drawn)
        assert np.abs(trace.points[-1] - output).max() <= 1e-12
        with interpreted_run("noisy_sgd"):
            twin = package.ALGORITHM.trace(of, data(of), numbers, transcript.noise(), drawn)
        assert twin.points.tobytes() == trace.points.tobytes()
        w, total = np.zeros(D), np.zeros(D)
        for block in (slice(0, 20), slice(20, None)):
            interpreted(advance)(
                of.arrays(data(of)), numbers_of(package.ALGORITHM, numbers), transcript.noise()[block], drawn[block],
                w, total,
            )  # fmt: skip
        assert (total / (N * N)).tobytes() == trace.points[-1].tobytes()


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"epsilon": Fraction(0)}, "epsilon"),
        ({"delta": Fraction(0)}, "delta"),
        ({"points": 0}, "points"),
        ({"noise_scale": Fraction(0)}, "noise_scale"),
        ({"step_scale": Fraction(-1)}, "step_scale"),
        ({"adjacency": AddOrRemoveOne}, "adjacency"),
        ({"form": Form.AS_PRINTED, "certify": True}, "noise_scale"),
        ({"form": Form.AS_PRINTED, "noise_scale": Fraction(2)}, "noise_scale"),
        ({"start": np.zeros(3)}, "start"),
    ],
)
def test_bad_input_is_refused_by_name(change: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{argument} = "):
        made(problem(), **change)


def test_a_polytope_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^domain = "):
        plan(StreamProblem(Squared(), n=4, dimension=D, domain=simplex(D)), Params(Fraction(1), DELTA, ReplaceOne))
