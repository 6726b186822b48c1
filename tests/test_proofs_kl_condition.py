"""The obligations of the KL-condition paper: what is only tested, and that changed constants are seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dpref.algorithms.adaptive_gradient_descent import formulas as adaptive
from dpref.algorithms.spider import formulas as spider
from dpref.problems import lower_bounds
from dpref.reals import Ops, T
from proofs import Report
from proofs.algebra import Rejected
from proofs.registry import registry
from tests.planted import plant

PAPER = "kl-condition"


def test_what_is_only_tested_says_why(report: Report) -> None:
    assert [row.id for row in report.rows if row.paper == PAPER and row.sentence == "tested"] == [f"{PAPER}/PO-54"]
    assert registry()[f"{PAPER}/PO-54"].not_proved


# ------------------------------------------------------------------------------------ planted bugs


def step_twice_as_long(o: Ops[T], target: T, gamma: T, kappa: T, smoothness: T) -> T:
    return spider.power(o, target, 1 / kappa) / (2 * gamma * smoothness)


def half_the_radius(o: Ops[T], rounds: T, gap: T, gamma: T, kappa: T, smoothness: T) -> T:
    return (rounds + 1) * spider.power(o, gap, 1 / kappa) / (8 * gamma * smoothness)


def half_the_floor(o: Ops[T], constant: T, least: T, rounds: T, each: T, kappa: T) -> T:
    return spider.power(o, constant / 2 * least * o.sqrt(-rounds * o.log(each)), kappa)


def failure_of_one_more(o: Ops[T], beta: T, rounds: T, least: T, gap: T, kappa: T) -> T:
    return 2 * beta / rounds * spider.power(o, least * o.sqrt(rounds) / spider.power(o, gap, 1 / kappa), 2 - kappa)


def radius_without_the_two(o: Ops[T], d: T, rounds: T, beta: T) -> T:
    return o.sqrt(d) + o.sqrt(o.log(rounds / beta))


def repaired_with_the_printed_slope(o: Ops[T], length: T, distance: T) -> T:
    return 4 * distance * length


def twice_the_weight(o: Ops[T], marked: T, bound: T, n: T, distance: T) -> T:
    return marked * bound / (n * distance)


def offset_without_the_half(o: Ops[T], bias: T, kappa: T) -> T:
    return o.exp((kappa - 1) * o.log(bias))


def delta_of_one_more(o: Ops[T], epsilon: T, delta: T, differing: T) -> T:
    return delta * o.expm1((differing + 1) * epsilon) / o.expm1(epsilon)


def twice_the_excess(o: Ops[T], apart: T, bias: T, epsilon: T, delta: T) -> T:
    return 2 * apart * bias * (1 - delta) / (1 + o.exp(epsilon))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "wrong", "name", "broken"),
    [
        (spider, step_twice_as_long, "step_length", ("PO-12", "PO-55", "PO-58")),
        (spider, half_the_radius, "radius", ("PO-58", "E3")),
        (spider, half_the_floor, "floor", ("PO-3",)),
        (spider, failure_of_one_more, "failure_each", ("PO-10",)),
        (adaptive, radius_without_the_two, "noise_radius", ("PO-52",)),
        (lower_bounds, repaired_with_the_printed_slope, "repaired_outside", ("E32-repaired",)),
        (lower_bounds, twice_the_weight, "weight", ("PO-35",)),
        (lower_bounds, offset_without_the_half, "offset", ("PO-37", "PO-38")),
        (lower_bounds, delta_of_one_more, "group_delta", ("PO-47",)),
        (lower_bounds, twice_the_excess, "least_mean_excess", ("PO-47",)),
    ],
)
def test_planted_bug_a_changed_constant_cannot_be_proved(
    monkeypatch: pytest.MonkeyPatch, module: Any, wrong: Callable[..., Any], name: str, broken: tuple[str, ...]
) -> None:
    plant(monkeypatch, module, name, wrong)
    for number in broken:
        with pytest.raises(Rejected):
            registry()[f"{PAPER}/{number}"].prove()
