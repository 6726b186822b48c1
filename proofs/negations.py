"""Printed privacy statements that are false, each with the Coq theorem that is its negation.

A negation is about the released output of the algorithm, written in Coq as the paper's recursion: the statement with
its quantifiers, neighbouring data sets, an event, and the inequality that contradicts it. `NEGATIONS` names them beside
the claims of the catalogue and the obligations that they settle; a test asks that no finding about privacy is left
out. What reads and compiles the sources is `proofs.negations_in_coq`.
"""

from __future__ import annotations

from typing import Final

from proofs.negation import Negation
from proofs.papers.dp_erm_revisited import negations as dp_erm_revisited
from proofs.papers.dynamic_privacy_budget import negations as dynamic_privacy_budget
from proofs.papers.kl_condition import negations as kl_condition
from proofs.papers.private_online_frank_wolfe import negations as private_online_frank_wolfe
from proofs.papers.private_saddle_points import negations as private_saddle_points

# What is proved of the definitions themselves: they are those of the continuous theory, and true statements stay true.
AGREEMENT: Final = ("functional_bind", "private_is_line_DP", "enough_noise_is_private")

NEGATIONS: Final[tuple[Negation, ...]] = (
    *dp_erm_revisited.NEGATIONS,
    *dynamic_privacy_budget.NEGATIONS,
    *kl_condition.NEGATIONS,
    *private_online_frank_wolfe.NEGATIONS,
    *private_saddle_points.NEGATIONS,
)
