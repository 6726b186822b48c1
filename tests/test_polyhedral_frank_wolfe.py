"""DP-POFW: Algorithm 2 as printed and repaired, its choices, its utility, against a computation of its own."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.forms import Form
from dpref.algorithms.polyhedral_frank_wolfe import algorithm, utility
from dpref.algorithms.polyhedral_frank_wolfe.algorithm import releases, run
from dpref.algorithms.polyhedral_frank_wolfe.plan import Params, Plan, ledger, plan
from dpref.algorithms.registry import ALGORITHMS
from dpref.audit.catalogue import catalogue
from dpref.audit.papers.private_online_frank_wolfe.choices import misses
from dpref.audit.verdict import audit
from dpref.curator import LiveCurator, RecordingCurator, ReplayingCurator
from dpref.errors import InvalidArgumentError
from dpref.geometry import candidates
from dpref.geometry.linear_minimization import LpBall, Polytope, simplex
from dpref.mechanisms.exponential import ChoiceNoise
from dpref.privacy.accountants import certify
from dpref.privacy.events.ledger import Exponential, NoisyMax, NonPrivate
from dpref.problems.datasets import Dataset
from dpref.problems.losses import Linear, Logistic, Squared
from dpref.problems.stream import Arrivals, StreamProblem, VertexStream
from dpref.reals import FLOAT, FLOAT_ARRAY, Array, FloatArray
from dpref.units import AddOrRemoveOne, Linf, ReplaceOne, Sensitivity, Span, ZeroOut
from tests.effort import part
from tests.slopes import slope

N, D = 12, 3
ENTRY = ALGORITHMS["polyhedral-frank-wolfe"]
SQUARE = Polytope(np.array([[1.0, 0.5, 0.0], [1.0, -1.0, 0.3], [-1.0, 1.0, 0.0], [-0.25, -1.0, 1.0]]))
CLAIMS = {f"{c.form}, {c.adjacency.name}": c for c in catalogue() if c.algorithm == ENTRY.name}


def problem(n: int = N, domain: Any = None, **more: Any) -> VertexStream:
    return VertexStream(Logistic(), n=n, dimension=D, domain=domain or LpBall(Fraction(1), Fraction(2)), **more)


def data(of: VertexStream, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-1, 1, (of.n, D)) * (1 - 2.0**-40)
    return Dataset(rows, rng.choice([-1.0, 1.0], of.n))


def params(**changes: Any) -> Params[Any]:
    return Params(**{"epsilon": Fraction(1), "delta": Fraction(1, 1000), "adjacency": ReplaceOne, **changes})


def own(rows: Dataset, vertices: FloatArray, noise: FloatArray, scales: FloatArray, *, printed: bool) -> FloatArray:
    """Algorithm 2 with logistic losses, straight from the paper; the safe form of the weights where not printed."""
    theta = previous = np.zeros(D)
    if vertices.shape[0] != 2 * D:
        theta = previous = vertices[0]
    estimate, path = np.zeros(D), [theta]

    def gradient(at: FloatArray, i: int) -> FloatArray:
        x, y = rows.features[i], rows.labels[i]
        return np.asarray(-y * x / (1 + math.exp(y * float(x @ at))))

    for t in range(1, len(rows.labels) + 1):
        rho = 1 / (t + 1) if printed else 1 / t
        if t == 1:
            estimate = gradient(theta, 0)
        else:
            estimate = gradient(theta, t - 1) + (1 - rho) * (estimate - gradient(previous, t - 1))
        best = np.argmin(vertices @ estimate - scales[t - 1] * noise[t - 1])
        theta, previous = theta + (vertices[best] - theta) / (t + 1), theta
        path.append(theta)
    return np.array(path)


@pytest.mark.parametrize("form", Form)
@pytest.mark.parametrize("domain", [LpBall(Fraction(1), Fraction(2)), SQUARE], ids=["l1 ball", "polytope"])
def test_an_own_implementation_agrees_to_1e_12(form: Form, domain: Any) -> None:
    of = problem(60, domain)
    made = plan(of, params(form=form, epsilon=Fraction(5000)))
    rows = data(of, 3)
    curator = RecordingCurator(of.read(rows), ReplaceOne, np.random.default_rng(1))
    reached = [curator.ops.lift(made.start), *releases(of, made, curator)]
    noise = curator.transcript.noise().reshape(60, -1)
    vertices = domain.vertices if isinstance(domain, Polytope) else 2 * np.vstack([np.eye(D), -np.eye(D)])
    expected = own(rows, vertices, noise, np.array(made.scales), printed=form is Form.AS_PRINTED)
    assert np.abs(np.array(reached) - expected).max() < 1e-12
    assert len({int(entry.answer[0]) for entry in curator.transcript.answers}) > 2


def test_the_printed_scales_and_the_repaired_ones_against_the_formulas_of_the_paper() -> None:
    of = problem(100)
    S, diameter = 4 * 0.25 + 1, 4.0  # logistic: beta = 1/4, L = 1
    printed, laplace, gumbel = (plan(of, params(**how)) for how in ({"form": Form.AS_PRINTED}, {}, {"law": "gumbel"}))
    logs = math.log(1000)
    rho = (math.sqrt(1 + logs) - math.sqrt(logs)) ** 2
    harmonic = sum(1 / t for t in range(1, 101))
    for t in (1, 7, 100):
        line_8 = 4 * diameter * S * math.sqrt(math.log(100) * logs) / math.sqrt(t)
        assert printed.scales[t - 1] == pytest.approx(line_8, rel=1e-14)
        safe = diameter * 2 * S / t / (math.sqrt(2 * rho / harmonic) / math.sqrt(t))
        assert laplace.scales[t - 1] == pytest.approx(safe, rel=1e-14)
        assert gumbel.scales[t - 1] == pytest.approx(safe / 2, rel=1e-14)


@pytest.mark.parametrize("adjacency", [ReplaceOne, ZeroOut])
@pytest.mark.parametrize("law", ["laplace", "gumbel"])
def test_the_budget_is_certified_by_accountants_that_know_nothing_of_it(law: Any, adjacency: Any) -> None:
    made = plan(problem(6), params(law=law, adjacency=adjacency))
    assert 0.5 < certify(ledger(made), delta=Fraction(1, 1000), accountant="renyi").upper <= 1
    quieter = replace(made, scales=tuple(scale / 2 for scale in made.scales))
    assert certify(ledger(quieter), delta=Fraction(1, 1000), accountant="renyi").upper > 1


def test_laplace_and_gumbel_noise_are_accounted_apart() -> None:
    """E-7 and the remark of 3.2: the range of a Gumbel choice is its epsilon, a Laplace one is only epsilon-DP."""
    one = Sensitivity(Fraction(1), Span, ReplaceOne)
    assert ChoiceNoise("laplace", 4.0).event(one) == NoisyMax(Fraction(1, 4), "laplace")
    assert ChoiceNoise("gumbel", 4.0).event(one) == Exponential(Fraction(1, 4))
    assert ChoiceNoise("gumbel", 0.0).event(one) == NonPrivate()
    three = ChoiceNoise("laplace", 3.0).event(one)
    assert isinstance(three, NoisyMax)
    assert Fraction(1, 3) <= three.epsilon < Fraction(1, 3) + Fraction(1, 2**50)


def race(gaps: FloatArray, rng: np.random.Generator, runs: int) -> FloatArray:
    """How often each of three candidates has the largest noisy score with Laplace noise of scale 1."""
    noisy = gaps + rng.laplace(size=(runs, 3))
    return np.bincount(noisy.argmax(axis=1), minlength=3) / runs


def test_a_laplace_choice_stays_within_the_span() -> None:
    """PO-32 by simulation: no probability moves by more than e^span, and by more than e^(span / 2) some do."""
    before, after = np.array([0.0, 2.0, 2.0]), np.array([0.5, 1.5, 1.5])
    rng = np.random.default_rng(0)
    first, second = race(before, rng, 400_000), race(after, rng, 400_000)
    ratios = np.abs(np.log(second / first))
    assert ratios.max() < 1
    assert ratios.max() > 0.5 + 0.05


@pytest.mark.parametrize("law", ["laplace", "gumbel"])
def test_two_candidates_miss_as_often_as_the_witness_says(law: Any) -> None:
    draws = ChoiceNoise(law, 1.0).draw(np.random.default_rng(5), (200_000, 2))
    missed = float(np.mean(draws[:, 0] + 1.5 <= draws[:, 1]))
    assert missed == pytest.approx(float(misses(law, Fraction(3, 2))), abs=5 * math.sqrt(0.25 / 200_000))


@pytest.mark.slow
@pytest.mark.parametrize("form", part(sorted(CLAIMS), 3))
def test_every_claim_has_its_recorded_verdict(form: str) -> None:
    verdict = audit(CLAIMS[form])
    assert verdict.outcome == verdict.claim.expected
    assert verdict.alarms == ()


# ------------------------------------------------------------------------------------ sensitivity


def spans(made: Plan[Any], of: VertexStream, first: Dataset, second: Dataset) -> FloatArray:
    """How far the differences of scores move, over what was declared, choice by choice."""
    curator = RecordingCurator(of.read(first), ReplaceOne, np.random.default_rng(0))
    run(of, made, curator)
    replay = ReplayingCurator(of.read(second), ReplaceOne, curator.transcript, force="answers")
    run(of, made, replay)
    entries = curator.transcript.answers
    moved = [there - entry.query for there, entry in zip(replay.queries, entries, strict=True)]
    pairs = zip(moved, entries, strict=True)
    return np.array([(m.max() - m.min()) / float(entry.sensitivity.value) for m, entry in pairs])


def linear(n: int) -> tuple[VertexStream, Dataset, Dataset]:
    of = VertexStream(Linear(), n=n, dimension=D, domain=LpBall(Fraction(1), Fraction(1)))
    rows = Dataset(np.tile(np.eye(D)[0], (n, 1)), np.ones(n))
    flipped = np.ones(n)
    flipped[0] = -1.0
    return of, rows, Dataset(rows.features, flipped)


def test_the_first_record_moves_the_printed_recursion_twice_as_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """E-4 and S-7: 4 L / (t + 1) with the printed weights, 2 L / t with the repaired ones."""
    of, first, second = linear(5)
    for form in Form:
        ratios = spans(plan(of, params(form=form)), of, first, second)
        assert ratios.max() == pytest.approx(1, abs=1e-12)
        assert ratios.min() == pytest.approx(1, abs=1e-12)
    printed = plan(of, params(form=Form.AS_PRINTED))
    proof = replace(printed, sensitivity=printed.sensitivity.scale(Fraction(1, 2)))  # 2 (beta D + L) / (t + 1)
    assert spans(proof, of, first, second).max() == pytest.approx(2, abs=1e-12)


def test_planted_bug_the_weights_of_the_print_with_the_sensitivity_of_the_repair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of, first, second = linear(6)
    made = plan(of, params())
    honest = algorithm.recursion
    assert spans(made, of, first, second).max() <= 1 + 1e-12
    monkeypatch.setattr(algorithm, "recursion", lambda problem, form, *rest: honest(problem, Form.AS_PRINTED, *rest))
    assert spans(made, of, first, second).max() > 1.5


def test_planted_bug_scores_of_twice_the_radius(monkeypatch: pytest.MonkeyPatch) -> None:
    of, first, second = linear(4)
    made = plan(of, params())
    honest = candidates.scores
    monkeypatch.setattr(candidates, "scores", lambda o, domain, g: 2 * honest(o, domain, g))
    assert spans(made, of, first, second).max() == pytest.approx(2)


# ------------------------------------------------------------------------------------ the stream


def test_records_that_arrive_one_by_one_give_the_same_iterates() -> None:
    of = problem()
    made, rows = plan(of, params()), data(of)
    offline = list(releases(of, made, LiveCurator(of.read(rows), ReplaceOne, np.random.default_rng(4))))
    arrivals = Arrivals(of)
    curator = LiveCurator(arrivals, ReplaceOne, np.random.default_rng(4))
    online = releases(of, made, curator)
    for t in range(N):
        arrivals.put(rows.features[t], float(rows.labels[t]))
        assert np.array_equal(next(online), offline[t])
    assert curator.ledger == ledger(made)
    assert len(curator._held) == 1  # the state of a stream takes the place of the one before


@pytest.mark.parametrize("form", Form)
def test_oracle_calls_are_the_stated_ones(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [0]
    honest = StreamProblem.gradient

    def counting(self: StreamProblem, *arguments: Any) -> Array:
        calls[0] += 1
        return honest(self, *arguments)

    monkeypatch.setattr(StreamProblem, "gradient", counting)
    of = problem()
    made = plan(of, params(form=form))
    run(of, made, LiveCurator(of.read(data(of)), ReplaceOne, np.random.default_rng(0)))
    assert calls[0] == made.oracle_calls == 2 * N - 1


def test_vertices_and_scores_agree_with_the_oracle() -> None:
    g = np.array([0.3, -2.0, 1.0])
    for domain in (LpBall(Fraction(1), Fraction(2)), SQUARE, simplex(3)):
        best = int(np.argmax(candidates.scores(FLOAT_ARRAY, domain, g)))
        assert candidates.count(domain, 3) == len(candidates.scores(FLOAT_ARRAY, domain, g))
        chosen = candidates.vertex(FLOAT_ARRAY, domain, 3, best)
        assert np.array_equal(chosen, domain.minimise(FLOAT_ARRAY, g))


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon": Fraction(0)},
        {"delta": Fraction(1)},
        {"adjacency": AddOrRemoveOne},
        {"step_scale": Fraction(2)},
        {"law": "gauss"},
        {"form": Form.AS_PRINTED, "law": "gumbel"},
    ],
    ids=str,
)
def test_bad_parameters_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        plan(problem(), params(**changes))


def test_bad_sets_and_choices_are_refused() -> None:
    for domain in (LpBall(Fraction(2), Fraction(1)), LpBall(math.inf, Fraction(1)), Polytope(np.ones((2, D)))):
        with pytest.raises(InvalidArgumentError, match="domain"):
            problem(domain=domain)
    curator = LiveCurator(np.zeros(2), ReplaceOne, np.random.default_rng(0))
    wrong: Any
    for wrong in (Sensitivity(Fraction(1), Linf, ReplaceOne), Sensitivity(Fraction(1), Span, ZeroOut)):
        with pytest.raises(InvalidArgumentError, match="span under replace-one"):
            curator.noisy_max(lambda d: d, sensitivity=wrong, noise=ChoiceNoise("laplace", 1.0), label="x")
    none = Sensitivity(Fraction(0), Span, ReplaceOne)
    with pytest.raises(InvalidArgumentError, match="positive"):
        curator.noisy_max(lambda d: d, sensitivity=none, noise=ChoiceNoise("laplace", 1.0), label="x")
    for law, scale in (("gauss", 1.0), ("laplace", -1.0), ("gumbel", math.inf)):
        with pytest.raises(InvalidArgumentError):
            ChoiceNoise(law, scale)  # type: ignore[arg-type]
    assert curator.ledger.event == LiveCurator(0, ReplaceOne, np.random.default_rng(0)).ledger.event


# ------------------------------------------------------------------------------------ utility


MEAN = np.array([0.5, -0.2, 0.1])
SPREAD = 0.01


def steady(n: int, seed: int, epsilon: int) -> tuple[FloatArray, Plan[Any]]:
    """F(theta) = -<m, theta> on the l_1 ball, whose least value is -|m|_inf; records within SPREAD of m."""
    of = VertexStream(Linear(), n=n, dimension=D, domain=LpBall(Fraction(1), Fraction(1)))
    made = plan(of, params(epsilon=Fraction(epsilon)))
    rng = np.random.default_rng(seed)
    rows = Dataset(MEAN + SPREAD * rng.choice([-1.0, 1.0], (n, D)), np.ones(n))
    points = ENTRY.trace(of, rows, made, rng.laplace(size=n * made.candidates)).points
    return points @ -MEAN + 0.5, made


@pytest.mark.slow
def test_theorem_3_5_bounds_the_risk_with_its_explicit_constants() -> None:
    """Thirty seeds, failure probability 1e-6 for all bounds together; at the end below half of the start's risk."""
    n, epsilon, seeds = 4000, 3000, 30
    alpha = 1e-6 / (2 * n * seeds)
    found = [steady(n, seed, epsilon) for seed in range(seeds)]
    made, bounds, length = found[0][1], [2.0], math.log(2 * D / alpha)
    for t in range(1, n + 1):
        error = 2 * utility.gradient_error(FLOAT, 0.0, SPREAD, length, float(t))
        error += utility.choice_error(FLOAT, made.scales[t - 1], math.log(made.candidates / alpha))
        bounds.append(utility.risk_step(FLOAT, bounds[-1], 0.0, error, float(t)))
    for risks, _ in found:
        assert (risks <= bounds).all()
    assert bounds[-1] < bounds[0] / 2


