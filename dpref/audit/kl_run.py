r"""Adaptive noisy gradient descent as a subject of claims (KL Spider: `dpref.audit.spider_run`).

* Upper side: the plan's ledger, an upper budget on every path.
* Lower side, as printed under R1: `spending_below` for the transcript, which holds the noisy norms; `iterates_below`
  for the iterates alone, which are all that Theorem 3 releases.
* Empirical side: the compiled twin, scored by the exact log-likelihood ratio of the transcript; the iterates alone by
  `short_steps`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, final

import numpy as np
from flint import arb

from dpref.algorithms.adaptive_gradient_descent import plan as adaptive_plan
from dpref.algorithms.adaptive_gradient_descent.compiled import adaptive_trace
from dpref.algorithms.forms import Form
from dpref.algorithms.kernel_arguments import problem_arguments
from dpref.audit.subjects import Neighbour, Release
from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.divergences import normal_cdf
from dpref.privacy.events.ledger import Ledger
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber
from dpref.problems.neighbours import NeighbourPair, worst_case_pair
from dpref.reals import BALL, DEFAULT_PRECISION, FloatArray, Ops, T, ball, decimal_up, exact, lower, precision
from dpref.units import Adjacency, ReplaceOne

LINEAR_SMOOTHNESS: Final = Fraction(10**6)
_CUT: Final = 2.0
_CUTS: Final = tuple(Fraction(k, 4) for k in range(4, 17))


def linear_problem(records: int) -> ERMProblem:
    """Huber losses with threshold 1/2 on the line: between -1/2 and 1/2 every loss is linear; L_0 = 1/2.

    >>> linear_problem(100).gradient_bound
    Fraction(1, 2)
    """
    return ERMProblem(Huber(Fraction(1, 2)), n=records, dimension=1)


def linear_pair(adjacency: type[Adjacency]) -> NeighbourPair:
    """One record whose gradient is turned round or nulled; the n - 1 null records add nothing and are not stored.

    >>> pair = linear_pair(ReplaceOne)
    >>> pair.first.n, float(abs(pair.direction[0]))
    (1, 1.0)
    """
    return worst_case_pair(Dataset(np.zeros((1, 1)), np.ones(1), "one record among null records"), adjacency)


def spending_below(o: Ops[T], rho: T, charge: T, norm_cost: T, norm_std: T, floor_cost: T, mean: T) -> T:
    r"""What a run of the printed form under R1 spends on average at least, where the gradient never changes.

    The $N_t\sim N(m,\hat\sigma^2)$ are independent.  A round records
    $r=\min\{A/N_t^2,\rho/2\}+r_0$, whose mean is at most $r_0+\frac{4\sqrt{A\rho/2}}{\hat\sigma\sqrt{2\pi}}$, because
    the density of $N_t$ is at most $1/(\hat\sigma\sqrt{2\pi})$.  The number $\tau$ of rounds has
    $E\tau\,Er\ge\rho/2$ by Wald's identity, and a gradient that is released after $N_t\le0$ costs
    $c=\Delta^2/(2\sigma_{\min}^2)$; in all at least $\frac{\rho}{2Er}\,P(N_t\le0)\,c-c$, the last round releasing no
    gradient.  For linear losses that spending is the Kullback-Leibler divergence of the transcripts, which is at most
    rho' for every rho'-zCDP algorithm.

    Args:
        rho: The budget.
        charge: $A=L_0^2d\log(n\sqrt\rho/\beta)/n^2$.
        norm_cost: $r_0$.
        norm_std: $\hat\sigma$.
        floor_cost: c.
        mean: m.

    >>> from dpref.reals import FLOAT
    >>> round(spending_below(FLOAT, 1.0, 1e-8, 1e-3, 0.1, 0.5, 0.0), 2)  # half of 234.9 rounds, less one, at 1/2 each
    58.23
    """
    rounds = _rounds_below(o, rho, charge, norm_cost, norm_std)
    return (rounds * normal_cdf(o, -mean / norm_std) - 1) * floor_cost


def iterates_below(
    o: Ops[T], rho: T, charge: T, norm_cost: T, norm_std: T, floor_std: T, spread: T, shift: T, cut: T
) -> T:
    r"""A lower bound on rho' of the iterates alone under R1, on linear losses: no $N_t$ is seen.

    The gradient is $\pm\frac\Delta2$ on the two data sets P, Q, so that the $N_t$ and the number $\tau$ of rounds have
    one law.  With $x_t=(\nabla_t+\frac\Delta2)/\sigma_{\min}$, which the iterates show, the statistic
    $\varphi=\sum_{t<\tau}\mathrm{sign}(x_t)[|x_t|\le c]$ has mean 0 on Q and variance at most $E\tau\,v$; on P its mean
    is at least $(E\tau\,P(N_t\le0)-1)\,a$, where, with $\mu=\Delta/\sigma_{\min}$ and $m=\Delta/2$,

    .. math::
        a&=\Phi(c-\mu)+\Phi(-c-\mu)-2\Phi(-\mu),\qquad P(N_t\le0)=\Phi(-m/\hat\sigma),\\
        v&=P(N_t\le0)(2\Phi(c)-1)+2\sqrt{\frac{c\,\sigma_{\min}s}{\pi\hat\sigma}}.

    The last term is for $N_t>0$: up to any x the density is at most $1/(\hat\sigma\sqrt{2\pi})$, beyond it the noise is
    $x/s$ or more, and the best x is taken.  A rho'-zCDP algorithm has
    $(E_P\varphi-E_Q\varphi)^2\le\mathrm{Var}_Q(\varphi)(e^{2\rho'}-1)$ (Hammersley, Chapman and Robbins), and the bound
    that follows grows with $E\tau$, which is at least what `spending_below` says.

    Args:
        rho: The budget.
        charge: $A=L_0^2d\log(n\sqrt\rho/\beta)/n^2$.
        norm_cost: What a norm is charged.
        norm_std: $\hat\sigma$.
        floor_std: $\sigma_{\min}$.
        spread: s; the noise of a gradient is $N_t/s$ or $\sigma_{\min}$.
        shift: $\Delta$, how far the gradient moves.
        cut: c, positive: any one is valid.

    References:
        The errata's E4.

    >>> from dpref.reals import FLOAT
    >>> at = iterates_below(FLOAT, 1.0, 1e-8, 1e-3, 0.1, 1e-4, 4.0, 1e-4, 2.0)
    >>> 0.5 < at < spending_below(FLOAT, 1.0, 1e-8, 1e-3, 0.1, 0.5, 5e-5)
    True
    """
    negative = normal_cdf(o, -shift / (2 * norm_std))
    rounds, mu = _rounds_below(o, rho, charge, norm_cost, norm_std), shift / floor_std
    bent = normal_cdf(o, cut - mu) + normal_cdf(o, -cut - mu) - 2 * normal_cdf(o, -mu)
    seen = (rounds * negative - 1) * bent
    near = negative * (1 - 2 * normal_cdf(o, -cut)) + 2 * o.sqrt(cut * floor_std * spread / (o.pi() * norm_std))
    return o.log1p(seen * seen / (rounds * near)) / 2


def _rounds_below(o: Ops[T], rho: T, charge: T, norm_cost: T, norm_std: T) -> T:
    r"""$\frac\rho{2Er}$: how many rounds a run of the printed form has on average at least (see `spending_below`)."""
    recorded = norm_cost + 4 * o.sqrt(charge * rho / 2) / (norm_std * o.sqrt(2 * o.pi()))
    return rho / (2 * recorded)


class Replayed:
    """What the two subjects of this paper share: a pair of data sets, and the gradients of both."""

    problem: ERMProblem
    plan: Any
    pair: NeighbourPair

    @property
    def adjacency(self) -> type[Adjacency]:
        """That of the plan."""
        found: type[Adjacency] = self.plan.sensitivity.adjacency
        return found

    def sides(self, neighbour: Neighbour) -> tuple[Dataset, Dataset]:
        """The data set that is run on, and the other one."""
        first, second = self.pair.first, self.pair.second
        return (first, second) if neighbour == 0 else (second, first)

    def gradients(self, data: Dataset, points: FloatArray) -> FloatArray:
        """The exact mean gradients at some points, shape (K, d)."""
        from dpref.kernels.gradients import queries_along  # noqa: PLC0415

        found: FloatArray = queries_along(*problem_arguments(self.problem, data), np.ascontiguousarray(points))
        return found


@final
@dataclass(frozen=True, eq=False)
class AdaptiveRun(Replayed):
    """Adaptive noisy gradient descent with its plan on a pair of data sets.

    Attributes:
        problem: The public side.
        plan: Its numbers.
        pair: The neighbouring data sets.
        release: "transcript", or "output": every iterate, and no noisy norm.
    """

    problem: ERMProblem
    plan: adaptive_plan.Plan[Any]
    pair: NeighbourPair
    release: Release

    def __post_init__(self) -> None:
        if self.release == "output" and self.problem.dimension != 1:
            raise InvalidArgumentError("release", self.release, "the iterates are audited in one dimension only")

    def ledger(self) -> Ledger[Any]:
        """The upper budget of the plan."""
        return adaptive_plan.ledger(self.plan)

    def witness_mu_squared(self) -> Fraction | arb | None:
        """None: the noise depends on answers, and no statistic is known to be exactly Gaussian."""
        return None

    def witness_rho(self) -> float:
        """`spending_below` or `iterates_below` in balls for the printed form under R1; zero otherwise."""
        plan = self.plan
        if not self._witnessed:
            return 0.0
        if self.release == "output":
            return self._iterates_rho()
        half = self.problem.gradient_bound / self.problem.n
        mean = half if self.adjacency is ReplaceOne else Fraction(0)
        floor_cost = adaptive_plan.exact_cost(plan.sensitivity, plan.floor_std)
        exact_numbers = (exact(plan.charge), exact(plan.norm_cost), exact(plan.norm_std), floor_cost, mean)
        with precision(DEFAULT_PRECISION):
            found = spending_below(BALL, ball(plan.rho), *map(ball, exact_numbers))
            return max(0.0, lower(found))

    def _iterates_rho(self) -> float:
        plan, best = self.plan, 0.0
        with precision(DEFAULT_PRECISION):
            rho, moved = ball(plan.rho), ball(plan.sensitivity.value)
            charge, norm_cost, norm_std = (ball(exact(x)) for x in (plan.charge, plan.norm_cost, plan.norm_std))
            rounds = _rounds_below(BALL, rho, charge, norm_cost, norm_std)
            if not rounds * normal_cdf(BALL, -moved / (2 * norm_std)) > 1:  # the bound on the mean is not positive
                return 0.0
            floor_std, spread = ball(exact(plan.floor_std)), ball(exact(plan.spread))
            for cut in _CUTS:
                at = iterates_below(
                    BALL, rho, charge, norm_cost, norm_std, floor_std, spread, shift=moved, cut=ball(cut)
                )
                best = max(best, lower(at))
        return best

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """The exact log-likelihood ratio of norms and gradients, by replaying the answers on the other data set."""
        if self.release == "output":
            return np.array([self.short_steps(neighbour, rng) for _ in range(trials)])
        data, other = self.sides(neighbour)
        d, vector = self.problem.dimension, self.plan.reading == "vector"
        width = d if vector else 1
        scores = np.empty(trials)
        for trial in range(trials):
            points, queries, stds, tape = self._run(data, rng)
            gradients = self.gradients(other, points[:-1:2])
            sizes = gradients if vector else np.linalg.norm(gradients, axis=1)[:, None]
            released = len(queries) // 2
            # The last round may end after its norm: then the tape holds no draw for its gradient.
            starts = np.arange(len(gradients))[:, None] * (width + d)
            parts = (
                (queries[::2, :width], sizes, stds[::2], tape[starts + np.arange(width)]),
                (
                    queries[1::2],
                    gradients[:released],
                    stds[1::2],
                    tape[starts[:released] + np.arange(width, width + d)],
                ),
            )
            total = 0.0
            for q, replayed, std, z in parts:
                gap = (q - replayed) / std[:, None] + z
                total += float(np.sum(gap * gap - z * z))
            scores[trial] = (2 * neighbour - 1) * total / 2
        return scores

    def short_steps(self, neighbour: Neighbour, rng: np.random.Generator) -> float:
        """One run's steps that are short, counted with the sign of their distance from the middle of both gradients."""
        ends = [float(self.gradients(data, np.zeros((1, 1)))[0, 0]) for data in self.sides(0)]
        _, queries, stds, tape = self._run(self.sides(neighbour)[0], rng)
        released = len(queries) // 2
        answers = queries[1::2, 0] + stds[1::2] * tape[: 2 * released].reshape(released, 2)[:, 1]
        x = (answers - sum(ends) / 2) / self.plan.floor_std * np.sign(ends[1] - ends[0])
        return float(np.sum(np.sign(x) * (np.abs(x) <= _CUT)))

    def _run(self, data: Dataset, rng: np.random.Generator) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """A run on a tape that grows until it is long enough (what has been read of it stays the same)."""
        tape = rng.standard_normal(1024)
        while True:
            try:
                return *adaptive_trace(self.problem, data, self.plan, tape), tape
            except ValueError:
                tape = np.concatenate([tape, rng.standard_normal(tape.size)])

    def facts(self) -> Mapping[str, str]:
        """Data, loss, reading, noise and the pair."""
        problem, plan = self.problem, self.plan
        return {
            "algorithm": f"adaptive-gradient-descent (kl-condition, Algorithm 3, {plan.form.value})",
            "data": f"{self.pair.first.name}, {problem.n} x {problem.dimension}",
            "loss": problem.loss.name + ("" if problem.clip is None else f", gradients clipped at {problem.clip}"),
            "reading of the norm": plan.reading,
            "rounds at most": str(plan.rounds),
            "noise of a norm": decimal_up(plan.norm_std, 6),
            "least noise of a gradient": decimal_up(plan.floor_std, 6),
            "pair": "one record's gradient is turned round or nulled",
            "certified witness": "linear losses +-L_0 w (of f Theorem 3 asks only that it is Lipschitz)"
            if self._witnessed
            else "none: the lower end is zero",
        }

    @property
    def _witnessed(self) -> bool:
        return self.plan.form is Form.AS_PRINTED and self.plan.reading == "scalar"
