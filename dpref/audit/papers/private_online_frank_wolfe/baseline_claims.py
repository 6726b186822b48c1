"""Built-in claims about the baselines of Table 5.1, which the paper runs at (1, 1/T)-DP."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from dpref.audit.claims import Claim, Outcome, Parameter
from dpref.units import ApproximateDP, PrivacyLoss, ReplaceOne

_PAPER: Final = "private-online-frank-wolfe"
_TABLE: Final = (
    "we set the radius of constrain set C as 2 and guarantee (1, 1/T)-DP.",
    "Section 5.3, where NoisySFW, LocalMD and NoisySGD are the baselines",
)
_LEMMA: Final = (
    (
        "For any f with ||.||-sensitivity s > 0, f + G_{||.||_+}(0, 2 kappa log(1/delta) s^2 / epsilon^2) is (epsilon,"
        " delta)-DP."
    ),
    "Lemma 2.1",
)
_STREAM: Final = " Linear losses; the transcript, all noisy answers, of which the output is a function."


def _claim(
    item: str,
    form: str,
    expected: Outcome,
    reading: str,
    *,
    algorithm: str = "noisy-frank-wolfe",
    quote: tuple[str, str] = _TABLE,
    epsilon: int = 1,
    delta: Fraction = Fraction(1, 1000),
    obligations: tuple[str, ...] = ("S-10", "PO-9", "gaussian-dp"),
    more: dict[str, Parameter] | None = None,
    charitable: str | None = None,
    **rest: Any,
) -> Claim:
    given: dict[str, Parameter] = {"records": 1000, "dimension": 5, "p": 2, "lipschitz": 4, "radius": 2, **(more or {})}
    return Claim(
        paper=_PAPER,
        item=item,
        form=form,
        adjacency=ReplaceOne,
        algorithm=algorithm,
        parameters={"epsilon": epsilon, "delta": delta, **given},
        claimed=PrivacyLoss(Fraction(epsilon), ApproximateDP, ReplaceOne, delta),
        expected=expected,
        obligations=tuple(f"{_PAPER}/{o}" for o in obligations),
        quote=quote[0],
        place=quote[1],
        statement=f"A run of {algorithm} is ({epsilon}, {delta})-DP, with the noise that is asked for ({quote[1]}).",
        reading=reading + _STREAM,
        charitable=f"{_PAPER}/{charitable},replace-one" if charitable else None,
        **rest,
    )


CLAIMS: Final[tuple[Claim, ...]] = (
    _claim(
        "lemma-2.1",
        "as-printed-epsilon-9",
        "refuted",
        "Lemma 2.1, which has no condition on epsilon and releases the noisy answer itself, in its Euclidean case:"
        " NoisySFW puts the whole epsilon into one answer. Evidently meant for a moderate epsilon, as its classical"
        " ancestor is (E-6).",
        quote=_LEMMA,
        epsilon=9,
        delta=Fraction(1, 100_000),
        more={"repairs": "E-1, E-2"},
        obligations=("E-6",),
        charitable="lemma-2.1@as-printed-epsilon-2",
    ),
    _claim(
        "lemma-2.1",
        "as-printed-epsilon-2",
        "holds",
        "The charitable reading of Lemma 2.1: epsilon up to 2, where it is proved (PO-11, PO-12).",
        quote=_LEMMA,
        epsilon=2,
        delta=Fraction(1, 100_000),
        more={"repairs": "E-1, E-2"},
        obligations=("PO-11", "PO-12"),
    ),
    _claim(
        "section-5.3",
        "as-printed-noisy-sfw",
        "undecided",
        "NoisySFW with the norm of Lemma 3.2 and the sampler of Algorithm 4 as printed, at p = 3/2 and d = 20. Its"
        " sigma_+ is far below 1, where the printed Gamma scale 2 sigma_+ adds noise; the norm has no theorem (E-1).",
        more={"p": Fraction(3, 2), "dimension": 20},
        obligations=("E-1", "E-2"),
        charitable="section-5.3@as-printed-noisy-sfw-mended",
    ),
    _claim(
        "section-5.3",
        "as-printed-noisy-sfw-mended",
        "holds",
        "NoisySFW with the printed calibration, its norm and its sampler mended (E-1, E-2), at p = 3/2 and d = 20.",
        more={"p": Fraction(3, 2), "dimension": 20, "repairs": "E-1, E-2"},
        obligations=("S-10", "PO-9", "E-1", "E-2"),
    ),
    _claim(
        "section-5.3",
        "repaired-noisy-sfw",
        "holds",
        "NoisySFW with the least noise whose exact loss fits, in the Euclidean case.",
    ),
    _claim(
        "section-5.3",
        "repaired-noisy-sfw-p-1.5",
        "holds",
        "The least l_3 noise, in 20 dimensions.",
        more={"p": Fraction(3, 2), "dimension": 20},
    ),
    _claim(
        "section-5.3",
        "as-printed-noisy-sgd",
        "holds",
        "NoisySGD at n = 10, for 2 n points: the printed variance 8 L^2 ln(1/delta) / epsilon^2 is enough.",
        algorithm="noisy-sgd",
        delta=Fraction(1, 100),
        more={"records": 10, "points": 20, "dimension": 2},
        obligations=("A-8",),
    ),
    _claim(
        "section-5.3",
        "repaired-noisy-sgd",
        "holds",
        "The same with nine tenths of the printed noise, which an accountant certifies.",
        algorithm="noisy-sgd",
        delta=Fraction(1, 100),
        more={"records": 10, "points": 20, "dimension": 2, "noise_scale": Fraction(9, 10)},
        obligations=("A-8",),
    ),
    _claim(
        "section-5.3",
        "as-printed-local-md",
        "holds",
        "LocalMD at n = 16: the printed constant 100 is far more than is needed.",
        algorithm="local-mirror-descent",
        delta=Fraction(1, 100),
        more={"records": 16, "dimension": 2},
        obligations=("A-7",),
    ),
    _claim(
        "section-5.3",
        "repaired-local-md",
        "holds",
        "The same with a quarter of the printed constant, which an accountant certifies.",
        algorithm="local-mirror-descent",
        delta=Fraction(1, 100),
        more={"records": 16, "dimension": 2, "noise_constant": 25},
        obligations=("A-7",),
    ),
)
