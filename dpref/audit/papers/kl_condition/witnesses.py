r"""How much the two algorithms of the paper leak at least.

* Adaptive noisy gradient descent, as printed under R1: `spending_below` for the transcript, which holds the noisy
  norms; `iterates_below` for the iterates alone, which are all that Theorem 3 releases.
* KL Spider: the gradients that begin the rounds move by the same number wherever the run is; of the output alone, with
  one round, `against_the_gradient`.

Notation of the first: $\rho$ the budget, $A=L_0^2d\log(n\sqrt\rho/\beta)/n^2$ (``charge``), $r_0$ (``norm_cost``) what
a norm is charged, $\hat\sigma$ (``norm_std``) its noise and m its mean, $\sigma_{\min}$ (``floor_std``) the least noise
of a gradient, at the cost c (``floor_cost``), otherwise $N_t/s$ with s the ``spread``; the gradient moves by $\Delta$
(``shift``).  Of the second: m is the gradient at the start, $\hat\sigma$ (``outer``) and $\sigma_1$ (``inner``) the
noises of the gradient and the difference, a (``edge``) the threshold, s (``length``) that of the step, less than 2a.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from dpref.algorithms.adaptive_gradient_descent.plan import Plan as AdaptivePlan
from dpref.algorithms.adaptive_gradient_descent.plan import exact_cost
from dpref.algorithms.forms import Form
from dpref.audit.run import Run
from dpref.audit.subjects import Witness
from dpref.privacy.closed_forms.divergences import normal_cdf
from dpref.reals import BALL, DEFAULT_PRECISION, Ops, T, ball, exact, lower, precision
from dpref.units import ReplaceOne

_CUTS: Final = tuple(Fraction(k, 4) for k in range(4, 17))
_ORDERS: Final = tuple(Fraction(k, 4) for k in range(5, 65))
_LITERAL: Final = "linear losses +-L_0 w (of f Theorem 3 asks only that it is Lipschitz)"
_AGAINST: Final = (
    "the data of the runs: one round that ends one step against the gradient; its probability in closed form"
)

# ------------------------------------------------------------------------------------ adaptive noisy gradient descent


def spending_below(o: Ops[T], rho: T, charge: T, norm_cost: T, norm_std: T, floor_cost: T, mean: T) -> T:
    r"""What a run of the printed form under R1 spends on average at least, where the gradient never changes.

    The $N_t\sim N(m,\hat\sigma^2)$ are independent.  A round records
    $r=\min\{A/N_t^2,\rho/2\}+r_0$, whose mean is at most $r_0+\frac{4\sqrt{A\rho/2}}{\hat\sigma\sqrt{2\pi}}$, because
    the density of $N_t$ is at most $1/(\hat\sigma\sqrt{2\pi})$.  The number $\tau$ of rounds has
    $E\tau\,Er\ge\rho/2$ by Wald's identity, and a gradient that is released after $N_t\le0$ costs
    $c=\Delta^2/(2\sigma_{\min}^2)$; in all at least $\frac{\rho}{2Er}\,P(N_t\le0)\,c-c$, the last round releasing no
    gradient.  For linear losses that spending is the Kullback-Leibler divergence of the transcripts, which is at most
    rho' for every rho'-zCDP algorithm.

    >>> from dpref.reals import FLOAT
    >>> round(spending_below(FLOAT, 1.0, 1e-8, 1e-3, 0.1, 0.5, 0.0), 2)  # half of 234.9 rounds, less one, at 1/2 each
    58.23
    """
    rounds = rounds_below(o, rho, charge, norm_cost, norm_std)
    return (rounds * normal_cdf(o, -mean / norm_std) - 1) * floor_cost


def iterates_below(
    o: Ops[T], rho: T, charge: T, norm_cost: T, norm_std: T, floor_std: T, spread: T, shift: T, cut: T
) -> T:
    r"""A lower bound on rho' of the iterates alone under R1, on linear losses: no $N_t$ is seen.

    The gradient is $\pm\frac\Delta2$ on the two data sets P, Q, so that the $N_t$ and the number $\tau$ of rounds have
    one law.  With $x_t=(\nabla_t+\frac\Delta2)/\sigma_{\min}$, which the iterates show, the statistic
    $\varphi=\sum_{t<\tau}\mathrm{sign}(x_t)[|x_t|\le c]$ has mean 0 on Q and variance at most $E\tau\,v$; on P its mean
    is at least $(E\tau\,P(N_t\le0)-1)\,a$, where, with $\mu=\Delta/\sigma_{\min}$ and $m=\Delta/2$,

    .. math::
        a&=\Phi(c-\mu)+\Phi(-c-\mu)-2\Phi(-\mu),\qquad P(N_t\le0)=\Phi(-m/\hat\sigma),\\
        v&=P(N_t\le0)(2\Phi(c)-1)+2\sqrt{\frac{c\,\sigma_{\min}s}{\pi\hat\sigma}}.

    The last term is for $N_t>0$: up to any x the density is at most $1/(\hat\sigma\sqrt{2\pi})$, beyond it the noise is
    $x/s$ or more, and the best x is taken.  A rho'-zCDP algorithm has
    $(E_P\varphi-E_Q\varphi)^2\le\mathrm{Var}_Q(\varphi)(e^{2\rho'}-1)$ (Hammersley, Chapman and Robbins), and the bound
    that follows grows with $E\tau$, which is at least what `spending_below` says.

    Any positive c (``cut``) is valid.

    References:
        The errata's E4.

    >>> from dpref.reals import FLOAT
    >>> at = iterates_below(FLOAT, 1.0, 1e-8, 1e-3, 0.1, 1e-4, 4.0, 1e-4, 2.0)
    >>> 0.5 < at < spending_below(FLOAT, 1.0, 1e-8, 1e-3, 0.1, 0.5, 5e-5)
    True
    """
    negative = normal_cdf(o, -shift / (2 * norm_std))
    rounds, mu = rounds_below(o, rho, charge, norm_cost, norm_std), shift / floor_std
    bent = normal_cdf(o, cut - mu) + normal_cdf(o, -cut - mu) - 2 * normal_cdf(o, -mu)
    seen = (rounds * negative - 1) * bent
    near = negative * (1 - 2 * normal_cdf(o, -cut)) + 2 * o.sqrt(cut * floor_std * spread / (o.pi() * norm_std))
    return o.log1p(seen * seen / (rounds * near)) / 2


def rounds_below(o: Ops[T], rho: T, charge: T, norm_cost: T, norm_std: T) -> T:
    r"""$\frac\rho{2Er}$: how many rounds a run of the printed form has on average at least (see `spending_below`).

    >>> from dpref.reals import FLOAT
    >>> rounds_below(FLOAT, 1.0, 0.0, 1e-3, 0.1)
    500.0
    """
    recorded = norm_cost + 4 * o.sqrt(charge * rho / 2) / (norm_std * o.sqrt(2 * o.pi()))
    return rho / (2 * recorded)


def uncapped(plan: AdaptivePlan[Any]) -> bool:
    """Whether the printed test of the budget ends every run: a public cap on the rounds must not end it before.

    >>> from dpref.algorithms.adaptive_gradient_descent import ALGORITHM, Params
    >>> from dpref.problems.examples import logistic_problem
    >>> given = Params(Fraction(1), Fraction(1, 20), ReplaceOne, form=Form.AS_PRINTED, rounds=3)
    >>> uncapped(ALGORITHM.plan(logistic_problem(), given))
    False
    """
    return plan.rounds * exact(plan.norm_cost) > plan.rho / 2


def literal_norm(run: Run) -> tuple[Witness, ...]:
    """`spending_below` or `iterates_below` in balls, of the printed form under R1 without a cap on the rounds.

    >>> from dpref.audit import builders, catalogue
    >>> run = builders.run_of(catalogue.find("kl-condition/theorem-3@as-printed-iterates,replace-one"))
    >>> [(witness.name, round(witness.value, 2)) for witness in literal_norm(run)]
    [('short-steps', 1.37)]
    """
    plan = run.plan
    if plan.form is not Form.AS_PRINTED or plan.reading != "scalar" or not uncapped(plan):
        return ()
    if run.release == "output":
        return (Witness("short-steps", "rho", _iterates_rho(plan), _LITERAL),)
    mean = run.problem.gradient_bound / run.problem.n if run.adjacency is ReplaceOne else Fraction(0)
    numbers = (plan.charge, plan.norm_cost, plan.norm_std)
    floor_cost = exact_cost(plan.sensitivity, plan.floor_std)
    with precision(DEFAULT_PRECISION):
        found = spending_below(BALL, ball(plan.rho), *map(ball, (*map(exact, numbers), floor_cost, mean)))
        return (Witness("expected-spending", "rho", max(0.0, lower(found)), _LITERAL),)


def _iterates_rho(plan: AdaptivePlan[Any]) -> float:
    best = 0.0
    with precision(DEFAULT_PRECISION):
        rho, moved = ball(plan.rho), ball(plan.sensitivity.value)
        charge, norm_cost, norm_std = (ball(exact(x)) for x in (plan.charge, plan.norm_cost, plan.norm_std))
        rounds = rounds_below(BALL, rho, charge, norm_cost, norm_std)
        if not rounds * normal_cdf(BALL, -moved / (2 * norm_std)) > 1:  # the bound on the mean is not positive
            return 0.0
        floor_std, spread = ball(exact(plan.floor_std)), ball(exact(plan.spread))
        for cut in _CUTS:
            at = iterates_below(BALL, rho, charge, norm_cost, norm_std, floor_std, spread, shift=moved, cut=ball(cut))
            best = max(best, lower(at))
    return best


# ------------------------------------------------------------------------------------ KL Spider


def against_the_gradient(o: Ops[T], mean: T, outer: T, inner: T, edge: T, length: T) -> tuple[T, T]:
    r"""Probability that a printed run of one round ends at $w_0+s$, though $F'(w_0)=m\ge0$: at least, at most.

    The print keeps the iterate before the last, so the run ends there if and only if the first estimate
    $g=m+\hat\sigma z$ is at most $-a$ (a the threshold) and the second, $g+s+\sigma_1z'$ (curvature one), is not
    within $\pm a$.  But for $z'$ far out that is $g+\sigma_1z'\le-a-s$, a Gaussian tail:

    .. math:: \Phi\Big(-\frac{m+a+s}{\sqrt{\hat\sigma^2+\sigma_1^2}}\Big)\quad\text{less }\Phi(-s/\sigma_1),
        \text{ or more by }\Phi(-(2a-s)/\sigma_1).

    >>> from dpref.reals import FLOAT
    >>> least, most = against_the_gradient(FLOAT, 0.0, outer=1.0, inner=0.001, edge=0.9, length=0.2)
    >>> round(least, 4), most - least < 1e-12
    (0.1357, True)
    """
    core = normal_cdf(o, -(mean + edge + length) / o.sqrt(outer * outer + inner * inner))
    return core - normal_cdf(o, -length / inner), core + normal_cdf(o, -(2 * edge - length) / inner)


def event_rho(o: Ops[T], hit: T, alarm: T, order: T) -> T:
    r"""What an event S shows of $\rho$ at one order $\alpha>1$ of Renyi's divergence: ``hit`` is P(S), ``alarm`` Q(S).

    .. math:: \rho\ge\frac1\alpha D_\alpha\ge\frac{\alpha\ln P(S)-(\alpha-1)\ln Q(S)}{\alpha(\alpha-1)}

    >>> from dpref.reals import FLOAT
    >>> round(event_rho(FLOAT, 0.5, 0.125, 2.0), 6)  # half of ln 2
    0.346574
    """
    return (order * o.log(hit) - (order - 1) * o.log(alarm)) / (order * (order - 1))


def step_against_the_gradient(run: Run, start: Fraction) -> tuple[Witness, ...]:
    r"""What a step against the gradient shows of the output of a single printed round, where it moves by $\frac2n$.

    Args:
        run: Of KL Spider, on the parabolas.
        start: w_0, exact.

    >>> from dpref.audit import builders, catalogue
    >>> run = builders.run_of(catalogue.find("kl-condition/theorem-1@as-printed,replace-one"))
    >>> round(step_against_the_gradient(run, Fraction(0))[0].value, 4)
    1.4899
    """
    plan = run.plan
    if len(plan.rounds) != 1 or plan.form is not Form.AS_PRINTED or plan.rounds[0].updates != 2:
        return ()
    (only,) = plan.rounds
    noise = exact(plan.outer_std), exact(only.std), exact(only.threshold), exact(only.length)
    with precision(DEFAULT_PRECISION):
        numbers = tuple(map(ball, noise))
        hit, _ = against_the_gradient(BALL, ball(start), *numbers)
        _, alarm = against_the_gradient(BALL, ball(start + Fraction(2, run.problem.n)), *numbers)
        if not (hit > 0 and alarm > 0):
            return ()
        best = max(0.0, *(lower(event_rho(BALL, hit, alarm, ball(order))) for order in _ORDERS))
    return (Witness("step-against-the-gradient", "rho", best, _AGAINST),)
