"""DP-GD as a mechanism that gives many outputs at once: what `audit_mechanism` calls with ``batched=True``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from dpref.audit.many_descents import outputs, transcripts
from dpref.audit.subjects import RELEASES, Release
from dpref.checks import natural, one_of
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.reals import FloatArray


@final
@dataclass(frozen=True)
class ManyDescents:
    """Independent runs of DP-GD whose passes over the data are shared.

    Attributes:
        problem: The public problem.
        plan: What `dpref.algorithms.gradient_descent.plan.plan` computed.
        release: The output of each run, or all of its noisy gradients.

    >>> from dpref.algorithms import examples
    >>> problem, data, plan = examples.gradient_descent()
    >>> ManyDescents(problem, plan)(data, np.random.default_rng(0), 3).ravel().tolist()  # there is no noise in it
    [0.75, 0.75, 0.75]
    """

    problem: ERMProblem
    plan: Any
    release: Release = "output"

    def __post_init__(self) -> None:
        one_of("release", self.release, RELEASES)

    def __call__(self, data: Dataset, rng: np.random.Generator, n: int) -> FloatArray:
        """So many outputs, shape (n, d), or transcripts, shape (n, T, d).

        Args:
            data: The private records.
            rng: Draws everything.
            n: How many.
        """
        noise = rng.standard_normal((natural("n", n), self.plan.steps, self.problem.dimension))
        if self.release == "transcript":
            return transcripts(self.problem, data, self.plan, noise)
        drawn = rng.integers(self.plan.steps, size=n) if self.plan.output == "random" else None
        return outputs(self.problem, data, self.plan, noise, drawn)
