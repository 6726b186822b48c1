"""The numbers of LocalMD: what the user chooses, what the run needs, what it spends."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, NamedTuple

from flint import arb

from dpref.algorithms.choices import Budgeted
from dpref.algorithms.declaration import Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.local_mirror_descent.formulas import noise, radius, step_size
from dpref.algorithms.promises import certified
from dpref.checks import instance, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import LpBall
from dpref.geometry.mirror import MirrorMap, mirror_map
from dpref.geometry.norms import to_euclidean
from dpref.mechanisms.sampled import sampled_gaussian_event
from dpref.privacy.events.ledger import Compose, Ledger, Repeat
from dpref.privacy.events.walks import canonical
from dpref.problems.stream import StreamProblem
from dpref.reals import BALL, FLOAT, ball, evaluate, lower, upper
from dpref.units import L2, A, Adjacency, ApproximateDP, PrivacyLoss, Sensitivity, differing_records

PRINTED: Final = Fraction(100)


@dataclass(frozen=True)
class Params(Budgeted[A]):
    """The budget of the whole run, and how it becomes noise.

    Attributes:
        step_scale: The factor of the step size, exact and positive.
        noise_constant: c of the noise, exact and positive; 100 as printed.
        certify: Whether the repaired form promises what an accountant certifies.
    """

    step_scale: Fraction = Fraction(1)
    noise_constant: Fraction = PRINTED
    certify: bool = False


class Block(NamedTuple):
    """One round: its records, and the mirror steps on batches of them.

    Attributes:
        first: Its first record, counted from zero.
        records: n_i.
        batch: b_i.
        steps: T_i.
        radius: Of the ball around its start.
        alpha: The step in the map of that ball.
    """

    first: int
    records: int
    batch: int
    steps: int
    radius: float
    alpha: float


@dataclass(frozen=True)
class Plan(Planned[L2, ApproximateDP, A]):
    """Blocks of mirror steps, each on records of its own and around the mean of the one before.

    Attributes:
        blocks: The blocks; ``sensitivity`` is that of a mean over the first one's batch.
        scheduled_stds: The noise of each block's answers, rounded up.
        mirror: The map of the unit ball.
        body: The constraint set.
        start: x_0, shape (d,).
        promised: (epsilon, delta), certified, or None.
    """

    blocks: tuple[Block, ...]
    scheduled_stds: tuple[float, ...]
    mirror: MirrorMap
    body: LpBall
    start: tuple[float, ...]
    promised: PrivacyLoss[ApproximateDP, A] | None

    @property
    def steps(self) -> int:
        """Number of answers."""
        return sum(block.steps for block in self.blocks)

    @property
    def stds(self) -> tuple[float, ...]:
        """The noise of each answer."""
        return tuple(
            std for block, std in zip(self.blocks, self.scheduled_stds, strict=True) for _ in range(block.steps)
        )

    @property
    def oracle_calls(self) -> int:
        """Number of single-record gradients."""
        return sum(block.steps * block.batch for block in self.blocks)

    @property
    def promise(self) -> PrivacyLoss[ApproximateDP, A] | None:
        """What was certified, where that was asked for."""
        return self.promised

    @property
    def numbers(self) -> dict[str, Any]:
        """The blocks, column by column, the map and the set."""
        columns = {f"block_{name}": tuple(getattr(b, name) for b in self.blocks) for name in Block._fields}
        chart = {"kind": self.mirror.kind, "exponent": self.mirror.index, "dual": self.mirror.dual}
        ball = {"scale": self.mirror.scale, "p": self.body.index, "radius": self.body.radius}
        return columns | chart | ball

    def moved(self, block: Block) -> Sensitivity[L2, A]:
        """How far a record can move a batch's mean gradient.

        Args:
            block: One of the plan's.
        """
        return self.sensitivity.scale(Fraction(self.blocks[0].batch, block.batch))


def plan(problem: StreamProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, the set is no ball with a mirror map, or there are too few
            records for a block.

    References:
        Asi, Feldman, Koren and Talwar 2021, Algorithms 5 and 6; Han et al., Section 5.3.

    >>> from dpref.problems.examples import stream_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(stream_problem(n=1000), Params(Fraction(1), Fraction(1, 1000), ReplaceOne))
    >>> [(block.records, block.batch, block.steps) for block in made.blocks[:3]], len(made.blocks)
    ([(500, 26, 369), (250, 18, 192), (125, 13, 92)], 5)
    """
    instance("domain", problem.domain, LpBall)
    body: Any = problem.domain
    epsilon, delta = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    scale, constant = (positive_rational(name, getattr(params, name)) for name in ("step_scale", "noise_constant"))
    if params.form is Form.AS_PRINTED and (params.certify or constant != PRINTED):
        raise InvalidArgumentError("noise_constant", constant, "is 100, and certify False, in the printed form")
    chart = mirror_map(LpBall(body.p, Fraction(1)), problem.dimension)
    euclidean = problem.lipschitz * to_euclidean(problem.dual, problem.dimension)
    moved = differing_records(problem.sensitivity(params.adjacency).adjacency) * euclidean

    def eta() -> arb:
        sizes = ball(2 * body.radius), ball(problem.lipschitz), ball(chart.scale), ball(problem.n)
        return ball(scale) * step_size(BALL, *sizes, ball(problem.dimension), -ball(delta).log(), ball(epsilon))

    step = lower(evaluate(eta))
    blocks = _blocks(problem, chart, step, epsilon)
    if not blocks:
        raise InvalidArgumentError("n", problem.n, "is too small for a block of two steps")
    stds = []
    for i, block in enumerate(blocks, start=1):
        share = epsilon / 2**i

        def level(block: Block = block, share: Fraction = share) -> arb:
            return noise(BALL, ball(constant), ball(euclidean), -ball(delta).log(), ball(block.batch), ball(share))

        stds.append(upper(evaluate(level)))
    made = Plan(
        sensitivity=Sensitivity(moved / blocks[0].batch, L2, params.adjacency),
        form=params.form,
        claimed=PrivacyLoss(epsilon, ApproximateDP, params.adjacency, delta),
        blocks=blocks,
        scheduled_stds=tuple(stds),
        mirror=chart,
        body=body,
        start=tuple(map(float, problem.domain.start(problem.dimension))),
        promised=None,
    )
    spent = ledger(made)  # which refuses what no accountant bounds
    return replace(made, promised=certified(spent, delta, digits=2)) if params.certify else made


