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


_BELOW_PLD = "arithmetic of balls and integers below pld.accountant.pld_epsilon and pld_delta, which check"
_BELOW_FAST = "part of the fast path: takes what fast.accountant.epsilons and delta have checked"
_BELOW_CURVES = "below curves.privacy_profile, curves.tradeoff_curve and gaussian_dp.gdp_parameter, which check"
_EVENTS = "takes events and texts, whose numbers were checked when they were made; returns no loss"
_TIME = "what a limit of time is kept with; time_limit.time_limit checks it"
_ORDINALS = "doubles and integers that a search has made"
_RESULT = "holds a result that was certified before; nothing is computed from its arguments"
_TAKEN_AS_CHECKED = "a ball at checked arguments, says its docstring: subsampled_gaussian.checked is the entry"

_OF_A_MATRIX = "numbers of a matrix that the events of dpref.privacy.events.matrix have checked"

EXEMPT: Mapping[str, str] = {
    **_excused(
        "sums of laws below dpref.privacy.pld.pairs, of numbers that the events of an epoch have checked",
        "pld.allocation.allocation_pairs", "pld.allocation.shuffled_pairs", "pld.ratio_laws.Law",
        "pld.ratio_laws.Sum", "pld.ratio_laws.mean_of_ratios", "pld.ratio_laws.merged", "pld.ratio_laws.product",
        "pld.ratio_laws.product_of_means", "pld.ratio_laws.ratio", "pld.ratio_laws.total",
    ),
    **_excused(
        "imports an accountant's module, whose own functions are asked",
        "loaded_later.Bounds",
        "loaded_later.Bounds.delta",
        "loaded_later.Bounds.epsilon",
        "loaded_later.Bounds.supports",
        "loaded_later.curve",
        "loaded_later.fast",
        "loaded_later.fast_curves",
        "loaded_later.fast_within",
        "loaded_later.later",
        "loaded_later.later_on_batches",
        "loaded_later.pld_delta",
        "loaded_later.pld_epsilon",
        "loaded_later.renyi",
        "loaded_later.rounds",
        "loaded_later.rounds_within",
        "loaded_later.smoothing",
    ),
    **_excused(
        "asks dpref.privacy.accountants.certify, which checks",
        "shuffling.PoissonInstead", "shuffling.as_poisson", "shuffling.poisson_instead",
    ),
    **_excused(
        _OF_A_MATRIX,
        "events.participation.Pattern", "events.participation.Pattern.count", "events.participation.SquaredSensitivity",
        "events.participation.heaviest", "events.participation.of_gram", "events.participation.of_toeplitz",
        "events.participation.is_nonincreasing", "events.participation.column_norms",
        "events.participation.squared_sum", "events.factorization.is_factored", "events.factorization.squared_mu",
        "events.matrix.MatrixGaussian.rows", "events.files.read_file", "events.files.read_numbers",
        "pld.matrices.matrix_pairs", "closed_forms.roots.rational_root", "rounds.supports",
        "sensitivities.sensitivities", "sensitivities.sensitivity_to_json",
    ),
    **_excused(
        _BELOW_PLD,
        "pld.convolution.compose", "pld.convolution.delta_at", "pld.convolution.epsilon_at", "pld.convolution.power",
        "pld.convolution.product", "pld.convolution.trimmed", "closed_forms.curves.cut",
        "closed_forms.curves.discrete_gaussian_atoms", "closed_forms.curves.discrete_gaussian_curve",
        "closed_forms.curves.discrete_gaussian_outside", "closed_forms.curves.discrete_laplace_atoms",
        "closed_forms.curves.discrete_laplace_curve", "closed_forms.curves.exponential_curve",
        "closed_forms.curves.finite_curve", "closed_forms.curves.laplace_curve", "pld.discretisation.Grid",
        "pld.discretisation.Grid.at", "pld.discretisation.Grid.middle", "pld.discretisation.Masses",
        "pld.discretisation.discretise_above", "pld.discretisation.discretise_below", "pld.discretisation.range_of",
        "pld.pair.Pair", "pld.assumed.assumed_pairs", "pld.pair.common_lattice", "pld.sampling.poisson",
        "pld.sampling.without_replacement", "pld.pair.PairSet", "pld.pair.Split", "pld.pairs.gaussian_pair",
        "pld.sampling.mixed_first", "pld.sampling.mixed_second", "pld.discretisation.Grid.used",
        "closed_forms.variance_reduction.Distances", "pld.variance_reduction.variance_reduced_pairs",
        "closed_forms.three_laws.batch_filled", "closed_forms.three_laws.batch_zeroed",
        "closed_forms.three_laws.poisson_replaced", "pld.pair.extended", "pld.sampling.replaced_in_sample",
        "pld.sampling.zeroed_in_batch", "pld.discretisation.gathered_below", "pld.discretisation.spread_above",
        "pld.convolution.Tails", "pld.convolution.Tails.delta",
        "pld.convolution.Tails.test", "pld.curve_measures.PairMeasure", "pld.curve_measures.PairMeasure.delta",
        "pld.curve_measures.PairMeasure.test", "pld.curve_measures.constant", "pld.curve_measures.of_pairs",
        "closed_forms.guarantees.concentrated_delta", "pld.pair.worse",
        "pld.selection.Runs", "pld.selection.SelectedCurve", "pld.selection.SelectedCurve.at_most",
        "pld.selection.gamma_of", "pld.selection.larger",
        "pld.selection.largest_of_responses", "pld.selection.law_of_runs", "pld.selection.selected_pairs",
        "pld.selection.weight_shift", "renyi.selection.selected",
        "closed_forms.guarantees.table_atoms", "closed_forms.zcdp.best_excess", "pld.guarantees.guarantee_pairs",
    ),
    **_excused(
        _BELOW_FAST,
        "fast.accountant.Side", "fast.accountant.Side.delta", "fast.accountant.Side.epsilon", "fast.cells.Narrow",
        "fast.cells.Narrow.offsets", "fast.cells.Narrow.ratios", "fast.cells.Narrow.rises",
        "fast.cells.Narrow.rounding", "fast.cells.Narrow.scale", "fast.cells.Narrow.truncation", "fast.cells.Pair",
        "fast.cells.Pair.ball_point", "fast.cells.Pair.ball_ratio", "fast.cells.Pair.loss", "fast.cells.Pair.losses",
        "fast.cells.Pair.masses",
        "fast.cells.Pair.point", "fast.cells.Pair.ratio", "fast.cells.Pair.ratio_error", "fast.cells.is_narrow",
        "fast.cells.nodes", "fast.exp.expm1_ratio", "fast.exp.exponential", "fast.exp.geometric",
        "fast.exp.roots_of_unity", "fast.fft.Power", "fast.fft.convolution_power", "fast.edges.Merged",
        "fast.lower.dominated", "fast.edges.merge", "fast.measure.Cumulants", "fast.measure.Cumulants.at",
        "fast.measure.Cumulants.edge", "fast.measure.Cumulants.log_delta", "fast.measure.Cumulants.of",
        "fast.measure.Cumulants.tilt_for_delta", "fast.measure.Cumulants.tilt_for_loss", "fast.measure.GridMeasure",
        "fast.measure.common_step", "fast.pld.Curve", "fast.pld.Curve.delta", "fast.pld.Curve.epsilon",
        "fast.pld.compose", "fast.upper.Grid", "fast.upper.dominating", "fast.upper.grid", "fast.measure.tilted",
        "fast.doubles.in_doubles", "fast.placement.Placement", "fast.placement.place",
        "fast.transform.to_spectrum", "fast.transform.from_spectrum", "fast.transform.multiply_power",
        "fast.blocks.Stages", "fast.blocks.Stages.compose", "fast.blocks.block", "fast.coarser.below_chords",
        "fast.coarser.coarser_above", "fast.coarser.coarser_below", "fast.exp.geometric_less", "fast.grids.Grid",
        "fast.grids.all_keys", "fast.grids.chosen", "fast.grids.coarsest", "fast.grids.extent", "fast.grids.factors",
        "fast.grids.plain_as_one", "fast.grids.reach", "fast.grids.rough", "fast.lowered.lowered",
        "fast.measure.Cumulants.peakedness", "fast.pld.chernoff", "fast.pld.mass_at_infinity",
        "fast.pld.tilted_masses", "fast.stages.enough", "fast.stages.factors", "fast.stages.plan",
        "fast.upper.Split", "fast.upper.raised", "fast.upper.split",
        "fast.pld.Curve.test",
        "fast.side_measures.SideMeasure",
        "fast.side_measures.SideMeasure.delta", "fast.side_measures.SideMeasure.test", "fast.side_measures.of_sides",
    ),
    **_excused("decimal digits of what a calibration found", "decimal_places.last_place", "decimal_places.unit_of"),
    **_excused(
        _BELOW_CURVES,
        "composed.Composition", "composed.Measure", "composed.Measure.delta", "composed.Measure.test",
        "directions.Direction", "directions.Direction.least", "directions.Direction.most", "directions.directions",
        "gaussian_dp.covers",
    ),
    **_excused(
        _EVENTS,
        "accountant.Accountant", "accountant.Accountant.refused", "accountants.accountants",
        "accountants.quick_accountant", "accountants.register", "accountants.supported", "refusals.Refusal",
        "refusals.explained", "refusals.grouped", "refusals.refusal", "refusals.refusals", "refusals.why",
        "events.expression.Template", "events.walks.answers",
        "events.expression.Template.largest_count", "events.walks.customs", "fast.curves.supports",
        "fast.curves.composes", "closed_forms.parallel.check_part", "closed_forms.parallel.heaviest",
        "events.parallel.Parallel", "events.walks.parallel", "events.walks.alternatives",
        "closed_forms.parallel.alongside",
        "events.expression.event_fields", "events.expression.event_kinds", "events.expression.event_name",
        "events.expression.format_event", "events.walks.normal_form", "events.walks.parts", "events.syntax.Call",
        "events.syntax.Hole", "events.syntax.Literal", "events.syntax.Reader", "events.syntax.Reader.call",
        "events.syntax.Reader.decimal", "events.syntax.Reader.end", "events.syntax.Reader.expect",
        "events.syntax.Reader.fail", "events.syntax.Reader.number", "events.syntax.Reader.skip",
        "events.syntax.Reader.take", "events.syntax.Reader.value", "events.syntax.Reader.check_length",
        "events.expression.stated", "training_text.ledger_of", "training_text.template_of",
        "training_text.TrainingTemplate",
        "training_text.TrainingTemplate.largest_count", "examples.event_session", "events.custom.Custom",
        "events.custom.Custom.pair",
        "events.custom.FinitePair.outcomes", "events.custom.GibbsPair.outcomes", "events.custom.CurvePair",
        "events.custom.field_of", "events.custom.reversed_outcomes", "events.custom_file.read_custom",
        "events.syntax.Quoted", "events.walks.assumed", "interval.Interval.marked", "events.ledger.Compose",
        "events.ledger.Ledger", "events.ledger.NonPrivate", "events.walks.canonical", "events.walks.leaves",
        "events.walks.multiplicities", "examples.sampled_gaussians", "closed_forms.pure.pure_epsilon",
        "pld.single_answer.is_single", "smoothing.gridded", "events.guarantees.with_one_concentrated",
        "events.walks.concentrated_first", "events.walks.selects",
        "closed_forms.basic.supports", "supremum.largest_losses",
    ),
    **_excused(
        _TIME,
        "time_limit.TimeLimit", "time_limit.TimeLimit.check", "time_limit.checkpoint", "time_limit.remark",
        "time_limit.Watch", "time_limit.Watch.look",
    ),
    **_excused(
        _ORDINALS,
        "searches.bisected", "searches.crossing", "searches.double", "searches.gallop", "searches.least_integer",
        "searches.ordinal",
    ),
    **_excused(
        _RESULT,
        "accountant.Outcome", "curves.Band", "curves.CertifiedCurve", "curves.CertifiedCurve.intervals",
        "gaussian_dp.GaussianParameter", "closed_forms.composition.Guarantee", "event_calibration.Calibration",
        "event_calibration.Calibration.decimal", "events.tree.Node", "interval.largest", "training.LeastNoise",
        "supremum.Losses",
    ),
    **_excused(
        _TAKEN_AS_CHECKED,
        "renyi.subsampled_gaussian.integral_moment", "renyi.subsampled_gaussian.poisson_divergence",
        "renyi.without_replacement.applicable", "renyi.without_replacement.gaussian_bound",
        "renyi.without_replacement.gaussian_without_replacement",
    ),
    **_excused(
        _BELOW_PLD,
        "events.batches.rational_root", "pld.batches.sampled_pairs", "pld.composed.composed", "pld.pair.binary_log",
        "pld.pair.on_lattice", "pld.samplers.sampler_pairs", "closed_forms.binomial.binomial_tail",
        "closed_forms.binomial.binomial_draws", "closed_forms.binomial.hypergeometric_draws",
        "closed_forms.binomial.Draws",
        "closed_forms.binomial.Truncation", "closed_forms.binomial.truncation", "closed_forms.mixtures.Mixture",
        "closed_forms.mixtures.Mixture.added", "closed_forms.mixtures.Mixture.crossing",
        "closed_forms.mixtures.Mixture.log_ratio", "closed_forms.mixtures.Mixture.removed",
        "closed_forms.mixtures.drawn_often", "closed_forms.mixtures.enclosed_root",
    ),
    **_excused(
        _EVENTS,
        "batched.on_batches", "batched.supports_batches", "events.batches.enclosed",
        "events.batches.gaussian_mu_squared", "events.batches.simplified", "events.groups.holds_group",
        "events.groups.of_a_group", "events.groups.on_fewer_records", "events.given.steps_of", "events.given.epochs_of",
        "events.given.integer",
    ),
    "renyi.curves.RenyiCurve": "holds a function; what that returns is checked where it is asked",
    "renyi.variance_reduction.Choice": "where a bound is evaluated; svrg.event_renyi checks it",
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
    for module in pkgutil.walk_packages(dpref.privacy.__path__, f"{dpref.privacy.__name__}."):
        scope, here = vars(importlib.import_module(module.name)), module.name.removeprefix(f"{dpref.privacy.__name__}.")
        for name, value in scope.items():
            own = callable(value) and getattr(value, "__module__", None) == scope["__name__"]
            if not own or name.startswith("_") or is_formula(value):
                continue
            found[f"{here}.{name}"] = value
            if inspect.isclass(value):
                found |= {f"{here}.{name}.{method}": f for method, f in _methods(value)}
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
