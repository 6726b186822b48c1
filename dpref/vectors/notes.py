"""What kind of bug a failing test reveals: a note for every flag that a test can have."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, final, get_args

BugType: TypeAlias = Literal[
    "BASIC",
    "UNDER_REPORTS",
    "UNDER_NOISED",
    "SENSITIVITY",
    "ADJACENCY",
    "SAMPLING",
    "COMPOSITION",
    "FLOATING_POINT",
    "EDGE_CASE",
    "REUSE",
    "LOOSE",
    "CONVENTION",
]
BUG_TYPES: Final[tuple[BugType, ...]] = get_args(BugType)


@final
@dataclass(frozen=True)
class Note:
    """What a flag means.

    Attributes:
        bug: The kind of bug.
        description: What the test looks at, and which mistake fails it.
        effect: What the mistake does to somebody's privacy or result.
        links: Where it is described.
    """

    bug: BugType
    description: str
    effect: str = ""
    links: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As a file of vectors has it."""
        found: dict[str, Any] = {"bugType": self.bug, "description": self.description}
        if self.effect:
            found["effect"] = self.effect
        if self.links:
            found["links"] = list(self.links)
        return found


_LESS: Final = "Less privacy than is reported."
_REFUSED: Final = "What is nonsense gets a number that looks like a guarantee."

