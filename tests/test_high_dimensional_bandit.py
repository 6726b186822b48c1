"""DP-HDB: joint privacy by a billboard, two arms at once, synthetic rows, counters, regret."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.forms import Form
from dpref.algorithms.high_dimensional_bandit import algorithm
from dpref.algorithms.high_dimensional_bandit.algorithm import actions, releases, run
from dpref.algorithms.high_dimensional_bandit.plan import Params, Plan, ledger, plan
from dpref.algorithms.registry import ALGORITHMS
from dpref.audit.catalogue import catalogue
from dpref.audit.verdict import audit
from dpref.curator import LiveCurator, RecordingCurator, ReplayingCurator
from dpref.errors import InvalidArgumentError
from dpref.kernels.twin import interpreted_run
from dpref.mechanisms.exponential import ChoiceNoise
from dpref.privacy.accountants import certify
from dpref.privacy.events.walks import multiplicities
from dpref.problems.bandit import Bandit, BanditData, regret, sampled_bandit
from dpref.reals import Array, FloatArray
from dpref.units import (
    AddOrRemoveOne,
    ApproximateDP,
    JointDP,
    PrivacyLoss,
    PureDP,
    ReplaceOne,
    Sensitivity,
    Span,
    ZeroOut,
    billboard,
)
from tests.effort import part

ENTRY = ALGORITHMS["high-dimensional-bandit"]
CLAIMS = {c.form: c for c in catalogue() if c.algorithm == ENTRY.name}
TRUE = np.array([[0.6, 0.0, 0.0], [0.0, -0.5, 0.2]])


def problem(n: int = 40, **more: Any) -> Bandit:
    return Bandit(n=n, dimension=3, arms=2, **{"reward_bound": Fraction(2), **more})


def params(**changes: Any) -> Params[Any]:
    given: dict[str, Any] = {"epsilon": Fraction(1), "delta": Fraction(1, 1000), "adjacency": ReplaceOne}
    return Params(**{**given, "warm_up": 4, "gap": Fraction(1, 2), **changes})


def own(of: Bandit, users: BanditData, made: Plan[Any], noise: list[FloatArray], *, printed: bool) -> FloatArray:
    """Algorithm 3 straight from the paper, linear rewards; the safe form of the weights where not printed."""
    arms, warm_up = made.arms, made.warm_up
    theta, before, d_s = (np.zeros((arms, 3)) for _ in range(3))
    streams: list[list[tuple[FloatArray, float]]] = [[] for _ in range(arms)]
    warm, draws = theta.copy(), iter(noise)
    for t in range(of.n):
        x, rewards = users.contexts[t], users.rewards[t]
        if t < arms * warm_up:
            arm = t // warm_up
            streams[arm].append((x, rewards[arm]))
            stepping = [arm]
        else:
            worth = warm @ x
            eligible = [i for i in range(arms) if worth[i] > worth.max() - made.margin]
            arm = max(eligible, key=lambda i: float(theta[i] @ x))
            for i in range(arms):
                streams[i].append((x, rewards[i]) if i == arm else (np.zeros(3), 0.0))
            stepping = list(range(arms))
        fresh = theta.copy()
        for i in stepping:
            (x_s, r_s), s = streams[i][-1], len(streams[i])
            rho = (1 / (s + 1) if printed else 1 / s) if s > 1 else 1.0
            now, then = (x_s @ theta[i] - r_s) * x_s, (x_s @ before[i] - r_s) * x_s
            d_s[i] = now + (1 - rho) * (d_s[i] - then)
            vertices = np.vstack([np.eye(3), -np.eye(3)])
            best = np.argmin(vertices @ d_s[i] - made.scales[s - 1] * next(draws))
            fresh[i] = theta[i] + (vertices[best] - theta[i]) / (s + 1)
            before[i] = theta[i]
        theta = fresh
        if t < arms * warm_up:
            warm = theta.copy()
    return theta


@pytest.mark.parametrize("form", Form)
def test_an_own_implementation_agrees_to_1e_12(form: Form) -> None:
    of = problem()
    users = sampled_bandit(of, TRUE, spread=0.5, seed=3)
    made = plan(of, params(form=form, epsilon=Fraction(10_000)))
    curator = RecordingCurator(of.read(users), ReplaceOne, np.random.default_rng(1))
    reached = run(of, made, curator)
    noise = [row for entry in curator.transcript.answers for row in entry.noise]
    assert len(noise) == 2 * 4 + 2 * (40 - 8)
    expected = own(of, users, made, noise, printed=form is Form.AS_PRINTED)
    assert np.abs(reached.reshape(2, 3) - expected).max() < 1e-12


def test_the_billboard_spends_one_arms_choices() -> None:
    """T - (K - 1) t_0 events, whatever the number of arms: the arms' warm-ups share their places."""
    for arms in (2, 3):
        made = plan(Bandit(n=40, dimension=3, arms=arms), params())
        assert sum(multiplicities(ledger(made).event).values()) == 40 - (arms - 1) * 4
    made = plan(problem(10), params(warm_up=2))
    assert certify(ledger(made), delta=Fraction(1, 1000), accountant="renyi").upper <= 1
    quieter = replace(made, scales=tuple(scale / 2 for scale in made.scales))
    assert certify(ledger(quieter), delta=Fraction(1, 1000), accountant="renyi").upper > 1


