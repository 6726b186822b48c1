"""The claims about boosting to high probability: k runs that share the budget, and a choice that costs something."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from dpref.audit.claims import Claim, Outcome, Parameter
from dpref.units import ZCDP, Adjacency, PrivacyLoss, ReplaceOne, ZeroOut

_PAPER: Final = "dynamic-privacy-budget"
_BUDGET: Final = Fraction(1)
_STATEMENT: Final = (
    "Of k = log2(1/p) runs with the budget R/k each the best is returned: that is R/2-zCDP, and good with probability"
    " 1 - p."
)
_REPAIRED: Final = "Of k runs the best by noisy comparisons is returned: that is R/2-zCDP."
_RELEASED: Final = "All of k = log2(1/p) runs with the budget R/k each are released: that is R/2-zCDP."
_CHOICE: Final = (
    "The section says that one repetition is good, and that all repetitions together spend R. It does not say how the"
    " good one is found. Here it is the one with the least empirical risk. That choice sees the data without noise: on"
    " a neighbour on which the order of the candidates turns round, the output alone shows it, at any budget. If all k"
    " repetitions are released and none is chosen, R/2-zCDP holds by composition."
)
_NOT_THE_RUNS: Final = " The runs themselves spend what is claimed, where a record is zeroed out."
_PAID: Final = (
    "The later candidates are compared with the first by noisy mean slopes, whose sensitivity is that of the mean"
    " gradient. The comparisons have a quarter of the budget, and the runs share the rest."
)
_PARTS: Final = (
    "Every run has records of its own, and so have the comparisons. One of them reads a record, and the costs are not"
    " added up. Under replace-one and zero-out a record keeps its place, and with it its part."
)
_ALL: Final = "All k repetitions are released with every noisy gradient, and none is chosen: k runs with R/k each."
_ALL_HOLD: Final = _ALL + " That is R/2-zCDP by composition. Nothing that is released says which of them is good."
_ALL_PRINTED: Final = _ALL_HOLD + (
    " Under replace-one each run has the printed noise of algorithm-1@as-printed,replace-one and spends four times its"
    " budget."
)


def _boosted(form: str, adjacency: type[Adjacency], expected: Outcome, reading: str, **more: Any) -> Claim:
    """That the output of boosting on the real data spends R/2; the repaired form is judged with all its answers."""
    parameters: dict[str, Parameter] = {
        "budget": _BUDGET, "failure": Fraction(1, 4), "steps": 3, "clip": Fraction(1, 4), **more.pop("parameters", {}),
    }  # fmt: skip
    printed, chosen = form.startswith("as-printed"), "choice" not in parameters
    spent = "dynamic-privacy-budget/exact-choice" if printed else "dynamic-privacy-budget/comparison"
    return Claim(
        paper=_PAPER,
        item="section-4.4",
        form=form,
        adjacency=adjacency,
        algorithm="dynamic-boosting",
        parameters=parameters,
        claimed=PrivacyLoss(_BUDGET / 2, ZCDP, adjacency),
        delta=Fraction(1, 10),
        release="output" if printed and chosen else "transcript",
        expected=expected,
        trials=None if printed and chosen else 1000,  # a transcript is scored by two runs
        obligations=(
            "sensitivity/replace-one" if adjacency is ReplaceOne else "sensitivity/zero-out",
            "zcdp/composition",
            "dynamic-privacy-budget/boosting-budget",
            *((spent,) if chosen else ()),
        ),
        statement=(_STATEMENT if printed else _REPAIRED) if chosen else _RELEASED,
        quote="Note, the output of all repetitions is still of R budget. ... there exists one repetition whose EER is"
        " F(R/log_2(1/p)) with probability at least 1 - 1/2^k = 1 - p.",
        place="Section 4.4, before Eqs. (16) and (17)",
        reading=reading,
        **more,
    )


BOOSTED: Final = (
    _boosted(
        "as-printed",
        ZeroOut,
        "refuted",
        _CHOICE + _NOT_THE_RUNS,
        charitable=f"{_PAPER}/section-4.4@repaired,zero-out",
    ),
    _boosted(
        "as-printed",
        ReplaceOne,
        "refuted",
        _CHOICE,
        charitable=f"{_PAPER}/section-4.4@repaired,replace-one",
    ),
    _boosted("repaired", ZeroOut, "holds", _PAID),
    _boosted("repaired", ReplaceOne, "holds", _PAID),
    _boosted("repaired-parts", ReplaceOne, "holds", _PARTS, parameters={"split": "parts"}),
    _boosted("as-printed-repetitions", ZeroOut, "holds", _ALL_PRINTED, parameters={"choice": "none"}),
    _boosted("repaired-repetitions", ReplaceOne, "holds", _ALL_HOLD, parameters={"choice": "none"}),
)
