r"""What the claims about accelerated mirror descent are run on, and how much Algorithm 3 shows as printed.

``real``: the breast-cancer data on a ball.  ``line``: one dimension, $C=[-R,R]$, n Huber losses of threshold G whose
derivative is $\pm G$ all over C (features of length one, so that $L=1$), one of which is turned round.

As printed, $y_k=x_k-\frac{g}{4L}$ with the mean gradient g itself, while y stays inside C.  With $z_0=x_0=0$,

.. math:: y_T=\sum_{k=1}^{T-1}\frac{2(k+1)}{T(T+1)}z_k-\frac{T+2}{12L}g.

At $T=1$ that is a function of the data alone.  For $T\ge2$ a $z_{k+1}$ that the noise throws far out is $\pm R$: it
is inside with probability at most $\frac{2R}{\alpha_{k+1}R^2\sigma\sqrt{2\pi}}$, whatever came before.  If all of them
are at the ends, $y_T$ lies on a lattice of spacing $\frac{4R}{T(T+1)}$ that is shifted by $\frac{T+2}{12L}g$; the two
lattices of the pair are disjoint, as their shifts differ by less than the spacing.  So the event that $y_T$ lies on the
first data set's lattice has probability at least $1-p$ there and at most p on the other, with

.. math:: p=\frac{2(H_T-1)}{uR\sigma\sqrt{2\pi}},\qquad\alpha_{k+1}=(k+2)u.

More noise makes p smaller.  No y is cut off if $\frac{T+2}{12L}G\le\frac{2R}{T(T+1)}$, which is asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final

import numpy as np

from dpref.audit.linear_losses import linear_losses
from dpref.audit.papers.dp_erm_revisited.witnesses import event_epsilon
from dpref.audit.parameters import MOST_STEPS, MOST_STORED, fits
from dpref.audit.real_data import Descent
from dpref.audit.run import Instance, Run
from dpref.audit.subjects import Neighbour, Witness
from dpref.checks import AtMost, natural
from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import LpBall
from dpref.geometry.sets import L2Ball
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber
from dpref.problems.neighbours import NeighbourPair, replace_record
from dpref.reals import (
    BALL,
    DEFAULT_PRECISION,
    FLOAT,
    RATIONAL,
    FloatArray,
    Ops,
    T,
    ball,
    decimal_up,
    exact,
    lower,
    precision,
)
from dpref.units import Adjacency, ReplaceOne

_QUARTER: Final = 0.25
ATTAINED: Final = "the instance of the runs: one dimension, linear losses, one of them turned round"


def shift(o: Ops[T], steps: T, smoothness: T, g: T) -> T:
    r"""$\frac{T+2}{12L}g$: how far the exact gradients of line 6 take $y_T$.

    Args:
        steps: T.
        smoothness: L, where $\|C\|_2^2=4R^2$.
        g: The mean gradient.

    >>> from dpref.reals import FLOAT
    >>> shift(FLOAT, 1.0, 1.0, 8.0)
    2.0
    """
    return (steps + 2) * g / (12 * smoothness)


def spacing(o: Ops[T], steps: T, radius: T) -> T:
    r"""$\frac{4R}{T(T+1)}$, the spacing of the lattice of $y_T$.

    Args:
        steps: T.
        radius: R.

    >>> from dpref.reals import FLOAT
    >>> spacing(FLOAT, 1.0, 1.0)
    2.0
    """
    return 4 * radius / (steps * (steps + 1))


def inside(o: Ops[T], harmonic: T, unit: T, radius: T, std: T) -> T:
    r"""$p=\frac{2(H_T-1)}{uR\sigma\sqrt{2\pi}}$: a bound on the probability that some $z_k$, $1\le k<T$, is not an end.

    Args:
        harmonic: $H_T-1=\frac12+\dots+\frac1T$.
        unit: u, with $\alpha_{k+1}=(k+2)u$.
        radius: R.
        std: $\sigma$.

    >>> from dpref.reals import FLOAT
    >>> round(inside(FLOAT, 0.5, 0.25, 2.0, 4.0), 4)
    0.1995
    """
    return 2 * harmonic / (unit * radius * std * o.sqrt(2 * o.pi()))


def lattice_epsilon(run: Run, delta: Fraction) -> float:
    """What the last y shows of epsilon at delta as printed, rounded down; infinite after a single step.

    Args:
        run: On the ``line``.
        delta: Exact, in (0, 1).

    >>> from dpref.audit import builders, catalogue
    >>> printed = builders.run_of(catalogue.find("dp-erm-revisited/theorem-5.3@as-printed,replace-one"))
    >>> lattice_epsilon(printed, Fraction(1, 2))
    inf
    """
    plan, steps = run.plan, Fraction(run.plan.iterations)
    if steps == 1:
        return math.inf
    harmonic = sum((Fraction(1, k) for k in range(2, run.plan.iterations + 1)), Fraction(0))
    with precision(DEFAULT_PRECISION):
        given = (ball(x) for x in (harmonic, exact(plan.step_size), plan.mirror.ball.radius, exact(plan.std)))
        missed = inside(BALL, *given)
        if not 1 - missed > ball(delta):
            return 0.0
        return max(0.0, lower(event_epsilon(BALL, 1 - missed, missed, ball(delta))))


@dataclass(frozen=True, kw_only=True)
class OnABall(Descent):
    """Real data on a ball.

    Attributes:
        p: Norm index of the ball.
        radius: Its radius.
    """

    p: Fraction = Fraction(2)
    radius: Fraction = Fraction(1)

    def params(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The ball."""
        return {"constraint": LpBall(self.p, self.radius)}

    def check(self, run: Run) -> None:
        """The printed form's last y is audited on the ``line``."""
        super().check(run)
        fits("steps", {"steps": run.plan.steps}, run.plan.steps, MOST_STEPS)
        if run.release == "output" and run.plan.y_step == "exact":
            rule = 'of the printed form is audited with instance = "line"'
            raise InvalidArgumentError("release", run.release, rule)

    def facts(self, run: Run) -> Mapping[str, str]:
        """The set and the y-step too."""
        made = {"constraint": f"l_{self.p} ball of radius {self.radius}", "y-step": run.plan.y_step}
        return {**super().facts(run), **made}