def test_joint_privacy_is_a_notion_of_its_own() -> None:
    made = plan(problem(), params())
    assert made.claimed == PrivacyLoss(Fraction(1), ApproximateDP, ReplaceOne, Fraction(1, 1000))
    assert made.joint == PrivacyLoss(Fraction(1), JointDP, ReplaceOne, Fraction(1, 1000))
    with pytest.raises(InvalidArgumentError, match="one measure"):
        made.joint + made.claimed  # type: ignore[operator]
    with pytest.raises(InvalidArgumentError, match="convert it first"):
        billboard(PrivacyLoss(Fraction(1), PureDP, ReplaceOne))  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------ two arms at once


def switching() -> tuple[Bandit, BanditData, BanditData]:
    """Three users a warm-up arm prepares: the fourth goes to one arm on one data set, to the other on its neighbour."""
    of = Bandit(n=6, dimension=1, arms=2, reward_bound=Fraction(9))
    contexts, rewards = np.zeros((6, 1)), np.zeros((6, 2))
    contexts[:2, 0], rewards[0, 0], rewards[1, 1] = 1.0, 9.0, -9.0
    contexts[2, 0], rewards[2] = 1.0, [-9.0, -9.0]
    first = BanditData(contexts, rewards)
    return of, first, first.replaced(2, np.array([-1.0]), np.array([9.0, 9.0]))


def block_spans(of: Bandit, made: Plan[Any], first: BanditData, second: BanditData) -> list[list[float]]:
    """How far the scores of each block move from one data set to the other, round by round, on the same answers."""
    curator = RecordingCurator(of.read(first), ReplaceOne, np.random.default_rng(0))
    run(of, made, curator)
    replay = ReplayingCurator(of.read(second), ReplaceOne, curator.transcript, force="answers")
    run(of, made, replay)
    found = []
    for there, entry in zip(replay.queries, curator.transcript.answers, strict=True):
        moved = np.split(there - entry.query, len(entry.answer))
        found.append([float(m.max() - m.min()) / float(entry.sensitivity.value) for m in moved])
    return found


def test_a_user_who_changes_arms_moves_two_arms_within_the_span_of_one() -> None:
    """E-16: real row against synthetic row in both, each at most half, together at most the declared span."""
    of, first, second = switching()
    made = plan(of, params(warm_up=1, epsilon=Fraction(10**6), gap=Fraction(9)))
    moved = block_spans(of, made, first, second)
    assert [len(row) for row in moved] == [1, 1, 2, 2, 2, 2]
    assert max(map(max, moved[:2])) == 0
    for row in moved[2:]:
        assert min(row) > 0.3
        assert max(row) <= 0.5
        assert sum(row) <= 1


