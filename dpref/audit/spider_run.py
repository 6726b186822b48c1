r"""KL Spider as a subject of claims, on instances that meet every assumption of its paper.

* Upper side: the plan's ledger, an upper budget on every path.
* ``squares``: records with $f(w;y)=\frac12(w-y)^2$, half of them with $y=1$ and half with $y=-1$, of which one is
  flipped (a Huber threshold $L_0>1$ that no iterate reaches makes them Lipschitz).  The mean is a parabola of curvature
  one, so $(\gamma,2)$-KL with $\gamma^2\ge\frac12$; its gradient moves by exactly $\frac2n$ wherever the run is, and a
  gradient difference not at all.  The transcript holds an exactly Gaussian statistic with
  $\mu^2=K(\frac2n)^2/\hat\sigma^2$.
* ``linear``: one Huber loss that is linear wherever the run can be, among null records, which are not stored.  The
  first answer of each round moves by the whole sensitivity $\Delta$: $\mu^2=K\Delta^2/\hat\sigma^2$, exactly.
* The output alone, on ``squares`` with one round: `against_the_gradient`.
* Empirical side: the compiled twin, scored by the exact log-likelihood ratio of the transcript, or by the output.

What the instances need (a start whose excess risk is at most $F_0$, iterates that stay where the losses are what is
said) is decided exactly from the plan's numbers; an instance that breaks it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, final

import numpy as np

from dpref.algorithms.forms import Form
from dpref.algorithms.spider import plan as spider_plan
from dpref.algorithms.spider.compiled import spider_trace
from dpref.audit.kl_run import Replayed
from dpref.audit.subjects import Neighbour, Release
from dpref.checks import natural
from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.divergences import normal_cdf
from dpref.privacy.events.ledger import Ledger
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.neighbours import NeighbourPair, replace_record
from dpref.reals import BALL, DEFAULT_PRECISION, FloatArray, Ops, T, ball, decimal_up, exact, lower, precision
from dpref.units import ReplaceOne

Instance = Literal["linear", "squares"]
_ORDERS: Final = tuple(Fraction(k, 4) for k in range(5, 65))

# ------------------------------------------------------------------------------------ formulas


def against_the_gradient(o: Ops[T], mean: T, outer: T, inner: T, edge: T, length: T) -> tuple[T, T]:
    r"""Probability that a printed run of one round ends at $w_0+s$, though $F'(w_0)=m\ge0$: at least, at most.

    The print keeps the iterate before the last, so the run ends there if and only if the first estimate
    $g=m+\hat\sigma z$ is at most $-a$ (a the threshold) and the second, $g+s+\sigma_1z'$ (curvature one), is not
    within $\pm a$.  But for $z'$ far out that is $g+\sigma_1z'\le-a-s$, a Gaussian tail:

    .. math:: \Phi\Big(-\frac{m+a+s}{\sqrt{\hat\sigma^2+\sigma_1^2}}\Big)\quad\text{less }\Phi(-s/\sigma_1),
        \text{ or more by }\Phi(-(2a-s)/\sigma_1).

    Args:
        mean: m.
        outer: $\hat\sigma$.
        inner: $\sigma_1$.
        edge: a.
        length: s, less than 2a.

    >>> from dpref.reals import FLOAT
    >>> least, most = against_the_gradient(FLOAT, 0.0, outer=1.0, inner=0.001, edge=0.9, length=0.2)
    >>> round(least, 4), most - least < 1e-12
    (0.1357, True)
    """
    core = normal_cdf(o, -(mean + edge + length) / o.sqrt(outer * outer + inner * inner))
    return core - normal_cdf(o, -length / inner), core + normal_cdf(o, -(2 * edge - length) / inner)


def event_rho(o: Ops[T], hit: T, alarm: T, order: T) -> T:
    r"""What an event shows of $\rho$ at one order of Renyi's divergence.

    .. math:: \rho\ge\frac1\alpha D_\alpha\ge\frac{\alpha\ln P(S)-(\alpha-1)\ln Q(S)}{\alpha(\alpha-1)}

    Args:
        hit: P(S), or less.
        alarm: Q(S), or more.
        order: $\alpha>1$.

    >>> from dpref.reals import FLOAT
    >>> round(event_rho(FLOAT, 0.5, 0.125, 2.0), 6)  # half of ln 2
    0.346574
    """
    return (order * o.log(hit) - (order - 1) * o.log(alarm)) / (order * (order - 1))


# ------------------------------------------------------------------------------------ instances


def squares_pair(records: int) -> NeighbourPair:
    """Half of the labels +1 and half -1; in the neighbour the first is turned round.

    Args:
        records: n, even.

    Raises:
        InvalidArgumentError: If n is odd.

    >>> pair = squares_pair(4)
    >>> pair.first.labels.tolist(), pair.second.labels.tolist()
    ([1.0, -1.0, 1.0, -1.0], [-1.0, -1.0, 1.0, -1.0])
    """
    if natural("records", records) % 2:
        raise InvalidArgumentError("records", records, "must be even: half of the labels are +1, half -1")
    row = np.ones(1)
    first = Dataset(np.ones((records, 1)), np.resize([1.0, -1.0], records), "parabolas around +1 and -1")
    return NeighbourPair(first, replace_record(first, 0, row, -1.0), row)


def reach(plan: spider_plan.Plan[Any]) -> Fraction:
    """How far from the start an iterate can be: the updates that are kept, and one round's that are not; exact.

    >>> from dpref.units import L2, Sensitivity
    >>> only = spider_plan.Round(0.25, 0.1, length=0.5, updates=2, differences=2, std=1.0, sensitivity=Fraction(1))
    >>> moves = Sensitivity(Fraction(1), L2, ReplaceOne)
    >>> reach(spider_plan.Plan(Form.AS_PRINTED, moves, Fraction(1), 1.0, (only, only), (0.0,)))  # 2 kept, 1 not
    Fraction(3, 2)
    """
    printed = plan.form is Form.AS_PRINTED
    kept = sum(((r.updates - printed) * exact(r.length) for r in plan.rounds), Fraction(0))
    return kept + max((exact(r.length) for r in plan.rounds), default=Fraction(0))


def excess_risk(problem: ERMProblem, instance: Instance, start: Fraction) -> Fraction:
    r"""The excess risk of the start on either data set of the pair, at most; exact.

    ``squares``: $\frac12(w_0+\frac2n)^2$ for $w_0\ge0$; ``linear``, $w_0=0$: $\frac hn(1-\frac h2)$.

    >>> from dpref.problems.losses import Huber
    >>> excess_risk(ERMProblem(Huber(Fraction(3, 2)), n=4, dimension=1), "squares", Fraction(1, 2))
    Fraction(1, 2)
    """
    if instance == "squares":
        return (start + Fraction(2, problem.n)) ** 2 / 2
    h = problem.gradient_bound
    return h * (1 - h / 2) / problem.n


@final
@dataclass(frozen=True, eq=False)
class SpiderRun(Replayed):
    """KL Spider with its plan on a pair of data sets.

    Attributes:
        problem: The public side: Huber losses on the line.
        plan: Its numbers.
        pair: The neighbouring data sets.
        release: "transcript", or (on ``squares``) "output".
        instance: Which of the two instances.
        gap: F_0, exact.
        start: w_0, exact.
    """

    problem: ERMProblem
    plan: spider_plan.Plan[Any]
    pair: NeighbourPair
    release: Release
    instance: Instance
    gap: Fraction
    start: Fraction

    def __post_init__(self) -> None:
        if self.release == "output" and self.instance != "squares":
            raise InvalidArgumentError("release", self.release, "the output is audited on the squares instance only")
        excess = excess_risk(self.problem, self.instance, self.start)
        if excess > self.gap:
            rule = f"must be at least the start's excess risk, {excess}: the paper assumes so throughout"
            raise InvalidArgumentError("parameters.gap", self.gap, rule)
        if self._room < reach(self.plan):
            rule = f"the iterates can be {float(reach(self.plan)):.4g} from the start, the losses are as said within"
            raise InvalidArgumentError("parameters.threshold", self.problem.gradient_bound, f"{rule} {self._room}")
        if self.instance == "squares":  # of linear, null records are not stored
            self.problem.read(self.pair.first)
            self.problem.read(self.pair.second)

    @property
    def _room(self) -> Fraction:
        """How far from the start no loss of ``squares`` is cut off, and the loss of ``linear`` is."""
        h = self.problem.gradient_bound
        return h - 1 - self.start if self.instance == "squares" else 1 - h

    def ledger(self) -> Ledger[Any]:
        """The upper budget of the plan."""
        return spider_plan.ledger(self.plan)

    def witness_mu_squared(self) -> Fraction | None:
        r"""$K\Delta^2/\hat\sigma^2$ for what the pair moves, exact, from the noise that is run; None for the output."""
        if self.release == "output":
            return None
        if not self.plan.rounds:
            return Fraction(0)
        whole = self.problem.sensitivity(self.adjacency).value
        shift = Fraction(2, self.problem.n) if self.instance == "squares" else whole
        return len(self.plan.rounds) * (shift / exact(self.plan.outer_std)) ** 2

    def witness_rho(self) -> float:
        """What a step against the gradient shows, for the output of a single printed round; zero otherwise."""
        plan = self.plan
        if self.release != "output" or len(plan.rounds) != 1 or plan.form is not Form.AS_PRINTED:
            return 0.0
        (only,) = plan.rounds
        noise = exact(plan.outer_std), exact(only.std), exact(only.threshold), exact(only.length)
        with precision(DEFAULT_PRECISION):
            numbers = tuple(map(ball, noise))
            hit, _ = against_the_gradient(BALL, ball(self.start), *numbers)
            _, alarm = against_the_gradient(BALL, ball(self.start + Fraction(2, self.problem.n)), *numbers)
            if only.updates != 2 or not (hit > 0 and alarm > 0):
                return 0.0
            return max(0.0, *(lower(event_rho(BALL, hit, alarm, ball(order))) for order in _ORDERS))

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """Transcript: the exact log-likelihood ratio, by replaying the answers on the other data set.

        Output: how far it lies below the start (the gradient is larger on data set 1).
        """
        data, other = self.sides(neighbour)
        inner = np.array([r.std for r in self.plan.rounds])
        scores = np.empty(trials)
        for trial in range(trials):
            noise = rng.standard_normal((self.plan.steps, self.problem.dimension))
            points, queries, begins = spider_trace(self.problem, data, self.plan, noise)
            if self.release == "output":
                scores[trial] = self.plan.start[0] - points[-1, 0]
                continue
            first = begins > 0
            replayed = self.gradients(other, points[:-1])
            replayed[1:] -= np.where(first[1:, None], 0.0, replayed[:-1].copy())
            stds = np.where(first, self.plan.outer_std, inner[np.cumsum(first).astype(np.intp) - 1])
            z = noise[: len(queries)]
            gap = (queries - replayed) / stds[:, None] + z
            scores[trial] = (2 * neighbour - 1) * float(np.sum(gap * gap - z * z)) / 2
        return scores

    def facts(self) -> Mapping[str, str]:
        """Data, loss, rounds, noise, the pair, and what was checked of the theorem's hypotheses."""
        problem, plan = self.problem, self.plan
        moved = "turned round" if self.adjacency is ReplaceOne else "nulled"
        excess, far = excess_risk(problem, self.instance, self.start), reach(plan)
        shape = {
            "squares": "a parabola of curvature 1, hence (gamma, 2)-KL",
            "linear": "one linear loss among null records (the KL condition, which privacy does not need, fails)",
        }
        witness = {
            "squares": "the data of the runs: the mean gradient moves by 2/n at every iterate, exactly",
            "linear": "the data of the runs: the mean gradient moves by the whole sensitivity everywhere, exactly",
        }
        alone = (
            "the data of the runs: one round that ends one step against the gradient; its probability in closed form"
        )
        return {
            "algorithm": f"spider (kl-condition, Algorithm 1, {plan.form.value})",
            "data": f"{self.pair.first.name}, {problem.n} x {problem.dimension}",
            "loss": f"{problem.loss.name}, threshold {problem.loss.parameter}",
            "rounds": f"{len(plan.rounds)}, at most {plan.steps} answers",
            "noise that begins a round": decimal_up(plan.outer_std, 6),
            "pair": f"one record is {moved}",
            "hypotheses": f"excess risk of the start {decimal_up(excess, 4)} <= F_0 = {decimal_up(self.gap, 4)};"
            f" iterates stay within {decimal_up(far, 4)} of the start, where f is {problem.gradient_bound}-Lipschitz"
            f" and {problem.smoothness}-smooth and F is {shape[self.instance]}",
            "certified witness": alone if self.release == "output" else witness[self.instance],
        }
