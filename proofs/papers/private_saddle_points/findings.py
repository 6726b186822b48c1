"""Findings in González, Guzmán and Paquette, mirror descent for private stochastic saddle points (arXiv 2403.02912)."""

from __future__ import annotations

from typing import Final

from proofs.findings.declared import (
    Correction,
    Finding,
    Instance,
    Kindest,
    PrintedHypothesis,
    Provenance,
    Quotation,
)
from proofs.papers.private_saddle_points.findings_utility import UTILITY

READ: Final = Provenance(
    arxiv="2403.02912",
    version="unknown",
    date="2024",
    title="Mirror Descent Algorithms with Nearly Dimension-Independent Rates for Differentially-Private Stochastic"
    " Saddle-Point Problems",
    sha256="ced0c865ef4a31c40ce0d3fd54168f746f8cc1aaa7080e160646fc2341c64a76",
    others="An earlier version is known by its abstract, which states the rate log(d)/sqrt(n). It was not compared.",
)

_PRIVACY: Final[tuple[Finding, ...]] = (
    Finding(
        id="private-saddle-points/proof-3.18-sensitivity",
        concerns="privacy",
        kind="constant",
        title="One record moves a score of Algorithm 3 by almost twice the stated sensitivity",
        printed=(
            Quotation(
                "|s_x^t - s_x'^t| ... <= tau alpha L_0 (4 + 1/2^{N_r}) <= 4.5 tau alpha L_0.",
                "Proof 3.18",
            ),
            Quotation(
                "Hence, every sampled vertex (either from Delta_x or Delta_y), is 9 tau alpha L_0-DP.",
                "Proof 3.18",
            ),
        ),
        sentence=r"For all neighbouring data sets and transcripts, $\|s_x^t-s_x'^t\|_\infty\le4.5\,\tau\alpha L_0$,"
        r" and so each drawn vertex is $9\tau\alpha L_0$-DP.",
        fails=r"The proof leaves out the factor $C_M$ of Algorithm 2, which is almost 2. In its last term it also bounds"
        r" the difference of two gradients by $L_0$ instead of $2L_0$. A score moves by up to $(4C_M+1)\tau\alpha L_0$, which is"
        r" $8.996\,\tau\alpha L_0$ at $M=10$. Two scores can move so far in opposite directions, and the drawn vertex"
        r" then shows almost $18\,\tau\alpha L_0$.",
        hypotheses=(
            PrintedHypothesis(r"$\tau\alpha L_0>0$", "tau*alpha*L_0 > 0"),
            PrintedHypothesis("each loss is convex and $L_0$-Lipschitz in the $\\ell_1$ norm"),
            PrintedHypothesis(
                "each loss is second-order smooth (the ramp of the replaced record can be smoothed away from the three"
                " points at which its gradient is asked)"
            ),
        ),
        instance=Instance(
            parameters={"n": "99", "d_x": "4", "tau": "1/4", "alpha": "1", "L_0": "1", "M": "10", "delta": "1/1000000"},
            data=r"One record has the gradient $c\,\mathrm{clip}(20(\langle c,x\rangle-\frac14),-1,1)$ with"
            r" $c=(1,1,-1,-1)$. One record has the gradient 0. The other 97 have linear losses.",
            neighbour=r"The first record has the gradient $c'\,\mathrm{clip}(20(\langle c',x\rangle+\frac14),-1,1)$ with"
            r" $c'=(1,-1,1,-1)$.",
            released="the vertex that is drawn after the first iteration, at level 1 with the drawn vertices"
            " $e_2,e_3,e_2,e_2$, and after the other records",
            event="the drawn vertex is $e_4$; P is its probability under D and Q under D'",
        ),
        prints=(
            "P = 0.56194",
            "Q = 0.01408",
            "epsilon >= 3.687 at delta = 1e-06; claimed 2.25",
        ),
        kindest=Kindest(
            r"The sentence is a step of the proof of Proposition 3.17. The proposition holds as printed, because zCDP"
            r" composes the draws with less loss than the proof does.",
            "holds",
            "private-saddle-points/P39",
        ),
        instead="private-saddle-points/S7",
        claims=(
            "private-saddle-points/proof-3.18-sensitivity@as-printed,replace-one",
            "private-saddle-points/proof-3.18-draw@as-printed,replace-one",
        ),
        refutations=("private-saddle-points/E3", "private-saddle-points/P64"),
    ),
    Finding(
        id="private-saddle-points/E2",
        concerns="privacy",
        kind="slip",
        title="The normaliser of the truncated geometric law is at least 1, not at most 1",
        printed=(
            Quotation(
                "P[N = k] = p^k 1_(k in {0, 1, ..., M}) / C_M, where the normalizing constant is p <= C_M <= 1.",
                "Section 3.2",
            ),
        ),
        sentence=r"For $p=\frac12$ and every $M\ge0$: $p\le\sum_{k=0}^Mp^k\le1$.",
        fails=r"The term $k=0$ alone is 1, and the sum is $2-2^{-M}$. The printed range belongs to the support"
        r" $\{1,\dots,M\}$. Proof 3.16 sums over the levels 0 to M with the weights $\frac{2^{-k}}{C_M}$, so the support"
        r" stands and the range changes.",
        hypotheses=(PrintedHypothesis("$p=\\frac12$ and $M\\ge1$", "M >= 1"),),
        instance=Instance(parameters={"p": "1/2", "M": "10"}, data="the law of the level N in Algorithm 2"),
        kindest=Kindest(
            "The range was written for levels that begin at 1. It changes a constant of Proof 3.18 and no theorem.",
            "holds",
            "private-saddle-points/P39",
        ),
        instead="private-saddle-points/P33",
        refutations=("private-saddle-points/E2",),
    ),
    Finding(
        id="private-saddle-points/E10",
        concerns="privacy",
        kind="remark",
        title="The running average of Algorithm 5 is a mixture of exponential mechanisms and not one of them",
        printed=(
            Quotation(
                "w^t_j = (1/t) sum_{i in [t]} x^i_j propto sum_{i in [t]} exp(-tau sum_{k in [i-1]} g^k_j)",
                "Proof 4.4, of Proposition 4.3",
            ),
        ),
        sentence=r"For every t, the running average $w^t$ is proportional to $\sum_{i\le t}e^{-\tau G_{j,i}}$ in j.",
        fails=r"Each iterate $x^i$ has a normaliser of its own, so the average is not proportional to the sum of the"
        r" weights. For two vertices and two iterates the weights $(\frac12,\frac12)$ and $(\frac14,\frac34)$ average to"
        r" $\frac38$, and the printed expression is $\frac13$.",
        kindest=Kindest(
            "The proposition needs only that the average keeps the ratio of its parts, and it does. The proposition"
            " holds as printed.",
            "holds",
            "private-saddle-points/proposition-4.3",
        ),
        instead="private-saddle-points/P50",
        refutations=("private-saddle-points/E10",),
    ),
)

