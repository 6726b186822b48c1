"""Whether the queries of a whole run move by no more than is declared, its answers being the same on both data sets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from dpref.errors import InvalidArgumentError
from dpref.foreign.replay.recording import Recording, Step
from dpref.foreign.replay.sensitivity import Largest, SensitivityError, as_pairs, distance, exceeds, said
from dpref.reals import FloatArray, exact
from dpref.units import L2, Norm

# What single precision may make of an answer that was forced; what is more is another answer.
_ROUNDING: Final = 1e-5

Replayed: TypeAlias = Callable[[Any, Sequence[FloatArray]], Iterable[Step]]


def assert_sensitivity_of_run(
    foreign: Replayed,
    pairs: Iterable[Any],
    declared: Fraction | int,
    *,
    draws: Recording | Sequence[FloatArray],
    norm: type[Norm] = L2,
    slack: Fraction | float | None = None,
) -> Largest:
    r"""Refuse a declared sensitivity that some query of a whole run exceeds, its answers being the same on both sides.

    An optimizer's later queries depend on its earlier answers.  So it runs on the one data set with the given draws,
    and on the other with draws that make every answer come out as it was, $z'_t=z_t+(q_t-q'_t)/\sigma_t$: the
    iterates are then the same and what the queries still differ by is the record.  The draws of step t are known after
    a run with those of the steps before, so that a run of T steps is repeated T times.

    Args:
        foreign: ``(data, draws) -> steps`` with query and noise (as it was added) of each; draws are unit draws, one
            array a step.
        pairs: Pairs of neighbours.
        declared: What every query moves at most, in the unit of the queries.
        draws: Of the run on the first data set: a recording, or arrays.
        norm: In which the sensitivity is declared.
        slack: What it may move besides; by default 1e-9 of what is declared, as forced answers come out up to rounding.

    Returns:
        The pair on which a query moved the most.

    Raises:
        SensitivityError: If one moves by more.
        InvalidArgumentError: If there are no draws or no pairs, or an answer cannot be forced: the runs differ in their
            steps, a step adds no noise, or not one number, the same on both data sets, times its draw.
    """
    given = [np.asarray(z, dtype=np.float64) for z in (draws.draws if isinstance(draws, Recording) else draws)]
    if not given:
        raise InvalidArgumentError("draws", draws, "must be those of at least one step")
    bound = Fraction(declared) * (1 + Fraction(1, 10**9)) if slack is None else Fraction(declared) + Fraction(slack)
    largest = Largest(Fraction(0), None, 0, exactly=False)
    for number, pair in enumerate(as_pairs(pairs), start=1):
        first = _run(foreign, pair.first, given)
        forced = [z.copy() for z in given]
        for t, (query, noise) in enumerate(first):
            steps = _run(foreign, pair.second, forced)
            _compare_forced(first[:t], steps)
            second = steps[t].query
            if second.shape != query.shape:
                rule = f"its query has {query.size} coordinates on one data set and {second.size} on the other"
                raise InvalidArgumentError("foreign", t, rule)
            a, b = ([exact(float(x)) for x in q] for q in (query, second))
            if exceeds(a, b, norm, bound):
                message = f"step {t} of {len(given)}: " + said(pair, a, b, norm, bound, exactly=False)
                raise SensitivityError(message, pair, distance(a, b, norm), t)
            moved = distance(a, b, norm)
            if moved > largest.distance or largest.pair is None:
                largest = replace(largest, distance=moved, pair=pair)
            forced[t] = forced[t] + ((query - second) / _scale(noise, given[t], t)).reshape(forced[t].shape)
        largest = replace(largest, evaluated=number)
    if largest.pair is None:
        raise InvalidArgumentError("pairs", pairs, "must hold at least one pair")
    return largest


class _Complete(NamedTuple):
    query: FloatArray
    noise: FloatArray


def _run(foreign: Replayed, data: Any, draws: Sequence[FloatArray]) -> list[_Complete]:
    """The queries and noise of a run, which may change its copies of the draws."""
    steps = [_complete(step, t) for t, step in enumerate(foreign(data, [z.copy() for z in draws]))]
    if len(steps) != len(draws):
        raise InvalidArgumentError("foreign", foreign, f"makes {len(steps)} steps of {len(draws)} draws")
    return steps


def _compare_forced(first: Sequence[_Complete], second: Sequence[_Complete]) -> None:
    """Refuse answers that did not come out as they were: then the later queries would be compared elsewhere."""
    for t, (one, other) in enumerate(zip(first, second, strict=False)):
        wanted, found = one.query + one.noise, other.query + other.noise
        room = _ROUNDING * max(float(np.abs(x).max(initial=0.0)) for x in (*one, *other))
        if not (np.abs(found - wanted) <= room).all():
            rule = (
                "its answer cannot be forced: its noise must be one number times the draw, the same on both data sets"
            )
            raise InvalidArgumentError("foreign", t, rule)


def _complete(step: Step, t: int) -> _Complete:
    if step.query is None or step.noise is None:
        raise InvalidArgumentError("foreign", t, "must give the query and the noise of every step")
    found = _Complete(*(np.array(x, dtype=np.float64).ravel() for x in (step.query, step.noise)))
    if found.query.shape != found.noise.shape:
        rule = f"has {found.query.size} coordinates in its query and {found.noise.size} in its noise"
        raise InvalidArgumentError("foreign", t, rule)
    if not all(np.isfinite(x).all() for x in found):
        raise InvalidArgumentError("foreign", t, "has a query or noise that is not finite")
    return found


def _scale(noise: FloatArray, draw: FloatArray, t: int) -> float:
    """The factor of a step's noise, read off its largest draw."""
    if noise.size != draw.size:
        raise InvalidArgumentError("foreign", t, f"adds {noise.size} numbers as noise, its draws are {draw.size}")
    place = int(np.argmax(np.abs(draw))) if draw.size else 0
    scale = float(noise[place] / draw.ravel()[place]) if draw.any() else 0.0
    if not (math.isfinite(scale) and scale != 0):
        raise InvalidArgumentError("foreign", t, "adds no noise at this step: no draw can force its answer")
    return scale
