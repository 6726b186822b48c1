"""The obligations of the paper on saddle points: all are registered, few open, and none survives a changed constant."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from dpref.algorithms.anytime_mirror_descent import formulas as anytime
from dpref.algorithms.anytime_mirror_descent import utility as anytime_utility
from dpref.algorithms.mirror_descent import utility as mirror_utility
from dpref.mechanisms import sparsification
from dpref.reals import Ops, T
from proofs import Report, Row
from proofs.algebra import Rejected
from proofs.registry import registry

PAPER = "private-saddle-points"
NUMBERED = tuple(f"P{n}" for n in range(1, 68))
# Errata that are no matter of printing.
ERRATA = tuple(
    f"E{n}" for n in (*range(1, 12), 13, 14, 15, 18, 19, 20, 25, 26, 27, 28, 30, 31, 32, 35, 36, 37, 38, 39, 41)
)


@pytest.fixture(scope="module")
def own(report: Report) -> dict[str, Row]:
    return {row.id.partition("/")[2]: row for row in report.rows if row.paper == PAPER}


def test_every_numbered_obligation_and_every_erratum_is_registered(own: dict[str, Row]) -> None:
    assert [name for name in (*NUMBERED, *ERRATA) if name not in own] == []


def test_at_most_one_in_twenty_is_open_and_every_open_one_says_what_was_tried(own: dict[str, Row]) -> None:
    unknown = [row for row in own.values() if row.status == "open"]
    assert len(unknown) <= len(own) / 20
    assert all(registry()[row.id].open_because for row in unknown)


def test_an_erratum_that_is_refuted_has_a_witness_and_a_repaired_form(own: dict[str, Row]) -> None:
    refuted = {name: row for name, row in own.items() if row.status == "refuted"}
    assert set(refuted) == {"E1", "E2", "E3", "E5", "E6", "E7", "E8", "E9", "E10", "P64"}
    assert [name for name, row in refuted.items() if not (row.witness and row.repaired_by)] == []


# ------------------------------------------------------------------------------------ planted bugs


def half_the_epsilon(o: Ops[T], tau: T, batch: T, L0: T) -> T:
    return 2 * L0 * tau / batch


def twice_the_step(o: Ops[T], batch: T, epsilon: T, L0: T, draws: T, log_inverse_delta: T) -> T:
    return batch * epsilon / (2 * L0 * o.sqrt(2 * draws * log_inverse_delta))


def no_vertices_in_the_first_round(o: Ops[T], steps: T, round_length: T, samples: T) -> T:
    return steps * samples / round_length


def half_the_first_order_bias(o: Ops[T], L1: T, samples: T) -> T:
    return 2 * L1 / o.sqrt(samples)


def moment_without_its_two(o: Ops[T], L1: T, dimension: T, samples: T) -> T:
    root = 4 + o.sqrt(1 + o.log(2 * dimension))
    return root * root * L1 * L1 / samples


def half_the_value_bias(o: Ops[T], L1: T, samples: T) -> T:
    return L1 / samples


def the_printed_moment(o: Ops[T], L0: T, L1: T, diameter: T, samples: T, functions: T) -> T:
    return sparsification.printed_maximum_moment(o, L0, L1, diameter, samples, functions)


def bias_of_one_simplex(o: Ops[T], L1: T, samples: T) -> T:
    return 4 * L1 / o.sqrt(samples)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "wrong", "name", "broken"),
    [
        (anytime, half_the_epsilon, "mixture_epsilon", ("proposition-4.3",)),
        (anytime, twice_the_step, "zcdp_step", ("proposition-4.3",)),
        (anytime, no_vertices_in_the_first_round, "printed_draws", ("E11",)),
        (anytime_utility, half_the_first_order_bias, "first_order_bias", ("excess-bound",)),
        (anytime_utility, moment_without_its_two, "first_order_moment", ("E41", "excess-bound")),
        (sparsification, half_the_value_bias, "value_bias", ("lemma-2.8",)),
        (sparsification, the_printed_moment, "maximum_moment", ("lemma-2.10",)),
        (mirror_utility, bias_of_one_simplex, "first_order_bias", ("P6", "E7")),
    ],
)
def test_planted_bug_a_changed_constant_cannot_be_proved(
    monkeypatch: pytest.MonkeyPatch, module: Any, wrong: Callable[..., Any], name: str, broken: tuple[str, ...]
) -> None:
    right = getattr(module, name)
    for user in [user for user in sys.modules.values() if getattr(user, name, None) is right]:
        monkeypatch.setattr(user, name, wrong)
    for obligation in broken:
        with pytest.raises((Rejected, ZeroDivisionError)):
            registry()[f"{PAPER}/{obligation}"].prove()