@dataclass(frozen=True, kw_only=True)
class Line(Instance):
    """Linear losses on an interval, one of which is turned round.

    Attributes:
        records: n.
        radius: R.
        threshold: G.
    """

    name: ClassVar[str] = "line"
    records: Annotated[int, AtMost(MOST_STORED)]
    radius: Fraction
    threshold: Fraction

    def problem(self) -> ERMProblem:
        """Huber losses of unit features, which are linear where R + G is at most 1."""
        if self.radius + self.threshold > 1:
            rule = "must be at most 1 together with parameters.radius: the losses are then linear on the interval"
            raise InvalidArgumentError("parameters.threshold", self.threshold, rule)
        n = natural("records", self.records, least=2)
        return ERMProblem(Huber(self.threshold), n=n, dimension=1, domain=L2Ball(self.radius))

    def pair(self, problem: Any, adjacency: type[Adjacency]) -> NeighbourPair:
        """All labels are 1; in the neighbour the first is -1."""
        if adjacency is not ReplaceOne:
            raise InvalidArgumentError("adjacency", adjacency.name, "must be replace-one on the line")
        first = Dataset(np.ones((self.records, 1)), np.ones(self.records), "linear losses on a line")
        return NeighbourPair(first, replace_record(first, 0, first.features[0], -1.0), np.ones(1))

    def check(self, run: Run) -> None:
        """As printed, no y may be cut off."""
        super().check(run)
        fits("steps", {"steps": run.plan.steps}, run.plan.steps, MOST_STEPS)
        plan, steps = run.plan, Fraction(run.plan.iterations)
        printed = plan.y_step == "exact"
        if printed and plan.step_size != _QUARTER:
            raise InvalidArgumentError("parameters.smoothness", 1 / (4 * plan.step_size), "must be 1 on the line")
        if printed and 2 * shift(RATIONAL, steps, Fraction(1), self.threshold) > spacing(RATIONAL, steps, self.radius):
            rule = "must be so small that no y is cut off: (T + 2) G / (12 L) at most 2 R / (T (T + 1))"
            raise InvalidArgumentError("parameters.threshold", self.threshold, rule)

    def witnesses(self, run: Run, delta: Fraction) -> tuple[Witness, ...]:
        """Of a printed output the lattice; of a transcript the moves, which this pair attains."""
        if run.release == "transcript" or run.plan.y_step != "exact":
            return linear_losses(run.moves, run.adjacency, run.release, ATTAINED)
        shown = lattice_epsilon(run, delta)
        return (
            Witness("last-y-on-a-lattice", "epsilon", shown, ATTAINED, ("dp-erm-revisited/E1", "dp-erm-revisited/P74")),
        )

    def scores(self, run: Run, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """Of a printed output how much nearer the second data set's lattice is than the first's."""
        if run.release == "transcript" or run.plan.y_step != "exact":
            return super().scores(run, neighbour, trials, rng)
        data, steps, G = run.sides(neighbour)[0], float(run.plan.iterations), float(self.threshold)
        width = spacing(FLOAT, steps, float(self.radius))
        outputs = np.array([run.sample(data, rng).trace.points[-1, 0] for _ in range(trials)]) - float(self.radius)
        distances = []
        for g in (-G, 2 * G / self.records - G):
            away = outputs + shift(FLOAT, steps, 1.0, g) + width / 2  # the lattice's last point is R less half of it
            distances.append(np.abs(away - width * np.round(away / width)))
        return np.asarray(distances[0] - distances[1])

    def facts(self, run: Run) -> Mapping[str, str]:
        """Data, steps and noise."""
        return {
            "data": f"{run.pair.first.name}, {self.records} x 1",
            "constraint": f"[-{self.radius}, {self.radius}]",
            "steps": str(run.plan.iterations),
            "y-step": run.plan.y_step,
            "noise per coordinate": decimal_up(run.plan.std, 6),
            "pair": "one label is flipped",
        }
