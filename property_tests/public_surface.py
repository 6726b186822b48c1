"""The public functions, classes and methods of `dpref.privacy`, and which of them take no number from outside."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import dpref.privacy


def _excused(reason: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, reason)


_BELOW_PLD = "arithmetic of balls and integers below loss_distribution.pld_epsilon and pld_delta, which check"
_BELOW_FAST = "part of the fast path: takes what fast_accountant.epsilons and delta have checked"
_EVENTS = "takes events and texts, whose numbers were checked when they were made; returns no loss"
_TIME = "what a limit of time is kept with; time_limit.time_limit checks it"
_ORDINALS = "doubles and integers that a search has made"
_RESULT = "holds a result that was certified before; nothing is computed from its arguments"
_TAKEN_AS_CHECKED = "a ball at checked arguments, says its docstring: subsampled_gaussian.checked is the entry"

EXEMPT: Mapping[str, str] = {
    **_excused(
        _BELOW_PLD,
        "convolution.compose", "convolution.delta_at", "convolution.epsilon_at", "convolution.power",
        "convolution.product", "convolution.trimmed", "curves.cut", "curves.discrete_gaussian_atoms",
        "curves.discrete_gaussian_curve", "curves.discrete_gaussian_outside", "curves.discrete_laplace_atoms",
        "curves.discrete_laplace_curve", "curves.exponential_curve", "curves.finite_curve", "curves.laplace_curve",
        "discretisation.Grid", "discretisation.Grid.at", "discretisation.Grid.middle", "discretisation.Masses",
        "discretisation.discretise_above", "discretisation.discretise_below", "discretisation.range_of", "pairs.Pair",
        "pairs.PairSet", "pairs.Split", "pairs.gaussian_pair", "pairs.mixed_first", "pairs.mixed_second",
    ),
    **_excused(
        _BELOW_FAST,
        "fast_accountant.Side", "fast_accountant.Side.delta", "fast_accountant.Side.epsilon", "fast_cells.Narrow",
        "fast_cells.Narrow.offsets", "fast_cells.Narrow.ratios", "fast_cells.Narrow.rises",
        "fast_cells.Narrow.rounding", "fast_cells.Narrow.scale", "fast_cells.Narrow.truncation", "fast_cells.Pair",
        "fast_cells.Pair.ball_point", "fast_cells.Pair.ball_ratio", "fast_cells.Pair.loss", "fast_cells.Pair.masses",
        "fast_cells.Pair.point", "fast_cells.Pair.ratio", "fast_cells.Pair.ratio_error", "fast_cells.is_narrow",
        "fast_cells.nodes", "fast_exp.expm1_ratio", "fast_exp.exponential", "fast_exp.geometric",
        "fast_exp.roots_of_unity", "fast_fft.Power", "fast_fft.convolution_power", "fast_lower.Merged",
        "fast_lower.dominated", "fast_lower.merge", "fast_measure.Cumulants", "fast_measure.Cumulants.at",
        "fast_measure.Cumulants.edge", "fast_measure.Cumulants.log_delta", "fast_measure.Cumulants.of",
        "fast_measure.Cumulants.tilt_for_delta", "fast_measure.Cumulants.tilt_for_loss", "fast_measure.GridMeasure",
        "fast_measure.common_step", "fast_pld.Curve", "fast_pld.Curve.delta", "fast_pld.Curve.epsilon",
        "fast_pld.compose", "fast_upper.Grid", "fast_upper.dominating", "fast_upper.grid",
    ),
    **_excused(
        _EVENTS,
        "accountants.Accountant", "accountants.Accountant.refused", "accountants.accountants",
        "accountants.quick_accountant", "accountants.register", "expression.Template", "expression.answers",
        "expression.event_fields", "expression.event_kinds", "expression.event_name", "expression.format_event",
        "expression.normal_form", "expression.parts", "syntax.Call", "syntax.Hole",
        "syntax.Literal", "syntax.Reader", "syntax.Reader.call",
        "syntax.Reader.decimal", "syntax.Reader.end", "syntax.Reader.expect",
        "syntax.Reader.fail", "syntax.Reader.number", "syntax.Reader.skip",
        "syntax.Reader.take", "syntax.Reader.value", "ledger.Compose", "ledger.Ledger",
        "ledger.NonPrivate", "ledger.canonical", "ledger.leaves", "ledger.multiplicities",
        "examples.sampled_gaussians", "pure.pure_epsilon",
        "single_answer.is_single",
    ),
    **_excused(_TIME, "time_limit.TimeLimit", "time_limit.TimeLimit.check",
        "time_limit.checkpoint"),
    **_excused(_ORDINALS, "searches.crossing", "searches.double", "searches.gallop", "searches.least_integer",
        "searches.ordinal"),
    **_excused(
        _RESULT,
        "accountants.Outcome", "composition.Guarantee", "event_calibration.Calibration",
        "event_calibration.Calibration.decimal", "tree.Node",
    ),
    **_excused(
        _TAKEN_AS_CHECKED,
        "subsampled_gaussian.integral_moment", "subsampled_gaussian.poisson_divergence",
        "without_replacement.applicable", "without_replacement.gaussian_bound",
        "without_replacement.gaussian_without_replacement",
    ),
    "renyi_curves.RenyiCurve": "holds a function; what that returns is checked where it is asked",
    "svrg.Choice": "where a bound is evaluated; svrg.event_renyi checks it",
    "interval.enclose:least": "known of the quantity by the caller's theorem, not from outside",
    "interval.enclose:most": "known of the quantity by the caller's theorem, not from outside",
    "interval.enclose:limit": "bits; with too few of them it raises",
    "interval.sign:start": "bits; with too few of them the answer is 'unknown'",
    "interval.sign:limit": "bits; with too few of them the answer is 'unknown'",
}  # fmt: skip

_NUMERIC = re.compile(r"\b(Exact|Fraction|int|float|Method|Bound|Direction|Partition|Spending)\b")


def public_names() -> dict[str, Callable[..., Any]]:
    """Every public function, class and method that `dpref.privacy` defines, but for formulas over ``Ops[T]``.

    A formula is a term of its argument's number system: its callers check, and the properties of intervals cover them.
    """
    found = {}
    for module in pkgutil.iter_modules(dpref.privacy.__path__):
        scope = vars(importlib.import_module(f"dpref.privacy.{module.name}"))
        for name, value in scope.items():
            here = callable(value) and getattr(value, "__module__", None) == scope["__name__"]
            if not here or name.startswith("_") or is_formula(value):
                continue
            found[f"{module.name}.{name}"] = value
            if inspect.isclass(value):
                found |= {f"{module.name}.{name}.{method}": f for method, f in _methods(value)}
    return found


def is_formula(value: Callable[..., Any]) -> bool:
    """Whether a function is a formula over a number system."""
    first = next(iter(inspect.signature(value).parameters.values()), None)
    return inspect.isfunction(value) and first is not None and first.annotation == "Ops[T]"


def _methods(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, value in vars(kind).items():
        f = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if not name.startswith("_") and inspect.isfunction(f) and f.__name__ == name:
            yield name, f


def numeric_parameters(value: Callable[..., Any]) -> set[str]:
    """The parameters whose annotation is a number, or a word that chooses a theorem."""
    return {
        p.name
        for p in inspect.signature(value).parameters.values()
        if _NUMERIC.search(str(p.annotation)) and "Callable" not in str(p.annotation)
    }
