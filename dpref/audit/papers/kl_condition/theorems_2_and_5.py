"""The privacy claims of Theorem 2, about the proximal point method, and of Theorem 5, about the selected iterate."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from dpref.audit.claims import Claim, Outcome, Parameter
from dpref.units import ZCDP, Adjacency, PrivacyLoss, ReplaceOne, ZeroOut

_BOTH: Final = (ReplaceOne, ZeroOut)
_BETA: Final = Fraction(1, 20)


def _claim(
    item: str,
    algorithm: str,
    form: str,
    adjacency: type[Adjacency],
    expected: Outcome,
    reading: str,
    parameters: dict[str, Parameter],
    rho: Fraction,
    *obligations: str,
    quote: tuple[str, str],
    **more: Any,
) -> Claim:
    moved = "sensitivity/replace-one" if adjacency is ReplaceOne else "sensitivity/zero-out"
    return Claim(
        paper="kl-condition",
        item=item,
        form=form,
        adjacency=adjacency,
        algorithm=algorithm,
        parameters={"failure": _BETA, **parameters},
        claimed=PrivacyLoss(rho, ZCDP, adjacency),
        delta=Fraction(1, 10),
        expected=expected,
        obligations=(moved, "gaussian/renyi", "zcdp/composition", *obligations),
        quote=quote[0],
        place=quote[1],
        reading=reading,
        **more,
    )


# ------------------------------------------------------------------------------------ Theorem 2

_QUOTE_2: Final = ("With the subroutine A of Lemma 3, Algorithm 2 is rho-zCDP.", "Theorem 2")
_STATEMENT_2: Final = "The proximal point method (Algorithm 2) over noisy gradient descent (Algorithm 4) is rho-zCDP."
_SMALL: Final = Fraction(1, 3000)  # for which line 1 has 4 phases, and Theorem 9 23 iterates of each
_READINGS_2: Final = {
    "as-printed": "Every phase has rho / T of the budget and Theorem 9's noise, which is twice what it needs: less than"
    " half of rho is spent. Both counts are the paper's, rounded up. The whole transcript is judged, and with it the"
    " last point. That Theorem 2's utility is not reached for kappa > 2 is another matter (E18).",
    "repaired": "P (T - 1) answers share rho, with the noise that this adjacency needs; the weights, the targets and"
    " their number are public. The whole transcript is judged, and with it the last point.",
}


def _proximal(form: str, adjacency: type[Adjacency]) -> Claim:
    parameters: dict[str, Parameter] = {
        "rho": _SMALL, "clip": Fraction(1, 4), "gamma": Fraction(1), "kappa": Fraction(3), "gap": Fraction(1, 64),
        "weak_convexity": Fraction(1, 8), **({} if form == "as-printed" else {"phases": 4, "iterates": 23}),
    }  # fmt: skip
    return _claim(
        "theorem-2", "proximal-point", form, adjacency, "holds", _READINGS_2[form], parameters, _SMALL,
        "kl-condition/E9", quote=_QUOTE_2, statement=_STATEMENT_2,
    )  # fmt: skip


CLAIMS: Final[tuple[Claim, ...]] = tuple(_proximal(form, adjacency) for form in _READINGS_2 for adjacency in _BOTH)
