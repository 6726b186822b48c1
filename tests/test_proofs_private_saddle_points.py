"""The obligations of the paper on saddle points: none survives a changed constant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dpref.algorithms.anytime_mirror_descent import formulas as anytime
from dpref.algorithms.anytime_mirror_descent import utility as anytime_utility
from dpref.algorithms.mirror_descent import utility as mirror_utility
from dpref.algorithms.synthetic_data import formulas as synthetic
from dpref.algorithms.synthetic_data import utility as synthetic_utility
from dpref.algorithms.variance_reduced_frank_wolfe import formulas as tree
from dpref.algorithms.variance_reduced_frank_wolfe import utility as tree_utility
from dpref.mechanisms import sparsification
from dpref.reals import Ops, T
from proofs.algebra import Rejected
from proofs.registry import registry
from tests.planted import plant

PAPER = "private-saddle-points"


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


def steps_that_keep_too_much(o: Ops[T], leaves: T, first: T, steps: T) -> T:
    at = leaves + first
    return at * (at + 1) / ((at + steps - 1) * (at + steps))


def half_the_span(o: Ops[T], bound: T, batch: T, differing: T) -> T:
    return differing * bound / batch


def scale_of_one_choice(o: Ops[T], moved: T, below: T, rho: T, weight: T) -> T:
    return moved * o.sqrt(weight) / o.sqrt(rho)


def curvature_without_its_two(o: Ops[T], risk: T, error: T, eta: T, L1: T) -> T:
    return risk + eta * (error - risk) + L1 * eta * eta


def half_the_score(o: Ops[T], tau: T, batch: T, differing: T) -> T:
    return differing * tau / (2 * batch)


def regret_without_its_square(o: Ops[T], size: T, tau: T, steps: T, square: T) -> T:
    return o.log(size) / (tau * steps) + tau / 2


def step_for_one_draw(o: Ops[T], batch: T, rounds: T, draws: T, rho: T, differing: T) -> T:
    return batch * o.sqrt(2 * rho) / (differing * o.sqrt(rounds))


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
        (tree, steps_that_keep_too_much, "kept", ("tree-distance",)),
        (tree, half_the_span, "span", ("tree-moves",)),
        (tree, scale_of_one_choice, "choice_scale", ("tree-noise",)),
        (tree_utility, curvature_without_its_two, "risk_step", ("E32",)),
        (synthetic, half_the_score, "score_sensitivity", ("synthetic-noise",)),
        (synthetic_utility, regret_without_its_square, "regret", ("synthetic-error",)),
        (synthetic, step_for_one_draw, "budget_step", ("synthetic-noise", "E28")),
    ],
)
def test_planted_bug_a_changed_constant_cannot_be_proved(
    monkeypatch: pytest.MonkeyPatch, module: Any, wrong: Callable[..., Any], name: str, broken: tuple[str, ...]
) -> None:
    plant(monkeypatch, module, name, wrong)
    for obligation in broken:
        with pytest.raises((Rejected, ZeroDivisionError)):
            registry()[f"{PAPER}/{obligation}"].prove()
