"""Audits by one run: a training of the library, plans and second looks, refusals."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.gradient_descent import algorithm, plan
from dpref.curator import LiveCurator
from dpref.errors import ForeignCodeError, InvalidArgumentError, StoreError
from dpref.foreign.claims import Claim, DPClaim
from dpref.foreign.one_run import OneRun, audit_one_run, guessed
from dpref.problems.erm import ERMProblem, Records
from dpref.problems.losses import Logistic
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut
from tests.effort import runs

ERROR = Fraction(1, 1000)
SOLVER = 1e-6  # the feasibility tolerance of the linear program is 1e-7 a constraint


# ------------------------------------------------------------------------------------ a training of the library

CANARIES = 200
PROBLEM = ERMProblem(Logistic(), n=CANARIES, dimension=CANARIES)
PARAMS = plan.Params(Fraction(1), Fraction(1, 10**5), 3, AddOrRemoveOne)
CLAIM = DPClaim(PARAMS.epsilon, PARAMS.delta)


def descent(noise: float, included: FloatArray, rng: np.random.Generator) -> FloatArray:
    """DP-GD on the canaries that are in, with so many times its noise; the public n is that of all of them."""
    made = plan.plan(PROBLEM, PARAMS)
    curator = LiveCurator(Records(included, np.ones(len(included))), AddOrRemoveOne, _Scaled(rng, noise))
    return algorithm.run(PROBLEM, made, curator)


class _Scaled(np.random.Generator):
    """A generator whose normal draws are scaled: the planted bug."""

    def __init__(self, rng: np.random.Generator, scale: float) -> None:
        super().__init__(rng.bit_generator)
        self.scale = scale

    def standard_normal(self, *args: Any, **kwargs: Any) -> Any:
        return self.scale * np.asarray(super().standard_normal(*args, **kwargs))


def along(released: FloatArray, canaries: FloatArray) -> FloatArray:
    return canaries @ released


def audited(noise: float, folder: Path, seed: int = 0, guesses: Any = "half", claim: Claim = CLAIM) -> OneRun:
    return audit_one_run(
        partial(descent, noise),
        np.eye(CANARIES),
        along,
        claim,
        adjacency=AddOrRemoveOne,
        store=folder,
        seed=seed,
        guesses=guesses,
    )


def test_a_correct_training_is_not_refuted(tmp_path: Path) -> None:
    for seed in range(runs(30, 5)):
        found = audited(1.0, tmp_path / str(seed), seed)
        assert found.outcome == "not refuted", seed
        assert found.lower < 1


def test_planted_bug_a_twentieth_of_the_noise_is_refuted_by_one_run(tmp_path: Path) -> None:
    found = audited(1 / 20, tmp_path)
    assert found.outcome == "refuted"
    assert CLAIM.epsilon < found.lower <= found.ceiling
    assert (found.canaries, found.guesses) == (CANARIES, 100)
    assert found.e_value > 1 / (2 * math.sqrt(ERROR))
    assert "refuted" in str(found)
    document = json.loads(json.dumps(found.to_json()))
    assert document["verdict"] == "refuted"
    assert document["empirical"]["lower"] == found.lower


def test_the_same_seed_gives_the_same_verdict(tmp_path: Path) -> None:
    first, second, other = (audited(0.3, tmp_path / name, seed) for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    assert first == second
    assert first.right != other.right


# ------------------------------------------------------------------------------------ plans, looks, refusals


def disclose(included: Sequence[int], rng: np.random.Generator) -> set[int]:
    return set(included)


def is_in(released: set[int], canaries: Sequence[int]) -> list[bool]:
    return [canary in released for canary in canaries]


def simple(folder: Path, **changes: Any) -> OneRun:
    asked: dict[str, Any] = {
        "train": disclose,
        "canaries": tuple(range(60)),
        "score": is_in,
        "claim": DPClaim(Fraction(1)),
    }
    asked |= {"adjacency": AddOrRemoveOne, "store": folder, "code_version": "1"} | changes
    return audit_one_run(**asked)


def test_a_second_look_is_refused_and_the_same_look_is_the_record(tmp_path: Path) -> None:
    first = simple(tmp_path)
    assert (first.outcome, first.guesses, first.right) == ("refuted", 30, 30)

    def never(included: Any, rng: Any) -> None:
        raise AssertionError("it ran again")

    never.__module__, never.__qualname__ = disclose.__module__, disclose.__qualname__
    assert simple(tmp_path) == first
    files = sorted(path.name for path in tmp_path.iterdir())
    assert len(files) == 2
    changes: list[tuple[str, dict[str, Any]]] = [
        ("claim", {"claim": DPClaim(Fraction(2))}),
        ("canaries", {"canaries": tuple(range(61))}),
        ("guesses", {"guesses": 59}),
        ("error", {"error": Fraction(1, 100)}),
        ("seed", {"seed": 1}),
    ]
    for name, change in changes:
        with pytest.raises(StoreError, match=name):
            simple(tmp_path, **change)
    assert sorted(path.name for path in tmp_path.iterdir()) == files


def test_the_plan_is_written_before_the_run_and_a_run_that_died_is_made_again(tmp_path: Path) -> None:
    seen: list[list[str]] = []

    def dying(included: Any, rng: Any) -> None:
        seen.append(sorted(path.name.rpartition(".")[2] for path in tmp_path.iterdir()))
        raise KeyboardInterrupt

    dying.__module__, dying.__qualname__ = disclose.__module__, disclose.__qualname__
    undisturbed = simple(tmp_path / "other")
    with pytest.raises(KeyboardInterrupt):
        simple(tmp_path / "mine", train=dying, score=is_in)
    (written,) = (tmp_path / "mine").iterdir()
    assert json.loads(written.read_text().rpartition("\n")[0])["guesses"] == 30
    again = simple(tmp_path / "mine", train=dying.__wrapped__ if hasattr(dying, "__wrapped__") else disclose)
    assert again == undisturbed


def test_a_torn_result_is_not_believed(tmp_path: Path) -> None:
    first = simple(tmp_path)
    (result,) = tmp_path.glob("*.result.json")
    result.write_bytes(result.read_bytes().replace(b"30", b"29"))
    assert simple(tmp_path) == first
    assert len(list(tmp_path.glob("*.torn"))) == 1


def test_refusals_name_the_rule(tmp_path: Path) -> None:
    adjacencies: list[type[Adjacency]] = [ReplaceOne, ZeroOut]
    for adjacency in adjacencies:
        with pytest.raises(InvalidArgumentError, match="must be add-or-remove-one"):
            simple(tmp_path, adjacency=adjacency)
    with pytest.raises(InvalidArgumentError, match="those at 1 and 3 are equal"):
        simple(tmp_path, canaries=[1, 2, 3, 2])
    with pytest.raises(InvalidArgumentError, match="equal"):
        simple(tmp_path, canaries=np.zeros((3, 2)))
    bad: list[tuple[str, Any]] = [("guesses", 61), ("guesses", 0), ("error", 0.5), ("seed", -1), ("canaries", [1])]
    for name, value in bad:
        with pytest.raises(InvalidArgumentError, match=name):
            simple(tmp_path, **{name: value})
    assert list(tmp_path.iterdir()) == []


def raises(included: Any, rng: Any) -> None:
    raise ZeroDivisionError("no records")


def spoils(included: Any, rng: Any) -> None:
    CHANGED[0] += 1.0


CHANGED = np.arange(60.0)


def test_bad_code_is_named(tmp_path: Path) -> None:
    cases: list[tuple[str, dict[str, Any]]] = [
        ("raises raised ZeroDivisionError: no records", {"train": raises}),
        ("must return 60 real numbers", {"score": lambda released, canaries: [1.0]}),
        ("real numbers", {"score": lambda released, canaries: ["a"] * 60}),
        ("changed the canaries", {"train": spoils, "canaries": CHANGED, "score": lambda released, canaries: canaries}),
    ]
    for i, (what, change) in enumerate(cases):
        with pytest.raises(ForeignCodeError, match=what):
            simple(tmp_path / str(i), **change)


@pytest.mark.parametrize(
    ("scores", "guesses", "expected"),
    [
        ([3.0, 1.0, 2.0, 0.0], 2, ([0], [3])),
        ([3.0, 1.0, 2.0, 0.0], 4, ([2, 0], [3, 1])),
        ([math.inf, math.nan, -math.inf, 0.0], 3, ([0], [2, 3])),
        ([math.nan, math.nan, 5.0, math.nan], 2, ([3], [2])),
        ([1.0, 1.0, 1.0], 2, ([2], [0])),
    ],
)
def test_who_is_guessed(scores: list[float], guesses: int, expected: tuple[list[int], list[int]]) -> None:
    found = guessed(np.array(scores), guesses)
    assert (found[0].tolist(), found[1].tolist()) == expected


def test_guesses_without_a_leak_are_right_half_of_the_time(tmp_path: Path) -> None:
    from scipy.stats import binom

    def silent(included: Any, rng: Any) -> None:
        """Releases nothing."""

    def blind(released: Any, canaries: Any) -> FloatArray:
        return np.zeros(len(canaries))

    found = [
        simple(tmp_path / str(s), train=silent, score=blind, guesses="all", seed=s, canaries=tuple(range(1000)))
        for s in range(3)
    ]
    assert all(binom.ppf(0.0001, 1000, 0.5) <= one.right <= binom.ppf(0.9999, 1000, 0.5) for one in found)
    assert all(one.outcome == "not refuted" for one in found)
