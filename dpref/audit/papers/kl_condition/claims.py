"""Built-in claims about the algorithms of the KL-condition paper: KL Spider and two noisy gradient descents."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from dpref.audit.claims import Claim, Outcome, Parameter
from dpref.audit.empirical import LEAST_TRIALS
from dpref.audit.papers.kl_condition import theorems_2_and_5
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
    parameters: dict[str, Parameter],
    budget: Fraction,
    quote: tuple[str, str],
    rho: Fraction | None = None,
    obligations: tuple[str, ...] = (),
    charitable: str | None = None,
    **more: Any,
) -> Claim:
    sensitivity = "sensitivity/replace-one" if adjacency is ReplaceOne else "sensitivity/zero-out"
    return Claim(
        paper=_PAPER,
        item=item,
        form=form,
        adjacency=adjacency,
        algorithm=algorithm,
        parameters={"rho": budget, "failure": _BETA, **parameters},
        claimed=PrivacyLoss(budget if rho is None else rho, ZCDP, adjacency),
        delta=_SHOWN_DELTA,
        expected=expected,
        obligations=(sensitivity, "gaussian/renyi", "zcdp/composition", *obligations),
        quote=quote[0],
        place=quote[1],
        reading=reading,
        charitable=f"{_PAPER}/{charitable}" if charitable else None,
        **more,
    )


# ------------------------------------------------------------------------------------ KL Spider


_QUOTE_1: Final = (
    (
        "There exists B = O~(F_0^{1/kappa} / (gamma L_1) + F_0^{(kappa-1)/kappa} gamma) such that if f is"
        " L_0-Lipschitz and L_1-smooth over B_B(w_0), Algorithm 1 is rho-zCDP."
    ),
    "Theorem 1",
)
_QUOTE_8: Final = (
    (
        "Assume f is L_0-Lipschitz and L_1-smooth over B_B(w*) (where B is as given in Theorem 1). Then Algorithm 1"
        " is 2 rho-zCDP."
    ),
    "Lemma 8, Appendix B.1",
)
_STATEMENTS_1: Final = {
    "theorem-1": "KL Spider (Algorithm 1) is rho-zCDP (Theorem 1).",
    "lemma-8": "KL Spider (Algorithm 1) is 2 rho-zCDP (Lemma 8, which stands for the proof of Theorem 1's privacy).",
}
_RHO: Final = Fraction(1)
# Parabolas around +1 and -1: the excess risk of the start is (3/1024)^2/2 = F_0, and gamma^2 is a hair above 1/2.
_SQUARES: Final[dict[str, Parameter]] = {
    "instance": "squares", "records": 1024, "start": Fraction(1, 1024), "gap": Fraction(9, 2**21),
    "gamma": Fraction(7072, 10_000), "kappa": 2, "threshold": Fraction(53, 50),
}  # fmt: skip
# The start is the first data set's minimiser; sqrt(F_0)/gamma is a hair above L_0/n, so that line 3 gives K = 0.997.
_ONE_ROUND: Final[dict[str, Parameter]] = {
    "instance": "squares", "records": 1000, "start": 0, "gap": Fraction(1, 500_000), "gamma": Fraction(14_073, 10_000),
    "kappa": 2, "threshold": Fraction(1001, 1000),
}  # fmt: skip
_LINEAR: Final[dict[str, Parameter]] = {
    "instance": "linear", "records": 10**6, "gap": Fraction(1, 250_000), "gamma": Fraction(1, 2), "kappa": 2,
    "threshold": Fraction(1, 2),
}  # fmt: skip


def _spider(
    item: str,
    form: str,
    adjacency: type[Adjacency],
    expected: Outcome,
    reading: str,
    parameters: dict[str, Parameter],
    *,
    charitable: str = "",
    **more: Any,
) -> Claim:
    return _claim(
        item,
        form,
        adjacency,
        expected,
        reading,
        algorithm="spider",
        statement=_STATEMENTS_1[item],
        quote=_QUOTE_1 if item == "theorem-1" else _QUOTE_8,
        parameters=parameters,
        budget=_RHO,
        rho=2 * _RHO if item == "lemma-8" else _RHO,
        obligations=(f"{_PAPER}/PO-13",) + ((f"{_PAPER}/E1",) if form.startswith("as-printed") else ()),
        charitable=charitable or None,
        **more,
    )


_SPIDER: Final = (
    _spider(
        "theorem-1",
        "as-printed",
        ReplaceOne,
        "refuted",
        "The claim is about the last point alone, which is what Algorithm 1 returns. The instance is inside every"
        " assumption: the start, F_0 and the KL condition are checked before the run, and the losses are Lipschitz and"
        " smooth everywhere, hence for every B. There is one round, because line 3 gives 0.997, which is rounded up."
        " The run ends a step against the gradient with the probability of a Gaussian tail. A replaced record moves the"
        " mean of that Gaussian by 2 L_0/n, and the Renyi divergence is certified. With one round the bound on the"
        " utility says nothing. The transcript of many rounds has a claim of its own.",
        _ONE_ROUND,
        charitable="theorem-1@as-printed,zero-out",
        release="output",
    ),
    _spider(
        "theorem-1",
        "as-printed-transcript",
        ReplaceOne,
        "refuted",
        "The claim is about the transcript, as Lemma 8 composes it. The noise fits the sensitivity L_0/n of a record"
        " that is nulled. The paper's neighbours are data sets of one size that differ in one data point. On parabolas,"
        " one of which is replaced, the mean gradient moves by 2/n at every iterate, so that the K gradients that begin"
        " the rounds cost 2 rho/L_0^2. The instance is inside every assumption, with L_0 = 1.06. At n = 10^7 it is so"
        " with F_0 above the floor of line 6 as well.",
        _SQUARES,
        charitable="theorem-1@as-printed,zero-out",
    ),
    _spider(
        "theorem-1",
        "as-printed",
        ZeroOut,
        "holds",
        "With the sensitivity L_0/n the gradients cost rho/2 and the differences at most rho/16. The proof drops a"
        " factor 1/2 and bounds the step length coarsely, and both are on the safe side. The transcript is judged, and"
        " with it the last point.",
        _LINEAR,
    ),
    _spider(
        "lemma-8",
        "as-printed",
        ReplaceOne,
        "undecided",
        "The claim is about the transcript that the proof composes, with the constant that the proof reaches. The"
        " gradients alone cost 2 rho on linear losses. With the differences of gradients the bound is 9/4 rho, which is"
        " above the claim. The proof has the sensitivities of a nulled record and does not show the claim; nothing"
        " refutes it.",
        _LINEAR,
        charitable="lemma-8@as-printed,zero-out",
    ),
    _spider(
        "lemma-8",
        "as-printed",
        ZeroOut,
        "holds",
        "With the sensitivities of a nulled record, as the proof has them, the transcript costs at most 9/16 rho. The"
        " proof claims 2 rho.",
        _LINEAR,
    ),
    _spider(
        "theorem-1",
        "repaired",
        ReplaceOne,
        "holds",
        "The gradients and the differences of gradients each get half of rho, with the true sensitivities.",
        _LINEAR,
    ),
    _spider(
        "theorem-1",
        "repaired",
        ZeroOut,
        "holds",
        "The noise is shared out in the same way with the sensitivities of a nulled record, and is half as large.",
        _LINEAR,
    ),
)

# ------------------------------------------------------------------------------------ adaptive noisy gradient descent

_THEOREM_3: Final = "Releasing w_0, ..., w_T of adaptive noisy gradient descent (Algorithm 3) is rho-zCDP (Theorem 3)."
_TRANSCRIPT_3: Final = (
    "The transcript of adaptive noisy gradient descent (Algorithm 3), N_0, ..., N_T included, is rho-zCDP, as the proof"
    " of Theorem 3 (D.2) composes it."
)
_QUOTE_3: Final = (
    "Assume f is Lipschitz. Then running Algorithm 3 and releasing w_0, ..., w_T is rho-zCDP.",
    "Theorem 3",
)
_MEANT: Final = (
    " The instance has one dimension, where this is the text of line 3 to the letter. Appendix D.1 remarks that at the"
    " least noise the stopping condition is triggered, which shows that a norm that is not negative was meant."
)
_MINIMISER: Final = (
    " Linear losses have no minimiser, which Section 2 assumes. Losses that turn upwards far away have one, and the"
    " farther away it is, the nearer their divergence comes to the stated number or a larger one."
)
_LITERAL: Final = (
    "In the literal reading (R1) N_t is a scalar plus Gaussian noise. At a stationary point half of the N_t are"
    " negative. Each of these gives the least noise, is charged L_0^2 d log(.)/(n^2 N_t^2), which is next to nothing,"
    " and the run goes on. The lower end is the expected spending, which is a Kullback-Leibler divergence. The"
    " transcript includes the N_t, as the composition in the proof does; the iterates alone have a claim of their own."
    " The run is on linear losses, of which n - 1 are constant." + _MEANT + _MINIMISER
)
_ITERATES: Final = (
    "N_t may be negative, which is the literal reading (R1). Only the iterates are released, as the theorem says; the"
    " noisy norms are not seen. A round with a negative N_t shows itself by a short step. The lower end is the"
    " Hammersley-Chapman-Robbins bound of the signs of the short steps, on linear losses." + _MEANT + _MINIMISER
)
_NON_NEGATIVE: Final[dict[type[Adjacency], str]] = {
    ZeroOut: " The true cost of a round is at most half of what is recorded, and the transcript costs at most rho/4 +"
    " sqrt(rho)/(2n).",
    ReplaceOne: " The true cost of a round is twice what is recorded, so that the transcript costs at most rho + 2"
    " sqrt(rho)/n. It can cost more than rho, because the norm of the last round is asked before the sum is tested. On"
    " records of one slope the transcript, norms included, spends more than rho on average, by a thousandth; that is a"
    " Kullback-Leibler divergence. The theorem releases the iterates alone, and whether these show more than rho is"
    " open.",
}
_READINGS: Final = {
    "vector": "N_t is the norm of a noisy vector (R2), so that it is never negative. The utility loses a factor"
    " sqrt(d).",
    "absolute": "N_t is the absolute value of the noisy norm (R3).",
    "clamped": "N_t is the noisy norm clamped at zero (R3).",
}


def _adaptive(
    form: str,
    adjacency: type[Adjacency],
    expected: Outcome,
    reading: str,
    parameters: dict[str, Parameter],
    obligation: str = "E4",
    **more: Any,
) -> Claim:
    return _claim(
        "theorem-3",
        form,
        adjacency,
        expected,
        reading,
        algorithm="adaptive-gradient-descent",
        quote=_QUOTE_3,
        parameters=parameters,
        budget=Fraction(1, 10),
        obligations=(f"{_PAPER}/{obligation}",),
        **{"statement": _THEOREM_3, **more},
    )


def _of(reading: str, records: int = 10**6) -> dict[str, Parameter]:
    return {"reading": reading, "instance": "linear", "records": records}


def _literal(adjacency: type[Adjacency]) -> Claim:
    clamped = "theorem-3@as-printed-clamped,zero-out"
    return _adaptive("as-printed", adjacency, "refuted", _LITERAL, _of("scalar"), charitable=clamped)


def _iterates(adjacency: type[Adjacency]) -> Claim:
    return _adaptive(
        "as-printed-iterates",
        adjacency,
        "refuted",
        _ITERATES,
        _of("scalar", 10**8),
        charitable="theorem-3@as-printed-clamped,zero-out",
        release="output",
    )


def _charitable(reading: str, adjacency: type[Adjacency]) -> Claim:
    form, words = f"as-printed-{reading}", _READINGS[reading] + _NON_NEGATIVE[adjacency]
    if adjacency is ZeroOut:
        return _adaptive(form, adjacency, "holds", words, _of(reading), "PO-46")
    more = {"charitable": f"theorem-3@{form},zero-out", "statement": _TRANSCRIPT_3}
    steep: dict[str, Parameter] = {"reading": reading, "instance": "steep", "records": 3164}
    # A run reads every record in each of a thousand rounds, and the verdict rests on the certificate: few runs will do.
    return _adaptive(form, adjacency, "refuted", words, steep, "PO-46", trials=LEAST_TRIALS, **more)


def _repaired(adjacency: type[Adjacency]) -> Claim:
    reading = (
        "N_t is clamped at zero, each of the two answers of a round is asked of a zCDP filter before it is made, with"
        " the cost of the noise that is used: at most rho on every path."
    )
    return _adaptive("repaired", adjacency, "holds", reading, {"clip": Fraction(1, 4)}, "PO-46")


# ------------------------------------------------------------------------------------ noisy gradient descent


_THEOREM_9: Final = "Noisy gradient descent (Algorithm 4) with the noise of Theorem 9 is rho-zCDP."
_QUOTE_9: Final = (
    (
        "Let rho > 0. Algorithm 4 with T = n^2 rho log^2(2/beta) / d, eta_t = 1 / (L~_1 t) and"
        " sigma^2 = 4 L_0^2 T / (n^2 rho) satisfies rho-zCDP."
    ),
    "Theorem 9",
)
_TWICE: Final = (
    "The printed variance is twice what T answers of sensitivity 2 L_0 / n need, and T - 1 are asked: less than half of"
    " rho is spent. T is the theorem's, rounded up; the whole transcript is judged, and with it the output."
)
_WHOLE: Final = (
    "The variance that T - 1 answers need under this adjacency spends rho. The whole transcript is judged, and with it"
    " the output."
)


_NOISY_BUDGET: Final = Fraction(1, 3000)  # for which Theorem 9 has 49 iterates


def _noisy(form: str, adjacency: type[Adjacency], reading: str) -> Claim:
    return _claim(
        "theorem-9",
        form,
        adjacency,
        "holds",
        reading,
        algorithm="noisy-gradient-descent",
        statement=_THEOREM_9,
        quote=_QUOTE_9,
        parameters={"clip": Fraction(1, 4), "weak_convexity": Fraction(1)},
        budget=_NOISY_BUDGET,
        obligations=(f"{_PAPER}/E9",),
        trials=500,  # of 49 passes over the data each; the verdict rests on the certificate
    )


_BOTH: Final = (ReplaceOne, ZeroOut)
CLAIMS: Final[tuple[Claim, ...]] = (
    *_SPIDER,
    *map(_literal, _BOTH),
    *map(_iterates, _BOTH),
    *(_charitable(reading, adjacency) for reading in _READINGS for adjacency in _BOTH),
    *map(_repaired, _BOTH),
    *(_noisy("as-printed", adjacency, _TWICE) for adjacency in _BOTH),
    *(_noisy("repaired", adjacency, _WHOLE) for adjacency in _BOTH),
    *theorems_2_and_5.CLAIMS,
)

# What a first look at the paper judges.
HEADLINE: Final = (
    "theorem-1@as-printed,zero-out",
    "theorem-1@as-printed,replace-one",
    "theorem-1@repaired,replace-one",
)
