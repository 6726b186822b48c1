"""Runs on a tape as golden vectors: a loop in numpy passes, and each planted bug fails at the right place."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.registry import ALGORITHMS
from dpref.documents import violations
from dpref.vectors.check import ask
from dpref.vectors.families import FAMILIES
from dpref.vectors.transcript import document_of

FAMILY = FAMILIES["transcript"]


@pytest.fixture(scope="module")
def tests() -> dict[str, dict[str, Any]]:
    """The first test of every algorithm, with its answers."""
    found: dict[str, dict[str, Any]] = {}
    for question in FAMILY.questions():
        if question.topic not in found:
            head = {"tcId": 1, "flags": list(question.flags), "result": question.result}
            found[question.topic] = {**head, **question.given, **FAMILY.answer(question.given, question.result)}
    return found


def array(given: dict[str, Any]) -> Any:
    return np.frombuffer(base64.b64decode(given["float64le"]), "<f8").reshape(given["shape"])


def descent(
    asked: dict[str, Any], noise: Callable[[int, Any], Any] = lambda t, z: z, *, whole: bool = False
) -> dict[str, Any] | None:
    """Noisy gradient descent as another library would write it, from the file alone."""
    if asked["algorithm"] != "gradient-descent":
        return None
    problem, parameters = asked["problem"], asked["parameters"]
    rows, labels = array(problem["features"]), array(problem["labels"])
    clip, step = (float.fromhex(x["double"]) for x in (problem["clip"], parameters["step_size"]))
    draws = array(asked["tape"]).reshape(parameters["steps"], -1)
    theta = np.array([float.fromhex(x["double"]) for x in parameters["start"]["list"]])
    iterates = []
    for t, draw in enumerate(asked["draws"]):
        gradients = -(labels / (1 + np.exp(labels * (rows @ theta))))[:, None] * rows
        sizes = np.linalg.norm(gradients.mean(axis=0) if whole else gradients, axis=-1, keepdims=True)
        mean = (gradients * np.minimum(1, clip / sizes)).sum(axis=0) / problem["n"]
        theta = theta - step * (mean + noise(t, float.fromhex(draw["std"]) * draws[t]))
        iterates.append(theta)
    return {"iterates": [x.tolist() for x in iterates], "output": theta.tolist()}


@pytest.mark.slow
def test_a_loop_that_follows_the_tape_passes(tests: dict[str, dict[str, Any]]) -> None:
    assert ask("transcript", tests["gradient-descent"], descent).outcome == "passes"
    assert ask("transcript", tests["svrg"], descent).outcome == "not answered"


@pytest.mark.slow
def test_the_last_iterate_of_a_run_without_iterates_is_its_output() -> None:
    """Once it was not compared at all, beside queries that agree."""
    question = next(q for q in FAMILY.questions() if q.topic == "dynamic-boosting")
    answered = FAMILY.answer(question.given, question.result)
    test = {"tcId": 1, "flags": list(question.flags), "result": question.result, **question.given, **answered}
    queries = [{"query": array(step["query"]).ravel().tolist()} for step in test["steps"]]
    output = array(test["output"]).ravel()

    def with_last(point: Any) -> Any:
        return {"steps": [*queries[:-1], {**queries[-1], "iterate": point.tolist()}]}

    assert ask("transcript", test, lambda _: with_last(output)).outcome == "passes"
    judged = ask("transcript", test, lambda _: with_last(output + 1000))
    assert (judged.outcome, judged.why[:8]) == ("fails", "output 0")


BUGS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "noise for the mean is added to the sum": (lambda asked: descent(asked, lambda _, z: z / 4), "output 0"),
    "half the noise": (lambda asked: descent(asked, lambda _, z: z / 2), "output 0"),
    "no noise in the last step": (lambda asked: descent(asked, lambda t, z: z * (t < 4)), "output 0"),
    "another sign": (lambda asked: descent(asked, lambda _, z: -z), "output 0"),
    "an iterate is missing": (lambda asked: {"iterates": descent(asked)["iterates"][:-1]}, "4 steps"),  # type: ignore[index]
    "no number": (lambda asked: {"output": [float("nan")] * 3}, "must not be NaN"),
}


@pytest.mark.slow
@pytest.mark.parametrize("bug", sorted(BUGS))
def test_planted_bug_each_other_run_fails(tests: dict[str, dict[str, Any]], bug: str) -> None:
    implementation, said = BUGS[bug]
    judged = ask("transcript", tests["gradient-descent"], implementation)
    assert judged.outcome == "fails"
    assert said in judged.why


@pytest.mark.slow
def test_planted_bug_the_first_step_that_differs_is_named(tests: dict[str, dict[str, Any]]) -> None:
    def late(asked: dict[str, Any]) -> Any:
        found = descent(asked, lambda t, z: z * (1 + 1e-9 * (t == 3)))
        return {"iterates": found["iterates"]} if found else None

    judged = ask("transcript", tests["gradient-descent"], late)
    assert judged.outcome == "fails"
    assert judged.why.startswith("step 3 of 5, iterate: differs")


@pytest.mark.slow
def test_every_algorithm_has_a_transcript_that_follows_the_published_schema(tests: dict[str, dict[str, Any]]) -> None:
    assert list(tests) == list(ALGORITHMS)
    for test in tests.values():
        assert list(violations(document_of(test), "transcript.schema.json")) == []
        assert len(test["final"]) == array(test["output"]).size
        own = {"output": array(test["output"]).ravel().tolist()}
        assert ask("transcript", test, lambda _, own=own: own).outcome == "passes"  # type: ignore[misc]