def test_planted_bug_a_synthetic_row_with_a_gradient_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without synthetic rows, every arm taking the user's own: two arms move by a whole replaced row each."""
    of, first, second = switching()
    made = plan(of, params(warm_up=1, epsilon=Fraction(10**6), gap=Fraction(9)))

    def everywhere(problem: Any, made: Any, o: Any, state: Any, arms: Any, rows: Any, users: Any, given: Any) -> Array:
        context, rewards = users.user(state.t + 1)
        found: Array = given.copy()
        for i in arms:
            now = problem.gradient(o, state.theta[i], context, rewards[i])
            then = problem.gradient(o, state.previous[i], context, rewards[i])
            found[i : i + 1] = now if rows == 1 else now + (rows - 1) * (given[i : i + 1] - then) / rows
        return found

    monkeypatch.setattr(algorithm, "take_in", everywhere)
    moved = block_spans(of, made, first, second.replaced(2, first.contexts[2], -first.rewards[2]))
    assert max(sum(row) for row in moved[2:]) > 1


def test_choices_of_several_blocks_are_one_entry_with_a_place_in_the_ledger() -> None:
    curator = RecordingCurator(np.zeros(4), ReplaceOne, np.random.default_rng(0))
    one, noise = Sensitivity(Fraction(1), Span, ReplaceOne), ChoiceNoise("laplace", 2.0)
    place = curator.share()
    for _ in range(3):
        chosen = curator.noisy_max(lambda d: d, sensitivity=one, noise=noise, blocks=2, place=place, label="both")
        assert chosen.shape == (2,)
    assert sum(multiplicities(curator.ledger.event).values()) == 1
    assert all(np.array_equal(entry.answer, entry.reproduced()) for entry in curator.transcript.answers)
    for wrong in ({"blocks": 3}, {"place": 7}, {"place": place, "noise": ChoiceNoise("laplace", 1.0)}):
        how: dict[str, Any] = {"sensitivity": one, "noise": noise, "label": "x", **wrong}
        with pytest.raises(InvalidArgumentError, match=r"blocks|place"):
            curator.noisy_max(lambda d: d, **how)


# ------------------------------------------------------------------------------------ the stream


def test_actions_are_functions_of_the_billboard_and_the_own_context() -> None:
    """A user's action does not change when everybody else's records do and the billboard is the same."""
    of = problem(60)
    users = sampled_bandit(of, TRUE, spread=0.5, seed=5)
    made = plan(of, params(epsilon=Fraction(5000)))
    noise = np.random.default_rng(0).laplace(size=(8 + 2 * 52) * 6)
    with interpreted_run("high_dimensional_bandit"):
        points = ENTRY.trace(of, users, made, noise).points
    told = actions(of, made, points, users.contexts)
    others = np.random.default_rng(1).permutation(users.contexts)
    others[20] = users.contexts[20]
    assert actions(of, made, points, others)[20] == told[20]
    assert set(told[8:].tolist()) == {0, 1}
    assert told[:8].tolist() == [0] * 4 + [1] * 4


