r"""What the claims about DP-POFW are run on, and how much its choices leak at least: linear losses, all zero but one.

The scores of linear losses do not depend on the iterates, so the n choices are independent whatever was chosen before.
In one dimension there are two vertices, at $\pm r$, whose scores differ by the gap $g_t=Dw_tL$, $w_t$ the weight of the
first record in $d_t$: 1/t, or 2/(t+1) with the printed weights (E-4).  With noise of scale $b_t$ the better one is
reported with

.. math:: p(x)=1-\tfrac14e^{-x}(2+x)\ \text{(Laplace)},\qquad p(x)=\frac1{1+e^{-x}}\ \text{(Gumbel)},\qquad x=g_t/b_t.

On the neighbour it is the worse one: that the first m choices all go with the record has the probabilities
$P=\prod_{t\le m}p(x_t)$ and $Q=\prod_{t\le m}(1-p(x_t))$, and $\varepsilon\ge\ln\frac{P-\delta}Q$.  Without noise, as
the print has it at n = 1, the choice shows the record.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from dpref.audit.linear_losses import linear_losses
from dpref.audit.parameters import MOST_NUMBERS, fits
from dpref.audit.run import Instance, Run, Sampled
from dpref.audit.scores import answered
from dpref.audit.subjects import Neighbour, Witness
from dpref.checks import open_unit
from dpref.curator import Indices
from dpref.errors import InvalidArgumentError, LeakError
from dpref.geometry.linear_minimization import LpBall
from dpref.mechanisms.exponential import ChoiceNoise, Law
from dpref.problems.bandit import Bandit, BanditData, BanditPair, LinearBandit
from dpref.problems.datasets import Dataset
from dpref.problems.losses import Linear
from dpref.problems.neighbours import NeighbourPair, replace_record, zero_record
from dpref.problems.stream import VertexStream
from dpref.reals import DEFAULT_PRECISION, FloatArray, ball, decimal_up, exact, lower, precision
from dpref.units import Adjacency, ReplaceOne


@dataclass(frozen=True, kw_only=True)
class OneRecord(Instance):
    """A stream of zeros on an l_1 ball; its first record lies on the first axis, and is flipped, or nulled.

    Attributes:
        records: n.
        dimension: d.
        lipschitz: L.
        radius: r.
    """

    records: int
    dimension: int
    lipschitz: Fraction
    radius: Fraction

    @property
    def pull(self) -> Fraction:
        """The size of the first record's gradient."""
        return self.lipschitz

    def problem(self) -> VertexStream | Bandit:
        """Linear losses on the ball."""
        sizes = {"records": self.records, "dimension": self.dimension}
        fits("numbers", sizes, self.records * self.dimension, MOST_NUMBERS)
        domain = LpBall(Fraction(1), self.radius)
        return VertexStream(
            Linear(), n=self.records, dimension=self.dimension, domain=domain, feature_bound=self.lipschitz
        )

    def pair(self, problem: Any, adjacency: type[Adjacency]) -> NeighbourPair | BanditPair:
        """The stream and its neighbour.

        >>> one = OneRecord(records=2, dimension=1, lipschitz=Fraction(3), radius=Fraction(1))
        >>> pair = one.pair(one.problem(), ReplaceOne)
        >>> pair.first.features.tolist(), pair.first.labels.tolist(), pair.second.labels.tolist()
        ([[3.0], [0.0]], [1.0, 1.0], [-1.0, 1.0])
        """
        axis = np.eye(problem.dimension)[0]
        empty = Dataset(np.zeros((problem.n, problem.dimension)), np.ones(problem.n), "linear losses, all but one zero")
        first = replace_record(empty, 0, axis * float(problem.feature_bound), 1.0)
        second = replace_record(first, 0, first.features[0], -1.0) if adjacency is ReplaceOne else zero_record(first, 0)
        return NeighbourPair(first, second, axis)

    def check(self, run: Run) -> None:
        """Data of the problem, and the choices."""
        super().check(run)
        if run.release != "transcript":
            raise InvalidArgumentError("release", run.release, "only the transcripts of chosen vertices are audited")

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """Of the first choices, in one dimension."""
        return first_choices(run, delta)

    def sample(self, run: Run, data: Any, rng: np.random.Generator) -> Sampled:
        """A run on fresh noise."""
        plan, choices = run.plan, int(self.choices(run).sum())
        noise = ChoiceNoise(plan.law, 1.0).draw(rng, (choices * plan.candidates,))
        return Sampled(run.trace(data, noise), noise)

    def verify(self, run: Run, seen: Sampled) -> None:
        """Refuse a run whose vertices do not have the largest noisy scores."""
        trace, size = seen.trace, run.plan.candidates
        scales = np.repeat(trace.scales, self.choices(run))
        noisy = trace.queries.reshape(-1, size) + scales[:, None] * seen.noise.reshape(-1, size)
        if noisy.argmax(axis=1).tolist() != trace.answers.tolist():
            raise LeakError("a vertex does not have the largest noisy score: what is scored is not what is run")

    def choices(self, run: Run) -> Indices:
        """How many choices each round makes."""
        return np.ones(run.plan.steps, dtype=np.int64)

    def of_the_record(self, run: Run) -> Indices:
        """The numbers of the choices that the first record moves."""
        return np.arange(run.plan.steps)

    def scores(self, run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """How far the choices go against the record, each by the gap of its scores over the noise."""
        weights = np.array([float(x) for x in signals(run)])
        against = np.zeros(run.plan.candidates)
        against[[0, run.problem.dimension]] = -1.0, 1.0
        moved, runs = self.of_the_record(run), run.runs(neighbour, trials, rng)
        return np.array([float(weights @ against[seen.trace.answers[moved].astype(np.int64)]) for seen in runs])

    def facts(self, run: Run) -> Mapping[str, str]:
        """Set, stream, noise and the pair."""
        plan, problem = run.plan, run.problem
        return {
            "stream": f"{run.pair.first.name}, {problem.n} x {problem.dimension}, L = {problem.lipschitz}",
            "set": f"l_1 ball, diameter {problem.domain.diameter()}, {plan.candidates} vertices",
            "noise of a score": f"{plan.law}, from scale {decimal_up(plan.scales[0], 6)} on, as one over the root",
            "span of the first scores": decimal_up(plan.sensitivity.value, 6),
            "pair": "the first record is " + ("flipped" if run.adjacency is ReplaceOne else "nulled"),
            "hypotheses": f"linear losses: beta = 0, L = {problem.lipschitz}; delta = {plan.claimed.delta}",
        }


@dataclass(frozen=True, kw_only=True)
class OneUser(OneRecord):
    """A bandit of users with no context but the first, on the first axis; her rewards are turned, or she is null.

    With the identity for a link and parameters that start at zero her gradient is linear losses' at its largest; later
    users have none, so that the choices of the arm that she meets in the warm-up are as in `OneRecord`.

    Attributes:
        arms: K.
    """

    arms: int

    def problem(self) -> Bandit:
        """Linear rewards as large as ``lipschitz``, contexts up to one."""
        sizes = {"records": self.records, "dimension": self.dimension, "arms": self.arms}
        fits("numbers", sizes, self.records * self.dimension * self.arms, MOST_NUMBERS)
        return Bandit(self.records, self.dimension, self.arms, radius=self.radius, reward_bound=self.lipschitz)

    def pair(self, problem: Bandit, adjacency: type[Adjacency]) -> BanditPair:
        """The users and their neighbours.

        >>> one = OneUser(records=2, dimension=1, lipschitz=Fraction(3), radius=Fraction(1), arms=2)
        >>> pair = one.pair(one.problem(), ReplaceOne)
        >>> pair.first.rewards.tolist(), pair.second.rewards.tolist()
        ([[3.0, 3.0], [0.0, 0.0]], [[-3.0, -3.0], [0.0, 0.0]])
        """
        context, rewards = np.eye(problem.dimension)[0], np.full(problem.arms, float(problem.reward_bound))
        empty = BanditData(np.zeros((problem.n, problem.dimension)), np.zeros((problem.n, problem.arms)), "one user")
        first = empty.replaced(0, context, rewards)
        return BanditPair(first, first.replaced(0, context, -rewards) if adjacency is ReplaceOne else empty, context)

    def choices(self, run: Run) -> Indices:
        """One in the warm-up, then one of each arm."""
        plan = run.plan
        return np.where(np.arange(plan.steps) < plan.arms * plan.warm_up, 1, plan.arms)

    def of_the_record(self, run: Run) -> Indices:
        """Those of the first arm."""
        warm, plan = np.arange(run.plan.warm_up), run.plan
        later = np.arange(plan.arms * plan.warm_up, int(self.choices(run).sum()), plan.arms)
        return np.concatenate([warm, later])

    def facts(self, run: Run) -> Mapping[str, str]:
        """Arms, noise and the pair."""
        plan, problem = run.plan, run.problem
        return {
            "bandit": f"{problem.arms} arms, {problem.n} users, dimension {problem.dimension}, linear rewards",
            "warm-up": f"{plan.warm_up} pulls of each arm",
            "noise of a score": f"{plan.law}, from scale {decimal_up(plan.scales[0], 6)} on, as one over the root",
            "joint loss": f"{plan.joint.measure.name}, by the billboard lemma",
            "pair": "the first user's rewards are " + ("turned" if run.adjacency is ReplaceOne else "nulled"),
        }


@dataclass(frozen=True, kw_only=True)
class OneLeaf(OneUser):
    """The same users with Gram matrices: the first one's leaf moves by two of its coordinates."""

    def problem(self) -> LinearBandit:
        """Linear rewards as large as ``lipschitz``, contexts up to one."""
        plain = super().problem()
        return LinearBandit(plain.n, plain.dimension, plain.arms, radius=self.radius, reward_bound=self.lipschitz)

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """The nodes that hold the first leaf, exactly Gaussian."""
        return linear_losses(run.moves, run.adjacency, run.release)

    def sample(self, run: Run, data: Any, rng: np.random.Generator) -> Sampled:
        """A run on fresh noise."""
        side = run.problem.dimension * run.problem.arms + 1
        noise = rng.standard_normal((run.plan.steps, side * (side + 1) // 2))
        return Sampled(run.trace(data, noise), noise)

    def verify(self, run: Run, seen: Sampled) -> None:
        """Refuse a run whose nodes are not sums with the noise of their scales."""
        answered(seen.trace, seen.noise)

    def scores(self, run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """The log-likelihood ratio of the noisy nodes."""
        return np.array([run.log_likelihood_ratio(neighbour, rng) for _ in range(trials)])

    def facts(self, run: Run) -> Mapping[str, str]:
        """Arms, noise and the pair."""
        plan, problem = run.plan, run.problem
        return {
            "bandit": f"{problem.arms} arms, {problem.n} users, dimension {problem.dimension}, linear rewards",
            "noise of a node": f"standard deviation {decimal_up(plan.std, 6)}",
            "joint loss": f"{plan.joint.measure.name}, by the billboard lemma",
            "pair": "the first user's rewards are " + ("turned" if run.adjacency is ReplaceOne else "nulled"),
        }


def signals(run: Run) -> tuple[Fraction, ...]:
    """The gap of the scores of the two vertices on the record's axis over the scale, choice by choice; exact.

    Without noise it counts as one.

    >>> from dpref.audit import builders, catalogue
    >>> run = builders.run_of(catalogue.find("private-online-frank-wolfe/theorem-3.4@as-printed-n-1,replace-one"))
    >>> signals(run)
    (Fraction(1, 1),)
    """
    plan, problem, instance = run.plan, run.problem, run.instance
    pull = instance.pull if isinstance(instance, OneRecord) else problem.lipschitz
    gap = problem.domain.diameter() * pull * (1 + plan.ahead)
    pairs = enumerate(plan.scales, 1)
    return tuple(gap / (t + plan.ahead) / exact(scale) if scale else Fraction(1) for t, scale in pairs)


def misses(law: Law, signal: Fraction) -> arb:
    """The probability that of two candidates the worse one is reported, at that gap over the scale, a ball.

    Args:
        law: Of the noise.
        signal: x, exact, at least 0.

    >>> [misses(law, Fraction(0)) for law in ("laplace", "gumbel")]
    [0.500000000000000, 0.500000000000000]
    """
    x = ball(signal)
    tail = (-x).exp()
    return tail * (2 + x) / 4 if law == "laplace" else tail / (1 + tail)


def first_choices(run: Run, delta: Fraction) -> tuple[Witness, ...]:
    """What the first choices show, in one dimension: the best of all numbers of them, rounded down.

    >>> from dpref.audit import builders, catalogue
    >>> run = builders.run_of(catalogue.find("private-online-frank-wolfe/theorem-3.4@as-printed-n-1,replace-one"))
    >>> first_choices(run, Fraction(1, 10))[0].value
    inf
    """
    plan, slack = run.plan, open_unit("delta", delta)
    if run.problem.dimension != 1 or run.adjacency is not ReplaceOne:
        return ()
    best = math.inf if 0.0 in plan.scales else 0.0
    with precision(DEFAULT_PRECISION):
        hit, alarm = arb(1), arb(1)
        for signal in signals(run):
            wrong = misses(plan.law, signal)
            hit, alarm = hit * (1 - wrong), alarm * wrong
            if hit > ball(slack):
                best = max(best, lower(((hit - ball(slack)) / alarm).log()))
    attained = "the stream of the runs: that the first choices go with the record"
    return (Witness("first-choices", "epsilon", best, attained),)
