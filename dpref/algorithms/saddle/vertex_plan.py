r"""What the vertex-sampling algorithms share: the plan, and one iteration up to its gradient estimate.

The iterates $x^t\propto e^{s_x}$, $y^t\propto e^{s_y}$ are never released: they are exponential mechanisms over the
vertices, and all that an algorithm sees of them are drawn vertices.  The *scores* $s=-\tau\sum_{i<t}g^i$ stay with the
curator, so a score moves with the data only through the one batch that holds the record.

Source and errata: see `dpref.algorithms.saddle.mirror_descent`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from dpref.algorithms.forms import Form
from dpref.curator import Curator, Held, Indices
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import exponential_event, gumbel_scale, selection_range
from dpref.privacy.interval import sign
from dpref.privacy.ledger import Ledger
from dpref.problems.games import Game, GameRecords
from dpref.reals import RATIONAL, Array, Ops, ball
from dpref.units import Adjacency, Linf, ReplaceOne, Sensitivity, ZeroOut

A = TypeVar("A", bound=Adjacency)

Estimator = Callable[[Ops[Array], Indices, Indices, GameRecords, range], tuple[Array, Array]]


@dataclass(frozen=True)
class Plan(Generic[A]):
    """Every number that the run needs.

    Attributes:
        adjacency: Replace-one or zero-out.
        form: As printed or repaired.
        calibration: How the step size was computed.
        claimed: The (epsilon, delta) that it was computed for.
        sensitivity: How far any score can move, exact.
        batches: Number of records of each iteration; they follow one another in the data.
        vertices: How many vertices each iteration averages or divides into halves; one more is drawn for the output.
        step_size: tau, rounded down.
        rows: d_x.
        columns: d_y.
        levels: N of each iteration (Algorithm 3), drawn without the data.
        truncation: M (Algorithm 3).
        spare_output: Whether the output also averages the iterate after the last step (Algorithm 3 as printed; E4).

    >>> moved, claimed = Sensitivity(Fraction(1, 8), Linf, ReplaceOne), (Fraction(1), Fraction(1, 10**5))
    >>> made = Plan(ReplaceOne, Form.REPAIRED, "zcdp", claimed, moved, (5, 5), (2, 2), 0.3, rows=2, columns=2)
    >>> made.steps, made.draws, made.oracle_calls, made.epsilon_per_draw, made.scales
    (2, 12, 10, Fraction(1, 4), (1.0, 1.0, 1.0, 1.0))
    """

    adjacency: type[A]
    form: Form
    calibration: str
    claimed: tuple[Fraction, Fraction]
    sensitivity: Sensitivity[Linf, A]
    batches: tuple[int, ...]
    vertices: tuple[int, ...]
    step_size: float
    rows: int
    columns: int
    levels: tuple[int, ...] = ()
    truncation: int = 0
    spare_output: bool = False

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

    >>> moved, claimed = Sensitivity(Fraction(1, 8), Linf, ReplaceOne), (Fraction(1), Fraction(1, 10**5))
    >>> made = Plan(ReplaceOne, Form.REPAIRED, "zcdp", claimed, moved, (5, 5), (2, 2), 0.3, rows=2, columns=2)
    >>> print(ledger(made).event)
    compose(exponential(epsilon=1/4), 12)
    """
    return Ledger(exponential_event(plan.epsilon_per_draw, plan.draws), plan.adjacency)


# ------------------------------------------------------------------------------------ run


class State(NamedTuple):
    """Where the run stands."""

    scores: Held  # (d_x + d_y,) handle to s_x and s_y, which only the curator sees
    outputs: Array  # (d_x + d_y,) how often each vertex was drawn for the output
    used: int  # records used so far
    t: int  # iterations done


def init(problem: Game, plan: Plan[A], curator: Curator[GameRecords, A]) -> State:
    """The state before the first iteration: all scores are zero, so that the iterates are uniform (line 1).

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        plan: What `plan` computed: batches, numbers of vertices, step size, sensitivity.
        curator: The private side; holds the scores.

    >>> from dpref.algorithms import examples
    >>> state = init(*examples.mirror_descent().live())
    >>> state.outputs.tolist(), state.used, state.t
    ([0.0, 0.0, 0.0, 0.0], 0, 0)
    """
    zero = curator.ops.lift(np.zeros(problem.dimension))
    return State(curator.hold(lambda _: zero, label="first scores"), np.zeros(problem.dimension), 0, 0)


def draw(plan: Plan[A], state: State, curator: Curator[GameRecords, A], count: int) -> tuple[Indices, Indices]:
    """Draw vertices of both players from the current iterates, each by one exponential mechanism.

    Args:
        plan: What `plan` computed: batches, numbers of vertices, step size, sensitivity.
        state: Scores, drawn vertices and counters after the iterations so far.
        curator: Holds the private records, adds the noise and counts what is spent.
        count: How many of each player.

    Returns:
        Indices in range(d_x) and in range(d_y), shape (count,) each.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.mirror_descent().live()
    >>> x, y = draw(made, init(problem, made, curator), curator, 3)
    >>> x.shape, y.shape, set(x.tolist()) | set(y.tolist()) <= {0, 1}
    ((3,), (3,), True)
    """
    blocks = {"x": slice(0, plan.rows), "y": slice(plan.rows, None)}
    x, y = (
        curator.select(
            partial(_block, block),
            given=state.scores,
            sensitivity=plan.sensitivity,
            epsilon=plan.epsilon_per_draw,
            label=f"vertices of {name}^{state.t + 1}",
            draws=count,
        )
        for name, block in blocks.items()
    )
    return x, y


