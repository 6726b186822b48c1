"""Constants that decide privacy: a changed one is a theorem that cannot be proved, whatever the recorded texts say."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest

from dpref.algorithms.mirror_descent import utility as mirror_descent_utility
from dpref.algorithms.online_frank_wolfe import calibration
from dpref.algorithms.online_frank_wolfe.calibration import NodeNoise, calibrated
from dpref.algorithms.svrg import calibration as svrg_calibration
from dpref.algorithms.svrg import formulas as svrg_formulas
from dpref.algorithms.svrg_plus_plus import plan as svrg_plus_plus_plan
from dpref.errors import InvalidArgumentError
from dpref.mechanisms import truncated_geometric
from dpref.reals import Ops, T
from dpref.units import L2
from proofs.algebra import Rejected
from proofs.formulas import formula
from proofs.registry import registry
from tests.effort import part

SVRG = ("dp-erm-revisited/P72",)
LEMMA = ("private-online-frank-wolfe/PO-11", "private-online-frank-wolfe/PO-12")


def _provable(names: tuple[str, ...]) -> bool:
    try:
        for name in names:
            registry()[name].prove()
    except (Rejected, TypeError):  # a wrong constant may not even fit its place in the goal
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "name", "wrong", "obligations"),
    [
        (svrg_calibration, "PROVED_CONSTANT", part((6160, 1540, 3081, 3079), 1), SVRG),
        (svrg_calibration, "PROVED_RANGE", part((14, Fraction(7, 2), 8, 6), 1), SVRG),
        (svrg_plus_plus_plan, "PROVED_CONSTANT", part((12320, 3080, 6161, 6159), 1), SVRG),
        (calibration, "PROVED_EPSILON", part((4, 1, 3), 1), LEMMA),
        (calibration, "PROVED_DELTA", (Fraction(3, 4), Fraction(1, 4)), LEMMA),
    ],
)
def test_a_changed_constant_cannot_be_proved(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, wrong: Sequence[Fraction], obligations: tuple[str, ...]
) -> None:
    for value in wrong:
        with monkeypatch.context() as changed:
            changed.setattr(module, name, value)
            assert not _provable(obligations), f"{name} = {value}"


def twice_the_range(o: Ops[T], log_inverse_delta: T) -> T:
    return 4 * log_inverse_delta


def half_the_range(o: Ops[T], log_inverse_delta: T) -> T:
    return log_inverse_delta


def range_and_a_half(o: Ops[T], log_inverse_delta: T) -> T:
    return 3 * log_inverse_delta


def linear_in_epochs(epochs: int, inner: int) -> int:
    return 2 * epochs * inner


def all_answers(epochs: int, inner: int) -> int:
    steps: int = (2 ** (epochs + 1) - 2) * inner
    return steps


def _gap(o: Ops[T], regret: T, factor: int, diameter: int, *numbers: T) -> T:
    L1, ell, steps, tau, bias = numbers
    sampled = mirror_descent_utility.sampled_gap(o, L1, ell, steps)
    return sampled + 2 * ell / (tau * steps) + factor * regret + diameter * bias


def gap_without_a_square(o: Ops[T], L0: T, L1: T, ell: T, steps: T, tau: T, bias: T) -> T:
    return _gap(o, tau * L0, 5, 4, L1, ell, steps, tau, bias)


def gap_of_four(o: Ops[T], L0: T, L1: T, ell: T, steps: T, tau: T, bias: T) -> T:
    return _gap(o, tau * L0 * L0, 4, 4, L1, ell, steps, tau, bias)


def gap_of_ten(o: Ops[T], L0: T, L1: T, ell: T, steps: T, tau: T, bias: T) -> T:
    return _gap(o, tau * L0 * L0, 10, 4, L1, ell, steps, tau, bias)


def gap_of_half_a_diameter(o: Ops[T], L0: T, L1: T, ell: T, steps: T, tau: T, bias: T) -> T:
    return _gap(o, tau * L0 * L0, 5, 2, L1, ell, steps, tau, bias)


def cut_at_twelve(o: Ops[T], truncation: int) -> T:
    two = o.number(2)
    return two - two**-truncation if truncation <= 12 else two


def one_term_less(o: Ops[T], truncation: int) -> T:
    two = o.number(2)
    return two - two ** -(truncation - 1)


def two_at_most(o: Ops[T], truncation: int) -> T:
    return o.number(2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "name", "wrong"),
    [
        *((svrg_formulas, "logarithmic_range", f) for f in (twice_the_range, half_the_range, range_and_a_half)),
        *((svrg_plus_plus_plan, "counted_steps", f) for f in (linear_in_epochs, all_answers)),
        *(
            (mirror_descent_utility, "gap_bound", f)
            for f in (gap_without_a_square, gap_of_four, gap_of_ten, gap_of_half_a_diameter)
        ),
        *((truncated_geometric, "normaliser", f) for f in (cut_at_twelve, one_term_less, two_at_most)),
    ],
)
def test_a_changed_formula_cannot_be_proved(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, wrong: Callable[..., Any]
) -> None:
    right = getattr(module, name)
    about = tuple(o.id for o in registry().values() if any(formula(f) is right for f in o.about))
    for holder in [m for n, m in sys.modules.items() if n.startswith(("dpref", "proofs"))]:
        if vars(holder).get(name) is right:
            monkeypatch.setattr(holder, name, wrong)
    assert about
    assert not _provable(about)


def test_eq_3_2_is_given_up_to_the_end_of_its_range_and_no_further() -> None:
    noise, most = NodeNoise(L2, Fraction(1), 2.0, Fraction(1)), 2 * 11  # 11 nodes a record of a stream of 1000
    assert calibrated(noise, Fraction(1), Fraction(most), Fraction(1, 2), 1000, "eq-3.2") > 0
    for epsilon, delta in ((most + Fraction(1, 10**9), Fraction(1, 2)), (Fraction(most), Fraction(51, 100))):
        with pytest.raises(InvalidArgumentError, match=r"Lemma 2\.1 is proved for epsilon <= 2, delta <= 1/2 a node"):
            calibrated(noise, Fraction(1), Fraction(epsilon), delta, 1000, "eq-3.2")
