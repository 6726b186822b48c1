"""Every algorithm with a problem, data and a plan that can be followed by hand: what the examples start from.

>>> from dpref.algorithms.gradient_descent.algorithm import run
>>> problem, plan, curator = gradient_descent().live()
>>> run(problem, plan, curator).tolist()  # two steps of 1/2 against the gradient x - 1, without noise
[0.75]

The problems and the data are those of `dpref.problems.examples`.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from dpref.algorithms.accelerated_mirror_descent import plan as accelerated_plan
from dpref.algorithms.adaptive_gradient_descent import plan as adaptive_plan
from dpref.algorithms.dynamic_boosting import plan as boosting_plan
from dpref.algorithms.dynamic_gradient_descent import plan as dynamic_plan
from dpref.algorithms.dynamic_gradient_descent.schedules import Uniform
from dpref.algorithms.dynamic_sgd import plan as batches_plan
from dpref.algorithms.forms import Form
from dpref.algorithms.gradient_descent import plan as descent_plan
from dpref.algorithms.high_dimensional_bandit import plan as bandit_plan
from dpref.algorithms.linear_ucb import plan as ucb_plan
from dpref.algorithms.local_mirror_descent import plan as local_plan
from dpref.algorithms.noisy_frank_wolfe import plan as parted_plan
from dpref.algorithms.noisy_gradient_descent import plan as noisy_plan
from dpref.algorithms.noisy_sgd import plan as single_plan
from dpref.algorithms.online_frank_wolfe import plan as online_plan
from dpref.algorithms.polyhedral_frank_wolfe import plan as polyhedral_plan
from dpref.algorithms.proximal_point import plan as proximal_plan
from dpref.algorithms.spider import plan as recursive_plan
from dpref.algorithms.stationary_point import plan as stationary_plan
from dpref.algorithms.svrg import plan as reduced_plan
from dpref.algorithms.svrg_plus_plus import plan as reduced_plus_plus_plan
from dpref.curator import LiveCurator
from dpref.problems.bandit import Bandit, BanditData, LinearBandit
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.examples import (
    equal_records,
    huber_problem,
    linear_arms,
    live_curator,
    logistic_problem,
    stream_problem,
    two_arms,
    vertex_stream,
)
from dpref.problems.protocol import Problem
from dpref.problems.stream import StreamProblem, VertexStream
from dpref.reals import FLOAT_ARRAY, Array, Ops
from dpref.units import ZCDP, PrivacyLoss, ReplaceOne

P = TypeVar("P", bound=Problem)
D = TypeVar("D")
N = TypeVar("N")


class Example(NamedTuple, Generic[P, D, N]):
    """What an algorithm runs on.

    Attributes:
        problem: The public side of the problem.
        data: The private records.
        plan: The numbers of the run, computed by the algorithm's ``plan``.

    >>> len(gradient_descent().data.labels)
    2
    """

    problem: P
    data: D
    plan: N

    @property
    def ops(self) -> Ops[Array]:
        """The number system of the example: doubles."""
        return FLOAT_ARRAY

    @property
    def records(self) -> Any:
        """The data in that number system, as the problem reads them."""
        return self.problem.read(self.data, self.ops)

    def live(self) -> tuple[P, N, LiveCurator[Any, ReplaceOne]]:
        """The arguments of the algorithm's ``run``: problem, plan and a curator of the data with seed 0."""
        return self.problem, self.plan, live_curator(self.problem, self.data)


_Erm: TypeAlias = Example[ERMProblem, Dataset, N]


def gradient_descent() -> _Erm[descent_plan.Plan[ReplaceOne]]:
    """DP-GD: two steps of 1/2 on the Huber problem, with the noise taken out.

    >>> gradient_descent().plan.stds
    (0.0, 0.0)
    """
    problem = huber_problem()
    params = descent_plan.Params(Fraction(1), Fraction(1, 100), 2, ReplaceOne, step_size=Fraction(1, 2))
    return Example(problem, equal_records(2, dimension=1), replace(descent_plan.plan(problem, params), std=0.0))


def accelerated_mirror_descent() -> _Erm[accelerated_plan.Plan[ReplaceOne]]:
    """DP-AccMD: two coupled steps on the Huber problem, with the noise taken out.

    >>> accelerated_mirror_descent().plan.mirror.ball.radius
    Fraction(2, 1)
    """
    problem = huber_problem()
    params = accelerated_plan.Params(Fraction(1), Fraction(1, 100), ReplaceOne, steps=2)
    return Example(problem, equal_records(2, dimension=1), replace(accelerated_plan.plan(problem, params), std=0.0))


def dynamic_gradient_descent() -> _Erm[dynamic_plan.Plan[ReplaceOne]]:
    """Gradient descent with a dynamic budget: two steps of 1/2 on the Huber problem, with the noise taken out.

    >>> dynamic_gradient_descent().plan.requests
    (Fraction(1, 2), Fraction(1, 2))
    """
    problem = huber_problem()
    params = dynamic_plan.Params(Fraction(1), 2, Uniform(), ReplaceOne, step_size=Fraction(1, 2))
    made = replace(dynamic_plan.plan(problem, params), scheduled_stds=(0.0, 0.0))
    return Example(problem, equal_records(2, dimension=1), made)


