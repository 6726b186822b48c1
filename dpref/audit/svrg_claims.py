"""Built-in claims about DP-SVRG and DP-SVRG++: inside the range of their privacy theorems, and outside it."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpref.audit.claims import Claim, Outcome, Parameter
from dpref.audit.subjects import Release
from dpref.units import ApproximateDP, PrivacyLoss, ReplaceOne

_PAPER: Final = "dp-erm-revisited"
_CLIP: Final = Fraction(1, 2)
_PROVED: Final = (f"{_PAPER}/P71", f"{_PAPER}/P72")
_STATEMENTS: Final = {
    "theorem-4.1": "DP-SVRG with sigma^2 = c G^2 T m ln(1/delta) / (n^2 epsilon^2) is (epsilon, delta)-DP for"
    " epsilon <= c_1 T m / n^2, for some constants c and c_1 (Theorem 4.1).",
    "theorem-4.3": "DP-SVRG++ with sigma^2 = c G^2 2^T m ln(2/delta) / (n^2 epsilon^2) is (epsilon, delta)-DP for"
    " epsilon <= c_1 2^T m / n^2, for some constants c and c_1 (Theorem 4.3).",
    "remark-4.1": "The condition on epsilon can be removed if sigma is multiplied by O(ln(T/delta)) (Remark 4.1, B.1).",
}
_OUTSIDE: Final = (
    " The printed accounting needs sigma to be at least a constant times G, whatever n and the number of steps are; the"
    " formula gives less outside its range, which the paper's own parameters and experiments leave."
)


def _claim(
    item: str,
    form: str,
    expected: Outcome,
    reading: str,
    *,
    delta: Fraction,
    parameters: dict[str, Parameter],
    epsilon: int = 1,
    obligations: tuple[str, ...] = (),
    release: Release = "transcript",
    charitable: str | None = None,
    algorithm: str = "svrg",
) -> Claim:
    return Claim(
        paper=_PAPER,
        item=item,
        form=form,
        adjacency=ReplaceOne,
        algorithm=algorithm,
        parameters={"epsilon": epsilon, "delta": delta, **parameters},
        claimed=PrivacyLoss(Fraction(epsilon), ApproximateDP, ReplaceOne, delta),
        release=release,
        expected=expected,
        obligations=("sensitivity/replace-one", *obligations),
        statement=_STATEMENTS[item],
        reading=reading,
        charitable=f"{_PAPER}/{charitable},replace-one" if charitable else None,
    )


def _drift(records: int, epochs: int, inner: int, constant: int = 16) -> dict[str, Parameter]:
    return {"instance": "drift", "records": records, "epochs": epochs, "inner": inner, "constant": constant}


def _outside(item: str, answers: int, inner: int, algorithm: str) -> Claim:
    """The printed formula at n = 1000, far outside its range: the transcript."""
    return _claim(
        item,
        f"as-printed-{answers}-steps",
        "refuted",
        f"Read with c = 16, at n = 1000 and {answers} inner steps, far outside the range: an answer shows whether a"
        " record was sampled, and so does the transcript." + _OUTSIDE,
        delta=Fraction(1, 10**6),
        parameters=_drift(1000, 1, inner),
        obligations=(f"{_PAPER}/P73",),
        charitable=f"{item}@as-printed-in-range",
        algorithm=algorithm,
    )


SVRG_CLAIMS: Final[tuple[Claim, ...]] = (
    _claim(
        "theorem-4.1",
        "as-printed-in-range",
        "holds",
        "The constants are not given; c = 3080 and c_1 = 7 are proved where epsilon <= 2 ln(1/delta) as well. They are"
        " for a verdict, not for use: the accountant shows how much of the budget they leave.",
        delta=Fraction(1, 10**5),
        parameters={**_drift(50, 2, 180, 3080), "range_constant": 7},
        obligations=_PROVED,
    ),
    _outside("theorem-4.1", 20, 20, "svrg"),
    _outside("theorem-4.1", 200, 200, "svrg"),
    _outside("theorem-4.1", 2000, 2000, "svrg"),
    _claim(
        "theorem-4.1",
        "as-printed-output",
        "refuted",
        "The output alone, after one epoch of two steps at n = 10^4: with probability 1/n the second step throws the"
        " iterate back. As n grows the formula's noise vanishes for every c, and delta stays near 1/n. For many epochs"
        " only the transcript is refuted; whether the output alone is private there is open." + _OUTSIDE,
        delta=Fraction(1, 10**8),
        parameters=_drift(10_000, 1, 2),
        obligations=(f"{_PAPER}/P73",),
        release="output",
        charitable="theorem-4.1@as-printed-in-range",
    ),
    _claim(
        "theorem-4.1",
        "as-printed-epsilon-100",
        "refuted",
        "Inside the printed range (c_1 = 7), with c = 16: the condition epsilon = O(ln(1/delta)) is missing. With"
        " linear losses the output is Gaussian with mu^2 at least 3 epsilon^2 / (c ln(1/delta)): no c is enough.",
        delta=Fraction(1, 10**5),
        epsilon=100,
        parameters={**_drift(4, 1, 230), "range_constant": 7},
        obligations=(f"{_PAPER}/P76",),
        release="output",
        charitable="theorem-4.1@as-printed-in-range",
    ),
    _claim(
        "theorem-4.1",
        "repaired",
        "holds",
        "A batch of b records, drawn without replacement, instead of one index: the range grows by b^2, and 20 steps on"
        " 569 records lie inside it.",
        delta=Fraction(1, 10**5),
        parameters={"clip": _CLIP, "epochs": 2, "inner": 10, "batch": 64, "calibration": "formula"},
        obligations=_PROVED,
    ),
    _claim(
        "theorem-4.1",
        "repaired-accountant",
        "holds",
        "One index, as printed, with the noise that the accountant certifies: no range, but never much less than G.",
        delta=Fraction(1, 10**5),
        parameters={"clip": _CLIP, "epochs": 2, "inner": 10},
    ),
    _claim(
        "remark-4.1",
        "as-printed",
        "refuted",
        "The two-step run again, with c = 16 and sigma multiplied by ln(T/delta), T the number of inner steps (the"
        " larger of the two readings): the noise still vanishes as n grows.",
        delta=Fraction(1, 10**8),
        parameters={**_drift(10_000, 1, 2), "calibration": "remark-4.1"},
        obligations=(f"{_PAPER}/P73",),
        release="output",
        charitable="theorem-4.1@as-printed-in-range",
    ),
    _claim(
        "theorem-4.3",
        "as-printed-in-range",
        "holds",
        "c = 6160 and c_1 = 7: the formula counts 2^T m of the (2^(T+1) - 2) m answers.",
        delta=Fraction(1, 10**5),
        parameters={**_drift(50, 2, 90, 6160), "range_constant": 7},
        obligations=_PROVED,
        algorithm="svrg-plus-plus",
    ),
    _outside("theorem-4.3", 200, 100, "svrg-plus-plus"),
    _claim(
        "theorem-4.3",
        "as-printed-output",
        "refuted",
        "One epoch with m = 1 is the same two steps as DP-SVRG's." + _OUTSIDE,
        delta=Fraction(1, 10**8),
        parameters=_drift(10_000, 1, 1),
        obligations=(f"{_PAPER}/P73",),
        release="output",
        charitable="theorem-4.3@as-printed-in-range",
        algorithm="svrg-plus-plus",
    ),
    _claim(
        "theorem-4.3",
        "as-printed-epsilon-100",
        "refuted",
        "Inside the printed range, with c = 16: the condition epsilon = O(ln(1/delta)) is missing here too.",
        delta=Fraction(1, 10**5),
        epsilon=100,
        parameters={**_drift(4, 2, 58), "range_constant": 7},
        obligations=(f"{_PAPER}/P76",),
        release="output",
        charitable="theorem-4.3@as-printed-in-range",
        algorithm="svrg-plus-plus",
    ),
    _claim(
        "theorem-4.3",
        "repaired",
        "holds",
        "Batches of 64 on 569 records bring 30 steps inside the range.",
        delta=Fraction(1, 10**5),
        parameters={"clip": _CLIP, "epochs": 2, "inner": 5, "batch": 64, "calibration": "formula"},
        obligations=_PROVED,
        algorithm="svrg-plus-plus",
    ),
)
