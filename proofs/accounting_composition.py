"""Composition, filters, selection and trade-off functions: what is proved of the formulas, what is cited."""

# ruff: noqa: D103 - the statement of an obligation is its documentation

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.privacy import composition, divergences, selection, tradeoff
from dpref.reals import TERM
from proofs import kernel as k
from proofs.algebra import Claim, slope
from proofs.registry import Goal, cited, goal, obligation, reader
from proofs.search import grow, numbers, positive

EPSILON, L, MU, GAMMA, X = sp.symbols("epsilon L mu gamma x")


@reader("dpref.privacy.composition.advanced_epsilon")
def read_advanced() -> Sequence[sp.Expr]:
    return [composition.advanced_epsilon(TERM, EPSILON, n, L) for n in (1, 7)]


def _below_half_square(c: Claim) -> k.Fact:
    """x^2/2 - x tanh(x/2) >= 0: (e^x + 1) x/2 - (e^x - 1) grows, twice, from zero."""
    f = (sp.exp(X) + 1) * X / 2 - (sp.exp(X) - 1)
    once = grow(sp.diff(f, X), X, numbers("x", lo=0, ends="[)"))
    fact = grow(f, X, numbers("x", lo=0, ends="[)"), growth=k.instantiate(once, (), numbers("x", lo=0)))
    return k.combine(c.expr, ">=", ((EPSILON / (sp.exp(EPSILON) + 1), _at(fact)),), c.domain)


def _at(fact: k.Fact) -> k.Fact:
    return k.instantiate(fact, ((X, EPSILON),), positive("epsilon"))


@obligation(
    "composition/expected-loss",
    title="The mean loss of an epsilon-DP mechanism",
    statement=r"$\varepsilon\tanh(\varepsilon/2)=\varepsilon\frac{e^\varepsilon-1}{e^\varepsilon+1}\le\varepsilon^2/2$.",
    citation="kairouz2015composition",
    about=("dpref.privacy.composition.expected_loss",),
)
def expected_loss() -> Sequence[Goal]:
    domain = positive("epsilon")
    ratio = EPSILON * (sp.exp(EPSILON) - 1) / (sp.exp(EPSILON) + 1)
    return [
        goal(composition.expected_loss(TERM, EPSILON).rewrite(sp.exp) - ratio, "==", domain),
        goal(EPSILON**2 / 2 - ratio, ">=", domain, _below_half_square),
        cited("randomised response has the largest mean loss", "kairouz2015composition"),
    ]


@obligation(
    "composition/advanced",
    item="Theorem III.3",
    title="Advanced composition",
    statement=r"$\varepsilon\sqrt{2kL}+k\varepsilon(e^\varepsilon-1)$ for k mechanisms; the heterogeneous form with "
    r"means "
    r"$m=\sum\varepsilon_i\tanh(\varepsilon_i/2)$ and squares $\sum\varepsilon_i^2$ is its refinement.",
    citation="dwork2010boosting",
    about=(
        "dpref.privacy.composition.advanced_epsilon",
        "dpref.privacy.composition.concentrated_epsilon",
        "dpref.privacy.composition.small_loss_epsilon",
    ),
    premises=("composition/expected-loss",),
)
def advanced() -> Sequence[Goal]:
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
            note="the middle term, as cited",
        ),
        cited("advanced composition (Theorem III.3)", "dwork2010boosting"),
        cited("heterogeneous composition (Theorem 3.5)", "kairouz2015composition"),
    ]


@obligation(
    "composition/optimal",
    item="Theorem 3.3",
    title="Optimal composition",
    statement=r"The exact delta of k-fold composition of $(\varepsilon,\delta)$-DP is that of k-fold composed "
    r"randomised "
    r"response; evaluated in balls.",
    citation="kairouz2015composition",
)
def optimal() -> Sequence[Goal]:
    return [cited("the optimal composition theorem (Theorem 3.3)", "kairouz2015composition")]


@obligation(
    "composition/filters",
    title="Privacy filters and odometers",
    statement=r"Adaptively chosen zCDP and Rényi losses that never add up beyond a budget fixed in advance keep that "
    r"budget; "
    r"for $(\varepsilon_i,\delta_i)$ with $m=\frac12\sum\varepsilon_i^2$.",
    citation="whitehouse2023fully",
)
def filters() -> Sequence[Goal]:
    return [cited("fully adaptive composition (Theorems 1 and 4)", "whitehouse2023fully")]


@obligation(
    "composition/selection",
    item="Theorem 2",
    title="Private selection",
    statement=r"The divergence of the best of K runs, K of a truncated negative binomial or a Poisson law; the mean "
    r"of K for "
    r"$\eta=1$ is $1/\gamma$.",
    citation="papernot2022hyperparameter",
    about=(
        "dpref.privacy.selection.expected_repetitions",
        "dpref.privacy.selection.expected_repetitions_logarithmic",
        "dpref.privacy.selection.poisson_selection_renyi",
    ),
)
def private_selection() -> Sequence[Goal]:
    domain = numbers("gamma", lo=0, hi=1, ends="()")
    geometric = selection.expected_repetitions(TERM, sp.S.One, GAMMA)
    return [
        goal(geometric - 1 / GAMMA, "==", domain, note="the geometric law"),
        goal(
            selection.expected_repetitions_logarithmic(TERM, GAMMA) - (1 - GAMMA) / (GAMMA * sp.log(1 / GAMMA)),
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
        cited("Theorems 2 and 6", "papernot2022hyperparameter"),
    ]


@obligation(
    "composition/trade-off",
    title="Trade-off functions",
    statement=r"A test with errors a and f(a) says $\delta\ge1-f(a)-e^\varepsilon a$; the Gaussian curve's best "
    r"threshold at "
    r"$\varepsilon$, $t=\mu/2+\varepsilon/\mu$, gives the exact privacy curve.",
    citation="dong2022gaussian",
    about=("dpref.privacy.tradeoff.tradeoff_delta", "dpref.privacy.tradeoff.gaussian_tradeoff"),
    premises=("gaussian/privacy-curve",),
)
def trade_off() -> Sequence[Goal]:
    domain = numbers("epsilon") + positive("mu")
    # Phi(-x) = 1 - Phi(x): the test's power is one minus its second error.
    level, error = tradeoff.gaussian_tradeoff(TERM, MU / 2 + EPSILON / MU, MU)
    power = divergences.normal_cdf(TERM, MU / 2 - EPSILON / MU)
    symmetric = divergences.normal_cdf(TERM, X) + divergences.normal_cdf(TERM, -X)
    return [
        goal(slope(symmetric, X), "==", numbers("x"), lambda c: k.derivative(symmetric, X, sp.S.Zero, c.domain)),
        goal(
            power - sp.exp(EPSILON) * level - divergences.gaussian_delta(TERM, EPSILON, MU), "==", domain,
            note="the test's power for one minus its error",
        ),
        goal(
            tradeoff.tradeoff_delta(TERM, level, 1 - power, EPSILON) - (power - sp.exp(EPSILON) * level), "==", domain
        ),
        goal(error - divergences.normal_cdf(TERM, EPSILON / MU - MU / 2), "==", domain),
        cited("GDP to (epsilon, delta) (Corollary 2.13) and the classical regions", "dong2022gaussian"),
    ]  # fmt: skip
