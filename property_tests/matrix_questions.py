"""What may go wrong with every number of a matrix mechanism, as in ``fail_closed_questions.py``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from dpref.privacy import rounds
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.events import arrays, factorization, matrix, participation, tree
from dpref.privacy.events.ledger import Gaussian, Ledger
from dpref.units import ReplaceOne
from property_tests.question import Question, q
from property_tests.refused_values import (
    JUNK,
    NO_CHANCE,
    NO_COUNT,
    NO_DELTA,
    NO_LEDGER,
    NO_POSITIVE,
    NO_POSITIVE_NUMBER,
    NO_REAL,
    TENTH,
    Strategy,
    given_only,
)

ONE = Fraction(1)
COLUMN = matrix.SampledColumn(ONE, ONE, TENTH)
ROUND = Ledger(COLUMN, ReplaceOne)
BANDED = matrix.ToeplitzGaussian(ONE, (ONE,), 3, rate=TENTH)
NO_TUPLE = st.one_of(JUNK.map(lambda x: (ONE, x, ONE)), st.sampled_from([(), [1], None, 1, (0, 0, 0)]))
NO_FLAG = st.sampled_from([None, 0, 1, "true", 0.5])
PATTERN: dict[str, Strategy] = {
    "noise_multiplier": NO_POSITIVE,
    "max_participations": given_only(NO_COUNT),
    "min_separation": NO_COUNT,
    "rate": given_only(NO_CHANCE),
}
NO_MATRIX = st.sampled_from([None, Gaussian(ONE), 1, "tree_gaussian(1, 8)"])


def pattern(steps: Any, max_participations: Any, min_separation: Any) -> participation.Pattern:
    """A pattern of anything."""
    return participation.Pattern.of(steps, max_participations, min_separation)


MATRICES: tuple[Question, ...] = (
    q(
        "events.matrix.MatrixGaussian", matrix.MatrixGaussian,
        {"noise_multiplier": 1, "matrix": (ONE, ONE, ONE), "min_separation": 1},
        matrix=st.one_of(NO_TUPLE, st.just((ONE, ONE))), **PATTERN,
    ),
    q(
        "events.arrays.matrix_mechanism", arrays.matrix_mechanism,
        {"matrix": [[1, 0], [0.5, 1]], "noise_multiplier": 0.5, "min_separation": 2},
        matrix=st.sampled_from([[], [[]], [[0]], [[1, 1], [0, 1]], [[1], [float("nan"), 1]], [[1], [1], [1]]]),
        noise_multiplier=NO_POSITIVE_NUMBER, max_participations=given_only(NO_COUNT), min_separation=NO_COUNT,
        rate=given_only(NO_POSITIVE_NUMBER),
    ),
    q(
        "events.matrix.ToeplitzGaussian", matrix.ToeplitzGaussian,
        {"noise_multiplier": 1, "coefficients": (ONE,), "steps": 3},
        coefficients=NO_TUPLE, steps=NO_COUNT, inverse=NO_FLAG, **PATTERN,
    ),
    q(
        "events.matrix.PrefixSumSqrt", matrix.PrefixSumSqrt, {"noise_multiplier": 1, "steps": 3, "bands": 1},
        steps=NO_COUNT, bands=given_only(NO_COUNT), **PATTERN,
    ),
    q(
        "events.matrix.TreeGaussian", matrix.TreeGaussian, {"noise_multiplier": 1, "leaves": 3},
        leaves=NO_COUNT, padded=NO_FLAG, **{name: no for name, no in PATTERN.items() if name != "rate"},
    ),
    q(
        "events.matrix.SampledColumn", matrix.SampledColumn,
        {"noise_multiplier": 1, "squared_norm": 1, "rate": TENTH},
        noise_multiplier=NO_POSITIVE, squared_norm=NO_POSITIVE, rate=NO_CHANCE,
        attained=given_only(st.one_of(NO_REAL, st.just(2))),
    ),
    q(
        "events.participation.Pattern.of", pattern, {"steps": 3, "max_participations": 2, "min_separation": 1},
        steps=NO_COUNT, max_participations=given_only(NO_COUNT), min_separation=NO_COUNT,
    ),
    q(
        "events.tree.tree_sensitivity", tree.tree_sensitivity, {"leaves": 8, "max_participations": 2},
        leaves=NO_COUNT, max_participations=given_only(NO_COUNT), min_separation=NO_COUNT,
    ),
    q("events.factorization.sensitivity", factorization.sensitivity, {"event": BANDED}, event=NO_MATRIX),
    q("events.factorization.rounds", factorization.rounds, {"event": BANDED}, event=NO_MATRIX),
    q(
        "closed_forms.gaussian.attained_gdp", gaussian.attained_gdp, {"ledger": Ledger(Gaussian(ONE), ReplaceOne)},
        ledger=NO_LEDGER,
    ),
    q("rounds.epsilon", rounds.epsilon, {"ledger": ROUND, "delta": TENTH}, ledger=NO_LEDGER, delta=NO_DELTA),
    q(
        "rounds.within", rounds.within, {"ledger": ROUND, "delta": TENTH, "width": TENTH}, ledger=NO_LEDGER,
        delta=NO_DELTA, width=NO_POSITIVE,
    ),
    q("rounds.delta", rounds.delta, {"ledger": ROUND, "epsilon": 1}, ledger=NO_LEDGER, epsilon=NO_REAL),
)  # fmt: skip
