"""The numbers of DP-UCB: the noise of a node, the shift, and the widths of the confidence sets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import arb

from dpref.algorithms.choices import Budgeted
from dpref.algorithms.declaration import Move, Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.linear_ucb.formulas import leaf_sensitivity, noise_of_rewards, printed_multiplier, shift, width
from dpref.checks import open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.noise import GaussianNoise
from dpref.privacy.calibration import gaussian_noise_multiplier
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.events.tree import most_nodes, tree_event
from dpref.privacy.events.walks import canonical
from dpref.problems.bandit import LinearBandit
from dpref.reals import BALL, FLOAT, ball, evaluate, exact, lower, upper
from dpref.units import (
    L2,
    A,
    Adjacency,
    ApproximateDP,
    JointDP,
    PrivacyLoss,
    ReplaceOne,
    Sensitivity,
    ZeroOut,
    billboard,
    differing_records,
)


@dataclass(frozen=True)
class Params(Budgeted[A]):
    """The budget of the billboard, and what the confidence sets need to know.

    Attributes:
        failure: alpha, the probability with which a confidence set may miss, exact, in (0, 1).
        spread: Of the rewards' noise, sub-Gaussian, exact, positive.
        size: S, a bound on the l_2 norm of all arms' parameters together, exact, positive.

    >>> from dpref.units import ReplaceOne
    >>> given = Params(Fraction(1), Fraction(1, 1000), ReplaceOne)
    >>> given.failure, given.spread, given.size
    (Fraction(1, 100), Fraction(1, 20), Fraction(1, 1))
    """

    failure: Fraction = Fraction(1, 100)
    spread: Fraction = Fraction(1, 20)
    size: Fraction = Fraction(1)


@dataclass(frozen=True)
class Plan(Planned[L2, ApproximateDP, A]):
    """The noise of a node of the tree, and the confidence sets; ``claimed`` is the billboard's.

    Attributes:
        records: T.
        arms: K.
        std: Of every coordinate of a node, the off-diagonal ones times the root of two.
        upsilon: The shift of V is twice that.
        widths: beta_1, ..., beta_T.
    """

    records: int
    arms: int
    std: float
    upsilon: float
    widths: tuple[float, ...]

    @property
    def noise(self) -> GaussianNoise:
        """The noise that every node gets."""
        return GaussianNoise(self.std)

    @property
    def steps(self) -> int:
        """Number of noisy nodes: one for each user."""
        return self.records

    @property
    def oracle_calls(self) -> int:
        """Number of rewards that are read: one for each user."""
        return self.records

    @property
    def stds(self) -> tuple[float, ...]:
        """The scale of each node's noise."""
        return (self.std,) * self.records

    def moves(self, problem: LinearBandit) -> tuple[Move, ...]:
        r"""The first user, on the first axis, whose reward is turned, moves each node that holds her by $2\sqrt2MB$."""
        if self.sensitivity.adjacency is not ReplaceOne:
            return ()
        turned = 2 * problem.context_bound * problem.reward_bound
        shift = exact(lower(evaluate(lambda: BALL.sqrt(ball(2)) * ball(turned))))
        return (Move(shift, self.std, most_nodes(self.records)),)

    @property
    def joint(self) -> PrivacyLoss[JointDP, A]:
        """The joint privacy of the actions, by the billboard lemma."""
        return billboard(self.claimed)


def plan(problem: LinearBandit, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    The printed form has the noise of the source under replace-one, and as many times the sensitivity under zero-out;
    the repaired one the least whose exact loss, of as many nodes as a
    leaf can be in, fits the budget.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule.

    References:
        Shariff and Sheffet, "Differentially private contextual linear bandits", 2018, Section 4.2.

    >>> from dpref.units import ReplaceOne
    >>> bandit, ask = LinearBandit(n=1000, dimension=3, arms=2), Params(Fraction(1), Fraction(1, 1000), ReplaceOne)
    >>> [round(plan(bandit, replace(ask, form=form)).std / 4 / 2**0.5, 1) for form in Form]  # over L~^2 = 4
    [110.0, 8.1]
    """
    if params.adjacency not in {ReplaceOne, ZeroOut}:
        rule = "users keep their place: replace-one or zero-out"
        raise InvalidArgumentError("adjacency", params.adjacency.name, rule)
    epsilon, delta = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    alpha = open_unit("failure", params.failure)
    spread, size = positive_rational("spread", params.spread), positive_rational("size", params.size)
    nodes = most_nodes(problem.n, padded=True)

    def moved() -> arb:
        square = ball(problem.leaf_bound)
        return leaf_sensitivity(BALL, square) if differing_records(params.adjacency) == 2 else square

    sensitivity = exact(upper(evaluate(moved)))
    if params.form is Form.REPAIRED:
        multiplier = exact(gaussian_noise_multiplier(epsilon, delta, steps=most_nodes(problem.n)))
    else:
        ratio = evaluate(lambda: printed_multiplier(BALL, ball(nodes), (4 / ball(delta)).log(), ball(epsilon)))
        multiplier = exact(upper(ratio))
    std = upper(evaluate(lambda: ball(multiplier) * ball(sensitivity)))
    dimension, entry = float(problem.dimension * problem.arms), std / 2**0.5
    length, log_ratio = (FLOAT.log(k * 2 / float(alpha)) for k in (problem.n, 1))
    upsilon = shift(FLOAT, entry, float(nodes), dimension, length)
    gamma = noise_of_rewards(FLOAT, entry, float(nodes), upsilon, dimension, length)
    known = float(spread), log_ratio, dimension, upsilon, float(size), gamma, float(problem.context_square)
    return Plan(
        sensitivity=Sensitivity(sensitivity, L2, params.adjacency),
        form=params.form,
        claimed=PrivacyLoss(epsilon, ApproximateDP, params.adjacency, delta),
        records=problem.n,
        arms=problem.arms,
        std=std,
        upsilon=upsilon,
        widths=tuple(width(FLOAT, *known, float(t)) for t in range(1, problem.n + 1)),
    )


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the billboard will spend: a tree over the whole stream.

    >>> from dpref.algorithms.examples import linear_ucb as example
    >>> ledger(example().plan).event.count  # floor(log2 4) + 1 nodes
    3
    """
    return Ledger(canonical(tree_event(plan.noise.event(plan.sensitivity), plan.records)), plan.sensitivity.adjacency)


def examples(problem: LinearBandit, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import linear_ucb as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    3
    """
    base = Params(Fraction(1), Fraction(1, 10**6), adjacency)
    return base, replace(base, epsilon=Fraction(100)), replace(base, form=Form.AS_PRINTED)