@pytest.mark.parametrize("form", Form)
def test_oracle_calls_are_the_stated_ones(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [0]
    honest = Bandit.gradient

    def counting(self: Bandit, *arguments: Any) -> Array:
        calls[0] += 1
        return honest(self, *arguments)

    monkeypatch.setattr(Bandit, "gradient", counting)
    of = problem()
    made, users = plan(of, params(form=form)), sampled_bandit(of, TRUE, spread=0.5, seed=0)
    curator = LiveCurator(of.read(users), ReplaceOne, np.random.default_rng(0))
    assert len(list(releases(of, made, curator))) == 40
    assert calls[0] == made.oracle_calls == 2 * 40 - 2
    assert len(curator._held) == 1


def test_a_logistic_bandit_has_its_own_constants_and_margin() -> None:
    """E-31: the gap of predictions is one of rewards times the least slope of the link."""
    of = problem(link="logistic", reward_bound=Fraction(1))
    assert of.lipschitz == 1
    assert of.smoothness == Fraction(1, 4)
    slope = math.exp(-1) / (1 + math.exp(-1)) ** 2
    repaired, printed = (plan(of, params(form=form)) for form in (Form.REPAIRED, Form.AS_PRINTED))
    assert repaired.margin == pytest.approx(slope / 4)
    assert printed.margin == 0.25


@pytest.mark.parametrize(
    "changes",
    [{"warm_up": 0}, {"warm_up": 21}, {"gap": Fraction(0)}, {"epsilon": Fraction(0)}, {"adjacency": AddOrRemoveOne}],
    ids=str,
)
def test_bad_parameters_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        plan(problem(), params(**changes))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Bandit(n=4, dimension=1, arms=1),
        lambda: problem(link="probit"),
        lambda: problem(link="logistic"),
        lambda: problem(n=1).read(BanditData(np.full((1, 3), 1.5), np.zeros((1, 2)))),
        lambda: problem(n=1).read(BanditData(np.zeros((1, 3)), np.full((1, 2), 3.0))),
        lambda: problem(n=2).read(BanditData(np.zeros((1, 3)), np.zeros((1, 2)))),
        lambda: BanditData(np.zeros((1, 3)), np.zeros((2, 2))),
        lambda: BanditData(np.full((1, 3), np.nan), np.zeros((1, 2))),
        lambda: problem(n=1, link="logistic", reward_bound=Fraction(1)).read(
            BanditData(np.zeros((1, 3)), np.full((1, 2), -0.5))
        ),
    ],
)
def test_bad_problems_are_refused(make: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        make()


def test_zero_out_halves_the_span() -> None:
    whole, half = (plan(problem(), params(adjacency=a)) for a in (ReplaceOne, ZeroOut))
    assert whole.sensitivity.value == 2 * half.sensitivity.value


@pytest.mark.slow
@pytest.mark.parametrize("form", part(sorted(CLAIMS), 2))
def test_every_claim_has_its_recorded_verdict(form: str) -> None:
    verdict = audit(CLAIMS[form])
    assert verdict.outcome == verdict.claim.expected
    assert verdict.alarms == ()


@pytest.mark.slow
def test_the_regret_grows_more_slowly_than_the_root() -> None:
    """Slope of the log of R(n) - R(n/2) over log n below 1/2 by six standard errors, 150 seeds; with little noise.

    Of a regret like the root it would be 1/2, of the logarithm of Theorem 4.3 it is zero.
    """
    n, ends, warm_up, runs = 16_000, (2000, 5656, 16_000), 200, 150
    of = problem(n)
    made = plan(of, params(epsilon=Fraction(10**6), warm_up=warm_up, gap=Fraction(1)))
    found = np.empty((runs, 3))
    for seed in range(runs):
        users = sampled_bandit(of, TRUE, spread=0.5, seed=seed)
        noise = np.random.default_rng(seed).laplace(size=2 * (n - warm_up) * 6)
        thetas = ENTRY.trace(of, users, made, noise).points.reshape(n + 1, 2, 3)
        worth = np.einsum("tkd,td->tk", thetas[:-1], users.contexts)
        before = users.contexts @ thetas[2 * warm_up].T
        worth[before <= before.max(axis=1, keepdims=True) - made.margin] = -np.inf
        told = worth.argmax(axis=1)
        told[: 2 * warm_up] = np.repeat([0, 1], warm_up)
        costs = regret(of, TRUE, users.contexts, told)
        found[seed] = [costs[end - 1] - costs[end // 2 - 1] for end in ends]
    logs, values = np.log(ends), np.log(found.mean(axis=0))
    errors = found.std(axis=0) / math.sqrt(runs) / found.mean(axis=0)
    centred = logs - logs.mean()
    slope = float(centred @ values / (centred @ centred))
    spread = float(np.sqrt(centred**2 @ errors**2) / (centred @ centred))
    assert slope + 6 * spread < 0.5
