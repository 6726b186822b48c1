"""The obligations of the paper on DP-ERM: none survives a changed constant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dpref.algorithms.accelerated_mirror_descent import formulas as accelerated
from dpref.algorithms.accelerated_mirror_descent import utility as accelerated_utility
from dpref.algorithms.gradient_descent import utility as descent
from dpref.algorithms.svrg import utility as svrg
from dpref.algorithms.svrg_plus_plus import utility as svrg_plus_plus
from dpref.mechanisms import variance_reduced
from dpref.reals import Ops, T
from proofs.algebra import Rejected
from proofs.registry import registry
from tests.planted import plant

PAPER = "dp-erm-revisited"


# ------------------------------------------------------------------------------------ planted bugs


def contraction_with_sixteen(o: Ops[T], eta: T, L: T, mu: T, inner: T) -> T:
    slack = 1 - 8 * eta * L
    return 1 / (eta * slack * mu * inner) + 16 * L * eta * (inner + 1) / (inner * slack)


def half_the_noise_of_an_epoch(o: Ops[T], eta: T, L: T, variance: T, dimension: T) -> T:
    return eta / (1 - 8 * L * eta) * variance * dimension


def epochs_without_the_noise_of_the_last(o: Ops[T], A: T, noise: T, gap: T, epochs: int) -> T:
    return A**epochs * gap + noise * (1 - A ** (epochs - 1)) / (1 - A)


def half_the_floor(o: Ops[T], gap: T, distance: T, eta: T, L: T, variance: T, dimension: T, inner: T, epochs: int) -> T:
    double = o.number(2) ** epochs
    return 2 * gap / double + 3 * distance / (double * 4 * eta * inner) + variance * dimension / (8 * L)


def half_the_start(o: Ops[T], gap: T, distance: T, eta: T, L: T, variance: T, dimension: T, inner: T, epochs: int) -> T:
    double = o.number(2) ** epochs
    return gap / double + 3 * distance / (double * 4 * eta * inner) + variance * dimension / (4 * L)


def noise_over_twice_mu(o: Ops[T], L: T, mu: T, variance: T, dimension: T, gap: T, steps: int) -> T:
    left = (1 - mu / L) ** steps
    return left * gap + dimension * variance / (4 * mu) * (1 - left)


def half_the_noise_of_a_step(o: Ops[T], L: T, variance: T, dimension: T) -> T:
    return dimension * variance / (4 * L)


def gradients_over_twice_the_steps(o: Ops[T], L: T, variance: T, dimension: T, gap: T, steps: T) -> T:
    return L * gap / steps + dimension * variance


def two_gradients_of_the_batch(o: Ops[T], bound: T, batch: T, records: T, differing: T) -> T:
    return differing * bound / batch


def coupling_with_one(o: Ops[T], k: T) -> T:
    return 1 / (k + 1)


def twice_the_descent(o: Ops[T], curvature: T, radius: T) -> T:
    return 2 * radius * radius / curvature


def smoothness_of_the_length(o: Ops[T], L: T, length: T) -> T:
    return L * length


def spread_without_the_width(o: Ops[T], width: T, half_diameter_squared: T) -> T:
    return half_diameter_squared


def weight_with_two(o: Ops[T], smoothness: T, k: T) -> T:
    return (k + 2) / (2 * smoothness)


def a_sixth_of_the_steps(o: Ops[T], steps: T) -> T:
    return steps / 6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "wrong", "name", "broken"),
    [
        (svrg, contraction_with_sixteen, "contraction", ("P10", "P13")),
        (svrg, half_the_noise_of_an_epoch, "noise_per_epoch", ("P10", "P11", "P62")),
        (svrg, epochs_without_the_noise_of_the_last, "risk_bound", ("P14",)),
        (svrg_plus_plus, half_the_floor, "risk_bound", ("P22", "P24")),
        (svrg_plus_plus, half_the_start, "risk_bound", ("P22", "P24")),
        (descent, noise_over_twice_mu, "risk_bound", ("P43",)),
        (descent, half_the_noise_of_a_step, "step_noise", ("P41", "P42", "P43")),
        (descent, gradients_over_twice_the_steps, "gradient_bound", ("P44", "P45")),
        (variance_reduced, two_gradients_of_the_batch, "largest_move", ("P68",)),
        (accelerated, weight_with_two, "mirror_weight", ("P28", "P31", "P39", "P40", "P60", "P74")),
        (accelerated, coupling_with_one, "coupling", ("P39", "P40")),
        (accelerated, twice_the_descent, "descent_length", ("P40", "E1")),
        (accelerated, smoothness_of_the_length, "smoothness_in_norm", ("P37", "E1")),
        (accelerated_utility, spread_without_the_width, "spread", ("P38",)),
        (accelerated_utility, a_sixth_of_the_steps, "noise_steps", ("P33", "P34")),
    ],
)
def test_planted_bug_a_changed_constant_of_a_bound_cannot_be_proved(
    monkeypatch: pytest.MonkeyPatch, module: Any, wrong: Callable[..., Any], name: str, broken: tuple[str, ...]
) -> None:
    plant(monkeypatch, module, name, wrong)
    for number in broken:
        with pytest.raises(Rejected):
            registry()[f"{PAPER}/{number}"].prove()
