r"""A gradient-perturbation algorithm as a subject: run on real data with one worst-case record.

A claim about such an algorithm speaks of every loss whose (clipped) per-record gradients are bounded by G; the loss
that is named is the instance that is run.

* Upper side: the plan's ledger.
* Lower side: linear losses $\pm G\langle u,\theta\rangle$ belong to the class and move every mean gradient by exactly
  $\Delta=2G/n$ (or $G/n$, where the record's gradient vanishes), whatever the iterate.  The *transcript* is then
  Gaussian with $\mu^2=\sum_t\Delta^2/s_t^2$, and the *output* is Gaussian with
  $\mu^2=\Delta^2(\sum_tc_t)^2/\sum_tc_t^2s_t^2$, where $s_t$ is the noise of step t and
  $c_t=(1-\beta)\sum_{k\ge t}\beta^{k-t}b_k$ says how often its gradient enters the last iterate (1 without momentum).
  Both come from the problem and from the noise that is run, never from the ledger: a ledger that forgets something is
  contradicted here, and an audit then raises its alarm.
* Empirical side: the compiled twin on the pair of `dpref.problems.neighbours.worst_case_pair`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, final

import numpy as np
from flint import arb, fmpq

from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.dynamic_gradient_descent import plan as dynamic_gradient_descent_plan
from dpref.algorithms.kernel_arguments import problem_arguments
from dpref.audit.subjects import Neighbour, Release
from dpref.checks import natural
from dpref.errors import InvalidArgumentError
from dpref.privacy.events.ledger import Ledger
from dpref.problems.datasets import Dataset, breast_cancer
from dpref.problems.erm import ERMProblem
from dpref.problems.neighbours import NeighbourPair, worst_case_pair
from dpref.reals import FloatArray, ball, decimal_up, exact, precision
from dpref.units import Adjacency, ReplaceOne

WITNESS_PRECISION: Final = 256
_LINEAR: Final = (
    "linear losses +-G <u, theta>, one of them turned round or nulled: exactly Gaussian, not the data of the runs"
)


@lru_cache(maxsize=1)
def audit_data() -> Dataset:
    """The real data that the built-in claims are run on."""
    return breast_cancer()


@final
@dataclass(frozen=True, eq=False)
class GradientRun:
    """An algorithm with its plan on a pair of data sets.

    Attributes:
        algorithm: The registry's entry.
        problem: The public side.
        plan: Its numbers.
        pair: The neighbouring data sets and the direction in which they differ.
        release: "output" or "transcript".
        output: Which iterate is the output, "last" or "random".
    """

    algorithm: Algorithm
    problem: ERMProblem
    plan: Any
    pair: NeighbourPair
    release: Release
    output: str = "last"

    def __post_init__(self) -> None:
        natural("steps that the budget admits", self.plan.steps)
        if self.release == "output" and self.output != "last":
            raise InvalidArgumentError("release", self.release, 'only a "last" output is audited; use "transcript"')

    @classmethod
    def on_audit_data(
        cls, algorithm: Algorithm, problem: ERMProblem, plan: Any, release: Release, **more: Any
    ) -> GradientRun:
        """The run on `audit_data` with its worst-case pair; data and problem are checked against each other."""
        pair = worst_case_pair(audit_data(), plan.sensitivity.adjacency)
        problem.read(pair.first)
        problem.read(pair.second)
        return cls(algorithm, problem, plan, pair, release, **more)

    @property
    def adjacency(self) -> type[Adjacency]:
        """That of the plan."""
        found: type[Adjacency] = self.plan.sensitivity.adjacency
        return found

    def ledger(self) -> Ledger[Any]:
        """What the plan spends."""
        return self.algorithm.ledger(self.plan)

    def witness_mu_squared(self) -> Any:
        """The linear-loss pair's parameter: exact for a transcript, a ball for an output, None where that is bent.

        A projection bends the output, and so does a ridge.
        """
        shift = self.problem.sensitivity(self.adjacency).value
        if self.release == "transcript":
            ratios = ((shift / exact(std), count) for std, count in Counter(self.plan.stds).items())
            return _exact_sum([count * fmpq(r.numerator, r.denominator) ** 2 for r, count in ratios])
        if self._bent:
            return None
        with precision(WITNESS_PRECISION):
            weights = self._weights()
            signal = sum(weights, arb(0)) * ball(shift)
            noise = sum((w * w * ball(exact(s)) ** 2 for w, s in zip(weights, self.plan.stds, strict=True)), arb(0))
            return signal * signal / noise

    def _weights(self) -> list[arb]:
        """c_1, ..., c_T, from the doubles that the plan runs with."""
        steps = self.plan.steps
        if not isinstance(self.plan, dynamic_gradient_descent_plan.Plan) or self.plan.momentum == 0:
            return [arb(1)] * steps
        beta, tail = ball(exact(self.plan.momentum)), arb(0)
        weights = []
        for correction in reversed(self.plan.bias_corrections[:steps]):
            tail = ball(exact(correction)) + beta * tail
            weights.append((1 - beta) * tail)
        return weights[::-1]

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """Transcript: the exact log-likelihood ratio, by replaying the answers on the other data set.

        Output: the last iterate's component against the direction in which the pair differs.
        """
        data, other = (self.pair.first, self.pair.second) if neighbour == 0 else (self.pair.second, self.pair.first)
        scores = np.empty(trials)
        for trial in range(trials):
            noise = rng.standard_normal((self.plan.steps, self.problem.dimension))
            iterates, queries = self.algorithm.kernel(self.problem, data, self.plan, noise)
            if self.release == "output":
                scores[trial] = -float(iterates[-1] @ self.pair.direction)
            else:
                scores[trial] = self._log_likelihood_ratio(other, iterates, queries, noise, sign=2 * neighbour - 1)
        return scores

    def _log_likelihood_ratio(
        self, other: Dataset, iterates: FloatArray, queries: FloatArray, noise: FloatArray, *, sign: int
    ) -> float:
        from dpref.kernels.gradients import queries_along  # noqa: PLC0415

        replayed = queries_along(*problem_arguments(self.problem, other), iterates[:-1])
        stds = np.array(self.plan.stds)[:, None]
        gap = (queries - replayed) / stds + noise
        return sign * float(np.sum(gap * gap - noise * noise)) / 2

    def facts(self) -> Mapping[str, str]:
        """Data, loss, steps, noise and the pair."""
        problem, stds = self.problem, self.plan.stds
        bent = self.release == "output" and self._bent
        how = "its label is flipped" if self.adjacency is ReplaceOne else "it is left out"
        return {
            "algorithm": f"{self.algorithm.name} ({self.algorithm.paper}, {self.algorithm.items[0]})",
            "data": f"{self.pair.first.name}, {problem.n} x {problem.dimension}",
            "loss": problem.loss.name + ("" if problem.clip is None else f", gradients clipped at {problem.clip}"),
            "steps": str(self.plan.steps),
            "noise per coordinate": decimal_up(max(stds), 6)
            + ("" if len(set(stds)) == 1 else f" down to {decimal_up(min(stds), 6)}"),
            "sensitivity": str(self.plan.sensitivity.value),
            "pair": f"one record is a unit vector along the least-variance direction; in the neighbour {how}",
            "certified witness": "none for this output: a projection or a ridge bends it" if bent else _LINEAR,
        }

    @property
    def _bent(self) -> bool:
        """Whether the output of linear losses is not Gaussian."""
        return self.problem.domain.radius is not None or self.problem.ridge != 0


def _exact_sum(terms: list[fmpq]) -> Fraction:
    """Pairs first, then pairs of pairs: denominators of many different doubles grow no sooner than they must."""
    while len(terms) > 1:
        terms = [sum(terms[i : i + 2], fmpq(0)) for i in range(0, len(terms), 2)]
    (total,) = terms
    return Fraction(int(total.p), int(total.q))