@pytest.mark.slow
def test_the_printed_bound_of_theorem_3_5_holds_on_the_printed_form() -> None:
    n, alpha = 2000, 1e-6
    of = VertexStream(Linear(), n=n, dimension=D, domain=LpBall(Fraction(1), Fraction(1)))
    made = plan(of, params(form=Form.AS_PRINTED, epsilon=Fraction(10)))
    rate = math.sqrt(math.log(n) * math.log(1000)) / 10
    lengths = math.log(8 * D * n / alpha), math.log(4 * D * n / alpha)
    size = utility.printed_deviation(FLOAT, 2.0, 0.0, 1.0, SPREAD, *lengths, rate)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        rows = Dataset(MEAN + SPREAD * rng.choice([-1.0, 1.0], (n, D)), np.ones(n))
        risks = ENTRY.trace(of, rows, made, rng.laplace(size=n * 2 * D)).points @ -MEAN + 0.5
        bounds = [utility.convex_bound(FLOAT, size, float(t)) for t in range(n + 1)]
        assert (risks <= bounds).all()


@pytest.mark.slow
def test_with_an_interior_minimiser_the_risk_falls_faster_than_the_convex_rate() -> None:
    """Theorem 3.6: slope of the log risk over log n below -1/2 by more than six standard errors, sixty seeds."""
    sizes, runs = (1000, 4000, 16000), 60
    best = np.array([0.3, -0.1])
    values, errors = list[float](), list[float]()
    for n in sizes:
        of = VertexStream(Squared(), n=n, dimension=2, domain=LpBall(Fraction(1), Fraction(1)))
        made = plan(of, params(epsilon=Fraction(2000)))
        found = []
        for seed in range(runs):
            rng = np.random.default_rng((n, seed))
            axes = rng.integers(2, size=n)
            labels = np.where(rng.random(n) < (1 + best[axes]) / 2, 1.0, -1.0)
            rows = Dataset(np.eye(2)[axes] * (1 - 2.0**-40), labels)
            last = ENTRY.trace(of, rows, made, rng.laplace(size=4 * n)).points[-1]
            found.append(float(((last - best) ** 2).sum()))
        values.append(float(np.mean(found)))
        errors.append(float(np.std(found) / math.sqrt(runs)))
    falls, spread = slope(sizes, values, errors)
    assert falls + 6 * spread < -0.5