FINDINGS: Final[tuple[Finding, ...]] = (*_PRIVACY, *UTILITY)

CORRECTIONS: Final[tuple[Correction, ...]] = (
    Correction(
        "private-saddle-points/proof-3.18-draw",
        "superseded",
        "2026-11-28",
        "The sensitivity and the draw have one fault, which is one finding with two places.",
        "private-saddle-points/proof-3.18-sensitivity",
    ),
    Correction(
        "private-saddle-points/proof-3.18-sensitivity",
        "corrected",
        "2026-11-28",
        "The label says that a constant is wrong; Proposition 3.17 holds as printed, and the page says so.",
    ),
    Correction(
        "private-saddle-points/E2",
        "corrected",
        "2026-11-28",
        "It was called false as stated; it is a slip that changes no theorem.",
    ),
    Correction(
        "private-saddle-points/theorem-3.22",
        "corrected",
        "2026-11-28",
        "It was called false as stated; a condition is missing, and the page begins with the range in which it fails.",
    ),
    Correction(
        "private-saddle-points/E5",
        "corrected",
        "2026-11-28",
        "It refutes Lemma 2.10 and not only an equation of its proof.",
    ),
    Correction(
        "private-saddle-points/E9",
        "corrected",
        "2026-11-28",
        "It is a slip of sign, which the paper's own use of the entropy shows.",
    ),
)
