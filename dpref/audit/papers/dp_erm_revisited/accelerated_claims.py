"""The claims of the paper about accelerated mirror descent: Theorem 5.3, as printed and repaired."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from dpref.audit.claims import Claim, Outcome, Parameter
from dpref.units import ApproximateDP, PrivacyLoss, ReplaceOne

_DELTA: Final = Fraction(1, 10**5)
_CHARITABLE: Final = "dp-erm-revisited/theorem-5.3@repaired-printed-noise,replace-one"


def _claim(form: str, epsilon: Fraction, expected: Outcome, reading: str, parameters: dict[str, Parameter],
           *obligations: str, **more: Any) -> Claim:  # fmt: skip
    return Claim(
        paper="dp-erm-revisited",
        item="theorem-5.3",
        form=form,
        adjacency=ReplaceOne,
        algorithm="accelerated-mirror-descent",
        parameters={"epsilon": epsilon, "delta": _DELTA, **parameters},
        claimed=PrivacyLoss(epsilon, ApproximateDP, ReplaceOne, _DELTA),
        expected=expected,
        obligations=("sensitivity/replace-one", *obligations),
        quote="In DP-AccMD (Algorithm 3), for epsilon, delta > 0, it is (epsilon, delta)-differentially private if"
        " sigma^2 = c G^2 T ln(1/delta) / (n^2 epsilon^2) for some constant c.",
        place="Theorem 5.3, Eq. (9)",
        statement="DP-AccMD with sigma^2 = c G^2 T ln(1/delta) / (n^2 epsilon^2) is (epsilon, delta)-DP (Theorem 5.3).",
        reading=reading,
        **more,
    )


def _printed(form: str, epsilon: Fraction, reading: str, steps: int, threshold: Fraction, **more: Any) -> Claim:
    line: dict[str, Parameter] = {"instance": "line", "records": 2, "radius": 1 - threshold}
    return _claim(
        form, epsilon, "refuted", reading,
        {**line, "threshold": threshold, "steps": steps, "constant": 16}, "dp-erm-revisited/E1",
        release="output", charitable=_CHARITABLE, **more,
    )  # fmt: skip


def _repaired(form: str, reading: str, trials: int | None = None, **parameters: Parameter) -> Claim:
    proved = "gaussian/composition", "gaussian/delta-decreasing", "gaussian/delta-increasing", "dp-erm-revisited/P46"
    return _claim(form, Fraction(1), "holds", reading, {"steps": 10, **parameters}, *proved, trials=trials)


CLAIMS: Final[tuple[Claim, ...]] = (
    _printed(
        "as-printed",
        Fraction(1),
        "One step on two records. Line 6 makes y_1 from the mean gradient without noise, and y_1 is returned. Its"
        " values on the two data sets differ, so delta would have to be 1. The proof (B.3) takes the gradient of"
        " line 6 to be noisy. It yields c = 16 for epsilon <= 2 ln(1/delta), and no other c helps.",
        1,
        Fraction(1, 2),
    ),
    _printed(
        "as-printed-two-steps",
        Fraction(1, 10),
        "Two steps on two records; the last y alone is released. The noise throws z_1 to an end of the interval,"
        " and the last y then shows the exact gradients of line 6. It lies on two points that have probability 0.934"
        " on one data set and 0 on the other, so epsilon is infinite below delta = 0.934. The lower end that is"
        " certified here rests on a simple bound on these probabilities, and is finite.",
        2,
        Fraction(1, 2),
    ),
    _printed(
        "as-printed-ten-steps",
        Fraction(1, 1000),
        "Ten steps on two records; the last y alone is released. It lies on 53 points that have probability 0.984"
        " on one data set and 0 on the other, so epsilon is infinite below delta = 0.984. The lower end that is"
        " certified here rests on a simple bound on these probabilities, and is finite. For every number of steps"
        " and every c the theorem fails at small epsilon.",
        10,
        Fraction(1, 56),
    ),
    _repaired(
        "repaired",
        "Line 6 is replaced by y = r z + (1 - r) y with the new z (3.6.1 of the errata's notes), so the data enter"
        " through the noisy gradients alone. The noise is the least that the budget allows.",
    ),
    _repaired(
        "repaired-noisy-step",
        "Line 6 takes the noisy gradient of line 7, with twice the curvature.",
        y_step="noisy",
    ),
    _repaired(
        "repaired-l1-ball",
        "Line 6 is replaced as in the first repaired form, on the l1 ball, for which Section 5 is meant. The noise"
        " does not depend on the set.",
        trials=200,
        p=1,
        radius=2,
    ),
    _repaired(
        "repaired-printed-noise",
        "Line 6 is replaced as in the first repaired form, with the noise of Eq. (9) and c = 16, which is enough"
        " for epsilon <= 2 ln(1/delta). This is the kindest reading of the theorem, in which line 6 is as private as"
        " the proof takes it to be.",
        calibration="printed",
        constant=16,
    ),
)
