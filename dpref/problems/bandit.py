r"""Contextual bandits with generalised linear rewards: $E[r_i|X]=\zeta(\langle X,\theta_i^*\rangle)$ of each arm i.

A record is a user: her context $X$, $\|X\|_\infty\le M$, and what every arm would pay her; only the payment of the arm
that is pulled is ever used.  The loss of an arm's parameter is $m(\langle X,\theta\rangle)-r\langle X,\theta\rangle$
with $m'=\zeta$, its gradient $(\zeta(\langle X,\theta\rangle)-r)X$: a null record, with $X=0$, has none, at any
parameter and whatever the arm.  Parameters lie in the l_1 ball of radius R; with $|\zeta|\le Z$ there and $|r|\le B$,

.. math:: L=(Z+B)M\ \text{(1 for logistic rewards in }[0,1]\text{, times M)},\qquad\beta=M^2\sup\zeta'.

References:
    Han et al., "On private online convex optimization" (the private-online-frank-wolfe paper), Section 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from dpref.checks import finite_array, instance, natural, one_of, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import LpBall
from dpref.kernels.records import Contexts, Indices
from dpref.problems.stream import increment_sensitivity
from dpref.reals import FLOAT_ARRAY, Array, FloatArray, Ops
from dpref.units import Adjacency, Linf, ReplaceOne, Sensitivity, ZeroOut

A = TypeVar("A", bound=Adjacency)
Link = Literal["identity", "logistic"]
LINKS: tuple[Link, ...] = ("identity", "logistic")


class Users(NamedTuple):
    """Users as one number system reads them.

    Attributes:
        contexts: Shape (n, d).
        rewards: Shape (n, K).
    """

    contexts: Array
    rewards: Array

    def user(self, t: int) -> tuple[Array, Array]:
        """Context, shape (d,), and rewards, shape (K,), of user t, counted from one."""
        return self.contexts[t - 1], self.rewards[t - 1]


@dataclass(frozen=True, eq=False)
class BanditData:
    """Users of a bandit.

    Attributes:
        contexts: Shape (n, d).
        rewards: What each arm would pay, shape (n, K).
        name: What the data are.

    >>> BanditData(np.zeros((5, 3)), np.ones((5, 2))).n
    5
    """

    contexts: FloatArray
    rewards: FloatArray
    name: str = "bandit"

    def __post_init__(self) -> None:
        for field in ("contexts", "rewards"):
            array = finite_array(field, getattr(self, field), ndim=2)
            array.setflags(write=False)
            object.__setattr__(self, field, array)
        if len(self.contexts) != len(self.rewards):
            raise InvalidArgumentError("rewards", self.rewards.shape, f"must have {len(self.contexts)} rows")

    @property
    def n(self) -> int:
        """Number of users."""
        return len(self.contexts)

    def replaced(self, index: int, context: FloatArray, rewards: FloatArray) -> BanditData:
        """The data with another user at an index, counted from zero."""
        if not 0 <= index < self.n:
            raise InvalidArgumentError("index", index, f"must lie in range({self.n})")
        contexts, table = self.contexts.copy(), self.rewards.copy()
        contexts[index], table[index] = context, rewards
        return BanditData(contexts, table, self.name)


class BanditPair(NamedTuple):
    """Two data sets that differ in one user, and her context in the first."""

    first: BanditData
    second: BanditData
    direction: FloatArray


@dataclass(frozen=True)
class Bandit:
    """The public side of a bandit.

    Attributes:
        n: Number of rounds, one user each.
        dimension: d.
        arms: K, at least 2.
        link: zeta: the identity, or the logistic function (then rewards lie in [0, 1]).
        radius: R of the l_1 ball of parameters, exact.
        context_bound: M, a bound on every entry of a context, exact.
        reward_bound: B, a bound on rewards, exact; 1 for logistic ones.

    >>> bandit = Bandit(n=100, dimension=3, arms=2)
    >>> bandit.lipschitz, bandit.smoothness, bandit.domain.diameter()
    (Fraction(2, 1), Fraction(1, 1), Fraction(2, 1))
    """

    n: int
    dimension: int
    arms: int
    link: Link = "identity"
    radius: Fraction = Fraction(1)
    context_bound: Fraction = Fraction(1)
    reward_bound: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        natural("n", self.n)
        natural("dimension", self.dimension)
        natural("arms", self.arms, least=2)
        one_of("link", self.link, LINKS)
        for field in ("radius", "context_bound", "reward_bound"):
            positive_rational(field, getattr(self, field))
        if self.link == "logistic" and self.reward_bound != 1:
            raise InvalidArgumentError("reward_bound", self.reward_bound, "logistic rewards lie in [0, 1]: must be 1")

    @property
    def domain(self) -> LpBall:
        """The set of an arm's parameters."""
        return LpBall(Fraction(1), self.radius)

    @property
    def lipschitz(self) -> Fraction:
        """L: the largest entry of a gradient."""
        residual = Fraction(1) if self.link == "logistic" else self.context_bound * self.radius + self.reward_bound
        return residual * self.context_bound

    @property
    def smoothness(self) -> Fraction:
        """beta: gradients are beta-Lipschitz from l_1 to l_infinity."""
        return self.context_bound**2 * (Fraction(1, 4) if self.link == "logistic" else 1)

    @property
    def least_slope(self) -> float:
        r"""$\mu$: the least $\zeta'$ where predictions lie; 1 of the identity."""
        if self.link == "identity":
            return 1.0
        tail = math.exp(-float(self.context_bound * self.radius))
        return tail / (1 + tail) ** 2

    def sensitivity(self, adjacency: type[A], step_scale: Fraction = Fraction(1)) -> Sensitivity[Linf, A]:
        r"""How far the increments of all arms move together: $2(c\beta D+L)$, half if the user is nulled.

        A replaced user enters one arm's increment by $2(c\beta D+L)$, or two arms' by half of that each.

        Raises:
            InvalidArgumentError: Under add-or-remove-one, where every later user would come in another round.

        References:
            Obligations ``private-online-frank-wolfe/PO-5``, ``PO-6``, ``E-16``.
        """
        if adjacency not in {ReplaceOne, ZeroOut}:
            raise InvalidArgumentError("adjacency", adjacency.name, "users keep their place: replace-one or zero-out")
        value = increment_sensitivity(self.smoothness, self.domain.diameter(), self.lipschitz, step_scale, adjacency)
        return Sensitivity(value, Linf, adjacency)

    def read(self, data: BanditData, o: Ops[Array] = FLOAT_ARRAY) -> Users:
        """The data in a number system, after checking that they are an instance of this problem.

        Raises:
            InvalidArgumentError: If a shape does not fit, or a context or a reward exceeds its bound.
        """
        instance("data", data, BanditData)
        for field, width, bound in (
            ("contexts", self.dimension, self.context_bound),
            ("rewards", self.arms, self.reward_bound),
        ):
            array = getattr(data, field)
            if array.shape != (self.n, width):
                raise InvalidArgumentError(field, array.shape, f"must have shape {(self.n, width)}")
            largest = float(np.abs(array).max())
            if Fraction(largest) > bound:
                raise InvalidArgumentError(field, largest, f"must be at most {bound} in size")
        if self.link == "logistic" and data.rewards.min() < 0:
            raise InvalidArgumentError("rewards", data.rewards.min(), "logistic rewards must lie in [0, 1]")
        return Users(o.lift(data.contexts), o.lift(data.rewards))

    def mean_reward(self, o: Ops[Array], prediction: Array) -> Array:
        r"""$\zeta$ of a prediction."""
        return prediction if self.link == "identity" else 1 / (1 + o.exp(-prediction))

    def gradient(self, o: Ops[Array], theta: Array, context: Array, reward: Array) -> Array:
        r"""$(\zeta(\langle X,\theta\rangle)-r)X$, shape (d,)."""
        found: Array = (np.asarray(self.mean_reward(o, np.asarray(context @ theta)))[()] - reward) * context
        return found

    def arrays(self, data: BanditData) -> Contexts:
        """The data and the public problem as a kernel reads them."""
        return Contexts(data.contexts, data.rewards, LINKS.index(self.link), float(self.radius))

    def random_neighbour(self, data: BanditData, adjacency: type[Adjacency], rng: np.random.Generator) -> BanditData:
        """The data with one random user replaced or nulled."""
        index = int(rng.integers(data.n))
        if adjacency is ZeroOut:
            return data.replaced(index, np.zeros(self.dimension), np.zeros(self.arms))
        context = rng.choice([-1.0, 1.0, 0.3], self.dimension) * float(self.context_bound) * _BELOW
        low = 0.0 if self.link == "logistic" else -1.0
        rewards = rng.choice([low, 1.0], self.arms) * float(self.reward_bound) * _BELOW
        return data.replaced(index, context, rewards)

    def worst_case_pair(self, data: BanditData, adjacency: type[Adjacency]) -> BanditPair:
        """The first user has the largest context and rewards; in the neighbour her rewards are turned, or she is null.

        Logistic rewards are turned from 1 to 0.
        """
        context = np.full(self.dimension, float(self.context_bound) * _BELOW)
        high = np.full(self.arms, float(self.reward_bound) * _BELOW)
        low = 0 * high if self.link == "logistic" else -high
        first = data.replaced(0, context, high)
        if adjacency is ZeroOut:
            return BanditPair(first, first.replaced(0, 0 * context, 0 * high), context)
        return BanditPair(first, first.replaced(0, context, low), context)


