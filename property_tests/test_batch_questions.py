"""What the truths of batches, epochs and groups rest on, and planted bugs that their questions find."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from flint import arb, ctx

from dpref.privacy.interval import Interval
from property_tests import composed_questions
from property_tests.batch_questions import (
    allocation,
    group_on_a_sample,
    mixture,
    several_on_a_batch,
    truncated_sample,
)
from property_tests.certified_answers import answers, certified, checked
from property_tests.certified_questions import Asked, Case
from property_tests.independent_compositions import NoTruthError
from property_tests.independent_epochs import few_steps, many_steps
from property_tests.independent_laws import Curve

Family = Callable[[random.Random], Case]


def at(curve: Curve, x: float) -> float:
    return float(curve(arb(x)).mid())


# Published beside the theorems: the larger one of both directions, which is a removed record's.
@pytest.mark.parametrize(("steps", "value", "digits"), [(2, 0.149177523135520, 1e-12), (10, 0.026850, 4e-5)])
def test_golden_values_of_a_random_step(steps: int, value: float, digits: float) -> None:
    curve = few_steps(1.0, steps, 1) if steps == 2 else many_steps(1.0, steps)
    assert at(curve, 0.5) == pytest.approx(value, rel=digits)


@pytest.mark.parametrize("shift", [0.2, 0.5])
def test_an_integral_and_a_transform_agree(shift: float) -> None:
    for x in (0.0, 0.1):
        assert at(few_steps(shift, 3, 1), x) == pytest.approx(at(many_steps(shift, 3), x), rel=1e-9)


@pytest.mark.parametrize(("steps", "taken"), [(2, 1), (3, 1), (3, 2)])
def test_an_integral_agrees_with_draws(steps: int, taken: int) -> None:
    """A million draws; a false alarm is as likely as five standard deviations."""
    rng = np.random.default_rng(8)
    y = np.exp(rng.standard_normal((1_000_000, steps)) - 0.5)
    whole = y.sum(axis=1)
    ratio = whole / steps if taken == 1 else (whole**2 - (y**2).sum(axis=1)) / (steps * (steps - 1))
    for x in (0.0, 0.7):
        removed, added = np.maximum(ratio - math.exp(x), 0), np.maximum(1 - math.exp(x) * ratio, 0)
        worse = max((removed, added), key=np.mean)
        error = 5 * float(worse.std()) / 1000
        assert at(few_steps(1.0, steps, taken), x) == pytest.approx(float(worse.mean()), abs=error)


def test_what_the_transform_cannot_tell_is_said() -> None:
    with pytest.raises(NoTruthError):
        at(many_steps(0.2, 10), 2.0)


# ------------------------------------------------------------------------------------ planted bugs


def smaller_group(asked: Asked) -> Interval:
    text = asked.case.text
    size = int(text.rpartition("size=")[2].rstrip(")"))
    return certified(replace(asked, case=replace(asked.case, text=text.replace(f"size={size}", f"size={size - 1}"))))


def twice_the_multiplier(asked: Asked) -> Interval:
    text = asked.case.text.replace("noise_multiplier=", "noise_multiplier=2*")
    return certified(replace(asked, case=replace(asked.case, text=text)))


def twice_the_steps(asked: Asked) -> Interval:
    text = asked.case.text.replace("steps=", "steps=2*")
    return certified(replace(asked, case=replace(asked.case, text=text)))


def twice_the_noise(asked: Asked) -> Interval:
    text = asked.case.text.replace("gaussian(", "gaussian(2*").replace("response(", "response(1/2*")
    return certified(replace(asked, case=replace(asked.case, text=text)))


BUGS = [
    (group_on_a_sample, smaller_group),
    (mixture, twice_the_multiplier),
    (truncated_sample, twice_the_noise),
    pytest.param(allocation, twice_the_steps, marks=pytest.mark.slow),
    pytest.param(several_on_a_batch, twice_the_noise, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("family", "bug"), BUGS)
def test_planted_bugs_are_found(
    family: Family, bug: Callable[[Asked], Interval], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composed_questions, "MIXED", {family: 1})
    before = ctx.prec
    found = [checked(5, number, bug) for number in range(4 if family is allocation else 8)]
    assert any("upper end" in one.problem for one in found)
    assert ctx.prec == before


@pytest.mark.parametrize("family", [mixture, group_on_a_sample, truncated_sample])
def test_no_answer_of_a_sample_is_wrong(family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composed_questions, "MIXED", {family: 1})
    found = list(answers(6, range(12), 1))
    assert [(one.number, one.problem) for one in found if one.problem] == []
    assert sum(one.lower is not None for one in found) == 12
