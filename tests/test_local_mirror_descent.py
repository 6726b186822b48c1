"""LocalMD: the run by hand, its blocks, its noise and what an accountant certifies of it."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import local_mirror_descent as package
from dpref.algorithms.forms import Form
from dpref.algorithms.local_mirror_descent import algorithm
from dpref.algorithms.local_mirror_descent.plan import Params, Plan, ledger, plan
from dpref.curator import Transcript
from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import LpBall, simplex
from dpref.geometry.norms import Index
from dpref.kernels.twin import interpreted_run
from dpref.privacy.accountants import certify
from dpref.problems.losses import Squared
from dpref.problems.stream import StreamProblem
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, ReplaceOne
from tests.oracle_calls import counted_gradients
from tests.streams import data, recorded

N, D = 40, 3
DELTA = Fraction(1, 1000)
RADIUS = 0.5


def problem(p: Index = Fraction(3, 2), n: int = N) -> StreamProblem:
    return StreamProblem(Squared(), n=n, dimension=D, domain=LpBall(p, Fraction(1, 2)), clip=Fraction(1, 2))


def made(of: StreamProblem, **change: Any) -> Plan[Any]:
    given: dict[str, Any] = {"epsilon": Fraction(8), "delta": DELTA, "adjacency": ReplaceOne}
    return plan(of, Params(**(given | change)))


def by_hand(x: FloatArray, y: FloatArray, p: float, scale: float, transcript: Transcript) -> FloatArray:
    """The baseline in plain numpy for clipped halved squares, L = 1/2, at epsilon = 8 and delta = 1/1000."""
    q, n, first, noise, at = p / (p - 1), len(y), 0, iter(transcript.answers), 0
    log = math.log(1000)
    eta = scale * 2 * RADIUS / 0.5 * min(1 / math.sqrt((p - 1) * n), 8 / math.sqrt(D * log * (1 + math.log(D))))

    def gradient(v: FloatArray, index: float) -> FloatArray:  # of half the squared norm
        size = np.linalg.norm(v, index)
        return size ** (2 - index) * np.sign(v) * np.abs(v) ** (index - 1) if size else v

    center = np.zeros(x.shape[1])
    for i in range(1, math.floor(math.log2(n)) + 1):
        size = n // 2**i
        batch = max(1, math.floor(max(math.sqrt(size / math.log(D)), math.sqrt(D * 2**i / 8))))
        steps = size**2 // batch**2
        if steps <= 1:
            break
        step, reach = eta / 2 ** (4 * i), 2 * 0.5 * eta / 2 ** (4 * i) * size * (p - 1)
        point, points = center, []
        for _ in range(steps):
            rows = first + np.array(transcript.indices[at : at + batch])
            at += batch
            entry = next(noise)
            g = np.clip(x[rows] @ point - y[rows], -0.5, 0.5) @ x[rows] / batch + entry.scale * entry.noise
            moved = gradient(gradient(point - center, p) - (p - 1) * step * g, q)
            point = center + moved * min(1.0, reach / np.linalg.norm(moved, p))
            point = point * min(1.0, RADIUS / np.linalg.norm(point, p))
            points.append(point)
        center, first = np.mean(points, axis=0), first + size
    return center


@pytest.mark.parametrize("p", [Fraction(3, 2), Fraction(2)])
@pytest.mark.parametrize("scale", [1, 10_000])
def test_an_own_implementation_agrees_on_the_same_noise(p: Fraction, scale: int) -> None:
    of = problem(p)
    output, transcript = recorded(algorithm.run, of, made(of, step_scale=Fraction(scale)))
    rows = data(of)
    found = by_hand(rows.features, rows.labels, float(p), scale, transcript)
    assert np.abs(found - output).max() <= 1e-12
    wrong = by_hand(rows.features, rows.labels, float(p), 1.01 * scale, transcript)  # a planted bug: a longer step
    assert np.abs(wrong - output).max() > 1e-9


def test_gradients_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    of = problem()
    seen = counted_gradients(monkeypatch, StreamProblem)
    numbers = made(of)
    recorded(algorithm.run, of, numbers)
    assert (len(seen), sum(seen)) == (numbers.steps, numbers.oracle_calls)
    assert numbers.oracle_calls == sum(block.batch * block.steps for block in numbers.blocks)


def test_blocks_share_no_record_and_halve() -> None:
    blocks = made(problem()).blocks
    assert [(b.first, b.records) for b in blocks] == [(0, 20), (20, 10), (30, 5)][: len(blocks)]
    assert all(b.steps == b.records**2 // b.batch**2 > 1 for b in blocks)


def test_the_printed_noise_is_that_of_the_formula() -> None:
    numbers = made(problem(Fraction(2)), form=Form.AS_PRINTED)
    assert numbers.promise is None
    for i, (block, std) in enumerate(zip(numbers.blocks, numbers.scheduled_stds, strict=True), start=1):
        assert std == pytest.approx(100 * 0.5 * math.sqrt(math.log(1000)) / (block.batch * 8 / 2**i), rel=1e-12)


@pytest.mark.slow
def test_what_is_promised_is_certified_and_halved_noise_breaks_it() -> None:
    numbers = made(problem(n=8), certify=True, noise_constant=Fraction(4))
    assert numbers.promise is not None
    assert certify(ledger(numbers), delta=DELTA).upper <= numbers.promise.value
    louder = replace(numbers, scheduled_stds=tuple(std / 2 for std in numbers.scheduled_stds))
    assert certify(ledger(louder), delta=DELTA).lower > numbers.promise.value


@pytest.mark.slow
def test_the_kernel_agrees_with_the_reference() -> None:
    for p in (Fraction(3, 2), Fraction(2), Fraction(1), math.inf):
        of = problem(p)
        numbers = made(of, step_scale=Fraction(1000))
        output, transcript = recorded(algorithm.run, of, numbers)
        tape = transcript.noise(), np.array(transcript.indices, dtype=np.int64)
        trace = package.ALGORITHM.trace(of, data(of), numbers, *tape)
        assert np.abs(trace.points[-1] - output).max() <= 1e-12
        with interpreted_run("local_mirror_descent"):
            assert package.ALGORITHM.trace(of, data(of), numbers, *tape).points.tobytes() == trace.points.tobytes()


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"epsilon": Fraction(0)}, "epsilon"),
        ({"delta": Fraction(0)}, "delta"),
        ({"noise_constant": Fraction(0)}, "noise_constant"),
        ({"step_scale": Fraction(-1)}, "step_scale"),
        ({"adjacency": AddOrRemoveOne}, "adjacency"),
        ({"form": Form.AS_PRINTED, "certify": True}, "noise_constant"),
        ({"form": Form.AS_PRINTED, "noise_constant": Fraction(2)}, "noise_constant"),
    ],
)
def test_bad_input_is_refused_by_name(change: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{argument} = "):
        made(problem(), **change)


def test_what_has_no_block_or_no_map_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^n = 2"):
        made(problem(n=2))
    with pytest.raises(InvalidArgumentError, match=r"^p = 3"):
        made(problem(Fraction(3)))
    with pytest.raises(InvalidArgumentError, match=r"^domain = "):
        plan(StreamProblem(Squared(), n=40, dimension=D, domain=simplex(D)), Params(Fraction(1), DELTA, ReplaceOne))
