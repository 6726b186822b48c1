"""Anytime mirror descent: plans against the specification's numbers, an own computation, Theorem 4.2, refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.anytime_mirror_descent import algorithm
from dpref.algorithms.anytime_mirror_descent import plan as planning
from dpref.algorithms.anytime_mirror_descent.formulas import printed_draws, printed_step, zcdp_step
from dpref.algorithms.anytime_mirror_descent.plan import Params, Plan
from dpref.algorithms.anytime_mirror_descent.utility import (
    excess_bound,
    first_order_bias,
    first_order_moment,
    regret_step,
    second_order_bias,
    second_order_moment,
    theorem_4_2,
)
from dpref.algorithms.forms import Form
from dpref.algorithms.registry import ALGORITHMS
from dpref.curator import LiveCurator, RecordingCurator, Transcript
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import mixture_event
from dpref.privacy.events.ledger import Exponential, Ledger, Repeat
from dpref.privacy.events.mixture import ExponentialMixture
from dpref.privacy.renyi.accountant import event_curve
from dpref.problems.games import Game, GameData
from dpref.problems.known_optima import vertex_regression
from dpref.reals import FLOAT, FloatArray, exact
from dpref.units import L2, AddOrRemoveOne, Linf, ReplaceOne, Sensitivity, ZeroOut
from tests.effort import part

SMALL, ONE = Fraction(1, 10**6), Fraction(1)
GAME = Game(n=60, rows=3, columns=2, ramp=Fraction(1, 4))
NAME = "anytime-mirror-descent"


def made(problem: Game = GAME, **changes: Any) -> Plan[Any]:
    given = {"epsilon": ONE, "delta": SMALL, "steps": 7, "round_length": 3, "samples": 2, "adjacency": ReplaceOne}
    return planning.plan(problem, Params(**{**given, **changes}))


def random_data(seed: int) -> GameData:
    rng = np.random.default_rng(seed)
    return GameData(rng.uniform(-0.5, 0.5, (60, 3, 2)), rng.uniform(-0.5, 0.5, (60, 3)), rng.uniform(-0.5, 0.5, 60))


# ------------------------------------------------------------------------------------ numbers


@pytest.mark.parametrize(
    ("smoothness", "found", "draws", "tau"),
    [
        ("second-order", (58421, 113, 517), 325710, 7.083451e-4),
        ("first-order", (11982, 24, 2602), 1360846, 1.691941e-3),
    ],
)
def test_the_test_vectors_of_theorem_4_2(smoothness: Any, found: tuple[int, ...], draws: int, tau: float) -> None:
    """As the specification counts: K (q + floor(T / q)) vertices, of which the library draws K fewer if q divides T."""
    assert theorem_4_2(smoothness, 10**6, 1.0, 1e-6, 100) == found
    steps, length, samples = found
    assert samples * (length + steps // length) == draws
    log = 6 * math.log(10)
    assert printed_step(FLOAT, float(10**6 // steps), 1.0, 1.0, float(draws), log) == pytest.approx(tau, rel=1e-6)
    big = Game(n=10**6, rows=100, columns=1)
    plan = made(big, steps=steps, round_length=length, samples=samples)
    assert plan.draws == draws - (samples if steps % length == 0 else 0)
    assert plan.step_size == pytest.approx(2 * tau * math.sqrt(draws / plan.draws), rel=1e-6)
    assert printed_draws(FLOAT, *map(float, found)) >= draws


def test_numbers_are_clipped() -> None:
    """E30: where the theorem's K and q fall below one, one vertex is drawn at every step."""
    assert theorem_4_2("first-order", 2, 0.1, 1e-6, 10**6) == (1, 1, 1)
    assert theorem_4_2("second-order", 2, 0.1, 1e-6, 10**6) == (1, 1, 1)
    assert min(theorem_4_2("first-order", 50, 1.0, 1e-6, 10**6)) == 1


def test_plans_state_what_is_spent() -> None:
    plan = made()
    tau = exact(plan.step_size)
    assert plan.batches == (8,) * 6
    assert plan.vertices == (2, 2, 2, 0, 0, 2, 2)
    assert plan.sensitivity == Sensitivity(4 * tau / 8, Linf, ReplaceOne)
    assert planning.ledger(plan) == Ledger(Repeat(ExponentialMixture(4 * tau / 8), 10), ReplaceOne)
    half = made(adjacency=ZeroOut, step_size=tau)
    assert half.sensitivity.value * 2 == plan.sensitivity.value
    assert plan.step_size == pytest.approx(zcdp_step(FLOAT, 8.0, 1.0, 1.0, 10.0, 6 * math.log(10)))
    assert made(calibration="pure").step_size == pytest.approx(plan.step_size / 2)
    printed = made(form=Form.AS_PRINTED)
    assert printed.step_size == pytest.approx(plan.step_size / 2 * math.sqrt(10 / (7 * 2 / 3 + 6)))
    assert made(step_size=Fraction(1, 10**9)).step_size <= 1e-9
    assert made(steps=1).batches == ()


