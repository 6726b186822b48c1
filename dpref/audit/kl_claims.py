"""Built-in claims about the algorithms of the KL-condition paper: KL Spider and adaptive noisy gradient descent."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpref.audit.claims import Claim, Outcome, Parameter
from dpref.audit.subjects import Release
from dpref.units import ZCDP, Adjacency, PrivacyLoss, ReplaceOne, ZeroOut

_PAPER: Final = "kl-condition"
_SHOWN_DELTA: Final = Fraction(1, 10)
_BETA: Final = Fraction(1, 20)


def _claim(
    item: str,
    form: str,
    adjacency: type[Adjacency],
    expected: Outcome,
    reading: str,
    *,
    algorithm: str,
    statement: str,
    parameters: dict[str, Parameter],
    budget: Fraction,
    obligations: tuple[str, ...] = (),
    charitable: str | None = None,
    release: Release = "transcript",
) -> Claim:
    sensitivity = "sensitivity/replace-one" if adjacency is ReplaceOne else "sensitivity/zero-out"
    return Claim(
        paper=_PAPER,
        item=item,
        form=form,
        adjacency=adjacency,
        algorithm=algorithm,
        parameters={"budget": budget, "failure": _BETA, **parameters},
        claimed=PrivacyLoss(budget, ZCDP, adjacency),
        release=release,
        delta=_SHOWN_DELTA,
        expected=expected,
        obligations=(sensitivity, "gaussian/renyi", "zcdp/composition", *obligations),
        statement=statement,
        reading=reading,
        charitable=f"{_PAPER}/{charitable}" if charitable else None,
    )


# ------------------------------------------------------------------------------------ KL Spider


def _spider(form: str, adjacency: type[Adjacency], expected: Outcome, reading: str, *, charitable: str = "") -> Claim:
    return _claim(
        "theorem-1",
        form,
        adjacency,
        expected,
        reading,
        algorithm="spider",
        statement="KL Spider (Algorithm 1) is rho-zCDP (Theorem 1; Lemma 8 proves 2 rho).",
        parameters={
            "gamma": Fraction(1, 256), "kappa": Fraction(1), "records": 1500, "dimension": 2,
            "threshold": Fraction(1, 2),
        },
        budget=Fraction(1),
        obligations=(f"{_PAPER}/PO-13",) + ((f"{_PAPER}/E1",) if form == "as-printed" else ()),
        charitable=charitable or None,
    )  # fmt: skip


_SPIDER: Final = (
    _spider(
        "as-printed",
        ReplaceOne,
        "refuted",
        "The noise fits the sensitivity L_0/n of a record that is nulled; replaced, it moves the mean gradient by twice"
        " that, and the K gradients that begin the rounds cost 2 rho by themselves. The paper's definition of"
        " neighbours is over data sets of equal size.",
        charitable="theorem-1@as-printed,zero-out",
    ),
    _spider(
        "as-printed",
        ZeroOut,
        "holds",
        "With sensitivity L_0/n the gradients cost rho/2 and the differences at most rho/16: both the factor 1/2 that"
        " the proof drops and the step length that it bounds coarsely are on the safe side.",
    ),
    _spider("repaired", ReplaceOne, "holds", "Each half of rho is shared out with the true sensitivities."),
    _spider("repaired", ZeroOut, "holds", "The same with the sensitivities of a nulled record: half the noise."),
)

# ------------------------------------------------------------------------------------ adaptive noisy gradient descent

_RECORDS: Final = 10**6
_ADAPTIVE_BUDGET: Final = Fraction(1, 10)
_THEOREM_3: Final = "Releasing w_0, ..., w_T of adaptive noisy gradient descent (Algorithm 3) is rho-zCDP (Theorem 3)."
_LITERAL: Final = (
    "R1, the literal reading: N_t is a scalar plus Gaussian noise. At a stationary point half of the N_t are negative;"
    " each of these gives the least noise and is charged L_0^2 d log(.)/(n^2 N_t^2), next to nothing, and the run goes"
    " on. The lower end is the expected spending, a Kullback-Leibler divergence (the transcript includes the N_t, as"
    " the proof's composition does; the iterates alone have a claim of their own). The run is on linear losses, n - 1"
    " of them constant."
)
_ITERATES: Final = (
    "R1, and only the iterates are released, as the theorem says: the noisy norms are not seen, so that its composition"
    " proof would not be needed. A round with a negative N_t shows itself by a short step. The lower end is the"
    " Hammersley-Chapman-Robbins bound of the signs of the short steps, on linear losses."
)
_NON_NEGATIVE: Final[dict[type[Adjacency], str]] = {
    ZeroOut: " The true cost of a round is half of what is recorded: at most rho/4 + sqrt(rho)/(2n).",
    ReplaceOne: " The true cost of a round is at most twice what is recorded: at most rho + 2 sqrt(rho)/n, which"
    " exceeds the claim by the last norm alone. Not proved and not refuted.",
}
_READINGS: Final = {
    "vector": "R2: N_t is the norm of a noisy vector, so never negative; it costs the utility a factor sqrt(d).",
    "absolute": "R3: N_t is the absolute value of the noisy norm.",
    "clamped": "R3: N_t is the noisy norm clamped at zero.",
}


def _literal(adjacency: type[Adjacency]) -> Claim:
    return _claim(
        "theorem-3",
        "as-printed",
        adjacency,
        "refuted",
        _LITERAL,
        algorithm="adaptive-gradient-descent",
        statement=_THEOREM_3,
        parameters={"reading": "scalar", "instance": "linear", "records": _RECORDS},
        budget=_ADAPTIVE_BUDGET,
        obligations=(f"{_PAPER}/E4",),
        charitable=f"theorem-3@as-printed-clamped,{adjacency.name}",
    )


def _iterates(adjacency: type[Adjacency]) -> Claim:
    return _claim(
        "theorem-3",
        "as-printed-iterates",
        adjacency,
        "refuted",
        _ITERATES,
        algorithm="adaptive-gradient-descent",
        statement=_THEOREM_3,
        parameters={"reading": "scalar", "instance": "linear", "records": 100 * _RECORDS},
        budget=_ADAPTIVE_BUDGET,
        obligations=(f"{_PAPER}/E4",),
        charitable=f"theorem-3@as-printed-clamped,{adjacency.name}",
        release="output",
    )


def _charitable(reading: str, adjacency: type[Adjacency]) -> Claim:
    return _claim(
        "theorem-3",
        f"as-printed-{reading}",
        adjacency,
        "undecided" if adjacency is ReplaceOne else "holds",
        _READINGS[reading] + _NON_NEGATIVE[adjacency],
        algorithm="adaptive-gradient-descent",
        statement=_THEOREM_3,
        parameters={"reading": reading, "instance": "linear", "records": _RECORDS},
        budget=_ADAPTIVE_BUDGET,
        obligations=(f"{_PAPER}/PO-46",),
    )


def _repaired(adjacency: type[Adjacency]) -> Claim:
    return _claim(
        "theorem-3",
        "repaired",
        adjacency,
        "holds",
        "N_t is clamped at zero, each of the two answers of a round is asked of a zCDP filter before it is made, with"
        " the cost of the noise that is used: at most rho on every path.",
        algorithm="adaptive-gradient-descent",
        statement=_THEOREM_3,
        parameters={"clip": Fraction(1, 4)},
        budget=_ADAPTIVE_BUDGET,
        obligations=(f"{_PAPER}/PO-46",),
    )


KL_CLAIMS: Final[tuple[Claim, ...]] = (
    *_SPIDER,
    _literal(ReplaceOne),
    _literal(ZeroOut),
    _iterates(ReplaceOne),
    _iterates(ZeroOut),
    *(_charitable(reading, adjacency) for reading in _READINGS for adjacency in (ReplaceOne, ZeroOut)),
    _repaired(ReplaceOne),
    _repaired(ZeroOut),
)
