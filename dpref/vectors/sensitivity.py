r"""How far queries move between neighbours: clipped sums and means, and every query of every registered algorithm.

An interval of a distance is widened by $2^{-40}$ of the declared bound, which is room for an implementation in doubles.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from flint import arb

from dpref.algorithms.registry import ALGORITHMS
from dpref.curator import RecordingCurator, ReplayingCurator
from dpref.problems.losses import Logistic
from dpref.reals import BALL, BALL_ARRAY, ball, exact, lower, precision, upper
from dpref.transcript import Transcript
from dpref.units import L1, L2, Linf, Norm, Span
from dpref.vectors.events import numbers_to_json
from dpref.vectors.family import (
    PASSES,
    Family,
    Judged,
    Question,
    Result,
    ends,
    exact_text,
    must_be_refused,
    number,
    paragraphs,
    said,
)
from dpref.vectors.fields import ADD, ADJACENCY, INTERVAL, NUMBER, REPLACE, TEXT, ZERO
from dpref.vectors.instances import first_plans, instance_of

_BITS: Final = 2200  # sums of squares of doubles of any size
_ROOM: Final = Fraction(1, 2**40)
_CLIP: Final = "0.5"
_MOST: Final = "1.7976931348623157e308"  # the largest double

HEADER: Final = paragraphs("""
Each test gives a query and two neighbouring data sets, d0 and d1; entries are doubles, as the nearest to their text.

clipped-sum adds up rows, each scaled down to norm at most clip; clipped-mean divides that sum by n, which is public;
private-mean divides it by the number of rows at hand; mean-gradient does as clipped-mean with the gradients of the
logistic loss log(1 + exp(-label <row, theta>)) at theta.

algorithm: a registered algorithm runs on d0, its answers are as given in steps; with the same answers it asks other
queries on d1. Each step has a distance and a bound.

valid: the distance lies in its interval, which has room for rounding, and the bound is the declared sensitivity.

