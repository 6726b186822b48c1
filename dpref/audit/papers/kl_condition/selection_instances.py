"""What the claims of Theorem 5 are run on: real data, and draws for a selection among noisy answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpref.audit import scores
from dpref.audit.real_data import Real
from dpref.audit.run import Run, Sampled
from dpref.errors import LeakError
from dpref.kernels.records import Trace
from dpref.mechanisms.exponential import gumbel_max
from dpref.reals import decimal_up


@dataclass(frozen=True, kw_only=True)
class Selected(Real):
    """Real data for the search for a stationary point."""

    def sample(self, run: Run, data: Any, rng: np.random.Generator) -> Sampled:
        """A run on fresh noise; the descent says how many candidates there are, and with them how many Gumbel draws."""
        plan, d = run.plan, run.problem.dimension
        rows = rng.standard_normal((2 * plan.rounds, d))
        if plan.reading != "vector":
            rows[::2, 1:] = 0.0  # a norm is one number
        if plan.epsilon is None:
            return Sampled(run.trace(data, rows), rows)
        asked = len(replace(run, plan=replace(plan, epsilon=None)).trace(data, rows).queries)
        candidates = (asked + 1) // 2
        noise = np.zeros((asked + 1, max(d, candidates)))
        noise[:asked, :d], noise[asked, :candidates] = rows[:asked], rng.gumbel(size=candidates)
        return Sampled(run.trace(data, noise), noise)

    def verify(self, run: Run, seen: Sampled) -> None:
        """The answers of the descent are its queries with noise, and the chosen iterate has the largest noisy score."""
        points, *rest = seen.trace
        asked = len(seen.trace.queries) - (run.plan.epsilon is not None)
        scores.answered(Trace(points, *(part[:asked] for part in rest)), seen.noise)
        if run.plan.epsilon is None:
            return
        values, draws = (part[asked, : (asked + 1) // 2] for part in (seen.trace.queries, seen.noise))
        if gumbel_max(values, draws, float(seen.trace.scales[asked])) != seen.trace.answers[asked, 0]:
            raise LeakError("the selected iterate does not have the largest noisy score: what is scored is not run")

    def facts(self, run: Run) -> Mapping[str, str]:
        """Data, loss, reading, noise and the rule."""
        plan = run.plan
        return {
            **super().facts(run),
            "reading of the norm": plan.reading,
            "rounds at most": str(plan.rounds),
            "noise of a norm": decimal_up(plan.norm_std, 6),
            "selection": "the least noisy norm" if plan.epsilon is None else f"exponential, epsilon = {plan.epsilon}",
        }
