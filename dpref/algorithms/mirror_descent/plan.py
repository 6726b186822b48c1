"""The numbers of vertex-sampling mirror descent: what is chosen, what a run needs, what it spends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Generic, Literal, get_args

from dpref.algorithms.choices import Choices
from dpref.algorithms.declaration import Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.mirror_descent.formulas import printed_step, zcdp_step
from dpref.checks import natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import exponential_event, gumbel_scale, selection_range
from dpref.mechanisms.truncated_geometric import normaliser
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.interval import sign
from dpref.problems.games import Game
from dpref.reals import BALL, FLOAT, RATIONAL, ball, evaluate, exact, float_down, lower
from dpref.units import A, Adjacency, ApproximateDP, Linf, PrivacyLoss, ReplaceOne, Sensitivity, ZeroOut

Calibration = Literal["pure", "zcdp"]


@dataclass(frozen=True)
class Params(Choices, Generic[A]):
    """The budget, the steps and the draws of each.

    Attributes:
        epsilon: Privacy budget, exact, positive, below 8 ln(1/delta).
        delta: Privacy slack, exact, in (0, 1).
        steps: T, the number of steps.
        samples: K, the vertices that one gradient is taken at the average of.
        adjacency: Replace-one or zero-out, always explicit.
        calibration: How tau is computed; as printed "pure" only.
        step_size: A smaller tau, exact, where the budget allows more than the regret wants; never a larger one.
    """

    epsilon: Fraction
    delta: Fraction
    steps: int
    samples: int
    adjacency: type[A]
    calibration: Calibration | None = None
    step_size: Fraction | None = None


@dataclass(frozen=True)
class Plan(Planned[Linf, ApproximateDP, A]):
    """Batches that follow one another in the data, and how often each iterate is drawn from.

    Attributes:
        calibration: How the step size was computed.
        batches: Number of records of each iteration; they follow one another in the data.
        vertices: How many vertices each iteration averages or divides into halves; one more is drawn for the output.
        step_size: tau, rounded down.
        rows: d_x.
        columns: d_y.
        levels: N of each iteration (Algorithm 3), drawn without the data.
        truncation: M (Algorithm 3).
        spare_output: Whether the output also averages the iterate after the last step (Algorithm 3 as printed; E4).

    >>> from dpref.algorithms import game_examples as examples
    >>> made = examples.mirror_descent(n=10, steps=2).plan
    >>> made.steps, made.draws, made.oracle_calls, made.scales
    (2, 12, 10, (1.0, 1.0, 1.0, 1.0))
    """

    calibration: str
    batches: tuple[int, ...]
    vertices: tuple[int, ...]
    step_size: float
    rows: int
    columns: int
    levels: tuple[int, ...] = ()
    truncation: int = 0
    spare_output: bool = False

    @property
    def promise(self) -> PrivacyLoss[ApproximateDP, A]:
        """Its (epsilon, delta), in both forms."""
        return self.claimed

    @property
    def numbers(self) -> dict[str, Any]:
        """The sign of the y-step, the scale of the noise, and the normaliser of the levels."""
        return {
            "toward": 1.0 if self.form is Form.REPAIRED else -1.0,
            "scale": self.scales[0],
            "normaliser": normaliser(FLOAT, self.truncation),
        }

    @property
    def steps(self) -> int:
        """Number of iterations."""
        return len(self.batches)

    @property
    def epsilon_per_draw(self) -> Fraction:
        """Epsilon of the exponential mechanism that draws one vertex, exact: twice the sensitivity."""
        return selection_range(RATIONAL, self.sensitivity.value, Fraction(1))

    @property
    def draws(self) -> int:
        """Number of vertices drawn in all, for both players together."""
        return 2 * (self.steps + sum(self.vertices) + self.spare_output)

    @property
    def scales(self) -> tuple[float, ...]:
        """The Gumbel scale of each selection: one for each player and iteration."""
        scale = gumbel_scale(self.sensitivity, self.epsilon_per_draw)
        return (scale,) * (2 * (self.steps + self.spare_output))

    @property
    def oracle_calls(self) -> int:
        """Number of single-record gradients of both players: at one point a batch, by level at two (N = 0) or three."""
        points = [2 if level == 0 else 3 for level in self.levels] or [1] * self.steps
        return sum(p * b for p, b in zip(points, self.batches, strict=True))


def plan(problem: Game, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule or a hypothesis of Proposition 3.3 fails.

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 1, Proposition 3.3.

    >>> from dpref.units import ReplaceOne
    >>> made = plan(Game(n=1000, rows=4, columns=4), Params(Fraction(1), Fraction(1, 10**5), 100, 2, ReplaceOne))
    >>> made.batches[0], made.draws, made.oracle_calls
    (10, 600, 1000)
    """
    epsilon, delta = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    steps, samples = natural("steps", params.steps), natural("samples", params.samples)
    if steps > problem.n:
        raise InvalidArgumentError("steps", steps, f"must be at most the number of records, {problem.n}")
    batch, times = problem.n // steps, differing(params.adjacency)
    calibration = params.calibration or ("pure" if params.form is Form.AS_PRINTED else "zcdp")
    if calibration not in get_args(Calibration) or (params.form is Form.AS_PRINTED and calibration != "pure"):
        raise InvalidArgumentError("calibration", calibration, "must be pure or zcdp, as printed pure")
    check_range(epsilon, delta, "Proposition 3.3")
    formula = printed_step if calibration == "pure" else zcdp_step
    L0 = problem.lipschitz * times / 2

    def private() -> Fraction:
        found = evaluate(
            lambda: formula(BALL, ball(batch), ball(epsilon), ball(L0), ball(steps), ball(samples), -ball(delta).log())
        )
        return exact(lower(found))

    tau = capped(private(), params.step_size)
    moved = times * problem.lipschitz * tau / batch
    return Plan(
        form=params.form,
        calibration=calibration,
        claimed=PrivacyLoss(epsilon, ApproximateDP, params.adjacency, delta),
        sensitivity=Sensitivity(moved, Linf, params.adjacency),
        batches=(batch,) * steps,
        vertices=(samples,) * steps,
        step_size=float(tau),
        rows=problem.rows,
        columns=problem.columns,
    )


