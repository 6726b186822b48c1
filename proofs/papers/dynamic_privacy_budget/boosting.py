"""Section 4.4's boosting: what k runs and their comparison spend, what a choice without noise shows, Eq. (17) (T17)."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.dynamic_boosting import formulas, utility
from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.problems import erm
from dpref.terms import TERM
from dpref.units import ReplaceOne, ZeroOut
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.dynamic_privacy_budget import obligation
from proofs.registry import Goal, equal, goal
from proofs.search import natural, nonnegative, numbers, positive, unit

_B = "dynamic-boosting."
_D = "dynamic-gradient-descent."
_SENSITIVITY = "erm.mean_gradient_sensitivity"
G, N, MU, KAPPA, D, R, P, RUNS, SHARE, DELTA = sp.symbols("G n mu kappa D R p k c Delta")
U, V, W, T, DISTANCE, STD, TAIL, ALPHA, MEAN, S, E, H, Q, J = sp.symbols("u v w t r s L alpha m sigma e h q j")
ONE = sp.S.One
_RUNS = numbers("k", lo=1)  # the number of runs, more than one


@obligation(
    "boosting-budget",
    item="Section 4.4, repaired",
    about=(_B + "run_budget", _B + "comparison_budget"),
    premises=("zcdp/composition", "sensitivity/replace-one"),
)
def boosting_budget() -> Sequence[Goal]:
    r"""The cost of the repetitions and of a private choice among them.

    On shared records k runs with the budget $\frac{(1-c)R}k$ each and $k-1$ comparisons with $\frac{cR}{k-1}$ each
    spend R together. With $c=0$, as printed, k runs with $\frac Rk$ each spend all of R, and nothing is left for a
    choice. On parts of their own a run spends R, and the comparisons together spend R. A record is in one part, whose
    answers alone move, so the larger of the two counts.
    """
    run, compared = formulas.run_budget(TERM, R, SHARE, RUNS), formulas.comparison_budget(TERM, R, SHARE, RUNS)
    domain = positive("R") + _RUNS + unit("c")
    on_parts = formulas.comparison_budget(TERM, R, ONE, RUNS)
    return [
        equal(RUNS * run + (RUNS - 1) * compared, R, domain, "shared records"),
        equal(RUNS * formulas.run_budget(TERM, R, sp.S.Zero, RUNS), R, positive("R") + _RUNS, "as printed"),
        equal((RUNS - 1) * on_parts, R, positive("R") + _RUNS, "the comparisons on a part"),
    ]


@obligation(
    "comparison",
    item="Section 4.4, repaired",
    about=(_B + "comparison_error", _SENSITIVITY),
    premises=("sensitivity/replace-one", "sensitivity/zero-out"),
    not_proved="That a standard normal draw exceeds t in absolute value with probability at most $e^{-t^2/2}$.",
)
def comparison() -> Sequence[Goal]:
    r"""Choosing by noisy comparisons.

    A record's slope between two points is in $[-G,G]$, so that the mean slope has the sensitivity of the mean gradient.
    If no noise exceeds $ts$ in absolute value, the candidate of the least estimate is at most $2rts$ worse than the
    best, r being the largest distance; that fails with probability at most $(k-1)e^{-t^2/2}$, which is p at
    $t=\sqrt{2\ln\frac{k-1}p}$.
    """
    slopes = positive("G", "n") + nonnegative("u", "v")
    noise = DISTANCE * T * STD
    # estimates: a best + e_b, a chosen + e_c with |e| <= noise; the chosen one's is smaller by w
    worse = -W + (noise - U) - (V - noise)
    error = utility.comparison_error(TERM, DISTANCE, STD, RUNS, P)
    sizes = positive("r", "s") + _RUNS + unit("p")
    return [
        goal(erm.mean_gradient_sensitivity(G, N, ReplaceOne) - ((G - V) - (-G + U)) / N, ">=", slopes,
             note="replace-one: from -G + u to G - v"),
        goal(erm.mean_gradient_sensitivity(G, N, ZeroOut) - (G - V) / N, ">=", slopes, note="zero-out: a slope G - v"),
        goal(2 * noise - worse, ">=", positive("r", "t", "s") + nonnegative("u", "v", "w"), note="the chosen one"),
        equal(error**2, (2 * DISTANCE * STD) ** 2 * 2 * sp.log((RUNS - 1) / P), sizes, "t^2 = 2 ln((k - 1) / p)"),
        equal((RUNS - 1) * sp.exp(-sp.log((RUNS - 1) / P)), P, _RUNS + unit("p"), "what fails in all"),
    ]  # fmt: skip


@obligation(
    "equation-17-repaired",
    item="Eq. (17), repaired",
    about=(_B + "shared_true_excess", _B + "shared_chosen_excess", _B + "boosted_gap",
           _D + "true_excess_risk", _D + "noise_unit"),
    premises=("theorem-4.5", "PO-16", "markov", "equation-15-repaired"),
)  # fmt: skip
def equation_17() -> Sequence[Goal]:
    r"""Eq. (17) with its constants.

    With probability $1-2p$ one of $k$ runs with the budget R/k has a true excess risk of at most
    $\frac{G^2}{\mu N}\big(\sqrt{\frac{8\kappa Dk}R}+\frac4p\big)$: the repaired Eq. (15) at twice (Markov)
    $4\kappa^2\alpha\Delta_1$ (Theorem 4.5, PO-16), with $\alpha$ of the budget R/k. The chosen one has Eq. (15) at that
    and the comparisons' error.
    """
    alpha = risk_bounds.noise_unit(TERM, D, G, R / RUNS, KAPPA * MU, N, DELTA)
    gap = utility.boosted_gap(TERM, 4 * KAPPA**2 * alpha * DELTA)
    explicit = utility.shared_true_excess(TERM, G, MU, KAPPA, N, D, R, RUNS, P)
    domain = positive("G", "mu", "n", "D", "R", "Delta") + numbers("k", "kappa", lo=1) + unit("p")
    chosen = utility.shared_chosen_excess(TERM, G, MU, N, P, MEAN, E)
    return [
        equal(risk_bounds.true_excess_risk(TERM, G, MU, N, P, gap), explicit, domain),
        equal(chosen, risk_bounds.true_excess_risk(TERM, G, MU, N, P, 2 * MEAN + E),
              positive("G", "mu", "n", "m", "e") + unit("p"), "the chosen one"),
    ]  # fmt: skip


@obligation(
    "boosting-on-parts",
    item="Section 4.4, repaired",
    about=(_B + "parts_chosen_excess", _B + "held_out_error"),
    premises=("markov", "theorem-4.13", "PO-52", "stability", "comparison"),
    not_proved="Hoeffding's inequality: the mean of n independent numbers in $[-G,G]$ is off by more than t with "
    "probability at most $2e^{-nt^2/(2G^2)}$.",
)
def boosting_on_parts() -> Sequence[Goal]:
    r"""Boosting the true excess risk.

    Runs on records of their own are independent over data and noise: Markov's inequality holds for the true excess risk
    of each, whose mean is at most $\mathbb E[f(\theta)]-f^*+\sigma$ by stability (Theorem 4.13, PO-52), so that one of
    k is at most twice that with probability $1-2^{-k}$. Mean slopes of n fresh records are all within t of the
    population's with probability $1-p$ at $t=G\sqrt{\frac2n\ln\frac{2(k-1)}p}$, which adds at most $2rt$ to the
    chosen one.
    """
    bound = utility.parts_chosen_excess(TERM, MEAN, S, E, H)
    best = 2 * (MEAN + S - U) - V
    worse = -W + (E / 2 + H / 2) - (-(E / 2 + H / 2))
    error = utility.held_out_error(TERM, DISTANCE, G, N, RUNS, P)
    sizes = positive("r", "G", "n") + _RUNS + unit("p")
    fails = (RUNS - 1) * 2 * sp.exp(-sp.log(2 * (RUNS - 1) / P))
    return [
        goal(bound - (best + worse), ">=", nonnegative("m", "sigma", "e", "h", "u", "v", "w"), note="the chosen one"),
        equal(error**2, (2 * DISTANCE) ** 2 * G**2 * 2 * sp.log(2 * (RUNS - 1) / P) / N, sizes, "t"),
        equal(fails, P, _RUNS + unit("p"), "what fails in all"),
    ]


@obligation(
    "exact-choice",
    item="Section 4.4",
    about=(_B + "chosen_rho", _B + "order_of_a_choice"),
    premises=("zcdp/post-processing",),
)
def exact_choice() -> Sequence[Goal]:
    r"""The best of k by its exact risk is not zCDP.

    Linear losses whose mean slope along u is $-\frac\Delta2$, and $\frac\Delta2$ on a neighbour: candidates are
    independent $N(m,1)$ and $N(-m,1)$ along u, in units of their noise, $m\ge0$. The largest is chosen, and on the
    neighbour the smallest. With $Q=P(N(0,1)>c)=e^{-L}$ the chosen one exceeds c with probability $h\ge Q$, and
    $a\le Q^k$ there. So $D_\alpha\ge\frac1{\alpha-1}\ln(h^\alpha a^{1-\alpha})$, the term of one event, is at least
    $\alpha L\big(\frac k\alpha-\frac1{\alpha-1}\big)$, which at $\alpha=\frac{2k}{k-1}$ shows
    $\rho\ge\frac{(k-1)^2}{2(k+1)}L$. L is as large as one likes: there is no $\rho$, whatever the noise.
    """
    order = formulas.order_of_a_choice(TERM, RUNS)
    shown = formulas.chosen_rho(TERM, TAIL, order, RUNS)
    # h = Q e^u and a = Q^k e^-v, u, v >= 0: logarithms of the event's probabilities
    hit, alarm = -TAIL + U, -RUNS * TAIL - V
    event = (ALPHA * hit + (1 - ALPHA) * alarm) / ((ALPHA - 1) * ALPHA)
    bound = formulas.chosen_rho(TERM, TAIL, ALPHA, RUNS)
    domain = positive("L") + numbers("k", "alpha", lo=1) + nonnegative("u", "v")

    def event_shows(c: Claim) -> k.Fact:
        slack = k.sign(U / (ALPHA - 1) + V / ALPHA, ">=", c.domain)
        return k.combine(c.expr, ">=", ((ONE, slack),), c.domain)

    return [
        equal(shown, (RUNS - 1) ** 2 / (2 * (RUNS + 1)) * TAIL, positive("L") + _RUNS, "at the order 2 k / (k - 1)"),
        goal(shown, ">", positive("L") + _RUNS, note="and L is unbounded"),
        goal(order - 1, ">", _RUNS, note="it is an order"),
        goal(event - bound, ">=", domain, event_shows, "the event at any order"),
        goal(Q - Q ** (J + 1), ">=", unit("q") + natural("j"), note="1 - (1 - Q)^k >= Q: q = 1 - Q, k = j + 1"),
    ]  # fmt: skip
