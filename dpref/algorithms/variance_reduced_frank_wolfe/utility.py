r"""How good the last point of variance-reduced Frank-Wolfe is, with explicit constants.

The theorem that is quoted for it (Theorem 3.22) has none, nor hypotheses.  Derived here, for records that are
independent draws, with d vertices and the notation of the formulas: at every leaf the estimate v is the gradient of the
population risk F at x plus a sum of means, one for each node on the branch that reads records, which are centred given
what came before.  Their terms are within $\pm L_0$ at the root and $\pm B_k$ below it,
$B_k=\min(2L_0,L_1\|x_s-x_{\mathrm{parent}}\|_1)$, so that by Hoeffding's lemma and a union bound

.. math:: e=\mathbb E\|v-\nabla F(x)\|_\infty\le\sqrt{2V\ln2d},\qquad V=\frac{L_0^2}b+\sum_{k=1}^t\frac{B_k^2}{b_k}.

The chosen vertex misses the best one by c on average, at most $\lambda\ln d$ with Gumbel noise (its entropy) and
$\lambda(1+\ln d)$ with Laplace noise (the mean of the largest of d exponentials).  By convexity and smoothness, at a
step $\eta$ between points at most 2 apart, the mean excess risk h obeys

.. math:: h'\le(1-\eta)h+\eta(2e+c)+2L_1\eta^2,\qquad h\le2L_0\text{ at the start}.

In closed form, with Gumbel noise by zCDP and $G=\max(L_0,\sqrt{8L_0L_1})$, T phases leave at most

.. math:: \frac{8\sqrt2}3(L_0+4L_1)\sqrt{\frac{\ln2d}b}+\frac{5\sqrt2}4\cdot\frac{G\ln d}{b\sqrt\rho}2^{T/2}
    +\frac{L_0+16L_1}{2^T},

which is what Eq. (10) is repaired to: with $2^T$ next above the least it has its two terms, b for n.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from dpref.algorithms.variance_reduced_frank_wolfe.formulas import away, change, step_size
from dpref.algorithms.variance_reduced_frank_wolfe.plan import MOST_PHASES, Params, Plan, largest_batch, plan
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import Law
from dpref.problems.games import Game
from dpref.problems.players import Player
from dpref.reals import BALL, RATIONAL, FloatArray, Ops, T, ball, evaluate, exact, upper
from dpref.units import A


def node_variance(o: Ops[T], bound: T, batch: T) -> T:
    r"""$\frac{B^2}b$: what a node adds to V.

    >>> from dpref.reals import FLOAT
    >>> node_variance(FLOAT, bound=2.0, batch=8.0)
    0.5
    """
    return bound * bound / batch


def gradient_error(o: Ops[T], variance: T, dimension: T) -> T:
    r"""$\sqrt{2V\ln2d}$.

    >>> from math import exp
    >>> from dpref.reals import FLOAT
    >>> round(gradient_error(FLOAT, variance=0.5, dimension=exp(4) / 2), 9)
    2.0
    """
    return o.sqrt(2 * variance * o.log(2 * dimension))


def gumbel_error(o: Ops[T], scale: T, dimension: T) -> T:
    r"""$\lambda\ln d$: what a choice with Gumbel noise loses on average.

    >>> from math import exp
    >>> from dpref.reals import FLOAT
    >>> gumbel_error(FLOAT, scale=0.5, dimension=exp(2))
    1.0
    """
    return scale * o.log(dimension)


def laplace_error(o: Ops[T], scale: T, dimension: T) -> T:
    r"""$\lambda(1+\ln d)$: what a choice with Laplace noise loses on average.

    >>> from math import exp
    >>> from dpref.reals import FLOAT
    >>> laplace_error(FLOAT, scale=0.5, dimension=exp(2))
    1.5
    """
    return scale * (1 + o.log(dimension))


def risk_step(o: Ops[T], risk: T, error: T, eta: T, L1: T) -> T:
    r"""$(1-\eta)h+\eta e+2L_1\eta^2$: the excess risk after a step, ``error`` twice the gradient's and the choice's.

    >>> from dpref.reals import FLOAT
    >>> risk_step(FLOAT, risk=1.0, error=0.5, eta=0.5, L1=0.5)
    1.0
    """
    return risk + eta * (error - risk) + 2 * L1 * eta * eta


def closed_bound(o: Ops[T], L0: T, L1: T, dimension: T, batch: T, rho: T, leaves: T) -> T:
    r"""The bound of phases whose last one has so many leaves, $2^T$, each within $\rho$ in zCDP.

    >>> from dpref.reals import FLOAT
    >>> round(closed_bound(FLOAT, 1.0, 1.0, dimension=100.0, batch=1e8, rho=0.01, leaves=512.0), 4)
    0.0376
    """
    sampling = 8 * o.sqrt(o.number(2)) / 3 * (L0 + 4 * L1) * o.sqrt(o.log(2 * dimension) / batch)
    spread = o.maximum(L0, o.sqrt(8 * L0 * L1))
    choices = 5 * o.sqrt(2 * leaves) / 4 * spread * o.log(dimension) / (batch * o.sqrt(rho))
    return sampling + choices + (L0 + 16 * L1) / leaves


def balance(o: Ops[T], L0: T, L1: T, dimension: T, batch: T, rho: T) -> T:
    r"""$R^{2/3}$, $R=\frac{(L_0+16L_1)b\sqrt\rho}{G\ln d}$: about as many leaves of the last phase as are best.

    >>> from dpref.reals import FLOAT
    >>> round(balance(FLOAT, 1.0, 1.0, dimension=100.0, batch=1e8, rho=0.01))
    55433
    """
    spread = o.maximum(L0, o.sqrt(8 * L0 * L1))
    return o.exp(2 * o.log((L0 + 16 * L1) * batch * o.sqrt(rho) / (spread * o.log(dimension))) / 3)


def equation_10(o: Ops[T], L0: T, L1: T, dimension: T, batch: T, rho: T) -> T:
    r"""Eq. (10), repaired: of phases whose last one has between $R^{2/3}$ and twice as many leaves.

    $\frac{8\sqrt2}3(L_0+4L_1)\sqrt{\frac{\ln2d}b}+\frac72\Big(\frac{\sqrt{L_0+16L_1}\,G\ln d}{b\sqrt\rho}\Big)^{2/3}$.

    >>> from dpref.reals import FLOAT
    >>> round(equation_10(FLOAT, 1.0, 1.0, dimension=100.0, batch=1e8, rho=0.01), 4)
    0.0054
    """
    sampling = 8 * o.sqrt(o.number(2)) / 3 * (L0 + 4 * L1) * o.sqrt(o.log(2 * dimension) / batch)
    return sampling + 7 * (L0 + 16 * L1) / (2 * balance(o, L0, L1, dimension, batch, rho))


def leaf_error(problem: Game, made: Plan[A], t: int) -> arb:
    """Twice the gradient's error and the choice's, at the leaf of phase t that has most nodes on its branch.

    >>> from dpref.algorithms import game_examples as examples
    >>> problem, _, made = examples.variance_reduced_frank_wolfe()
    >>> 2 < float(leaf_error(problem, made, 1)) < 20
    True
    """
    L0, L1, d = ball(problem.lipschitz), problem.smoothness, ball(made.dimension)
    variance = node_variance(BALL, L0, ball(made.batches[t - 1][0]))
    for k, size in enumerate(made.batches[t - 1][1:], start=1):
        distance = away(RATIONAL, Fraction(2**t), Fraction(2 ** (t - k)))
        bound = change(RATIONAL, problem.lipschitz, L1, distance)
        variance += node_variance(BALL, ball(bound), ball(size))
    choice = gumbel_error if made.law == "gumbel" else laplace_error
    return 2 * gradient_error(BALL, variance, d) + choice(BALL, ball(exact(made.scales[t - 1])), d)


def excess_bound(problem: Game, made: Plan[A]) -> float:
    """A bound on the mean excess population risk of the output, certified, in units of the loss.

    Args:
        problem: Whose records are independent draws.
        made: The plan.

    >>> from dpref.units import ReplaceOne
    >>> problem = Game(n=10**6, rows=100, columns=1)
    >>> params = Params(Fraction(1), Fraction(1, 10**6), 5, 80_000, ReplaceOne)
    >>> round(excess_bound(problem, plan(problem, params)), 4)
    0.1888
    """

    def bound() -> arb:
        L1, risk = ball(problem.smoothness), 2 * ball(problem.lipschitz)
        for t in range(1, made.phases + 1):
            error = leaf_error(problem, made, t)
            for leaf in range(2**t):
                risk = risk_step(BALL, risk, error, ball(step_size(RATIONAL, Fraction(2**t), Fraction(leaf))), L1)
        return risk

    return upper(evaluate(bound))


def tuned(
    problem: Game,
    epsilon: Fraction,
    delta: Fraction,
    adjacency: type[A],
    *,
    player: Player = "first",
    opponent: FloatArray | None = None,
    law: Law = "gumbel",
) -> Params[A]:
    """As many phases as each lowers the bound, with as large batches as the records allow.

    Args:
        problem: The public side.
        epsilon: Privacy budget, exact, positive.
        delta: Privacy slack, exact, in (0, 1).
        adjacency: Replace-one or zero-out.
        player: Whose vertices.
        opponent: The other player's point.
        law: Of the noise.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or there are too few records for a phase.

    >>> from dpref.units import ReplaceOne
    >>> tuned(Game(n=10**6, rows=100, columns=1), Fraction(1), Fraction(1, 10**6), ReplaceOne).phases
    7
    """
    best: tuple[float, Params[A] | None] = (math.inf, None)
    for phases in range(1, MOST_PHASES + 1):
        if not (batch := largest_batch(problem.n, phases)):
            break
        params = Params(epsilon, delta, phases, batch, adjacency, player, opponent, law)
        bound = excess_bound(problem, plan(problem, params))
        if bound >= best[0]:
            break
        best = bound, params
    if best[1] is None:
        raise InvalidArgumentError("problem", problem.n, "must have at least 2 records")
    return best[1]