def _blocks(problem: StreamProblem, chart: MirrorMap, step: float, epsilon: Fraction) -> tuple[Block, ...]:
    r"""The blocks up to the first with fewer than two steps; where $\ln d$ is below $\ln2$ it is taken to be that."""
    n, found, first = problem.n, [], 0
    log_d = math.log(max(problem.dimension, 2))
    for i in range(1, n.bit_length()):
        records, share = n >> i, float(epsilon) / 2**i
        batch = max(1, math.floor(max(math.sqrt(records / log_d), math.sqrt(problem.dimension / share))))
        steps = records**2 // batch**2
        if steps <= 1:
            break
        eta = step / 2 ** (4 * i)
        reach = radius(FLOAT, float(problem.lipschitz), eta, float(records), float(chart.scale))
        found.append(Block(first, records, batch, steps, reach, eta / (reach * reach)))
        first += records
    return tuple(found)


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend, and more: the blocks share no record, and are composed as if they did.

    >>> from dpref.algorithms import examples
    >>> ledger(examples.local_mirror_descent().plan).event.count
    4
    """
    events = []
    for block, std in zip(plan.blocks, plan.scheduled_stds, strict=True):
        event = sampled_gaussian_event(plan.moved(block), std, "fixed", block.batch, block.records)
        events.append(Repeat(event, block.steps))
    return Ledger(canonical(Compose(tuple(events))), plan.sensitivity.adjacency)


def examples(problem: StreamProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import local_mirror_descent as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    3
    """
    base = Params(Fraction(8), Fraction(1, 10**6), adjacency)
    return (
        base,
        replace(base, epsilon=Fraction(1), certify=True, noise_constant=Fraction(4), step_scale=Fraction(100)),
        replace(base, form=Form.AS_PRINTED),
    )
