"""Many runs of gradient descent at once: within the rounding errors of the reference, alike in any company."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from typer.testing import CliRunner

from dpref.algorithms.gradient_descent import ALGORITHM, Params
from dpref.audit import many_gradients as many
from dpref.audit.many_descents import outputs, transcripts
from dpref.audit.many_runs import ManyDescents
from dpref.bench import audit_runs
from dpref.cli import app
from dpref.curator import RecordingCurator, ReplayingCurator, Transcript
from dpref.enclosures import ENCLOSURE_ARRAY
from dpref.errors import InvalidArgumentError
from dpref.foreign.claims import DPClaim
from dpref.foreign.mechanism import audit_mechanism
from dpref.geometry.sets import L2Ball
from dpref.problems.datasets import Dataset, synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber, Logistic
from dpref.reals import FloatArray
from dpref.units import ReplaceOne

STEPS = 4


class Case(NamedTuple):
    problem: ERMProblem
    data: Dataset
    plan: Any


def case(n: int, d: int, **more: Any) -> Case:
    """Numbers of records and features that leave remainders of every block."""
    loss = more.pop("loss", Logistic())
    problem = ERMProblem(loss, n=n, dimension=d, **more)
    rows = synthetic(n, d, seed=1)
    data = Dataset(rows.features / 2, rows.labels, name="synthetic")
    params = Params(Fraction(4), Fraction(1, 100), STEPS, ReplaceOne)
    return Case(problem, data, ALGORITHM.plan(problem, params))


CASES = {
    "logistic": case(13, 5),
    "huber": case(9, 4, loss=Huber(Fraction(1, 4))),
    "clipped": case(19, 7, clip=Fraction(1, 16)),
    "within-a-ball": case(11, 3, domain=L2Ball(Fraction(1, 8))),
    "ridge": case(8, 1, ridge=Fraction(1, 10)),
}


def recorded(of: Case, seed: int) -> tuple[Transcript, FloatArray]:
    """A run of the reference, and its tape."""
    curator: Any = RecordingCurator(of.problem.read(of.data), ReplaceOne, np.random.default_rng(seed))
    ALGORITHM.run(of.problem, of.plan, curator)
    return curator.transcript, curator.transcript.noise()


def enclosed(of: Case, transcript: Transcript) -> Any:
    """Balls that hold whatever doubles may compute for the output on that tape."""
    data: Any = of.problem.read(of.data, ENCLOSURE_ARRAY)
    curator: Any = ReplayingCurator(data, ReplaceOne, transcript, force="noise", ops=ENCLOSURE_ARRAY)
    return ALGORITHM.run(of.problem, of.plan, curator)


def holds(balls: Any, doubles: FloatArray) -> bool:
    return all(ball.contains(float(x)) for ball, x in zip(balls, doubles, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(CASES))
def test_every_run_lies_in_the_enclosure_of_the_reference(name: str) -> None:
    of = CASES[name]
    tapes = [recorded(of, seed) for seed in range(5)]
    found = outputs(*of, np.stack([noise for _, noise in tapes]))
    for (transcript, noise), output in zip(tapes, found, strict=True):
        balls = enclosed(of, transcript)
        assert holds(balls, output)
        assert holds(balls, ALGORITHM.trace(*of, noise).points[-1])
        assert not holds(balls, output * (1 + 2.0**-40))


@pytest.mark.slow
def test_a_run_of_the_benchmark_lies_in_the_enclosure_of_the_reference() -> None:
    """569 records in 30 dimensions, and the difference to the compiled kernel on 50 steps."""
    of = Case(*audit_runs.subject())
    noise = np.random.default_rng(3).standard_normal((2, of.plan.steps, 30))
    for run, output in zip(noise, outputs(*of, noise), strict=True):
        assert np.abs(ALGORITHM.trace(*of, run).points[-1] - output).max() <= 1e-13
    short = Case(of.problem, of.data, replace(of.plan, steps=2))
    transcript, tape = recorded(short, 0)
    assert holds(enclosed(short, transcript), outputs(*short, tape[None])[0])


@pytest.mark.slow
def test_a_run_is_the_same_in_any_company() -> None:
    of = CASES["logistic"]
    noise = np.random.default_rng(0).standard_normal((2 * many.LANES + 3, STEPS, 5))
    together = outputs(*of, noise)
    assert together[[0, 1, many.LANES, -1]].tobytes() == np.concatenate(
        [outputs(*of, noise[i : i + 1 if i >= 0 else None]) for i in (0, 1, many.LANES, -1)]
    ).tobytes()  # fmt: skip
    assert together[:77].tobytes() == outputs(*of, noise[:77]).tobytes()
    assert outputs(*of, noise[:0]).shape == (0, 5)


@pytest.mark.slow
def test_transcripts_and_released_iterates_are_those_of_the_kernel() -> None:
    of = CASES["clipped"]
    noise = np.random.default_rng(0).standard_normal((6, STEPS, 7))
    traces = [ALGORITHM.trace(*of, run) for run in noise]
    answers = transcripts(*of, noise)
    assert np.allclose(answers, [t.answers for t in traces], rtol=0, atol=1e-13)
    for at in range(STEPS + 1):
        points = outputs(*of, noise, np.full(6, at))
        assert np.allclose(points, [t.points[at] for t in traces], rtol=0, atol=1e-13)


@pytest.mark.slow
def test_planted_bugs_leave_the_enclosure() -> None:
    of = CASES["clipped"]
    transcript, noise = recorded(of, 0)
    balls = enclosed(of, transcript)
    assert holds(balls, outputs(*of, noise[None])[0])
    wrong = (
        (replace(of.problem, clip=None), of.data, of.plan),  # no clipping
        (of.problem, of.data, replace(of.plan, std=of.plan.std / 2)),  # half of the noise
        (of.problem, of.data, replace(of.plan, step_size=of.plan.step_size * (1 + 1e-12))),
        (of.problem, replace(of.data, labels=-of.data.labels), of.plan),
    )
    for planted in wrong:
        assert not holds(balls, outputs(*planted, noise[None])[0])
    assert not holds(balls, outputs(*of, noise[None], np.array([STEPS - 1]))[0])  # a dropped step


def test_tapes_of_other_shapes_are_refused() -> None:
    of = CASES["logistic"]
    for shape in ((STEPS, 5), (2, STEPS + 1, 5), (2, STEPS, 4)):
        with pytest.raises(InvalidArgumentError, match="noise"):
            outputs(*of, np.zeros(shape))
    for released in ([STEPS + 1, 0], [-1, 0], [0]):
        with pytest.raises(InvalidArgumentError, match="released"):
            outputs(*of, np.zeros((2, STEPS, 5)), np.array(released))
    with pytest.raises(InvalidArgumentError, match="release"):
        ManyDescents(of.problem, of.plan, "answers")  # type: ignore[arg-type]


@pytest.mark.slow
def test_exponentials_are_within_four_units_in_the_last_place() -> None:
    x = np.concatenate([np.linspace(-708, 708, 4001), np.geomspace(1e-300, 700, 4001), [0.0, 5e-324, 1e300, math.inf]])
    found, powers = np.empty_like(x), np.empty_like(x)
    many.exponentials(x, powers, found)
    right = np.exp(-np.minimum(np.abs(x), 700.0))
    assert (np.abs(found - right) <= 4 * np.spacing(right)).all()


@pytest.mark.slow
def test_an_audit_of_many_runs_refutes_a_sixteenth_of_the_noise_and_not_all_of_it() -> None:
    of = CASES["logistic"]
    neighbour = replace(of.data, labels=np.concatenate([-of.data.labels[:1], of.data.labels[1:]]))
    assert ManyDescents(of.problem, of.plan, "transcript")(of.data, np.random.default_rng(0), 3).shape == (3, STEPS, 5)
    claim = DPClaim(Fraction(1), Fraction(1, 100))
    plan = ALGORITHM.plan(of.problem, Params(Fraction(1), Fraction(1, 100), STEPS, ReplaceOne))

    def judged(std: float) -> str:
        f = ManyDescents(of.problem, replace(plan, std=std))
        pair = (of.data, neighbour)
        found = audit_mechanism(f, pair, claim, adjacency=ReplaceOne, trials=1000, batched=True, bits="off")
        return str(found.outcome)

    assert judged(plan.std) == "not refuted"
    assert judged(plan.std / 16) == "refuted"


@pytest.mark.slow
def test_the_benchmark_says_what_it_measured() -> None:
    ran = CliRunner().invoke(app, ["bench", "audit", "--repeat", "1", "--runs", "130", "--jobs", "1", "--json"])
    found = json.loads(ran.stdout)
    assert found["apart"] < 1e-12
    assert min(found[name] for name in ("ours", "exp", "tanh", "products", "noise", "seconds")) > 0
    assert found["over_baseline"] == found["ours"] / min(found["exp"], found["tanh"])
    assert CliRunner().invoke(app, ["bench", "audit", "--runs", "-1"]).exit_code == 2
