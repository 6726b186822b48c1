"""Figure 5.1: the regret of DP-HDB and of DP-UCB, round by round (T = 10000, d = 50, K = 2, epsilon = 1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from dpref.algorithms import high_dimensional_bandit, linear_ucb
from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.forms import Form
from dpref.algorithms.high_dimensional_bandit.algorithm import actions as told
from dpref.algorithms.linear_ucb.algorithm import actions as chosen
from dpref.errors import PrecisionError
from dpref.experiments.experiment import Experiment, Found, Panel, Part, Report, Table, curve, spread
from dpref.experiments.private_online_frank_wolfe.methods import certified_text
from dpref.kernels.records import Indices
from dpref.privacy.accountants import BEST, certify
from dpref.problems.bandit import BanditData, LinearBandit, regret, sampled_bandit
from dpref.reals import FloatArray
from dpref.units import ReplaceOne

ARMS, SPARSITY, SPREAD = 2, 5, 0.05
GAP: Final = Fraction(1)  # h_sub of the public code
LITTLE: Final = Fraction(10**8)  # an epsilon with which the noise hardly shows: the control
POINTS: Final = 40  # of a curve
CHANCE: Final = "arms at random"
UNSEEN: Final = (
    "The figure has no numbers in the text, which leaves open delta (1/T here, as in Section 5.3), the law of contexts "
    "(uniform), the true parameters (five random entries alike, as in the public code), the warm-up (the public code's "
    "ln(dT) ln(T) / epsilon^2), the gap (1) and the repeats. The public code itself has no Algorithm 3 (E-24)."
)

CERTIFIED: Final = (
    "The certified epsilon is an upper end at delta = 1/T under replace-one: of joint differential privacy, of what "
    "the run keeps, from which each user is told an arm with the user's own context; '-' where no accountant has one."
)


class Shape(NamedTuple):
    """What is computed."""

    horizon: int
    dimension: int
    seeds: int


class Users(NamedTuple):
    """A bandit whose parameters are known."""

    problem: LinearBandit
    truth: FloatArray  # (K, d)
    data: BanditData


def users(shape: Shape, seed: int) -> Users:
    """The users of a seed.

    Args:
        shape: Horizon and dimension.
        seed: Of parameters, contexts and rewards.

    >>> found = users(Shape(10, 6, 1), 0)
    >>> np.abs(found.truth).sum(axis=1).round(12).tolist(), found.data.n
    ([1.0, 1.0], 10)
    """
    rng = np.random.default_rng([seed, shape.horizon, shape.dimension])
    truth = np.zeros((ARMS, shape.dimension))
    for row in truth:
        row[rng.choice(shape.dimension, min(SPARSITY, shape.dimension // 2), replace=False)] = 1.0
    truth /= np.abs(truth).sum(axis=1, keepdims=True)
    problem = LinearBandit(shape.horizon, shape.dimension, ARMS, reward_bound=Fraction(11, 10))
    return Users(problem, truth, sampled_bandit(problem, truth, SPREAD, seed))


def _hdb_plan(problem: LinearBandit, epsilon: Fraction, change: dict[str, Any]) -> Any:
    n, d = problem.n, problem.dimension
    warm_up = min(math.floor(math.log(d * n) * math.log(n)), n // (2 * ARMS))
    asked = high_dimensional_bandit.Params(epsilon, Fraction(1, n), ReplaceOne, warm_up=warm_up, gap=GAP)
    return high_dimensional_bandit.ALGORITHM.plan(problem, replace(asked, **change))


def _hdb_actions(of: Users, plan: Any, rng: np.random.Generator) -> Indices:
    size = ARMS * len(plan.scales) * plan.candidates
    draws = rng.gumbel(size=size) if plan.law == "gumbel" else rng.laplace(size=size)
    points = high_dimensional_bandit.ALGORITHM.trace(of.problem, of.data, plan, draws).points
    return told(of.problem, plan, points, of.data.contexts)


def _ucb_plan(problem: LinearBandit, epsilon: Fraction, change: dict[str, Any]) -> Any:
    asked = linear_ucb.Params(epsilon, Fraction(1, problem.n), ReplaceOne, spread=Fraction(SPREAD))
    return linear_ucb.ALGORITHM.plan(problem, replace(asked, **change))


def _ucb_actions(of: Users, plan: Any, rng: np.random.Generator) -> Indices:
    side = of.problem.dimension * ARMS + 1
    noise = rng.standard_normal((of.problem.n, side * (side + 1) // 2))
    points = linear_ucb.ALGORITHM.trace(of.problem, of.data, plan, noise).points
    return chosen(of.problem, plan, points, of.data.contexts)


class Learner(NamedTuple):
    """An algorithm of the figure.

    Attributes:
        algorithm: Its declaration; None of arms at random.
        plan: Its numbers, from the public side.
        actions: The arms that it tells.
        accountant: That certifies it: of hundreds of different selections the Rényi divergences take seconds.
    """

    algorithm: AnyAlgorithm | None
    plan: Callable[[LinearBandit, Fraction, dict[str, Any]], Any]
    actions: Callable[[Users, Any, np.random.Generator], Indices]
    accountant: str = BEST


HDB: Final = Learner(high_dimensional_bandit.ALGORITHM, _hdb_plan, _hdb_actions, "renyi")
UCB: Final = Learner(linear_ucb.ALGORITHM, _ucb_plan, _ucb_actions)
RANDOM: Final = Learner(None, lambda *_: None, lambda of, _, rng: rng.integers(ARMS, size=of.problem.n))


class Method(NamedTuple):
    """A way to be told an arm."""

    learner: Learner
    epsilon: Fraction
    change: dict[str, Any]


METHODS: Final[dict[str, Method]] = {
    "DP-HDB, as printed": Method(HDB, Fraction(1), {"form": Form.AS_PRINTED}),
    "DP-HDB, repaired": Method(HDB, Fraction(1), {"law": "gumbel"}),
    "DP-UCB, the source's noise": Method(UCB, Fraction(1), {"form": Form.AS_PRINTED}),
    "DP-UCB, the least noise": Method(UCB, Fraction(1), {}),
    "DP-HDB, hardly any noise": Method(HDB, LITTLE, {"law": "gumbel"}),
    "DP-UCB, hardly any noise": Method(UCB, LITTLE, {}),
    CHANCE: Method(RANDOM, Fraction(1), {}),
}


def certified(learner: Learner, plan: Any) -> float | None:
    """The certified upper end of epsilon at delta = 1/T, of the counters and answers; None without one.

    Args:
        learner: Whose ledger is asked.
        plan: Its numbers.
    """
    if learner.algorithm is None:
        return 0.0
    try:
        found = certify(learner.algorithm.ledger(plan), delta=plan.claimed.delta, accountant=learner.accountant).upper
    except PrecisionError:
        return None
    return found if found < math.inf else None


def runs(name: str, shape: Shape) -> Found:
    """The regret along the rounds, seed by seed, and the epsilon that the noise certifiably spends."""
    (learner, epsilon, change), found = METHODS[name], []
    plan = learner.plan(users(shape, 0).problem, epsilon, change)  # the same for every seed
    at = np.unique(np.linspace(0, shape.horizon - 1, POINTS).astype(int))
    for seed in range(shape.seeds):
        of, rng = users(shape, seed), np.random.default_rng([seed, 1])
        arms = learner.actions(of, plan, rng)
        found.append(regret(of.problem, of.truth, of.data.contexts, arms)[at].tolist())
    return {"rounds": (at + 1).tolist(), "regret": found, "epsilon": certified(learner, plan)}


def parts(shape: Shape) -> tuple[Part, ...]:
    """One for each method."""
    return tuple(Part(name, partial(runs, name, shape)) for name in METHODS)


def report(shape: Shape, found: Mapping[str, Found]) -> Report:
    """The last regret of each, over that of arms at random, and the curves."""
    last = {name: np.array([path[-1] for path in part["regret"]]) for name, part in found.items()}
    chance = float(last[CHANCE].mean())
    spent = {name: certified_text(part["epsilon"]) for name, part in found.items()}
    rows = [(name, spent[name], str(spread(values)), str(spread(values / chance))) for name, values in last.items()]
    lines = []
    for name, part in found.items():
        columns = [list(column) for column in zip(*part["regret"], strict=True)]
        label = f"{name} (certified ε {spent[name]})"
        lines.append(curve(label, part["rounds"], columns, dashed="printed" in name or "source" in name))
    said = []
    for form, pair in (("as printed", list(last)[0:4:2]), ("repaired", list(last)[1:4:2])):
        ahead = spread(last[pair[1]] - last[pair[0]])
        verdict = "has" if ahead.mean > ahead.error else "does not have"
        said.append(f"{form} DP-HDB {verdict} the lower regret (DP-UCB's less its own: {ahead.estimate})")
    shares = [float(last[name].mean()) / chance for name in list(last)[:4]]
    sentence = (
        f"At epsilon = 1, {'; '.join(said)}. Of the regret of arms at random the four have {min(shares):.3g} to "
        f"{max(shares):.3g}."
    )
    title = f"T = {shape.horizon}, d = {shape.dimension}"
    return Report(
        Table(("algorithm", "certified ε", "regret", "over the mean of arms at random"), tuple(rows)),
        (Panel(title, "round", "regret", tuple(lines)),),
        sentence,
        (UNSEEN, CERTIFIED),
    )


FIGURE_5_1: Final = Experiment[Shape](
    name="private-online-frank-wolfe/figure-5.1",
    title="the regret of DP-HDB and DP-UCB",
    printed="Cumulative regret against rounds, T = 10000, d = 50, K = 2, epsilon = 1, parameters as recommended.",
    stands_in=(
        "The same bandit with what the text leaves open chosen, as printed and repaired, beside arms at random; at the "
        "printed size with --full alone, where a run of DP-UCB takes three minutes and 2 GB."
    ),
    shapes={"quick": Shape(500, 8, 3), "default": Shape(2000, 20, 15), "full": Shape(10_000, 50, 15)},
    takes={"quick": "a minute", "default": "5 minutes", "full": "two hours"},
    parts=parts,
    report=report,
)