invalid: with declared, the distance exceeds what is declared; without, d1 holds what is no number, and must be
refused, or must not move the query further than the bound.
""")


# ------------------------------------------------------------------------------------ what is asked


def _rows(*rows: str) -> list[list[str]]:
    return [row.split() for row in rows]


def _sums() -> Iterator[Question]:
    three = ("0.75 -1", "0.25 0.125", "-0.5 2")
    for comment, query, adjacency, first, second, *more in (
        ("a long record is removed", "clipped-sum", ADD, three, three[1:], "ClippedSum"),
        ("a short record is removed", "clipped-sum", ADD, three, (three[0], three[2]), "ClippedSum"),
        ("a record is zeroed", "clipped-sum", ZERO, three, ("0 0", *three[1:]), "ClippedSum"),
        ("a record is replaced by its opposite", "clipped-sum", REPLACE, three, ("-0.75 1", *three[1:]), "Replaced"),
        ("the same, of the mean", "clipped-mean", REPLACE, three, ("-0.75 1", *three[1:]), "Replaced"),
        ("a long record is removed, n stays", "clipped-mean", ADD, three, three[1:], "MeanGradient"),
        ("a record as long as the clip", "clipped-sum", ADD, ("0.5 0", "0.3125 0.375"), ("0.3125 0.375",), "Ties"),
        ("two records of one norm", "clipped-sum", REPLACE, ("3 4", "1 1"), ("4 3", "1 1"), "Ties"),
        ("the only record is removed", "clipped-sum", ADD, ("3 4",), (), "EmptyData"),
        ("the same records in another order", "clipped-sum", REPLACE, three, (three[2], *three[:2]), "Reordering"),
        ("squares overflow", "clipped-sum", ADD, ("1e200 1e200", "0.25 0"), ("0.25 0",), "Overflow"),
        ("the largest doubles", "clipped-sum", ADD, (f"{_MOST} -{_MOST}", "0.25 0"), ("0.25 0",), "Overflow"),
        ("squares underflow", "clipped-sum", ADD, ("1e-200 1e-200", "0.25 0"), ("0.25 0",), "Underflow"),
        ("the least double", "clipped-sum", ADD, ("5e-324 0", "0.25 0"), ("0.25 0",), "Underflow"),
    ):
        yield _question("sums", comment, query, adjacency, first, second, more)
    for text in ("nan", "inf", "-inf"):
        given = (f"{text} 0", *three[1:])
        yield _question("not-a-number", text, "clipped-sum", REPLACE, three, given, ["NotANumber"], result="invalid")
    for n in (2, 3, 10):
        shorter = ("-0.25 0",) * (n - 1)
        comment, declared = f"{n} records, one is removed", exact_text(exact(float(Fraction(_CLIP) / n)))
        records = ("3 4", *shorter), shorter
        more_given = {"declared": declared}
        flags = ("PrivateCount",)
        yield _question("private-count", comment, "private-mean", ADD, *records, flags, more_given, "invalid")


def _gradients() -> Iterator[Question]:
    rows = ("0.5 -0.25 0.125", "0.25 0.5 -0.5", "-0.75 0.125 0.25", "0.125 -0.375 0.625")
    labels = ["1", "-1", "1", "-1"]
    for theta in ("0 0 0", "1 -2 0.5", "-40 30 20"):
        for adjacency in (ADD, REPLACE, ZERO):
            other = {ADD: rows[1:], REPLACE: rows, ZERO: ("0 0 0", *rows[1:])}[adjacency]
            tags = {ADD: labels[1:], REPLACE: ["-1", *labels[1:]], ZERO: labels}[adjacency]
            more = {"theta": theta.split(), "labels0": labels, "labels1": tags}
            comment = f"gradients at ({theta}), {adjacency}"
            yield _question("gradients", comment, "mean-gradient", adjacency, rows, other, ["MeanGradient"], more)


def _question(
    topic: str,
    comment: str,
    query: str,
    adjacency: str,
    first: Sequence[str],
    second: Sequence[str],
    flags: Sequence[str],
    more: Mapping[str, Any] = MappingProxyType({}),
    result: Result = "valid",
) -> Question:
    parameters = {"clip": _CLIP, "n": len(first)} | {k: more[k] for k in ("theta",) if k in more}
    given = {
        "query": query,
        "adjacency": adjacency,
        "norm": "l2",
        "parameters": parameters,
        "d0": {"rows": _rows(*first)} | ({"labels": more["labels0"]} if "labels0" in more else {}),
        "d1": {"rows": _rows(*second)} | ({"labels": more["labels1"]} if "labels1" in more else {}),
        **{k: more[k] for k in ("declared",) if k in more},
    }
    return Question(topic=topic, comment=comment, flags=tuple(flags), given=given, result=result)


@cache
def _recorded(name: str, example: int) -> tuple[Any, Any, Any, Transcript]:
    """Problem, plan, worst pair and the run on its first data set."""
    algorithm, (problem, data) = ALGORITHMS[name], instance_of(name)
    plan = first_plans(name)[example]
    pair = problem.worst_case_pair(data, plan.sensitivity.adjacency)
    curator: Any = RecordingCurator(
        problem.read(pair.first), plan.sensitivity.adjacency, np.random.default_rng(example)
    )
    algorithm.run(problem, plan, curator)
    return problem, plan, pair, curator.transcript


def _asked(name: str, example: int) -> dict[str, Any]:
    problem, plan, pair, transcript = _recorded(name, example)
    return {
        "query": "algorithm",
        "algorithm": name,
        "example": example,
        "adjacency": plan.sensitivity.adjacency.name,
        "parameters": numbers_to_json(plan),
        "d0": _data(problem, pair.first),
        "d1": _data(problem, pair.second),
        "indices": list(transcript.indices),
        "steps": [
            {
                "label": entry.label,
                "norm": entry.sensitivity.norm.name,
                "blocks": getattr(entry, "blocks", 1),
                "answer": [exact_text(exact(float(x))) for x in entry.answer],
            }
            for entry in transcript.answers
        ],
    }


def _data(problem: Any, data: Any) -> dict[str, Any]:
    """Records and public numbers as a kernel reads them, by name."""
    return {name: _plain(value) for name, value in problem.arrays(data)._asdict().items()}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [_plain(x) for x in value]
    if isinstance(value, float | np.floating):
        return exact_text(exact(float(value))) if math.isfinite(value) else str(float(value))
    return int(value)


def questions() -> Iterator[Question]:
    """Every question about sensitivities."""
    yield from _sums()
    yield from _gradients()
    for name in ALGORITHMS:
        for example, plan in enumerate(first_plans(name)):
            yield Question(
                topic="algorithms",
                comment=f"{name} under {plan.sensitivity.adjacency.name}",
                flags=("AlgorithmQuery",),
                given=_asked(name, example),
            )


# ------------------------------------------------------------------------------------ answers


def answer(given: Mapping[str, Any], result: Result) -> dict[str, Any]:
    """Distances and bounds, one a step; of what is no number only the bound.

    Raises:
        ValueError: If an algorithm's question is another one than it was, or a distance contradicts what is declared.
    """
    of_algorithm = given["query"] == "algorithm"
    if of_algorithm and _asked(given["algorithm"], given["example"]) != given:
        raise ValueError(f"example {given['example']} of {given['algorithm']} is another question now")
    with precision(_BITS):  # after everything that is planned, which has its own
        pairs = _of_algorithm(given["algorithm"], given["example"]) if of_algorithm else [_of_rows(given)]
    found: dict[str, Any] = {"bound": [exact_text(bound) for _, bound in pairs]}
    if must_be_refused({**given, "result": result}):
        return found
    declared = [Fraction(given["declared"])] if "declared" in given else [bound for _, bound in pairs]
    exceeded = any(lower(d) > b for (d, _), b in zip(pairs, declared, strict=True))
    if exceeded != ("declared" in given):
        told = "moves further than" if exceeded else "does not move further than"
        raise ValueError(f"a query of {given.get('algorithm', given['query'])} {told} {declared}")
    return {"distance": [_widened(distance, bound) for distance, bound in pairs], **found}


def _widened(distance: arb, bound: Fraction) -> dict[str, str]:
    low, high = exact(max(0.0, lower(distance))), exact(upper(distance))
    return ends(max(Fraction(0), low - bound * _ROOM), high + bound * _ROOM)


def _of_algorithm(name: str, example: int) -> list[tuple[arb, Fraction]]:
    problem, plan, pair, transcript = _recorded(name, example)
    sides = []
    for data in (pair.first, pair.second):
        records, adjacency = problem.read(data, BALL_ARRAY), plan.sensitivity.adjacency
        curator: Any = ReplayingCurator(records, adjacency, transcript, force="answers", ops=BALL_ARRAY)
        ALGORITHMS[name].run(problem, plan, curator)
        sides.append(curator.queries)
    found: list[tuple[arb, Fraction]] = []
    for a, b, entry in zip(*sides, transcript.answers, strict=True):
        differences = [x - y for x, y in zip(a, b, strict=True)]
        moved = distance_of(differences, entry.sensitivity.norm, getattr(entry, "blocks", 1))
        found.append((moved, Fraction(entry.sensitivity.value)))
    return found


def _of_rows(given: Mapping[str, Any]) -> tuple[arb, Fraction]:
    clip, n = Fraction(given["parameters"]["clip"]), given["parameters"]["n"]
    bound = clip * (2 if given["adjacency"] == REPLACE else 1)
    if given["query"] != "clipped-sum":
        bound /= n
    first, second = (_value(given, side, clip, n) for side in ("d0", "d1"))
    return distance_of([x - y for x, y in zip(first, second, strict=True)], L2), bound


def _value(given: Mapping[str, Any], side: str, clip: Fraction, n: int) -> list[arb]:
    data, query = given[side], given["query"]
    rows = [[BALL.lift(float(x)) for x in row] for row in data["rows"]]
    if query == "mean-gradient":
        theta = [BALL.lift(float(x)) for x in given["parameters"]["theta"]]
        labels = [BALL.lift(float(y)) for y in data["labels"]]
        rows = [_gradient(row, y, theta) for row, y in zip(rows, labels, strict=True)]
    width = len(given["d0"]["rows"][0])
    total = [sum((cut[k] for cut in (clipped(row, clip) for row in rows)), arb(0)) for k in range(width)]
    divisor = {"clipped-sum": 1, "private-mean": len(rows)}.get(query, n)
    return [x / divisor for x in total]


def _gradient(row: list[arb], label: arb, theta: list[arb]) -> list[arb]:
    slope = Logistic().derivative(BALL, sum((x * t for x, t in zip(row, theta, strict=True)), arb(0)), label)
    return [slope * x for x in row]


def clipped(row: Sequence[arb], clip: Fraction) -> list[arb]:
    r"""A row scaled down to norm at most C: times $\min(1, C/\|x\|_2)$.

    >>> [round(float(x), 12) for x in clipped([arb(3), arb(4)], Fraction(1))]
    [0.6, 0.8]
    """
    squares = sum((x * x for x in row), arb(0))
    if squares <= ball(clip * clip):
        return list(row)
    factor = BALL.minimum(arb(1), ball(clip) / squares.sqrt())
    return [x * factor for x in row]


def distance_of(differences: Sequence[arb], norm: type[Norm], blocks: int = 1) -> arb:
    """The norm of a vector of balls; the spans of several blocks are added up.

    >>> float(distance_of([arb(3), arb(-4)], L2)), float(distance_of([arb(3), arb(-4)], Span))
    (5.0, 7.0)
    """
    if norm is Span:
        width = len(differences) // blocks
        parts = [differences[k : k + width] for k in range(0, len(differences), width)]
        return sum((_largest(part) + _largest([-x for x in part]) for part in parts), arb(0))
    sizes = [abs(x) for x in differences]
    if norm is Linf:
        return _largest(sizes)
    if norm is L1:
        return sum(sizes, arb(0))
    if norm is L2:
        return BALL.sqrt(sum((x * x for x in sizes), arb(0)))
    q = ball(Fraction(norm.index))
    powers = [x**q for x in sizes if not (x.is_exact() and x == 0)]
    return sum(powers, arb(0)).nonnegative_part() ** (1 / q)


def _largest(parts: Sequence[arb]) -> arb:
    found = parts[0]
    for part in parts[1:]:
        found = BALL.maximum(found, part)
    return found


def judge(test: Mapping[str, Any], answered: Any) -> Judged:
    """What is said of distances.

    Args:
        test: Of a file.
        answered: A number, or one a step.
    """
    several = isinstance(answered, Sequence | np.ndarray) and not isinstance(answered, str)
    distances = [said(x, "distance") for x in (answered if several else [answered])]
    if len(distances) != len(test["bound"]):
        return Judged("fails", f"{len(distances)} distances are answered for {len(test['bound'])} queries")
    if must_be_refused(test):
        within = distances[0] <= number(test["bound"][0])
        return PASSES if within else Judged("fails", f"moves by {float(distances[0]):.9g}, beyond its bound")
    for step, (distance, interval) in enumerate(zip(distances, test["distance"], strict=True)):
        if not number(interval["lower"]) <= distance <= number(interval["upper"]):
            shown = f"[{interval['lower']}, {interval['upper']}]"
            return Judged("fails", f"query {step} moves by {float(distance):.12g}, which is not in {shown}")
    return PASSES


_DATA: Final = {"type": "object"}

FAMILY: Final = Family(
    name="sensitivity",
    kind="SensitivityTest",
    header=HEADER,
    questions=questions,
    answer=answer,
    judge=judge,
    given={
        "query": {"enum": ["clipped-sum", "clipped-mean", "private-mean", "mean-gradient", "algorithm"]},
        "algorithm": TEXT,
        "example": {"type": "integer", "minimum": 0},
        "adjacency": ADJACENCY,
        "norm": TEXT,
        "parameters": {"type": "object"},
        "d0": _DATA,
        "d1": _DATA,
        "declared": NUMBER,
        "indices": {"type": "array", "items": {"type": "integer"}},
        "steps": {"type": "array", "items": {"type": "object", "required": ["label", "norm", "answer"]}},
    },
    required=("query", "adjacency", "parameters", "d0", "d1"),
    answers={
        "distance": {"type": "array", "items": INTERVAL},
        "bound": {"type": "array", "items": NUMBER, "minItems": 1},
    },
)