def _block(block: slice, records: GameRecords, scores: Array) -> Array:
    return scores[block]


def average(o: Ops[Array], drawn: Indices, dimension: int) -> Array:
    r"""$\frac1k\sum e_i$ of k drawn vertices, shape (dimension,).

    Args:
        drawn: Indices of the vertices, shape (k,).
        dimension: Number of vertices.

    >>> from dpref.reals import FLOAT_ARRAY
    >>> average(FLOAT_ARRAY, np.array([0, 2, 2, 1]), 3).tolist()
    [0.25, 0.25, 0.5]
    """
    mean: Array = o.lift(np.bincount(drawn, minlength=dimension).astype(np.float64)) / drawn.size
    return mean


def descend(
    plan: Plan[Any],
    o: Ops[Array],
    estimate: Callable[[GameRecords, range], tuple[Array, Array]],
    batch: range,
    records: GameRecords,
    scores: Array,
) -> Array:
    r"""$s\leftarrow s-\tau g$ for both players; as printed $s_y\leftarrow s_y+\tau g_y$ (E1).

    Args:
        plan: Of what `plan` computed, the step size and the form are used.
        estimate: From records and a batch to the operator's two blocks, shapes (d_x,) and (d_y,).
        batch: Positions of the records to average over.
        records: The private records, as arrays of the number system.
        scores: Shape (d_x + d_y,).

    Returns:
        The next scores, shape (d_x + d_y,).

    >>> from dpref.algorithms import examples
    >>> example, estimate = examples.mirror_descent(), (np.array([1.0, 0.0]), np.array([-1.0, 0.5]))
    >>> scores = descend(example.plan, example.ops, lambda *_: estimate, range(1), example.records, np.zeros(4))
    >>> (scores / example.plan.step_size).tolist()
    [-1.0, 0.0, 1.0, -0.5]
    """
    first, second = estimate(records, batch)
    tau = o.lift(plan.step_size)
    toward = second if plan.form is Form.REPAIRED else -second
    moved: Array = scores - tau * np.concatenate([first, toward])
    return moved


def iterate(
    problem: Game, plan: Plan[A], estimator: Estimator, state: State, curator: Curator[GameRecords, A]
) -> State:
    """One iteration: draw vertices, one for the output, and step along the estimate that the others give.

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        plan: What `plan` computed: batches, numbers of vertices, step size, sensitivity.
        estimator: From the number system, the vertices of both players, the records and a batch to the operator.
        state: Scores, drawn vertices and counters after the iterations so far.
        curator: Holds the private records, adds the noise and counts what is spent.

    Returns:
        Where it stands next.

    >>> from dpref.algorithms import examples
    >>> from dpref.algorithms.saddle.mirror_descent import estimate
    >>> problem, made, curator = examples.mirror_descent().live()
    >>> iterate(problem, made, partial(estimate, problem), init(problem, made, curator), curator).used
    2
    """
    x, y = draw(plan, state, curator, 1 + plan.vertices[state.t])
    batch = range(state.used, state.used + plan.batches[state.t])
    estimate = partial(estimator, curator.ops, x[1:], y[1:])
    scores = curator.hold(
        partial(descend, plan, curator.ops, estimate, batch), given=state.scores, label=f"scores of step {state.t + 2}"
    )
    return State(scores, state.outputs + output_vertices(problem, x[0], y[0]), batch.stop, state.t + 1)


def output_vertices(problem: Game, x: int, y: int) -> Array:
    """One vertex of each player, as counts, shape (d_x + d_y,).

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        x: A vertex in range(d_x).
        y: A vertex in range(d_y).

    >>> output_vertices(Game(n=1, rows=2, columns=3), 1, 2).tolist()
    [0.0, 1.0, 0.0, 0.0, 1.0]
    """
    counts = np.zeros(problem.dimension)
    counts[[x, problem.rows + y]] = 1
    return counts


def finish(problem: Game, plan: Plan[A], state: State, curator: Curator[GameRecords, A]) -> Array:
    """The average of the output vertices, shape (d_x + d_y,); as printed, Algorithm 3 draws one more pair (E4).

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        plan: What `plan` computed: batches, numbers of vertices, step size, sensitivity.
        state: Where the run stands after the last iteration.
        curator: Holds the private records, adds the noise and counts what is spent.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.mirror_descent().live()
    >>> state = init(problem, made, curator)._replace(outputs=np.array([3.0, 1.0, 0.0, 4.0]))
    >>> finish(problem, made, state, curator).tolist()
    [0.75, 0.25, 0.0, 1.0]
    """
    outputs, count = state.outputs, plan.steps
    if plan.spare_output:
        x, y = draw(plan, state, curator, 1)
        outputs, count = outputs + output_vertices(problem, x[0], y[0]), count + 1
    mean: Array = curator.ops.lift(outputs) / count
    return mean