@dataclass(frozen=True)
class LinearBandit(Bandit):
    """A bandit with the identity for a link, of whose users Gram matrices are kept.

    >>> LinearBandit(n=10, dimension=3, arms=2).leaf_bound  # d M^2 + B^2
    Fraction(4, 1)
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.link != "identity":
            raise InvalidArgumentError("link", self.link, "must be the identity: Gram matrices are of linear rewards")

    @property
    def context_square(self) -> Fraction:
        """The largest squared l_2 norm of a context."""
        return self.dimension * self.context_bound**2

    @property
    def leaf_bound(self) -> Fraction:
        """The largest squared l_2 norm of a context and its reward together."""
        return self.context_square + self.reward_bound**2


_BELOW = 1.0 - 2.0**-40


def sampled_bandit(problem: Bandit, parameters: FloatArray, spread: float, seed: int) -> BanditData:
    r"""Users with uniform contexts and independent rewards of the model's mean.

    Args:
        problem: The bandit.
        parameters: $\theta_i^*$, shape (K, d), each of l_1 norm at most R.
        spread: Of the rewards of the identity link, uniform within; logistic ones are 0 or 1.
        seed: Of the generator.

    >>> bandit = Bandit(n=4, dimension=2, arms=2)
    >>> data = sampled_bandit(bandit, np.eye(2) / 2, spread=0.0, seed=0)
    >>> bool((data.rewards == data.contexts / 2).all())
    True
    """
    rng = np.random.default_rng(seed)
    bound = float(problem.context_bound) * _BELOW
    contexts = rng.uniform(-bound, bound, (problem.n, problem.dimension))
    means = problem.mean_reward(FLOAT_ARRAY, contexts @ parameters.T)
    if problem.link == "logistic":
        return BanditData(contexts, (rng.random(means.shape) < means).astype(np.float64))
    return BanditData(contexts, means + spread * rng.uniform(-1, 1, means.shape))


def regret(problem: Bandit, parameters: FloatArray, contexts: FloatArray, actions: Indices) -> FloatArray:
    r"""The pseudo-regret after each round: by how much the best arms would have paid more in the mean, added up.

    Args:
        problem: The bandit.
        parameters: $\theta_i^*$, shape (K, d).
        contexts: Shape (n, d).
        actions: Pulled arms, counted from zero, shape (n,).

    Returns:
        Shape (n,), never falling.

    >>> regret(Bandit(n=2, dimension=1, arms=2), np.array([[0.5], [0.0]]), np.ones((2, 1)), np.array([1, 0])).tolist()
    [0.5, 0.5]
    """
    means = problem.mean_reward(FLOAT_ARRAY, contexts @ parameters.T)
    chosen = means[np.arange(len(means)), actions]
    return np.asarray(np.cumsum(means.max(axis=1) - chosen))