def test_a_round_that_is_longer_than_the_run_draws_at_every_step() -> None:
    for steps in range(1, 40):
        for length in range(1, 60):
            counted = sum(t <= length or t % length == 0 for t in range(1, steps)) + 1
            assert sum(planning.refreshed(steps, length, 3)) == 3 * counted <= 3 * (length + steps / length)


def test_oracle_calls_are_counted_and_no_record_is_used_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    honest, batches = Game.operator, []

    def counted(self: Game, o: Any, x: Any, y: Any, records: Any, batch: range) -> Any:
        batches.append(batch)
        return honest(self, o, x, y, records, batch)

    monkeypatch.setattr(Game, "operator", counted)
    plan = made()
    algorithm.run(GAME, plan, LiveCurator(GAME.read(random_data(0)), ReplaceOne, np.random.default_rng(0)))
    used = [i for batch in batches for i in batch]
    assert len(used) == len(set(used)) == plan.oracle_calls == 6 * 8 <= 60


# ------------------------------------------------------------------------------------ an own computation


def by_hand(data: GameData, plan: Plan[Any], length: int, samples: int, noise: list[FloatArray]) -> FloatArray:
    """Algorithm 5 straight from its pseudocode: every iterate is kept, every average is summed up anew."""
    draws, first, tau = iter(noise), plan.player == "first", plan.step_size
    d, other = (3, 2) if first else (2, 3)
    T, B, opponent = len(plan.vertices), 60 // len(plan.vertices), np.array(plan.opponent)
    iterates, total, what = [np.full(d, 1 / d)], np.zeros(d), np.zeros(other)

    def sampled(w: FloatArray) -> FloatArray:
        rows = next(draws)
        assert rows.shape == (samples, d)
        return np.asarray(np.mean([np.eye(d)[np.argmax(np.log(w) + row)] for row in rows], axis=0))

    for t in range(1, T):
        if t <= length or t % length == 0:
            what = sampled(np.mean(iterates, axis=0))
        x, y = (what, opponent) if first else (opponent, what)
        gradients = []
        for z in range((t - 1) * B, t * B):
            height = np.clip((data.slopes[z] @ x - data.offsets[z]) / 0.25, -1, 1)
            both = data.payoffs[z] @ y + height * data.slopes[z], -data.payoffs[z].T @ x
            gradients.append(both[0] if first else both[1])
        total = total - tau * np.mean(gradients, axis=0)
        iterates.append(np.exp(total) / np.exp(total).sum())
    return sampled(np.mean(iterates, axis=0))


@pytest.mark.parametrize("player", ["first", "second"])
def test_an_own_computation_agrees_to_the_last_digits(player: Any) -> None:
    """On one tape the outputs are the same vertices, and the log-weights agree to 1e-12, on long steps."""
    data = random_data(3)
    plan = replace(made(player=player, steps=15, opponent=None), step_size=2.0)
    curator = RecordingCurator(GAME.read(data), ReplaceOne, np.random.default_rng(4))
    output = algorithm.run(GAME, plan, curator)
    transcript: Transcript = curator.transcript
    noise = [entry.noise for entry in transcript.answers]
    assert np.abs(by_hand(data, plan, 3, 2, noise) - output).max() <= 1e-12
    assert len(set(map(float, transcript.answers[-1].query))) == plan.dimension  # the weights have moved


