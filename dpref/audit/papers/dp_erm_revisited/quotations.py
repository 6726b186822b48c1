"""What the paper says of privacy, where and in which words; claims are made of it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from dpref.audit.claims import Claim, Outcome, Parameter
from dpref.units import ApproximateDP, PrivacyLoss, ReplaceOne

PAPER: Final = "dp-erm-revisited"
_QUOTE_41: Final = (
    "In DP-SVRG (Algorithm 1), for epsilon <= c_1 Tm/n^2 with some constant c_1 and delta > 0, it is (epsilon,"
    " delta)-differentially private if sigma^2 = c G^2 Tm ln(1/delta) / (n^2 epsilon^2) for some constant c."
)
_QUOTE_43: Final = (
    "In DP-SVRG++ (Algorithm 2), for epsilon <= c_1 2^T m/n^2 with some constant c_1 and delta > 0, it is (epsilon,"
    " delta)-differentially private if sigma^2 = c G^2 2^T m ln(2/delta) / (n^2 epsilon^2) for some constant c."
)
_QUOTES: Final = {
    "theorem-6.1": "In DP-GD (Algorithm 4), for epsilon, delta > 0, it is (epsilon, delta)-differentially private if"
    " sigma^2 = c G^2 T ln(1/delta) / (n^2 epsilon^2) for some constant c.",
    "definition-3.4": "where Y is drawn from Gaussian Distribution N(0, sigma^2 I_p) with sigma >= sqrt(2"
    " ln(1.25/delta)) Delta_2(q) / epsilon. ... Gaussian Mechanism preservers (epsilon, delta)-differentially private.",
    "theorem-4.1": _QUOTE_41,
    "equation-3": _QUOTE_41,
    "appendix-a": "We use 200000 samples for training. ... for epsilon = {0.2, 0.5, 1} and delta = 0.001. ... We set T"
    " = 15, m = 5000",
    "remark-4.1": "This constraint can be removed if the noise sigma is amplified by a factor of O(ln(T/delta)) in (3)"
    " and (6).",
    "theorem-4.3": _QUOTE_43,
    "equation-6": _QUOTE_43,
}
_PLACES: Final = {
    "theorem-6.1": "Theorem 6.1, Eq. (11)",
    "definition-3.4": "Definition 3.4",
    "theorem-4.1": "Theorem 4.1, Eq. (3)",
    "equation-3": "Theorem 4.1, Eq. (3)",
    "appendix-a": "Appendix A, with the caption of Figure 1",
    "remark-4.1": "Remark 4.1",
    "theorem-4.3": "Theorem 4.3, Eq. (6)",
    "equation-6": "Theorem 4.3, Eq. (6)",
}
_STATEMENTS: Final = {
    "definition-3.4": "The Gaussian mechanism with sigma >= sqrt(2 ln(1.25/delta)) Delta / epsilon is (epsilon,"
    " delta)-DP.",
    "theorem-6.1": "DP-GD with sigma^2 = c G^2 T ln(1/delta) / (n^2 epsilon^2) is (epsilon, delta)-DP (Theorem 6.1).",
    "theorem-4.1": "DP-SVRG with the noise of Eq. (3) is (epsilon, delta)-DP for epsilon <= c_1 T m / n^2"
    " (Theorem 4.1).",
    "theorem-4.3": "DP-SVRG++ with the noise of Eq. (6) is (epsilon, delta)-DP for epsilon <= c_1 2^T m / n^2"
    " (Theorem 4.3).",
    "equation-3": "Eq. (3) suffices without the range of epsilon (Theorem 4.1 does not claim this).",
    "equation-6": "Eq. (6) suffices without the range of epsilon (Theorem 4.3 does not claim this).",
    "remark-4.1": "The range of epsilon can be dropped if sigma is multiplied by O(ln(T/delta)) (Remark 4.1, B.1).",
    "appendix-a": "DP-SVRG with the noise of Eq. (3) is (0.2, 0.001)-DP at the numbers of the paper's experiment.",
}


def quoted_claim(
    item: str,
    form: str,
    expected: Outcome,
    reading: str,
    *,
    delta: Fraction,
    parameters: dict[str, Parameter],
    epsilon: Fraction = Fraction(1),
    proved: tuple[str, ...] = ("sensitivity/replace-one",),
    obligations: tuple[str, ...] = (),
    charitable: str | None = None,
    algorithm: str = "svrg",
    **more: Any,
) -> Claim:
    """A claim under replace-one about an item of the paper that is quoted here.

    Args:
        item: A key of the quotations.
        form: As printed or repaired, and what varies.
        expected: Its verdict.
        reading: How the item is read, and what is judged.
        delta: Exact.
        parameters: Of the instance and of the algorithm, beside the budget.
        epsilon: Exact.
        proved: Ids of the obligations that every claim of the kind rests on.
        obligations: Ids of further ones.
        charitable: ``item@form`` of the most charitable reading.
        algorithm: Of the registry.
        more: Further fields of the claim.

    >>> claim = quoted_claim("theorem-4.1", "repaired", "holds", "", delta=Fraction(1, 9), parameters={})
    >>> claim.place
    'Theorem 4.1, Eq. (3)'
    """
    return Claim(
        paper=PAPER,
        item=item,
        form=form,
        adjacency=ReplaceOne,
        algorithm=algorithm,
        parameters={"epsilon": epsilon, "delta": delta, **parameters},
        claimed=PrivacyLoss(epsilon, ApproximateDP, ReplaceOne, delta),
        expected=expected,
        obligations=(*proved, *obligations),
        quote=_QUOTES[item],
        place=_PLACES[item],
        statement=_STATEMENTS[item],
        reading=reading,
        charitable=f"{PAPER}/{charitable},replace-one" if charitable else None,
        **more,
    )
