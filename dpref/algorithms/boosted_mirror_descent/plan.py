"""The numbers of boosting: which records are read by whom, the runs, the responses, the choice, what all spend."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, Generic

from dpref.algorithms.bias_reduced_mirror_descent import plan as descent
from dpref.algorithms.boosted_mirror_descent.formulas import choice_sensitivity, printed_choice_epsilon
from dpref.algorithms.boosted_mirror_descent.routines import Anytime, FrankWolfe, Routine, Vertex
from dpref.algorithms.choices import Choices
from dpref.algorithms.declaration import Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.mirror_descent.plan import Plan as VertexPlan
from dpref.algorithms.mirror_descent.plan import differing
from dpref.checks import natural
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import exponential_event, gumbel_scale
from dpref.privacy.closed_forms.parallel import alongside
from dpref.privacy.events.ledger import Ledger
from dpref.problems.games import Game
from dpref.problems.players import Player, centre
from dpref.reals import RATIONAL
from dpref.units import A, Adjacency, ApproximateDP, Linf, PrivacyLoss, Sensitivity

# How the kernel knows a routine; of any other it knows a single choice of a vertex.
_KERNELS: Final = {Anytime: 1, FrankWolfe: 2}


@dataclass(frozen=True)
class Params(Choices, Generic[A]):
    """The budget, how many runs and responses, what each run is given, and who responds.

    Attributes:
        epsilon: Privacy budget, exact, positive, below 8 ln(1/delta).
        delta: Privacy slack, exact, in (0, 1).
        runs: I (`dpref.algorithms.boosted_mirror_descent.formulas.repetitions` gives I and J).
        responses: J, to each player's point of each run.
        stopping: U of each run's stopping rule, at least 2^M.
        truncation: M of each run, at least 1.
        alpha: The batch parameter of each run, exact, positive.
        levels: N of each iteration of all runs, one run after another, drawn without the data; a run takes as many as
            its stopping rule uses.
        routine: What answers a candidate's point.
        adjacency: Replace-one or zero-out, always explicit.
        step_size: A smaller tau of the runs, exact, where the budget allows more than the regret wants.
    """

    epsilon: Fraction
    delta: Fraction
    runs: int
    responses: int
    stopping: Fraction
    truncation: int
    alpha: Fraction
    levels: tuple[int, ...]
    routine: Routine
    adjacency: type[A]
    step_size: Fraction | None = None


@dataclass(frozen=True)
class Plan(Planned[Linf, ApproximateDP, A]):
    """The plans of all parts; the sensitivity is that of the choice.

    Attributes:
        candidates: Of each run of Algorithm 3.
        responders: Of a response of the first and of the second player; all responses of a player have one plan.
        responses: J.
        routine: What answers.
        epsilon: What the choice spends.
        part: How many records the choice reads, a quarter of all.
        rows: d_x.
        columns: d_y.

    >>> from dpref.algorithms import game_examples as examples
    >>> made = examples.boosted_mirror_descent().plan
    >>> made.reads_choice, made.reads_run(1), made.reads_response("second", 1, 0), made.steps
    (range(0, 4), range(6, 8), range(14, 16), 9)
    """

    candidates: tuple[VertexPlan[A], ...]
    responders: tuple[Any, Any]
    responses: int
    routine: Routine
    epsilon: Fraction
    part: int
    rows: int
    columns: int

    @property
    def runs(self) -> int:
        """I."""
        return len(self.candidates)

    @property
    def reads_choice(self) -> range:
        """The places of the records that the choice reads: the first quarter."""
        return range(self.part)

    def reads_run(self, number: int) -> range:
        """The places of the records that a run reads, in the second quarter.

        Args:
            number: Of the run, from zero.
        """
        return _share(self.part, self.part, self.runs, number)

    def reads_response(self, player: str, run: int, number: int) -> range:
        """The places of the records that a response reads, in the third or in the last quarter.

        Args:
            player: Who responds.
            run: To which run, from zero.
            number: Of the response, from zero.
        """
        first = (2 if player == "first" else 3) * self.part
        return _share(first, self.part, self.runs * self.responses, run * self.responses + number)

    def local(self, problem: Game, reads: range) -> Game:
        """The problem of the records that one part reads.

        Args:
            problem: That of all records.
            reads: Their places.
        """
        return replace(problem, n=len(reads))

    @property
    def scale(self) -> float:
        """Of the Gumbel noise on the proxies."""
        return gumbel_scale(self.sensitivity, self.epsilon)

    @property
    def steps(self) -> int:
        """Iterations of the runs, selections of the responses, and the choice."""
        answers = sum(self.routine.draws(one) for one in self.responders)
        return sum(run.steps for run in self.candidates) + self.runs * self.responses * answers + 1

    @property
    def numbers(self) -> dict[str, Any]:
        """Those of the runs, one after another, and of the responses."""
        run, own = self.candidates[0], [self.routine.numbers(one) for one in self.responders]
        return {
            "run_lengths": tuple(one.steps for one in self.candidates),
            "run_batches": tuple(b for one in self.candidates for b in one.batches),
            "run_vertices": tuple(v for one in self.candidates for v in one.vertices),
            "run_step": run.step_size,
            "run_scale": run.numbers["scale"],
            "normaliser": run.numbers["normaliser"],
            "toward": run.numbers["toward"],
            "spare_output": run.spare_output,
            "run_part": len(self.reads_run(0)),
            "routine": _KERNELS.get(type(self.routine), 0),
            "response_part": len(self.reads_response("first", 0, 0)),
            "response_batches": own[0].batches,
            "response_vertices": own[0].vertices,
            "response_step": own[0].step_size,
            "response_starts": (centre(self.rows)[0], centre(self.columns)[0]),
            "response_scales": own[0].scales,
        }

    @property
    def oracle_calls(self) -> int:
        """Number of single-record gradients; the choice reads losses, 2 I J of them a record."""
        answered = sum(self.routine.oracle_calls(one) for one in self.responders)
        return sum(run.oracle_calls for run in self.candidates) + self.runs * self.responses * answered


def _share(first: int, size: int, shares: int, number: int) -> range:
    """One of several equal shares of a stretch of places; what is left over at its end is read by nobody."""
    each = size // shares
    return range(first + number * each, first + (number + 1) * each)


def plan(problem: Game, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or there are too few records for the parts.

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 4; the errata's E31.

    >>> from dpref.units import ReplaceOne
    >>> one, levels = Fraction(1), (0, 1, 0, 0) * 8
    >>> params = Params(one, one / 10**5, 2, 5, 8 * one, 1, one, levels, Vertex(), ReplaceOne)
    >>> plan(Game(n=4000, rows=3, columns=3), params).sensitivity.value
    Fraction(1, 250)
    """
    runs, responses = natural("runs", params.runs), natural("responses", params.responses)
    part = problem.n // 4
    for name, shares in (("runs", runs), ("responses", runs * responses)):
        if shares > part:
            rule = f"asks for {shares} parts of a quarter of the {problem.n} records"
            raise InvalidArgumentError(name, getattr(params, name), rule)
    candidates: list[VertexPlan[A]] = []
    first = 0
    for number in range(runs):
        own = replace(problem, n=len(_share(part, part, runs, number)))
        candidates.append(descent.plan(own, _run_params(params, params.levels[first:])))
        first += candidates[-1].steps
    budget = candidates[0].claimed
    answering = replace(problem, n=part // (runs * responses))
    bound = problem.lipschitz * differing(params.adjacency) / 2
    epsilon = budget.value
    if params.form is Form.AS_PRINTED:
        epsilon = printed_choice_epsilon(RATIONAL, epsilon, Fraction(problem.n), Fraction(part))
    return Plan(
        form=params.form,
        sensitivity=Sensitivity(choice_sensitivity(RATIONAL, bound, Fraction(part)), Linf, params.adjacency),
        claimed=budget,
        candidates=tuple(candidates),
        responders=(
            _response(params, answering, budget, "first"),
            _response(params, answering, budget, "second"),
        ),
        responses=responses,
        routine=params.routine,
        epsilon=epsilon,
        part=part,
        rows=problem.rows,
        columns=problem.columns,
    )


def _response(params: Params[A], problem: Game, budget: PrivacyLoss[ApproximateDP, A], player: Player) -> Any:
    """The plan of a response; what does not fit its part of the records is said of the routine."""
    try:
        return params.routine.plan(problem, budget, player, params.form)
    except InvalidArgumentError as error:
        rule = f"does not fit a response on {problem.n} records: {error}"
        raise InvalidArgumentError("routine", params.routine, rule) from None


def _run_params(params: Params[A], levels: tuple[int, ...]) -> descent.Params[A]:
    return descent.Params(
        params.epsilon,
        params.delta,
        params.stopping,
        params.truncation,
        params.alpha,
        levels,
        params.adjacency,
        step_size=params.step_size,
        form=params.form,
    )


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What all will spend: on each part what its answers do, and for a record what its own part does.

    >>> from dpref.algorithms import game_examples as examples
    >>> print(ledger(examples.boosted_mirror_descent().plan))  # doctest: +ELLIPSIS
    parallel(compose(exponential(epsilon=...), 12), exponential(epsilon=1)) under replace-one
    """
    adjacency = plan.sensitivity.adjacency
    parts: list[Ledger[A]] = [
        *map(descent.ledger, plan.candidates),
        *map(plan.routine.ledger, plan.responders),
        Ledger(exponential_event(plan.epsilon), adjacency),
    ]
    return Ledger(alongside(parts), adjacency)


def examples(problem: Game, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.game_examples import boosted_mirror_descent as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    6
    """
    pattern, steps = (0, 2, 0, 1, 0, 0, 3, 0), 40
    large = Params(
        Fraction(1),
        Fraction(1, 10**6),
        3,
        5,
        Fraction(64),
        3,
        Fraction(2),
        pattern * 24,
        Anytime(steps, 4, 8),
        adjacency,
    )
    one, two = Fraction(1), Fraction(2)
    small = replace(large, runs=2, responses=1, stopping=two, truncation=1, alpha=two, levels=(0, 1), routine=Vertex())
    alone = replace(small, runs=1, stopping=one + two, levels=(0, 0))
    return (
        *([large] if problem.n >= 60 * steps else []),  # a response has a 60th of the records
        small,
        replace(alone, responses=2, step_size=one, routine=Anytime(1, 1, 3)),
        replace(alone, routine=Anytime(2, 1, 2, step_size=Fraction(1, 7))),
        replace(alone, routine=FrankWolfe(1, 1, "laplace")),
        replace(small, form=Form.AS_PRINTED, routine=Anytime(1, 1, 1)),
        replace(small, form=Form.AS_PRINTED, responses=1),
    )
