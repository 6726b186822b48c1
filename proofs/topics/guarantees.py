"""Guarantees of which nothing else is known, samples at delta = 0, and the best of several runs by one run's curve."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.privacy.closed_forms import amplification, best_of, guarantees
from dpref.terms import TERM
from proofs.registry import Goal, Paper, derivative, finite, goal, proven
from proofs.search import numbers, positive

obligation = Paper("guarantees", "zhu2022optimal").obligation
ALPHA, DELTA, RATE, LOSS, M, TAU, ETA, GAMMA, U, Z = sp.symbols("alpha delta gamma_s x m tau eta gamma u z")
FAILURE, RATIO = sp.symbols("d r")
_LEMMA_7 = "the law of the best of K runs (Lemma 7)"
_SHARE = numbers("delta", lo=0, hi=1, ends="[)")


@obligation(
    "table",
    about=("guarantees.reversed_delta",),
    theorems=(
        proven("Pairs.guarantee_dominates", "what is private in both orders is dominated by the pair of the guarantee"),
        proven("Events.guarantee_dominates_on", "on any output space, event by event"),
        proven("Pairs.reversed_guarantee", "the other order of the data sets"),
    ),
)
def table() -> Sequence[Goal]:
    r"""The pair of one guarantee.

    $h(x)=1-e^x+e^xh'(-x)$ with $h'(\varepsilon)=\delta$ is $1-\alpha(1-\delta)$ at $\alpha=e^{-\varepsilon}$.  The line
    from there to $(e^\varepsilon,\delta)$ falls by $\frac{1-\delta}{1+e^\varepsilon}$, and the one from $(0,1)$ by
    $1-\delta$: the atoms of Q at $\pm\varepsilon$ and at infinite losses.
    """
    domain = numbers("alpha", lo=1) + _SHARE
    left = guarantees.reversed_delta(TERM, 1 / ALPHA, DELTA)
    return [
        goal(left - (1 - 1 / ALPHA + DELTA / ALPHA), "==", domain, note="the other order of the data sets"),
        goal((left - DELTA) / (ALPHA - 1 / ALPHA) - (1 - DELTA) / (1 + ALPHA), "==", domain, note="between the atoms"),
        goal((1 - left) * ALPHA - (1 - DELTA), "==", domain, note="left of them"),
    ]


@obligation(
    "samples",
    about=(
        "amplification.sampled_loss",
        "amplification.sampled_loss_reversed",
        "amplification.sampled_response_removed",
        "amplification.sampled_response_added",
    ),
    theorems=(
        proven("Sampling.poisson_amplification", "the curves of samples (Theorem 11)"),
        proven("EventSampling.poisson_amplification_on", "on any output space"),
        proven("Sampling.sampled_ratio_reversed", "the largest loss of a sample, reversed"),
        proven("EventSampling.poisson_pair_removed_on", "the pair of a removed record, on any output space"),
        proven("EventSampling.poisson_pair_added_on", "the pair of an added record, on any output space"),
        proven("Replacement.without_replacement_amplification", "samples without replacement"),
        proven("EventSampling.without_replacement_amplification_on", "on any output space"),
    ),
)
def samples() -> Sequence[Goal]:
    r"""The largest loss of a sample, and the inverse of a sampled response.

    With $P\le e^\varepsilon Q$: $\gamma P+(1-\gamma)Q\le(1+\gamma(e^\varepsilon-1))Q$ and
    $\frac{(1-\gamma)P+\gamma Q}P\ge1-\gamma(1-e^{-\varepsilon})$, with equality where $P=e^\varepsilon Q$.  Of two
    categories, p the chance of the truth, the curve of a removed record is $\gamma(p-\alpha'(1-p))$ at
    $\alpha'=1+\frac{e^x-1}\gamma$ on its last linear piece, and that of an added one $p-e^x((1-\gamma)p+\gamma(1-p))$:
    both formulas are where these are $\delta$.
    """
    domain = numbers("gamma_s", lo=0, hi=1, ends="(]") + positive("x") + numbers("delta", lo=0)
    real = numbers("gamma_s", lo=0, hi=1, ends="(]") + positive("x")
    truth = 1 / (1 + sp.exp(-LOSS))
    removed = amplification.sampled_response_removed(TERM, RATE, LOSS, DELTA)
    added = amplification.sampled_response_added(TERM, RATE, LOSS, DELTA)
    inside = 1 + RATE * ((truth - DELTA / RATE) / (1 - truth) - 1)
    share = (truth - DELTA) / ((1 - RATE) * truth + RATE * (1 - truth))
    return [
        goal(amplification.sampled_loss(TERM, RATE, LOSS) - sp.log(1 + RATE * (sp.exp(LOSS) - 1)), "==", real),
        goal(
            amplification.sampled_loss_reversed(TERM, RATE, LOSS) + sp.log(1 + RATE * (sp.exp(-LOSS) - 1)), "==", real
        ),
        goal(removed - sp.log(inside), "==", domain, note="removed"),
        goal(
            RATE * (truth - (1 + (inside - 1) / RATE) * (1 - truth)) - DELTA,
            "==",
            domain,
            note="where the curve of a removed record is delta",
        ),
        goal(added - sp.log(share), "==", domain, note="added"),
        goal(
            truth - share * ((1 - RATE) * truth + RATE * (1 - truth)) - DELTA,
            "==",
            domain,
            note="where the curve of an added record is delta",
        ),
    ]


@obligation(
    "best-of",
    citation="papernot2022hyperparameter",
    about=(
        "selection.poisson_shift",
        "selection.negative_binomial_ratio",
        "selection.negative_binomial_shift",
        "selection.poisson_generating",
        "selection.negative_binomial_generating",
        "selection.logarithmic_generating",
    ),
    theorems=(
        finite("BestOf.best_of_law", _LEMMA_7, "papernot2022hyperparameter"),
        finite("SelectionPrivacy.truncated_selection_curve", _LEMMA_7, "papernot2022hyperparameter"),
        finite("SelectionPrivacy.poisson_selection_curve", _LEMMA_7, "papernot2022hyperparameter"),
        finite("SelectionPrivacy.best_apart", _LEMMA_7, "papernot2022hyperparameter"),
    ),
)
def best() -> Sequence[Goal]:
    r"""The best of K runs, by the curve of one.

    The density of the best is $\phi'(F)p$; $h(x+s)\le\phi'(1)h(x)$ where $\phi'(F_P)\le e^s\phi'(F_Q)$.  Of a Poisson
    law the ratio is $e^{m(F_P-F_Q)}$.  Of the others it is a power of $\frac{\gamma+(1-\gamma)(e^{\hat\varepsilon}u+d)}
    {\gamma+(1-\gamma)u}=r+\frac{\gamma(1-r)+(1-\gamma)d}{\gamma+(1-\gamma)u}$, $r=e^{\hat\varepsilon}$: at $u=0$
    that is $1+\frac{1-\gamma}\gamma d$, and if the last term is negative it is at most r.
    """
    law = numbers("gamma", lo=0, hi=1, ends="()")
    domain = law + numbers("u", lo=0, hi=1, ends="[]") + numbers("d", lo=0, hi=1, ends="[]") + numbers("r", lo=1)
    bracket = (GAMMA + (1 - GAMMA) * (RATIO * U + FAILURE)) / (GAMMA + (1 - GAMMA) * U)
    split = RATIO + (GAMMA * (1 - RATIO) + (1 - GAMMA) * FAILURE) / (GAMMA + (1 - GAMMA) * U)
    at_zero = best_of.negative_binomial_ratio(TERM, GAMMA, FAILURE)
    shift = best_of.negative_binomial_shift(TERM, ETA, RATIO)
    poisson = best_of.poisson_generating(TERM, M, Z)
    binomial = best_of.negative_binomial_generating(TERM, ETA, GAMMA, Z)
    logarithmic = best_of.logarithmic_generating(TERM, GAMMA, Z)
    some = law + positive("z", "eta")
    power = sp.exp(-ETA * sp.log(GAMMA + (1 - GAMMA) * Z))
    return [
        goal(bracket - split, "==", domain, note="the ratio of the brackets"),
        goal(split.subs(U, 0) - at_zero, "==", law + numbers("d", "r"), note="where no outcome is better"),
        goal(best_of.poisson_shift(TERM, M, TAU) - M * TAU, "==", positive("m", "tau")),
        goal(shift - (1 + ETA) * sp.log(RATIO), "==", positive("eta") + numbers("r", lo=1)),
        derivative(poisson, Z, -M * poisson, positive("m", "z"), "Poisson: the density of the best"),
        derivative(
            binomial,
            Z,
            -ETA * (1 - GAMMA) / (GAMMA + (1 - GAMMA) * Z) * power / (sp.exp(-ETA * sp.log(GAMMA)) - 1),
            some,
            "negative binomial",
        ),
        derivative(
            logarithmic, Z, (1 - GAMMA) / (GAMMA + (1 - GAMMA) * Z) / sp.log(GAMMA), law + positive("z"), "logarithmic"
        ),
    ]
