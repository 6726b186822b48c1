"""Composition, filters, selection and trade-off functions: what is proved of the formulas, what is cited."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import sympy as sp

from dpref.privacy.closed_forms import best_of, composition, divergences, tradeoff
from dpref.privacy.renyi import selection
from dpref.terms import TERM
from proofs import induction
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.registry import Goal, finite, goal, no_goals, obligation, proven, read_as
from proofs.search import States, fixed, grow, loop_value, numbers, positive
from proofs.topics.convexity import nothing
from proofs.topics.zcdp import log_below_line

EPSILON, L, MU, GAMMA, X, Q, U = sp.symbols("epsilon L mu gamma x q u")


read_as("composition.advanced_epsilon", lambda: [composition.advanced_epsilon(TERM, EPSILON, n, L) for n in (1, 7)])


def _below_half_square(c: Claim) -> k.Fact:
    """x^2/2 - x tanh(x/2) >= 0: (e^x + 1) x/2 - (e^x - 1) grows, twice, from zero."""
    f = (sp.exp(X) + 1) * X / 2 - (sp.exp(X) - 1)
    once = grow(sp.diff(f, X), X, numbers("x", lo=0, ends="[)"))
    fact = grow(f, X, numbers("x", lo=0, ends="[)"), growth=k.instantiate(once, (), numbers("x", lo=0)))
    return k.combine(c.expr, ">=", ((EPSILON / (sp.exp(EPSILON) + 1), _at(fact)),), c.domain)


def _at(fact: k.Fact) -> k.Fact:
    return k.instantiate(fact, ((X, EPSILON),), positive("epsilon"))


_J, _SUMS = sp.Symbol("j"), sp.symbols("Q P K")  # of q, of p and of p log(p / q)
_LOW, _WIDTH = sp.exp(-EPSILON), sp.exp(EPSILON) - sp.exp(-EPSILON)
_RATIO = _LOW + _J * _WIDTH
_LOG = -EPSILON + sp.log(1 + _J * (sp.exp(2 * EPSILON) - 1))  # of the ratio


def _chord() -> sp.Expr:
    """The mean loss if all ratios were exp(-epsilon) or exp(epsilon), less the mean loss."""
    ends = EPSILON * (sp.exp(EPSILON) + sp.exp(-EPSILON)) / _WIDTH
    return -EPSILON * _LOW * _SUMS[0] + (_SUMS[1] - _LOW * _SUMS[0]) * ends - _SUMS[2]


def _below_chord(c: Claim, states: States) -> k.Fact:
    """An outcome adds q times what the chord is above x log x at its ratio: the tangent there, at both ends."""
    ends = ((1 - _J, -EPSILON), (_J, EPSILON))
    step = Q * (sum((w * e * sp.exp(e) for w, e in ends), sp.S.Zero) - _RATIO * _LOG)
    lines = tuple(
        (Q * w * sp.exp(e), k.instantiate(log_below_line(), ((X, _RATIO * sp.exp(-e)),), c.domain)) for w, e in ends
    )
    fact = k.combine(step, ">=", lines, c.domain)
    return induction.loop(_chord(), ">=", states, sp.S.One, nothing(c, states), fact, c.domain)


@obligation(
    "composition/expected-loss",
    citation="kairouz2015composition",
    about=("composition.expected_loss",),
    theorems=(proven("Concentrated.expected_loss", "the mean loss of what is purely private"),),
)
def expected_loss() -> Sequence[Goal]:
    r"""The mean loss of an epsilon-DP mechanism.

    On finite output spaces $\sum p\ln\frac
    pq\le\varepsilon\tanh(\varepsilon/2)=\varepsilon\frac{e^\varepsilon-1}{e^\varepsilon+1}\le\varepsilon^2/2$: the
    ratios lie in $[e^{-\varepsilon},e^\varepsilon]$, and the chord of $x\ln x$ there lies above it; at mean one it is
    the loss of randomised response.
    """
    domain = positive("epsilon")
    ratio = EPSILON * (sp.exp(EPSILON) - 1) / (sp.exp(EPSILON) + 1)
    added = (Q, Q * _RATIO, Q * _RATIO * _LOG)
    states = (*fixed(EPSILON), *((x, sp.S.Zero, x + e) for x, e in zip(_SUMS, added, strict=True)))
    outcomes = positive("epsilon", "epsilon_0", "q") + numbers("j", lo=0, hi=1, ends="[]")
    most = _chord().subs({_SUMS[0]: 1, _SUMS[1]: 1, _SUMS[2]: 0})
    return [
        goal(
            loop_value(_chord(), states), ">=", outcomes + numbers(*(x.name for x in _SUMS)),
            lambda c: _below_chord(c, states), "however many outcomes there are",
        ),
        goal(most - composition.expected_loss(TERM, EPSILON), "==", domain, note="at total masses of one"),
        goal(composition.expected_loss(TERM, EPSILON).rewrite(sp.exp) - ratio, "==", domain),
        goal(EPSILON**2 / 2 - ratio, ">=", domain, _below_half_square),
    ]  # fmt: skip


@obligation(
    "composition/advanced",
    published="Theorem III.3",
    item="Theorem III.3",
    citation="dwork2010boosting",
    about=(
        "composition.advanced_epsilon",
        "composition.concentrated_epsilon",
        "composition.expected_loss",
        "composition.small_loss_epsilon",
    ),
    premises=("composition/expected-loss",),
    theorems=(
        finite("Advanced.advanced_composition", "advanced composition (Theorem III.3)", "dwork2010boosting"),
        finite("Advanced.heterogeneous_last", "heterogeneous composition (Theorem 3.5)", "kairouz2015composition"),
        finite("Advanced.heterogeneous_middle", "heterogeneous composition (Theorem 3.5)", "kairouz2015composition"),
    ),
)
def advanced() -> Sequence[Goal]:
    r"""Advanced composition.

    k mechanisms that are $(\varepsilon,\delta)$-DP, chosen one after another with a view of the answers so far, are
    together $\big(\varepsilon\sqrt{2kL}+k\varepsilon(e^\varepsilon-1),\,k\delta+e^{-L}\big)$-DP for every $L>0$. The
    formulas compare this with its refinement for losses that differ, with means
    $m=\sum\varepsilon_i\tanh(\varepsilon_i/2)$ and squares $\sum\varepsilon_i^2$, which Coq proves, too.
    """
    domain = positive("epsilon", "L")

    def gap(n: int) -> sp.Expr:
        mean = n * EPSILON * (sp.exp(EPSILON) - 1)
        refined = composition.concentrated_epsilon(TERM, mean, n * EPSILON**2, L)
        return composition.advanced_epsilon(TERM, EPSILON, n, L) - refined

    return [
        *(goal(gap(n), "==", domain, note=f"{n} mechanisms") for n in (1, 4, 9)),
        goal(
            composition.small_loss_epsilon(TERM, MU, X, GAMMA)
            - (MU + sp.sqrt(2 * sp.log(sp.E + sp.sqrt(X) / GAMMA) * X)),
            "==",
            positive("mu", "x", "gamma"),
            note="the middle term",
        ),
    ]


@obligation(
    "composition/optimal",
    published="Theorem 3.3",
    item="Theorem 3.3",
    citation="kairouz2015composition",
    theorems=(
        finite("Pairs.optimal_composition", "the optimal composition theorem (Theorem 3.3)", "kairouz2015composition"),
        proven("Pairs.optimal_composition_is_attained", "nothing smaller holds"),
    ),
)
def optimal() -> Sequence[Goal]:
    r"""Optimal composition.

    The exact delta of k-fold composition of $(\varepsilon,\delta)$-DP is that of k-fold composed randomised response;
    evaluated in balls.
    """
    return no_goals()


@obligation(
    "composition/filters",
    citation="whitehouse2023fully",
    about=("composition.concentrated_epsilon",),
    theorems=(
        proven("AnyDialogues.zcdp_filter", "fully adaptive composition of zCDP (Theorem 4), on any output space"),
        proven("AnyDialogues.divergence_filter", "and of Rényi divergences"),
        proven("Renyi.zcdp_filter", "the same on finite output spaces, by moments"),
        proven("Renyi.interaction_renyi", "and of Rényi divergences"),
        finite("Failures.approximate_dp_filter", "fully adaptive composition (Theorem 1)", "whitehouse2023fully"),
    ),
)
def filters() -> Sequence[Goal]:
    r"""Privacy filters and odometers.

    Adaptively chosen zCDP and Rényi losses that never add up beyond a budget fixed in advance keep that budget; for
    $(\varepsilon_i,\delta_i)$ with $m=\frac12\sum\varepsilon_i^2$.
    """
    return no_goals()


@obligation(
    "composition/selection",
    item="Theorem 2",
    citation="papernot2022hyperparameter",
    about=(
        "selection.expected_repetitions",
        "selection.expected_repetitions_logarithmic",
        "selection.poisson_selection_renyi",
    ),
    theorems=(
        finite(
            "SelectionPrivacy.truncated_selection_pure",
            "pure privacy of the best of K runs (Corollary 3)",
            "papernot2022hyperparameter",
        ),
        finite(
            "SelectionPrivacy.truncated_selection_renyi",
            "the divergence of the best of K runs (Theorem 2)",
            "papernot2022hyperparameter",
        ),
        finite(
            "SelectionPrivacy.poisson_selection_renyi",
            "the divergence of the best of a Poisson number of runs (Theorem 6)",
            "papernot2022hyperparameter",
        ),
        proven("Repetitions.negative_binomial_has_mean", "the mean of the negative binomial law"),
        proven("Repetitions.logarithmic_has_mean", "the mean of the logarithmic law"),
    ),
)
def private_selection() -> Sequence[Goal]:
    r"""Private selection.

    The divergence of the best of K runs, K of a truncated negative binomial or a Poisson law; the mean of K for
    $\eta=1$ is $1/\gamma$.
    """
    domain = numbers("gamma", lo=0, hi=1, ends="()")
    geometric = best_of.expected_repetitions(TERM, sp.S.One, GAMMA)
    return [
        goal(geometric - 1 / GAMMA, "==", domain, note="the geometric law"),
        goal(
            best_of.expected_repetitions_logarithmic(TERM, GAMMA) - (1 - GAMMA) / (GAMMA * sp.log(1 / GAMMA)),
            "==",
            domain,
            note="the logarithmic law, as cited",
        ),
        goal(
            selection.poisson_selection_renyi(TERM, L, EPSILON, X, MU)
            - sp.log(sp.exp(-MU) + MU * sp.exp((L - 1) * (EPSILON + MU * X))) / (L - 1),
            "==",
            positive("epsilon", "x", "mu") + numbers("L", lo=1),
            note="the Poisson law, as cited, with the event of no run",
        ),
    ]


@obligation(
    "composition/trade-off",
    citation="dong2022gaussian",
    about=("tradeoff.tradeoff_delta", "tradeoff.gaussian_tradeoff", "divergences.gaussian_delta"),
    premises=("gaussian/privacy-curve",),
    theorems=(
        proven("Tests.test_says_delta", "what a test says of delta, on finite output spaces"),
        proven("Tests.best_test_says_delta", "the event of a ratio above exp(epsilon) says all"),
        proven("Tails.gaussian_curve_tradeoff", "from the Gaussian curve to the errors of every event"),
    ),
)
def trade_off() -> Sequence[Goal]:
    r"""Trade-off functions.

    A test with errors a and f(a) says $\delta\ge1-f(a)-e^\varepsilon a$; of all threshold tests $x>t$ between two
    Gaussians none says more than the exact privacy curve, which $t=\mu/2+\varepsilon/\mu$ attains.
    """
    domain, y = numbers("epsilon") + positive("mu"), sp.Symbol("y")
    best, curve = MU / 2 + EPSILON / MU, divergences.gaussian_delta(TERM, EPSILON, MU)

    def says(threshold: sp.Expr) -> sp.Expr:
        return tradeoff.tradeoff_delta(TERM, *tradeoff.gaussian_tradeoff(TERM, threshold, MU), EPSILON)

    return [
        goal(curve - says(best), ">=", domain, lambda c: _at_best(c, 1), "the best threshold's test"),
        goal(says(best) - curve, ">=", domain, lambda c: _at_best(c, -1), "says as much as the exact curve"),
        *(
            goal(
                curve - says(best + side * y), ">=", domain + numbers("y", lo=0, ends="[)"),
                partial(_any_threshold, best=best, side=side), f"no threshold {word} it says more",
            )
            for side, word in ((1, "above"), (-1, "below"))
        ),
    ]  # fmt: skip


def _halves() -> sp.Expr:
    """``Phi(u) + Phi(-u) - 1`` where u = mu/2 - epsilon/mu is put in by epsilon = mu^2/2 - u mu."""
    u = MU / 2 - (MU**2 / 2 - U * MU) / MU
    return divergences.normal_cdf(TERM, u) + divergences.normal_cdf(TERM, -u) - 1


def _add_up(factor: int) -> k.Fact:
    """It vanishes at zero, and its slope everywhere."""
    f, mu = factor * _halves(), positive("mu")
    flat = [k.sign(sp.S.Zero, ">=", side + mu) for side in (numbers("u", hi=0), numbers("u", lo=0))]
    left = grow(f, U, numbers("u", hi=0, ends="(]") + mu, anchor="hi", growth=flat[0])
    return k.join(left, grow(f, U, numbers("u", lo=0, ends="()") + mu, growth=flat[1]), U)


def _at_best(c: Claim, factor: int) -> k.Fact:
    known = k.instantiate(_add_up(factor), ((U, MU / 2 - EPSILON / MU),), c.domain)
    return k.combine(c.expr, ">=", ((sp.S.One, known),), c.domain)


def _any_threshold(c: Claim, best: sp.Expr, side: int) -> k.Fact:
    """What the test says falls with the distance y from the best threshold: by bell(t) |exp(mu y) - 1| exp(epsilon)."""
    y = sp.Symbol("y")
    inside = tuple(d._replace(ends="()") if d.symbol == y else d for d in c.domain)
    bell = sp.exp(-((best + side * y) ** 2) / 2) / sp.sqrt(2 * sp.pi)
    growth = k.sign(bell * sp.exp(EPSILON) * side * (sp.exp(side * MU * y) - 1), ">=", inside)
    rest = tuple(d for d in c.domain if d.symbol != y)
    start = _at_best(Claim(c.expr.subs(y, 0), ">=", rest), 1)
    return grow(c.expr, y, c.domain, growth=growth, start=start)
