"""Callables are judged: what is refuted, what is not, what is an error, and what is said with it.

Everything is at a fixed seed.  The statistics of many seeds are ``python -m property_tests.foreign_power``.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

import dpref
from dpref.errors import InvalidArgumentError
from dpref.foreign import DPClaim, GDPClaim, Judgement, ZCDPClaim, audit_mechanism
from dpref.foreign.behaviour import NO_RANDOMNESS, NO_SEED
from dpref.privacy.events.ledger import Gaussian, Ledger
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, ReplaceOne
from property_tests.foreign_zoo import BROKEN, CORRECT, COUNT, EMPTY, FULL, Case

ONE = DPClaim(Fraction(1))
QUICK = frozenset({"nan_of_an_outlier", "in_words"})


def judged(f: Callable[..., Any], pair: Any = COUNT, claim: Any = ONE, **more: Any) -> Judgement:
    return audit_mechanism(f, pair, claim, **{"adjacency": ReplaceOne, "learn": False, "bits": "off", **more})


def of(case: Case, **more: Any) -> Judgement:
    return judged(case.f, case.pair, case.claim, adjacency=case.adjacency, **more)


def laplace(scale: float) -> Callable[[Any, Generator], float]:
    return lambda data, rng: float(data.sum() + rng.laplace(scale=scale))


def marked(cases: tuple[Case, ...]) -> list[Any]:
    return [pytest.param(c, id=c.name, marks=() if c.name in QUICK else pytest.mark.slow) for c in cases]


@pytest.mark.parametrize("case", marked(tuple(case for case in BROKEN if case.trials == 2_000)))
def test_what_is_broken_is_refuted(case: Case) -> None:
    trials = 4_000 if case.name == "batch_is_clipped" else 2_000
    found = of(case, trials=trials)
    assert found.outcome == "refuted", found.reason
    assert found.statement("values").e_value >= 1000  # type: ignore[union-attr]
    assert found.ceiling >= found.lower


@pytest.mark.parametrize("case", marked(CORRECT))
def test_what_is_correct_is_not_refuted(case: Case) -> None:
    found = of(case, trials=600)
    assert (found.outcome, found.needed) == ("not refuted", found.needed)
    assert found.lower <= float(case.claim.value)


@pytest.mark.slow
def test_a_claim_in_rho_or_mu_is_refuted_by_its_curve() -> None:
    def gaussian(data: FloatArray, rng: Generator) -> float:
        return float(data.sum() + rng.normal())

    for claim in (GDPClaim(Fraction(1, 4)), ZCDPClaim(Fraction(1, 40))):
        assert judged(gaussian, claim=claim, trials=400).outcome == "refuted"
    assert judged(gaussian, claim=GDPClaim(Fraction(1)), trials=400).outcome == "not refuted"


# ------------------------------------------------------------------------------------ how it is said


def test_the_same_seed_gives_the_same_verdict() -> None:
    first, second, other = (judged(laplace(0.7), trials=400, seed=seed).to_json() for seed in (1, 1, 2))
    assert first == second != other


def test_the_json_has_what_is_promised_and_is_json() -> None:
    found = json.loads(json.dumps(judged(laplace(0.5), trials=400, bits="report").to_json(), allow_nan=False))
    assert found["verdict"] == "refuted"
    assert found["claimed"] == {"measure": "pure", "epsilon": "1", "delta": "0"}
    assert found["empirical"]["lower"] > 0
    assert 3 < found["ceiling"] < 4
    assert (found["trials"], found["seed"], found["score"]) == (400, 0, "value")
    assert set(found["statements"]) == {"values", "bits", "control"}


def test_the_report_names_ceiling_pair_event_and_seed() -> None:
    text = "\n".join(judged(laplace(0.5), trials=400, seed=7).lines())
    for word in (
        "refuted",
        "these runs could have shown",
        "differ in 0. and 1.",
        "the output",
        "seed 7",
        "error 0.001",
    ):
        assert word in text


def test_a_claim_beyond_the_ceiling_says_how_many_runs_it_needs() -> None:
    found = judged(laplace(0.1), claim=DPClaim(Fraction(6)), trials=400)
    assert (found.outcome, found.needed) == ("not refuted", 3199)
    assert "3199 could at the least" in found.reason


def test_a_ledger_is_declared_and_not_believed() -> None:
    said = Ledger(Gaussian(Fraction(1)), ReplaceOne)
    found = judged(laplace(0.5), claim=DPClaim(Fraction(1), Fraction(1, 100)), ledger=said, trials=400)
    assert found.outcome == "refuted"
    assert found.declared is not None
    assert found.to_json()["declared"]["status"] == "declared, not checked"
    assert any("does not follow from the declared ledger" in warning for warning in found.warnings)
    with pytest.raises(InvalidArgumentError, match="ledger"):
        judged(laplace(0.5), ledger=Ledger(Gaussian(Fraction(1)), AddOrRemoveOne))


def test_the_value_of_the_package_is_the_same_function() -> None:
    assert dpref.audit_mechanism is audit_mechanism


# ------------------------------------------------------------------------------------ what a callable must not do


def raises(data: FloatArray, rng: Generator) -> float:
    if rng.random() < 0.2:
        raise ValueError("no")
    return 0.0


def other_shapes(data: FloatArray, rng: Generator) -> FloatArray:
    return np.zeros(rng.integers(1, 3))


def scalar_or_array(data: FloatArray, rng: Generator) -> Any:
    return 0.0 if rng.random() < 0.5 else np.zeros(2)


def prints(data: FloatArray, rng: Generator) -> float:
    print("hello")
    return 0.0


def mutates(data: FloatArray, rng: Generator) -> float:
    data[0] += 1
    return 0.0


def shuffles(data: FloatArray, rng: Generator) -> float:
    rng.shuffle(data)
    return 0.0


def sleeps(data: FloatArray, rng: Generator) -> float:
    time.sleep(60)
    return 0.0


def swallows(data: FloatArray, rng: Generator) -> float:
    with suppress(Exception):  # the bug that is meant
        time.sleep(60)
    return 0.0


def strange(data: FloatArray, rng: Generator) -> object:
    return object()


def cached() -> Callable[[FloatArray, Generator], float]:
    noise: list[float] = []

    def f(data: FloatArray, rng: Generator) -> float:
        if not noise:
            noise.append(rng.laplace())
        return float(data.sum() + noise[0])

    return f


def cached_for_each_data_set() -> Callable[[FloatArray, Generator], float]:
    known: dict[bytes, float] = {}

    def f(data: FloatArray, rng: Generator) -> float:
        return (
            known.setdefault(data.tobytes(), float(rng.laplace()))
            if data.tobytes() not in known
            else known[data.tobytes()]
        )

    return f


def cached_batch() -> Callable[[FloatArray, Generator, int], FloatArray]:
    noise: list[FloatArray] = []

    def f(data: FloatArray, rng: Generator, n: int) -> FloatArray:
        if not noise:
            noise.append(rng.laplace(size=n))
        return np.asarray(data.sum() + noise[0])

    return f


def hidden_budget() -> Callable[[FloatArray, Generator], float]:
    """The second of two calls is answered with nothing but noise."""
    calls = [0]

    def f(data: FloatArray, rng: Generator) -> float:
        calls[0] += 1
        return float(data.sum() + rng.laplace()) if calls[0] % 2 else float(10 + rng.laplace())

    return f


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (raises, "raised ValueError: no (in run "),
        (other_shapes, "returned shape"),
        (scalar_or_array, "returned shape"),
        (prints, "printed 'hello'"),
        (mutates, "changed its data"),
        (shuffles, "changed its data"),
        (strange, "returned a builtins.object"),
        (cached(), "keeps its noise"),
        (cached_for_each_data_set(), "keeps its noise"),
    ],
)
def test_what_a_callable_must_not_do_is_an_error_that_names_it_and_the_run(
    f: Any, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = judged(f, (EMPTY.copy(), FULL.copy()), trials=400)
    assert found.outcome == "error"
    assert words in found.reason
    assert f.__qualname__ in found.reason
    assert "run" in found.reason
    assert "data set" in found.reason
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("f", [sleeps, swallows])
def test_a_run_that_does_not_come_back_is_interrupted_and_named(f: Any) -> None:
    found = judged(f, trials=400, limit=0.05)
    assert found.outcome == "error"
    assert "had not returned after 0.05 seconds" in found.reason
    assert "run 0, on the first data set" in found.reason


def test_batches_that_are_kept_are_seen() -> None:
    assert "keeps its noise" in judged(cached_batch(), batched=True, trials=400).reason


@pytest.mark.slow
def test_state_that_tells_the_first_run_from_the_second_is_an_error() -> None:
    found = judged(hidden_budget(), trials=2_000)
    assert found.outcome == "error"
    assert "keeps state between calls" in found.reason


def test_a_pair_that_is_none_is_an_error() -> None:
    found = judged(laplace(1), (np.zeros(9), np.ones(9)))
    assert (found.outcome, found.trials) == ("error", 0)
    assert "9 records differ" in found.reason
    assert judged(laplace(0.5), (np.zeros(9), np.ones(9)), same=lambda a, b: True, trials=400).outcome == "refuted"


def test_exceptions_and_shapes_may_be_outcomes() -> None:
    def only_on_one(data: FloatArray, rng: Generator) -> FloatArray:
        if data.sum() > 0:
            raise ValueError("no")
        return np.zeros(rng.integers(1, 3))

    assert judged(only_on_one, exceptions="output", trials=400).outcome == "refuted"


def test_lists_of_several_lengths_are_outcomes() -> None:
    def length(data: FloatArray, rng: Generator) -> list[int]:
        return [0] * (1 + int(rng.integers(3)) + 3 * int(data.sum()))

    assert judged(length, trials=400).outcome == "refuted"


def test_an_output_without_randomness_is_refuted_where_it_differs_and_warned_of() -> None:
    differs = judged(lambda data, rng: data.sum(), trials=400)
    assert (differs.outcome, differs.warnings) == ("refuted", (NO_RANDOMNESS,))
    ignored = judged(lambda data, rng: (rng.laplace(), float(data.sum()))[1], trials=400)
    assert (ignored.outcome, ignored.warnings) == ("refuted", (NO_RANDOMNESS,))
    constant = judged(lambda data, rng: 1, trials=400)
    assert (constant.outcome, constant.warnings) == ("not refuted", (NO_RANDOMNESS,))
    own = judged(lambda data: np.random.default_rng(5).normal() + data.sum(), seeding="own", trials=400)
    assert (own.outcome, own.warnings) == ("refuted", (NO_SEED,))


@pytest.mark.parametrize(
    ("more", "argument"),
    [
        ({"trials": 100}, "trials"),
        ({"trials": 2.5}, "trials"),
        ({"error": 0.001}, "error"),
        ({"bits": "all"}, "bits"),
        ({"seed": -1}, "seed"),
        ({"limit": 0}, "limit"),
        ({"exceptions": "x"}, "exceptions"),
        ({"adjacency": "replace-one"}, "adjacency"),
        ({"score": "nowhere:f"}, "target"),
    ],
)
def test_bad_arguments_are_refused_by_name(more: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidArgumentError, match=argument):
        judged(laplace(1), **more)


# ------------------------------------------------------------------------------------ scores, bits, pairs


def many_laplace(data: FloatArray, rng: Generator, n: int) -> FloatArray:
    return np.asarray(data.sum() + rng.laplace(scale=0.5, size=n))


def test_batches_are_judged_like_single_runs() -> None:
    assert judged(many_laplace, batched=True, trials=400).outcome == "refuted"


@pytest.mark.slow
def test_the_callers_score_counts_and_is_named() -> None:
    def hidden(data: FloatArray, rng: Generator) -> list[float]:
        """Two numbers whose difference modulo one tells: nothing that a threshold on a feature sees."""
        u = rng.random()
        return [u, (u + rng.random() * (0.2 if data.sum() else 1.0)) % 1.0]

    def modulo(outputs: list[list[float]]) -> FloatArray:
        return np.array([(b - a) % 1.0 for a, b in outputs])

    plain, scored = (judged(hidden, score=score, trials=400) for score in (None, modulo))
    assert scored.outcome == "refuted"
    assert scored.score == "the caller's score"
    assert plain.statement("values").e_value < scored.statement("values").e_value  # type: ignore[union-attr]


def test_a_score_that_fails_is_an_error_that_names_it() -> None:
    found = judged(laplace(1), score=lambda outputs: np.zeros(3), trials=400)
    assert found.outcome == "error"
    assert "returned shape (3,)" in found.reason


@pytest.mark.slow
def test_low_order_bits_are_a_statement_of_their_own() -> None:
    def naive(data: FloatArray, rng: Generator) -> float:
        return float(data.sum() + math.log(rng.random()) * rng.choice([-1.0, 1.0]))

    report, refute = (judged(naive, bits=bits, trials=400) for bits in ("report", "refute"))
    assert (report.outcome, refute.outcome) == ("not refuted", "refuted")
    assert report.statement("bits").refuted  # type: ignore[union-attr]
    assert report.statement("bits").lower > 0.8  # type: ignore[union-attr]


@pytest.mark.slow
def test_the_worst_of_several_pairs_is_searched_on_runs_of_its_own() -> None:
    def pairs() -> Iterator[tuple[FloatArray, FloatArray]]:
        for k in (0, 1, 2, 10, 3):
            yield EMPTY, np.concatenate([[float(k)], EMPTY[1:]])

    found = judged(laplace(4), pairs, trials=1_200)
    assert (found.outcome, found.pair) == ("refuted", "candidate 3")
    assert found.trials <= 1_200
    assert found.statement("values").counts[2] < found.trials  # type: ignore[union-attr]