def test_planted_bug_without_the_average_the_weights_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing from the last iterate instead of the running average."""
    plan = replace(made(steps=15), step_size=2.0)
    curator = RecordingCurator(GAME.read(random_data(3)), ReplaceOne, np.random.default_rng(4))
    honest = algorithm.advance

    def last_only(*arguments: Any) -> Any:
        path = honest(*arguments)
        weights = path[3:] - arguments[-1][3:]
        path[3:] = weights * round(float(path[3:].sum()))
        return path

    with monkeypatch.context() as planted:
        planted.setattr(algorithm, "advance", last_only)
        algorithm.run(GAME, plan, curator)
    wrong = curator.transcript.answers
    again = RecordingCurator(GAME.read(random_data(3)), ReplaceOne, np.random.default_rng(4))
    algorithm.run(GAME, plan, again)
    assert np.abs(wrong[-1].query - again.transcript.answers[-1].query).max() > 1e-3


# ------------------------------------------------------------------------------------ mixtures


def test_a_mixture_spends_what_its_parts_spend() -> None:
    e = Fraction(1, 3)
    for order in (Fraction(3, 2), Fraction(2), Fraction(40)):
        mixed = event_curve(ExponentialMixture(e), ReplaceOne).at(order)
        assert mixed == event_curve(Exponential(e), ReplaceOne).at(order)
        assert mixed.upper <= order * e**2 / 8
    assert mixture_event(Sensitivity(e, Linf, ReplaceOne)) == ExponentialMixture(e)


def test_weights_that_are_no_probabilities_are_refused() -> None:
    curator = LiveCurator(np.zeros(2), ReplaceOne, np.random.default_rng(0))
    how: dict[str, Any] = {"sensitivity": Sensitivity(ONE, Linf, ReplaceOne), "label": "w", "mixture": True}
    assert curator.select(lambda data: data - math.log(2), epsilon=ONE, **how).shape == (1,)
    with pytest.raises(InvalidArgumentError, match="sum to one"):
        curator.select(lambda data: data, epsilon=ONE, **how)
    with pytest.raises(InvalidArgumentError, match="the sensitivity of a mixture"):
        curator.select(lambda data: data - math.log(2), epsilon=ONE / 2, **how)
    with pytest.raises(InvalidArgumentError, match="linf"):
        mixture_event(Sensitivity(ONE, L2, ReplaceOne))  # type: ignore[arg-type]
    assert str(curator.ledger.event) == "exponential_mixture(epsilon=1)"


# ------------------------------------------------------------------------------------ Theorem 4.2


def mean_excess(plan: Plan[Any], dimension: int, runs: int, seed: int) -> tuple[float, float]:
    """Mean excess risk of the output, and its standard error; fresh records for every run."""
    n, rng = 14 * plan.steps, np.random.default_rng(seed)
    found = []
    for run in range(runs):
        problem, data, excess = vertex_regression(n, dimension, seed=1000 * seed + run)
        noise = rng.gumbel(size=plan.draws * dimension)
        found.append(excess(ALGORITHMS[NAME].trace(problem, data, plan, noise).points[-1]))
    return float(np.mean(found)), float(np.std(found) / math.sqrt(runs))


@pytest.mark.slow
@pytest.mark.parametrize(("length", "samples"), part([(6, 2000), (5, 100)], 1, seed=0))
def test_theorem_4_2_bounds_the_excess_with_its_explicit_constants(length: int, samples: int) -> None:
    """At an optimum known in closed form, over 30 seeds; six standard errors, and a bound below the start's excess.

    The losses are quadratic, so that both cases apply: as first-order smooth with many vertices, as second-order
    smooth (L2 = 0) with few.  The step is the one that the bound wants, which the budget of epsilon = 60 allows.
    """
    d, steps, L1 = 4, 2000, 0.5
    first = samples > 1000
    size = (float(d), float(samples))
    moment = first_order_moment(FLOAT, L1, *size) if first else second_order_moment(FLOAT, L1, 0.0, *size)
    tau = regret_step(FLOAT, 1.0, float(d), float(steps), float(length), moment)
    problem = vertex_regression(28_000, d, seed=0).problem
    changes = {"steps": steps, "round_length": length, "samples": samples, "step_size": Fraction(tau)}
    plan = made(problem, epsilon=Fraction(60), delta=Fraction(1, 10**5), **changes)
    assert plan.step_size == pytest.approx(tau)
    bias = first_order_bias(FLOAT, L1, float(samples)) if first else second_order_bias(FLOAT, 0.0, float(samples))
    bound = excess_bound(FLOAT, 1.0, L1, float(d), float(steps), float(length), float(samples), tau, bias, moment)
    found, error = mean_excess(plan, d, 30, seed=1)
    assert found - 6 * error > 0
    assert found + 6 * error < bound < 0.1875


@pytest.mark.parametrize(
    "call",
    [
        lambda: made(steps=61),
        lambda: made(steps=0),
        lambda: made(round_length=0),
        lambda: made(samples=0),
        lambda: made(adjacency=AddOrRemoveOne),
        lambda: made(form=Form.AS_PRINTED, calibration="zcdp"),
        lambda: made(calibration="exact"),
        lambda: made(player="third"),
        lambda: made(epsilon=Fraction(200)),
        lambda: made(delta=Fraction(1)),
        lambda: made(epsilon=0.5),
        lambda: made(opponent=np.array([0.5, 0.6])),
        lambda: made(opponent=np.array([1.5, -0.5])),
        lambda: made(opponent=np.ones(1)),
        lambda: made(opponent=np.array([math.nan, 1.0])),
        lambda: made(step_size=Fraction(1, 10**400)),
        lambda: theorem_4_2("cubic", 10, 1.0, 0.1, 3),  # type: ignore[arg-type]
        lambda: vertex_regression(0, 3, seed=0),
        lambda: vertex_regression(3, 1, seed=0),
    ],
)
def test_bad_input_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(InvalidArgumentError):
        call()