def dynamic_sgd() -> _Erm[batches_plan.Plan[ReplaceOne]]:
    """Stochastic descent with a dynamic budget: the run of `dynamic_gradient_descent` on batches of both records.

    >>> dynamic_sgd().plan.batch
    2
    """
    problem = huber_problem()
    params = batches_plan.Params(Fraction(1), 2, 2, Uniform(), ReplaceOne, step_size=Fraction(1, 2))
    made = replace(batches_plan.plan(problem, params), scheduled_stds=(0.0, 0.0))
    return Example(problem, equal_records(2, dimension=1), made)


def dynamic_boosting() -> _Erm[boosting_plan.Plan[ReplaceOne]]:
    """Boosting: two times the run of `dynamic_gradient_descent`, and the choice, with the noise taken out.

    >>> dynamic_boosting().plan.repetitions
    2
    """
    problem = huber_problem()
    params = boosting_plan.Params(Fraction(1), Fraction(1, 4), 2, Uniform(), ReplaceOne, step_size=Fraction(1, 2))
    made = boosting_plan.plan(problem, params)
    base = replace(made.base, scheduled_stds=(0.0, 0.0))
    return Example(problem, equal_records(2, dimension=1), replace(made, base=base, std=0.0, nearest=0.125))


def svrg_params() -> reduced_plan.Params[ReplaceOne]:
    """What a user of DP-SVRG chooses: one epoch of two steps of 1/2, batches of two records, (1, 1/100)-DP.

    >>> svrg_params().epochs, svrg_params().inner, svrg_params().batch
    (1, 2, 2)
    """
    return reduced_plan.Params(Fraction(1), Fraction(1, 100), 1, 2, ReplaceOne, batch=2, step_size=Fraction(1, 2))


def svrg() -> _Erm[reduced_plan.Plan[ReplaceOne]]:
    """DP-SVRG: the run of `svrg_params` on the Huber problem, with the noise taken out.

    >>> svrg().plan.lengths
    (2,)
    """
    problem = huber_problem()
    made = replace(reduced_plan.plan(problem, svrg_params()), std=0.0)
    return Example(problem, equal_records(2, dimension=1), made)


def svrg_plus_plus() -> _Erm[reduced_plan.Plan[ReplaceOne]]:
    """DP-SVRG++: one epoch of two steps on the Huber problem, which it has in common with `svrg`.

    >>> svrg_plus_plus().plan.lengths
    (2,)
    """
    problem = huber_problem()
    made = replace(reduced_plus_plus_plan.plan(problem, replace(svrg_params(), inner=1)), std=0.0)
    return Example(problem, equal_records(2, dimension=1), made)


def noisy_gradient_descent() -> _Erm[noisy_plan.Plan[ReplaceOne]]:
    """Noisy gradient descent: two iterates on the Huber problem, in a ball of radius 1/4, with the noise taken out.

    >>> noisy_gradient_descent().plan.radius
    0.25
    """
    problem = huber_problem()
    params = noisy_plan.Params(Fraction(1), Fraction(1, 20), Fraction(2), ReplaceOne, iterates=2)
    return Example(problem, equal_records(2, dimension=1), replace(noisy_plan.plan(problem, params), std=0.0))


def proximal_point() -> _Erm[proximal_plan.Plan[ReplaceOne]]:
    """The proximal point method: two phases of `noisy_gradient_descent`.

    >>> [phase.weight for phase in proximal_point().plan.phases]
    [2.0, 2.0]
    """
    problem, one = huber_problem(), Fraction(1)
    params = proximal_plan.Params(
        2 * one, one / 20, one, 2 * one, one / 2, ReplaceOne, weak_convexity=one, phases=2, iterates=2
    )
    return Example(problem, equal_records(2, dimension=1), replace(proximal_plan.plan(problem, params), std=0.0))


def adaptive_gradient_descent(form: Form = Form.REPAIRED) -> _Erm[adaptive_plan.Plan[ReplaceOne]]:
    """Adaptive noisy gradient descent: at most one round on logistic regression, 1-zCDP.

    Args:
        form: As printed or repaired.

    >>> adaptive_gradient_descent().plan.rounds
    1
    """
    problem = logistic_problem()
    params = adaptive_plan.Params(Fraction(1), Fraction(1, 20), ReplaceOne, form=form, rounds=1)
    return Example(problem, equal_records(100), adaptive_plan.plan(problem, params))


def stationary_point() -> _Erm[stationary_plan.Plan[ReplaceOne]]:
    """A stationary point: at most one round, as `adaptive_gradient_descent`, and a choice of one candidate.

    >>> stationary_point().plan.steps
    3
    """
    problem = logistic_problem(128)
    params = stationary_plan.Params(Fraction(1), Fraction(1, 20), ReplaceOne, rounds=1, rule="exponential")
    return Example(problem, equal_records(128), stationary_plan.plan(problem, params))