NOTES: Final = MappingProxyType(
    {
        # ---------------------------------------------------------------- accountants and calibration
        "Basic": Note("BASIC", "A plain case, which any implementation of the mechanism gets right."),
        "Algorithm": Note(
            "BASIC", "What a registered algorithm spends, its noise multipliers rounded to short doubles."
        ),
        "StrongComposition": Note(
            "COMPOSITION",
            "Many answers of a pure mechanism. The square root of the number of answers without the factor"
            " sqrt(2 ln(1/delta)) of the composition theorem, or epsilon of one answer times that root, is too small.",
            _LESS,
            ("Dwork, Rothblum, Vadhan 2010, Theorem III.3",),
        ),
        "SampledGaussian": Note(
            "SAMPLING",
            "Gaussian noise on Poisson samples. A rate that enters squared where it enters once (or the other way"
            " round), or only the leading term of the Rényi divergence, is wrong here.",
            _LESS,
            ("Mironov, Talwar, Zhang 2019",),
        ),
        "GdpLimit": Note(
            "UNDER_REPORTS",
            "The central limit of sampled Gaussians, mu = q sqrt(T (exp(1/sigma^2) - 1)), taken for a bound: it is a"
            " limit, and here it lies below the truth.",
            _LESS,
            ("Bu, Dong, Long, Su 2020", "Gopi, Lee, Wutschitz 2021, Section 1"),
        ),
        "SmallDelta": Note(
            "FLOATING_POINT",
            "A delta far below the unit roundoff. A tail that is computed as 1 minus a probability, or by a Fourier"
            " transform in doubles without its error, loses it.",
            _LESS,
        ),
        "ManySteps": Note(
            "COMPOSITION",
            "Very many answers: a grid of losses that is too coarse, or rounding that piles up, shows.",
            _LESS,
        ),
        "SmallOrders": Note(
            "LOOSE",
            "Little noise and a large epsilon: the best Rényi order is below 2, and who searches integer orders, or"
            " converts by log(1/delta)/(order - 1) alone, reports much more than is spent.",
            "Correct, and wasteful.",
        ),
        "TinyEpsilon": Note(
            "EDGE_CASE",
            "An epsilon near zero: exp(epsilon) - 1 and the difference of two nearly equal tails cancel.",
            _LESS,
        ),
        "OneAnswer": Note(
            "EDGE_CASE", "A single answer, whose curve is known exactly: no grid and no orders are needed."
        ),
        "RateOne": Note(
            "EDGE_CASE",
            "A sampling rate of one samples nothing: the answer is that of the mechanism alone. Formulas that divide by"
            " 1 - q break here.",
        ),
        "WithoutReplacement": Note(
            "SAMPLING",
            "Batches of a fixed size, drawn without replacement. Accounting them as Poisson samples is wrong: under"
            " replace-one a record comes and another goes in the same batch.",
            _LESS,
        ),
        "Laplace": Note("BASIC", "Laplace noise: 1/scale for delta = 0, and less for a positive delta."),
        "RandomizedResponse": Note(
            "BASIC", "Randomised response, with two answers or more; epsilon at a positive delta is below the pure one."
        ),
        "Discrete": Note(
            "FLOATING_POINT",
            "Integer noise. Its delta is not that of the continuous Gaussian or Laplace, and can lie above it.",
            _LESS,
            ("Canonne, Kamath, Steinke 2020",),
        ),
        "Selection": Note(
            "COMPOSITION",
            "Choices by the exponential mechanism or noisy maxima: bounded range composes better than pure privacy, and"
            " not every choice has bounded range.",
        ),
        "Mixed": Note(
            "COMPOSITION",
            "Different mechanisms in one composition: budgets of different kinds (epsilon, rho, mu) must not be added"
            " up as they are, and nothing may be dropped.",
            _LESS,
        ),
        "Tree": Note(
            "COMPOSITION",
            "Tree aggregation: a record enters one node a level, so every level is an answer of its own.",
            _LESS,
        ),
        "OneSided": Note("LOOSE", "No lower end is known: a larger answer is loose, and none is wrong."),
        "OutOfDomain": Note(
            "EDGE_CASE", "What is given is no mechanism or no budget: an answer must be refused, or infinite.", _REFUSED
        ),
        "ClaimedTooLittle": Note(
            "UNDER_REPORTS",
            "A value that is given as claimed is below the truth: who answers it, or accepts it, is wrong.",
            _LESS,
        ),
        "DeltaAtEpsilon": Note("BASIC", "Asked the other way round: delta at an epsilon."),
        "LeastNoise": Note(
            "UNDER_NOISED",
            "The least noise that meets a budget. Less provably does not; the textbook formula, the central limit or a"
            " budget that is split wrongly shows.",
            "Less noise than the promise needs.",
        ),
        "LargeEpsilon": Note(
            "UNDER_NOISED",
            "A budget of epsilon > 1: sqrt(2 ln(1.25/delta))/epsilon was proved for epsilon at most one, and falls"
            " short of what is needed for large ones.",
            "Less noise than the promise needs.",
            ("Balle, Wang 2018",),
        ),
        "MostSteps": Note("COMPOSITION", "The most answers within a budget: one more provably is too many.", _LESS),
        "LargestRate": Note("SAMPLING", "The largest sampling rate within a budget.", _LESS),
        # ---------------------------------------------------------------- sensitivity
        "ClippedSum": Note(
            "SENSITIVITY",
            "A sum of records, each cut to a norm. A clip of the sum, a clip coordinate by coordinate, or none at all,"
            " moves further.",
            "Noise that does not cover what one record changes.",
        ),
        "MeanGradient": Note(
            "SENSITIVITY",
            "The mean of clipped gradients, divided by the public number of records.",
            "Noise that does not cover what one record changes.",
        ),
        "PrivateCount": Note(
            "SENSITIVITY",
            "A mean that is divided by the number of records at hand: under add-or-remove-one all other records move,"
            " and the declared bound clip/n is exceeded.",
            "Noise that does not cover what one record changes.",
        ),
        "NotANumber": Note(
            "EDGE_CASE",
            "A record with NaN or infinity: comparisons with it are false, so that it passes a clip unchanged, and a"
            " single record makes the whole sum NaN.",
            "One record decides what is released.",
        ),
        "Overflow": Note(
            "FLOATING_POINT",
            "The squares of a record overflow: its norm seems infinite, its clipped form zero or NaN.",
        ),
        "Underflow": Note(
            "FLOATING_POINT",
            "The squares of a record underflow: its norm seems zero, and a division by it yields NaN or infinity.",
        ),
        "Ties": Note(
            "EDGE_CASE", "A record whose norm is exactly the clip, or two records that share the largest norm."
        ),
        "Reordering": Note(
            "FLOATING_POINT",
            "The same records in another order: the exact distance is zero. Sums in floating point move, by more than"
            " nothing and by less than the tolerance.",
        ),
        "EmptyData": Note("EDGE_CASE", "The only record is removed: the sum of nothing is zero."),
        "Replaced": Note(
            "ADJACENCY",
            "One record is replaced by its opposite: twice the clip. Half of it is the bound for a record that is"
            " added, removed or zeroed.",
            "Half the noise that the adjacency needs.",
        ),
        "AlgorithmQuery": Note(
            "SENSITIVITY",
            "The queries of a registered algorithm on its worst pair, with the answers forced: how far each moves, and"
            " the bound that the algorithm declares.",
            "Noise that does not cover what one record changes.",
        ),
        # ---------------------------------------------------------------- runs, samplers, claims
        "Replay": Note(
            "CONVENTION",
            "A run on recorded unit draws. Noise for the mean that is added to a sum, a clip of the batch, a step"
            " without noise or a draw that is used twice lead elsewhere.",
            "The noise that was accounted for is not the noise that is added.",
        ),
        "Choices": Note(
            "REUSE",
            "Choices among noisy scores, by recorded unit draws: noise that is shared between candidates, or between"
            " choices, chooses others.",
            _LESS,
        ),
        "ExactCoin": Note(
            "FLOATING_POINT", "A coin of probability exp(-gamma) from recorded bits, without a floating-point number."
        ),
        "ExactLaplace": Note(
            "FLOATING_POINT",
            "A discrete Laplace draw from recorded bits. Without the rejection of minus zero, zero is twice too"
            " likely.",
        ),
        "ExactGaussian": Note(
            "FLOATING_POINT",
            "A discrete Gaussian draw from recorded bits. The proposal's scale is floor(sigma) + 1, and the parameter"
            " is the variance, not its root.",
            "Less noise than is accounted for, if the root is taken for the variance.",
        ),
        "PaperHolds": Note("LOOSE", "A claim that a certificate proves: who refutes it is wrong."),
        "PaperRefuted": Note(
            "UNDER_REPORTS", "A claim that a certificate or runs refute: who finds that it holds is wrong.", _LESS
        ),
        "PaperUndecided": Note("BASIC", "A claim about which nothing is known either way."),
    }
)
