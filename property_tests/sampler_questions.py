"""What may go wrong with the numbers of samplers and groups, as in ``fail_closed_questions.py``."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from dpref.privacy.events import allocation, sampled
from dpref.privacy.events.ledger import Gaussian
from property_tests.question import Question, q
from property_tests.refused_values import NO_CHANCE, NO_COUNT, NO_POSITIVE, TENTH

SAMPLERS: tuple[Question, ...] = (
    q(
        "events.sampled.TruncatedPoisson", sampled.TruncatedPoisson,
        {"event": Gaussian(Fraction(1)), "rate": TENTH, "batch": 2, "records": 9},
        rate=NO_CHANCE, batch=st.one_of(NO_COUNT, st.just(10)), records=st.one_of(NO_COUNT, st.just(1)),
    ),
    q(
        "events.sampled.SampleWithReplacement", sampled.SampleWithReplacement,
        {"event": Gaussian(Fraction(1)), "batch": 2, "records": 9}, batch=NO_COUNT, records=NO_COUNT,
    ),
    q(
        "events.sampled.MixtureGaussian", sampled.MixtureGaussian,
        {"shifts": (0, 1), "weights": (TENTH, 1 - TENTH), "noise_multiplier": 1},
        shifts=st.sampled_from([(0, 0), (1,), (-1, 1), (0.5, 1), (True, 1)]),
        weights=st.sampled_from([(0, 1), (1,), (TENTH, TENTH), (0.5, 0.5)]), noise_multiplier=NO_POSITIVE,
    ),
    q("events.sampled.Group", sampled.Group, {"event": Gaussian(Fraction(1)), "size": 2}, size=NO_COUNT),
    q(
        "events.allocation.RandomAllocation", allocation.RandomAllocation,
        {"event": Gaussian(Fraction(1)), "steps": 3, "participations": 1}, steps=NO_COUNT, participations=NO_COUNT,
    ),
    q(
        "events.allocation.Shuffled", allocation.Shuffled, {"event": Gaussian(Fraction(1)), "batches": 3},
        batches=NO_COUNT,
    ),
)  # fmt: skip