def spider(updates: int = 1) -> _Erm[recursive_plan.Plan[ReplaceOne]]:
    """Private Spider: one round of updates of length 1/2 on logistic regression with two records.

    The numbers are set by hand (``plan`` asks for many more records); the sensitivities are the true ones.

    Args:
        updates: Number of updates; all but the last are followed by a noisy gradient difference.

    >>> spider(updates=2).plan.steps  # a gradient and a difference
    2
    """
    problem, length = logistic_problem(n=2), Fraction(1, 2)
    only = recursive_plan.Round(
        target=0.25,
        threshold=0.1,
        length=float(length),
        updates=updates,
        differences=updates - 1,
        std=1.0,
        sensitivity=problem.smoothness * length,  # 2 M length / n, with n = 2
    )
    made = recursive_plan.Plan(
        outer_std=1.0,
        rounds=(only,),
        start=(0.0, 0.0),
        form=Form.REPAIRED,
        sensitivity=problem.sensitivity(ReplaceOne),
        claimed=PrivacyLoss(Fraction(1), ZCDP, ReplaceOne),
    )
    return Example(problem, equal_records(2), made)


def online_frank_wolfe() -> Example[StreamProblem, Dataset, online_plan.Plan[ReplaceOne]]:
    """Online Frank-Wolfe on a stream of one record in the Euclidean unit ball.

    >>> online_frank_wolfe().plan.oracle_calls
    1
    """
    problem = stream_problem()
    made = online_plan.plan(problem, online_plan.Params(Fraction(1), Fraction(1, 10), ReplaceOne))
    return Example(problem, equal_records(1), made)


def noisy_frank_wolfe(std: float = 1.0) -> Example[StreamProblem, Dataset, parted_plan.Plan[ReplaceOne]]:
    """NoisySFW on four equal records in the Euclidean unit ball: two answers.

    Args:
        std: The noise of both.

    >>> noisy_frank_wolfe().plan.oracle_calls
    4
    """
    problem = stream_problem(n=4)
    params = parted_plan.Params(Fraction(1), Fraction(1, 10), ReplaceOne)
    made = parted_plan.plan(problem, params)
    return Example(problem, equal_records(4), replace(made, std=std, difference_std=std))


def local_mirror_descent() -> Example[StreamProblem, Dataset, local_plan.Plan[ReplaceOne]]:
    """LocalMD on four equal records in the Euclidean unit ball: a block of two records, four steps, without noise.

    >>> local_mirror_descent().plan.oracle_calls
    4
    """
    problem = stream_problem(n=4)
    params = local_plan.Params(Fraction(16), Fraction(1, 10), ReplaceOne)
    made = local_plan.plan(problem, params)
    return Example(problem, equal_records(4), replace(made, scheduled_stds=(0.0,) * len(made.blocks)))


def noisy_sgd(std: float = 0.0) -> Example[StreamProblem, Dataset, single_plan.Plan[ReplaceOne]]:
    """NoisySGD on two equal records in the Euclidean unit ball: three steps.

    Args:
        std: The noise of each, by default none.

    >>> noisy_sgd().plan.steps
    3
    """
    problem = stream_problem(n=2)
    made = single_plan.plan(problem, single_plan.Params(Fraction(1), Fraction(1, 10), ReplaceOne))
    return Example(problem, equal_records(2), replace(made, std=std))


def polyhedral_frank_wolfe() -> Example[VertexStream, Dataset, polyhedral_plan.Plan[ReplaceOne]]:
    """Online Frank-Wolfe by choices of vertices, on a stream of one record in the l_1 unit ball.

    >>> polyhedral_frank_wolfe().plan.oracle_calls
    1
    """
    problem = vertex_stream()
    made = polyhedral_plan.plan(problem, polyhedral_plan.Params(Fraction(1), Fraction(1, 10), ReplaceOne))
    return Example(problem, equal_records(1), made)


def high_dimensional_bandit() -> Example[Bandit, BanditData, bandit_plan.Plan[ReplaceOne]]:
    """The private bandit: four users and two arms, one of which pays them, each pulled once before the first choice.

    >>> high_dimensional_bandit().plan.oracle_calls
    6
    """
    problem, data = two_arms()
    params = bandit_plan.Params(Fraction(1), Fraction(1, 10), ReplaceOne, warm_up=1, gap=Fraction(1))
    return Example(problem, data, bandit_plan.plan(problem, params))


def linear_ucb() -> Example[LinearBandit, BanditData, ucb_plan.Plan[ReplaceOne]]:
    """Private linear UCB: the users of `high_dimensional_bandit`.

    >>> linear_ucb().plan.steps
    4
    """
    problem, data = linear_arms()
    return Example(problem, data, ucb_plan.plan(problem, ucb_plan.Params(Fraction(1), Fraction(1, 10), ReplaceOne)))
