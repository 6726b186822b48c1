"""Built-in claims about calibrating a Gaussian mechanism: the formulas of two papers, each at one point.

A calibration theorem says that a formula turns (epsilon, delta) into enough noise.  Each claim here audits the Gaussian
mechanism with exactly that noise, rounded up to a double, against the (epsilon, delta) that went in.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpref.audit.claims import Claim, Kind, Outcome
from dpref.units import ApproximateDP, PrivacyLoss, ReplaceOne

# exp(-11.5) to 40 digits, rounded up (a larger delta is in the paper's favour)
_SMALL_DELTA: Final = Fraction("0.00001013009359863071072894135574908649729902")


def _calibration_claim(
    paper: str,
    item: str,
    form: str,
    *,
    calibration: str,
    epsilon: Fraction,
    delta: Fraction,
    expected: Outcome,
    obligations: tuple[str, ...],
    statement: str,
    reading: str,
    charitable: str | None = None,
    kind: Kind | None = None,
) -> Claim:
    quote, place = _QUOTES[item]
    return Claim(
        paper=paper,
        item=item,
        form=form,
        adjacency=ReplaceOne,
        algorithm="gaussian-mechanism",
        parameters={"calibration": calibration, "epsilon": epsilon, "delta": delta},
        claimed=PrivacyLoss(epsilon, ApproximateDP, ReplaceOne, delta),
        release="output",
        expected=expected,
        obligations=("gaussian/renyi", "gaussian/delta-decreasing", "gaussian/delta-increasing", *obligations),
        kind=kind,
        quote=quote,
        place=place,
        statement=statement,
        reading=reading,
        charitable=charitable,
    )


_DPBA: Final = "dynamic-privacy-budget"
_ERM: Final = "dp-erm-revisited"
_QUOTES: Final = {
    "section-4.1.3": (
        (
            "In comparison, based on Lemma C.4, R = 2 rho = 2 epsilon + 4 ln(1/delta) + 4 sqrt(ln(1/delta) (epsilon +"
            " ln(1/delta)) if theta_T satisfies rho-zCDP."
        ),
        "Section 4.1.3, Sample efficiency",
    ),
    "lemma-c.4-inversion": (
        (
            "By solving rho + 2 sqrt(rho ln(1/delta)) = epsilon, we can get rho = epsilon + 2 ln(1/delta) + 2"
            " sqrt(ln(1/delta) (epsilon + ln(1/delta))."
        ),
        "Appendix C.1, after Lemma C.4",
    ),
    "definition-3.4": (
        (
            "where Y is drawn from Gaussian Distribution N(0, sigma^2 I_p) with sigma >= sqrt(2 ln(1.25/delta))"
            " Delta_2(q) / epsilon. ... Gaussian Mechanism preservers (epsilon, delta)-differentially private."
        ),
        "Definition 3.4",
    ),
}
_CLASSICAL: Final = (
    "The Gaussian mechanism with sigma >= sqrt(2 ln(1.25/delta)) Delta / epsilon is (epsilon, delta)-DP."
)
_WRONG_ROOT: Final = (
    "The printed root solves rho - 2 sqrt(rho ln(1/delta)) = epsilon; the equation has a plus. A Gaussian mechanism"
    " that spends the printed rho is audited against the (epsilon, delta) that it was computed from. The experiments"
    " (Section 5) print the value of the right root."
)
_ARGUED_ON: Final = (
    " More than a slip here: the text concludes that R exceeds epsilon^2/ln(1/delta) for epsilon <= 2 ln(1/delta),"
    " which the right root does not give (T5)."
)
_RIGHT_ROOT: Final = (
    "The root that solves rho + 2 sqrt(rho L) = epsilon, L = ln(1/delta), which is (sqrt(epsilon + L) - sqrt(L))^2."
    " It is the value that the paper's own experiments use (0.1963 at this point)."
)

GAUSSIAN_CLAIMS: Final[tuple[Claim, ...]] = (
    _calibration_claim(
        _DPBA,
        "section-4.1.3",
        "as-printed",
        calibration="zcdp-section-4.1.3-as-printed",
        epsilon=Fraction(4),
        delta=Fraction(1, 10**8),
        expected="refuted",
        kind="false as stated",
        obligations=("dynamic-privacy-budget/printed-budget", "dynamic-privacy-budget/T5"),
        statement="(epsilon, delta)-DP gives R = 2 rho = 2 epsilon + 4 L + 4 sqrt(L (epsilon + L)), L = ln(1/delta).",
        reading=_WRONG_ROOT + _ARGUED_ON,
        charitable=f"{_DPBA}/section-4.1.3@repaired,replace-one",
    ),
    _calibration_claim(
        _DPBA,
        "section-4.1.3",
        "repaired",
        calibration="zcdp",
        epsilon=Fraction(4),
        delta=Fraction(1, 10**8),
        expected="holds",
        obligations=("zcdp/rho-of-epsilon",),
        statement="(epsilon, delta)-DP gives R = 2 rho = 2 (sqrt(epsilon + L) - sqrt(L))^2, L = ln(1/delta).",
        reading=_RIGHT_ROOT,
    ),
    _calibration_claim(
        _DPBA,
        "lemma-c.4-inversion",
        "as-printed",
        calibration="zcdp-lemma-c.4-as-printed",
        epsilon=Fraction(4),
        delta=Fraction(1, 10**8),
        expected="refuted",
        kind="slip in print",
        obligations=("dynamic-privacy-budget/printed-rho",),
        statement="Solving Lemma C.4 for rho gives rho = epsilon + 2 L + 2 sqrt(L (epsilon + L)), L = ln(1/delta).",
        reading=_WRONG_ROOT,
        charitable=f"{_DPBA}/lemma-c.4-inversion@repaired,replace-one",
    ),
    _calibration_claim(
        _DPBA,
        "lemma-c.4-inversion",
        "repaired",
        calibration="zcdp",
        epsilon=Fraction(4),
        delta=Fraction(1, 10**8),
        expected="holds",
        obligations=("zcdp/rho-of-epsilon",),
        statement="Solving Lemma C.4 for rho gives rho = (sqrt(epsilon + L) - sqrt(L))^2, L = ln(1/delta).",
        reading=_RIGHT_ROOT,
    ),
    _calibration_claim(
        _ERM,
        "definition-3.4",
        "as-printed-epsilon-1",
        calibration="classical",
        epsilon=Fraction(1),
        delta=Fraction(1, 10**5),
        expected="holds",
        obligations=("gaussian/classical-calibration",),
        statement=_CLASSICAL,
        reading="At epsilon = 1, the end of the range of the theorem behind it (Dwork and Roth 2014, Theorem A.1).",
    ),
    _calibration_claim(
        _ERM,
        "definition-3.4",
        "as-printed-epsilon-10.5",
        calibration="classical",
        epsilon=Fraction(21, 2),
        delta=_SMALL_DELTA,
        expected="refuted",
        kind="false as stated",
        obligations=("dp-erm-revisited/E10",),
        statement=_CLASSICAL,
        reading="The definition omits epsilon <= 1. At epsilon = 10.5 and delta = exp(-11.5) the noise is too small.",
        charitable=f"{_ERM}/definition-3.4@as-printed-epsilon-1,replace-one",
    ),
)
