r"""How well the law answers, with explicit constants, and the parameters with which that is Theorem 1.1's rate.

For records that are independent draws from a law D on the universe, with a the population's answers,

.. math::
    \mathbb E\max_j\big(a_j-\langle q_j,\bar x\rangle\big)\le\frac{\ln|Q|}{\tau_yT}+2\tau_y+\frac{\ln|Z|}{\tau_xTK}
    +\frac{\tau_x}2+\sqrt{\frac{2\ln|Q|}{BT}}.

The first two terms are the regret of the queries' weights, whose gains $u^t$ lie in [-2, 2]; the next two that of the
law, whose gains $q_{\hat y}$ lie in [-1, 1], against D, at which the game has the value 0: $x^{t,k}$ does not depend on
$\hat y^{t,k}$ given $y^t$, so that the mean of $\langle q_{\hat y},D-x^{t,k}\rangle$ is that of the game's payoff.  The
last is the mean of the largest deviation of $|Q|$ means of BT answers (a last batch, which no output reads, counts).
Records that are drawn from the law add $\sqrt{2\ln|Q|/m}$ for m of them.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

from dpref.algorithms.synthetic_data.plan import Plan
from dpref.problems.queries import Queries
from dpref.reals import BALL, Ops, T, ball, evaluate, exact, upper


def regret(o: Ops[T], size: T, tau: T, steps: T, square: T) -> T:
    r"""$\frac{\ln N}{\tau T}+\frac{\tau G^2}2$: of T steps over N vertices, with gains in $\pm G$ (``square``, $G^2$).

    >>> from math import exp
    >>> from dpref.reals import FLOAT
    >>> regret(FLOAT, size=exp(2), tau=0.5, steps=8.0, square=4.0)
    1.5
    """
    return o.log(size) / (tau * steps) + tau * square / 2


def deviation(o: Ops[T], queries: T, records: T) -> T:
    r"""$\sqrt{\frac{2\ln|Q|}m}$: the largest deviation of $|Q|$ means of m numbers in [-1, 1], on average.

    >>> from math import exp
    >>> from dpref.reals import FLOAT
    >>> deviation(FLOAT, queries=exp(2), records=16.0)
    0.5
    """
    return o.sqrt(2 * o.log(queries) / records)


def error_bound(o: Ops[T], queries: T, elements: T, rounds: T, draws: T, batch: T, tau: T, law_step: T) -> T:
    """The bound on the mean of the largest error of the released law, in units of a query.

    >>> from dpref.reals import FLOAT
    >>> round(error_bound(FLOAT, 20.0, 16.0, 1000.0, 1.0, 1000.0, 0.04, 0.07), 4)
    0.2319
    """
    weights = regret(o, queries, tau, rounds, 0 * tau + 4)
    law = regret(o, elements, law_step, rounds * draws, 0 * tau + 1)
    return weights + law + deviation(o, queries, batch * rounds)


def largest_error_bound(problem: Queries, made: Plan[Any]) -> float:
    """The same for a plan, certified.

    Args:
        problem: Whose records are independent draws from a law on the universe.
        made: The plan.

    >>> from dpref.algorithms import game_examples as examples
    >>> problem, _, made = examples.synthetic_data()
    >>> 1 < largest_error_bound(problem, made) < 100
    True
    """
    sizes = problem.queries, problem.elements, made.steps, made.vertices[0], problem.n // made.steps
    steps = exact(made.step_size), exact(made.law_step)
    return upper(evaluate(lambda: error_bound(BALL, *map(ball, sizes), *map(ball, steps))))


class Theorem11(NamedTuple):
    """Rounds and draws for Theorem 1.1.

    Attributes:
        rounds: T.
        draws: K.
    """

    rounds: int
    draws: int


def theorem_1_1(problem: Queries, epsilon: Fraction, delta: Fraction) -> Theorem11:
    r"""$T=\min(n,T_0)$ rounded down and $K=\lceil T_0/T\rceil$, $T_0=\frac{n\varepsilon}{\ln|Q|}\sqrt{\ln|Z|/L}$ (E28).

    Args:
        problem: The queries, and the number of records.
        epsilon: Privacy budget.
        delta: Privacy slack; L is the logarithm of its inverse.

    >>> from dpref.problems.examples import coin_queries
    >>> [theorem_1_1(coin_queries(1000), Fraction(1), delta) for delta in (Fraction(1, 10**5), Fraction(9, 10))]
    [Theorem11(rounds=353, draws=1), Theorem11(rounds=1000, draws=4)]
    """
    log = math.log(delta.denominator) - math.log(delta.numerator)
    ideal = problem.n * float(epsilon) * math.sqrt(math.log(problem.elements) / log) / math.log(problem.queries)
    rounds = max(1, math.floor(min(problem.n, ideal)))
    return Theorem11(rounds, max(1, math.ceil(ideal / rounds) if ideal > problem.n else 1))
