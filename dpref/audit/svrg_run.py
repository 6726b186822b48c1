r"""DP-SVRG and DP-SVRG++ as subjects of claims.

* Upper side: the plan's ledger, by `dpref.privacy.renyi.variance_reduction`.
* Lower side: the events of `dpref.audit.svrg_witness` and the Gaussian pair of linear losses, for transcript and output
  apart.  They speak of the class of G-Lipschitz convex losses, which the privacy theorems cover, and need r = 0.
* Empirical side: the compiled twin, on one of two instances.  ``real``: the breast-cancer data with one worst-case
  record.  ``drift``: Huber losses in the plane, n of them pulling the iterate away at constant speed, one of which is
  replaced by a loss whose derivative turns round on the way (the two-dimensional form of the witness).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, final

import numpy as np
from flint import arb

from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.svrg.plan import Plan
from dpref.audit.gradient_run import audit_data
from dpref.audit.subjects import Neighbour, Release
from dpref.audit.svrg_witness import (
    linear_output_weights,
    output_epsilon,
    shrunk_output_weights,
    transcript_epsilon,
)
from dpref.checks import natural
from dpref.curator import Indices, draw_batch
from dpref.geometry.prox import Regulariser
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.renyi.variance_reduction import linear_mu_squared
from dpref.problems.datasets import Dataset, scale_rows
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber
from dpref.problems.neighbours import NeighbourPair, replace_record, worst_case_pair
from dpref.reals import BALL, RATIONAL, FloatArray, ball, decimal_up, exact, precision
from dpref.units import Adjacency, ReplaceOne

DRIFT_STEP: Final = Fraction(8)
WITNESS_PRECISION: Final = 256
_LINEAR: Final = "n linear losses +-G x, one of them turned round: exactly Gaussian"
_TURNING: Final = "one dimension, n linear losses -G x, one replaced by a loss whose derivative turns from -G to G"
_COSINE, _SINE = 0.8, 0.6


def drift_problem(records: int) -> ERMProblem:
    """Huber losses with threshold one in the plane: G = L = 1.

    >>> drift_problem(10).gradient_bound, drift_problem(10).smoothness
    (Fraction(1, 1), Fraction(1, 1))
    """
    return ERMProblem(Huber(Fraction(1)), n=natural("records", records, least=2), dimension=2)


def drift_start(std: float, steps: int, shrink: float = 1.0) -> FloatArray:
    """So far out that every loss but the turning one stays linear for the whole run, shape (2,).

    Args:
        std: Noise of an answer.
        steps: All of the run's.
        shrink: What the regulariser multiplies every point by.

    >>> drift_start(0.0, 8).tolist()
    [-160.0, 213.33333333333334]
    """
    reach = 2 * float(DRIFT_STEP) * (steps + 8 * std * math.sqrt(steps) + 2) / shrink**steps
    return np.array([-reach, reach * _COSINE / _SINE])


def drift_pair(records: int) -> NeighbourPair:
    """All records alike; in the neighbour one of them turns round as the iterate moves.

    >>> pair = drift_pair(3)
    >>> int((pair.first.features != pair.second.features).any(axis=1).sum())  # records that differ
    1
    """
    rows = scale_rows(np.tile([1.0, 0.0], (records, 1)))
    first = Dataset(rows, np.ones(records), "constant drift in the plane")
    turning = np.array([_COSINE, _SINE])
    return NeighbourPair(first, replace_record(first, 0, scale_rows(turning[None, :])[0], 1.0), turning)


def real_pair(adjacency: type[Adjacency]) -> NeighbourPair:
    """The breast-cancer data with its worst-case record.

    >>> real_pair(ReplaceOne).first.n
    569
    """
    return worst_case_pair(audit_data(), adjacency)


@final
@dataclass(frozen=True, eq=False)
class SVRGRun:
    """One of the two algorithms with its plan on a pair of data sets.

    Attributes:
        algorithm: The registry's entry.
        problem: The public side.
        plan: Its numbers.
        pair: The neighbouring data sets and the direction in which they differ.
        release: "output" or "transcript".
        turning: Whether the pair is the ``drift`` one.
    """

    algorithm: Algorithm
    problem: ERMProblem
    plan: Plan[Any]
    pair: NeighbourPair
    release: Release
    turning: bool

    def __post_init__(self) -> None:
        self.problem.read(self.pair.first)
        self.problem.read(self.pair.second)

    @property
    def adjacency(self) -> type[Adjacency]:
        """That of the plan."""
        return self.plan.adjacency

    @property
    def noise_multiplier(self) -> Fraction:
        """sigma / G, exact."""
        return exact(self.plan.std) / self.plan.gradient_bound

    @property
    def shrink(self) -> Fraction | None:
        """What the regulariser multiplies every point by: 1 / (1 + eta lambda), exact; None for another regulariser."""
        weight = self.plan.regulariser.l2
        return (
            1 / (1 + exact(self.plan.step_size) * weight) if self.plan.regulariser == Regulariser(l2=weight) else None
        )

    @property
    def _two_steps(self) -> bool:
        return self.plan.lengths == (2,) and self.plan.batch == 1

    def ledger(self) -> Ledger[Any]:
        """What the plan spends."""
        return self.algorithm.ledger(self.plan)

    def witness_mu_squared(self) -> Fraction | arb | None:
        """The linear losses' parameter for what is released; None where a regulariser bends the output."""
        total = linear_mu_squared(self.ledger())
        if self.release == "transcript":
            return total
        if self.shrink is None or (self.shrink < 1 and len(self.plan.lengths) > 1):
            return None
        if self.shrink < 1:
            with precision(WITNESS_PRECISION):
                weights = shrunk_output_weights(BALL, self.plan.steps, ball(self.shrink))
                found: arb = ball(total / self.plan.steps) * weights[0] * weights[0] / weights[1]
                return found
        signal, noise = linear_output_weights(RATIONAL, [Fraction(m) for m in self.plan.lengths], carry=self.plan.carry)
        return total / self.plan.steps * signal * signal / noise

    def witness_epsilon(self, delta: Fraction) -> float:
        """What the turning record shows, rounded down; zero where the witness does not apply."""
        plan, shrink, z = self.plan, self.shrink, self.noise_multiplier
        if self.adjacency is not ReplaceOne or shrink is None or plan.batch == plan.records:
            return 0.0
        if self.release == "transcript":
            return transcript_epsilon(plan.records, plan.batch, plan.lengths[0], z, delta, shrink)
        return output_epsilon(plan.records, z, delta, shrink) if self._two_steps else 0.0

    # -------------------------------------------------------------------------------- runs

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """Drift: how likely some answer is the turning record's, or how far the output fell back.

        Real data: the answers' (or the output's) component along the direction in which the pair differs.
        """
        data = self.pair.second if neighbour else self.pair.first
        plan, scores = self.plan, np.empty(trials)
        if self.turning and self.release == "transcript":  # the score looks at the first epoch alone
            plan = replace(plan, lengths=plan.lengths[:1])
        for trial in range(trials):
            noise = rng.standard_normal((plan.steps, self.problem.dimension))
            batches = self._batches(plan.steps, rng)
            iterates, queries = self.algorithm.kernel(self.problem, data, plan, noise, batches)
            if self.release == "output":
                scores[trial] = -float(iterates[-1] @ self.pair.direction)
            else:
                scores[trial] = self._transcript_score(queries + plan.std * noise)
        return scores

    def _batches(self, steps: int, rng: np.random.Generator) -> Indices:
        plan = self.plan
        if plan.batch == 1:
            return rng.integers(plan.records, size=steps)
        return np.concatenate([draw_batch(rng, plan.records, plan.batch) for _ in range(steps)])

    def _transcript_score(self, answers: FloatArray) -> float:
        if not self.turning:
            return float((answers @ self.pair.direction).sum())
        plan = self.plan
        shift = 2.0 / plan.batch
        along = (answers[: plan.lengths[0]] + np.array([1.0, 0.0])) @ self.pair.direction
        exponent = (shift * along - shift * shift / 2) / plan.std**2
        rate = plan.batch / plan.records
        return float(np.logaddexp(math.log1p(-rate), math.log(rate) + exponent).sum())

    def facts(self) -> Mapping[str, str]:
        """Data, loss, steps, noise, the pair, and where the plan stands to the theorem's conditions."""
        problem, plan = self.problem, self.plan
        pair = (
            "one record's derivative turns round as the iterate moves"
            if self.turning
            else "one record is a unit vector"
        )
        broken = [h.name for h in plan.hypotheses if not h.holds]
        return {
            "algorithm": f"{self.algorithm.name} ({self.algorithm.paper}, {self.algorithm.items[0]})",
            "data": f"{self.pair.first.name}, {problem.n} x {problem.dimension}",
            "loss": problem.loss.name + ("" if problem.clip is None else f", gradients clipped at {problem.clip}"),
            "epochs": ", ".join(map(str, plan.lengths)) + f" inner steps with batches of {plan.batch}",
            "noise per coordinate": decimal_up(plan.std, 6),
            "noise over G": decimal_up(self.noise_multiplier, 6),
            "calibration": f"{plan.calibration} ({plan.form.value})",
            "utility hypotheses that fail": ", ".join(broken) or "none",
            "hypotheses": self._hypotheses(),
            "pair": f"one record is replaced: {pair}",
            "certified witness": self._witness(),
        }

    def _hypotheses(self) -> str:
        """Strong convexity, which DP-SVRG asks for, and how large the range's c_1 would have to be."""
        plan = self.plan
        counted = (plan.steps + plan.lengths[0]) // 2 if plan.carry else plan.steps  # 2^T m or T m
        epsilon, delta = plan.claimed
        with precision(WITNESS_PRECISION):
            small = "yes" if ball(epsilon) <= -2 * ball(delta).log() else "no"
        least = epsilon * (Fraction(plan.records, plan.batch) ** 2) / counted
        convex = f"r = (lambda/2)|x|^2 with lambda = {plan.regulariser.l2}: F + r is strongly convex; "
        inside = f"epsilon is in the printed range if c_1 >= {decimal_up(least, 4)}"
        return f"{convex if plan.regulariser.l2 else ''}{inside}; epsilon <= 2 ln(1/delta), not printed: {small}"

    def _witness(self) -> str:
        """On which losses the certified lower end is attained."""
        if self.shrink is None:
            return "none for the output with this regulariser" if self.release == "output" else _LINEAR
        if self.release == "output":
            return _TURNING + ", two steps" if self._two_steps else _LINEAR
        return f"{_TURNING}, or {_LINEAR}: the larger of the two"
