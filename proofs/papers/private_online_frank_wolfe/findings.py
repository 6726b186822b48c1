"""Findings about Han et al. (arXiv 2206.08111), and what became of the older ones."""

from __future__ import annotations

from typing import Final

from proofs.findings.declared import Correction, Finding, Provenance
from proofs.papers.private_online_frank_wolfe.findings_bandit import BANDIT
from proofs.papers.private_online_frank_wolfe.findings_privacy import PRIVACY
from proofs.papers.private_online_frank_wolfe.findings_utility import UTILITY

READ: Final = Provenance(
    arxiv="2206.08111",
    version="unknown",
    date="unknown",
    title="On Private Online Convex Optimization: Optimal Algorithms in l_p-Geometry and High Dimensional Contextual"
    " Bandits",
    sha256="c0f90d9cdbe2633957d640ad62bf40b2b7dbbe136d2de91e188723bd2ee75c59",
    others='The ICML 2022 paper "Private Streaming SCO in l_p geometry with Applications in High Dimensional Online'
    ' Decision Making" by the same authors, which the text cites and extends: not compared. Other versions on arXiv:'
    " not compared.",
    code="github.com/liangzp/DP-Streaming-SCO, commit 4cc3ffd5e4609f9a51f6ab5e475804697c9d70b7 (2022-08-23)",
)

FINDINGS: Final[tuple[Finding, ...]] = (*PRIVACY, *UTILITY, *BANDIT)

_DATE: Final = "2026-11-28"
_OURS: Final = "private-online-frank-wolfe"


def _corrected(item: str, why: str) -> Correction:
    return Correction(f"{_OURS}/{item}", "corrected", _DATE, why)


CORRECTIONS: Final[tuple[Correction, ...]] = (
    Correction(
        f"{_OURS}/E-45",
        "withdrawn",
        _DATE,
        "The paper prints the hypothesis that C contains the origin, which the example [1, 2] does not.",
    ),
    Correction(
        f"{_OURS}/E-22",
        "withdrawn",
        _DATE,
        "Section 5.2 prints no beta, so that no printed sentence was refuted; the finding was about code.",
    ),
    Correction(
        f"{_OURS}/theorem-4.1",
        "superseded",
        _DATE,
        "The condition on epsilon is missing for one reason in both theorems, which is one finding.",
        f"{_OURS}/theorem-3.4",
    ),
    Correction(
        f"{_OURS}/section-5.3",
        "superseded",
        _DATE,
        "It is the norm of Lemma 3.2 in another place, and nothing is decided there.",
        f"{_OURS}/lemma-3.2",
    ),
    Correction(
        f"{_OURS}/E-11",
        "superseded",
        _DATE,
        "It is the factor that Theorem A.1 loses, used once more in the proof of Theorem A.2.",
        f"{_OURS}/E-8",
    ),
    _corrected(
        "lemma-3.2",
        "The sentence that no violation is known for d >= 6 was false: the iterates exceed the claim at p = 2 and"
        " d = 100. The repair that the page stated holds for some dimensions only.",
    ),
    _corrected(
        "lemma-2.1",
        "The page said that the lemma is proved for epsilon <= 2, and left out that delta is at most 1/2; the instance"
        " is now epsilon = 8.",
    ),
    _corrected("algorithm-4", "The page did not say that the authors mended their code in August 2022."),
    _corrected(
        "theorem-3.4",
        "The page did not say that the violations are known only for n = 1 and for epsilon far above ln(1/delta).",
    ),
    _corrected("E-23", "It is a remark: the section claims a budget for one run only."),
    _corrected("E-4", "It is a remark: no theorem depends on it in its order."),
    _corrected("E-13", "It is a remark: Theorem 3.3 prints mu, and Eq. (3.4) states how the rate depends on t."),
    _corrected(
        "E-14",
        "The example is now in ten dimensions, with two arms and within the hypotheses of Lemma B.1; that the printed rates"
        " themselves fail is not known.",
    ),
    _corrected("E-38", "It is a remark: no algorithm, bound or proof of the paper depends on the constant."),
    _corrected("E-28", "It is a slip: the proof of the lemma has the right constant."),
    _corrected("E-27", "It is a remark: the printed radius does not follow from Theorem 3.6, and is not refuted."),
    _corrected("E-33", "It is a remark: the stated order of the warm-up hides logarithms, and no bound is refuted."),
    _corrected("E-29", "It is a slip: Algorithm 3 has K times t_0 rounds of warm-up."),
    _corrected("E-17", "It is a remark: line 8 means the vertices, and the bound is that of the l_1 ball."),
    _corrected("E-21", "It is a remark about what the published table can be computed from."),
    _corrected("E-15", "It is a remark: the filtration that is meant contains all records and noise so far."),
    _corrected("E-42", "It is a remark: the theorems divide alpha by n, as they must."),
)