def capped(tau: Fraction, step_size: Fraction | None) -> Fraction:
    """The step that the budget allows, or the smaller one that the user asks for, rounded down.

    Args:
        tau: What the budget allows, exact; a double.
        step_size: What the user asks for, exact; None for as much as the budget allows.

    Raises:
        InvalidArgumentError: If the step is not positive as a double.

    >>> capped(Fraction(1, 2), Fraction(1, 4)), capped(Fraction(1, 2), None)
    (Fraction(1, 4), Fraction(1, 2))
    """
    if step_size is not None:
        tau = min(tau, exact(float_down(positive_rational("step_size", step_size))))
    if tau == 0:
        raise InvalidArgumentError("step_size", step_size, "must allow a step that is a positive double")
    return tau


def differing(adjacency: type[Adjacency]) -> int:
    """How far a record can move its gradient, in units of L0: 2 if it is replaced, 1 if it is nulled.

    Raises:
        InvalidArgumentError: Under add-or-remove-one, which would move every later record to another batch.

    >>> differing(ReplaceOne), differing(ZeroOut)
    (2, 1)
    """
    if adjacency not in {ReplaceOne, ZeroOut}:
        raise InvalidArgumentError("adjacency", adjacency.name, "the batches divide a fixed number of records")
    return 2 if adjacency is ReplaceOne else 1


def check_range(epsilon: Fraction, delta: Fraction, item: str) -> None:
    r"""The paper's hypothesis $\varepsilon<8\ln\frac1\delta$, decided in balls.

    Args:
        epsilon: Privacy budget, exact.
        delta: Privacy slack, exact, in (0, 1).
        item: What needs it, for the message.

    Raises:
        InvalidArgumentError: If it fails, or cannot be decided.

    References:
        Gonzalez, Guzman and Paquette 2024, Proposition 3.3 and Corollary 3.6.

    >>> check_range(Fraction(36), Fraction(1, 100), "Proposition 3.3")
    >>> check_range(Fraction(37), Fraction(1, 100), "Proposition 3.3")
    Traceback (most recent call last):
        ...
    dpref.errors.InvalidArgumentError: epsilon = 37: Proposition 3.3 needs epsilon < 8 ln(1/delta)
    """
    if sign(lambda: -8 * ball(delta).log() - ball(epsilon), limit=1024) <= 0:
        raise InvalidArgumentError("epsilon", epsilon, f"{item} needs epsilon < 8 ln(1/delta)")


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: one exponential mechanism a drawn vertex.

    >>> from dpref.algorithms import game_examples as examples
    >>> ledger(examples.mirror_descent(n=10, steps=2).plan).event.count
    12
    """
    return Ledger(exponential_event(plan.epsilon_per_draw, plan.draws), plan.sensitivity.adjacency)


def examples(problem: Game, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.game_examples import mirror_descent as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    4
    """
    steps = min(20, problem.n)
    base = Params(Fraction(1), Fraction(1, 10**6), steps, steps, adjacency)
    short = replace(base, steps=min(4, problem.n), samples=2)
    return (
        base,
        replace(short, calibration="pure"),
        replace(short, step_size=Fraction(1, 7)),
        replace(short, form=Form.AS_PRINTED),
    )
