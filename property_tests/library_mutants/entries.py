"""Changes that change nothing that is promised, each with the reason; `equivalent` checks them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from property_tests.library_mutants import equivalent_values as values


@dataclass(frozen=True)
class Equivalent:
    """Changes of a function, or of several.

    Attributes:
        function: Pattern of ``module:name``.
        changes: Patterns of the changes' words, as the run prints them.
        reason: Why nothing that is promised changes.
        values: What must agree before and after; None for a replay.
    """

    function: str
    changes: tuple[str, ...]
    reason: str
    values: Callable[[], Sequence[object]] | None = None


LIST: Final[tuple[Equivalent, ...]] = (
    Equivalent(
        "dpref.algorithms.dynamic_gradient_descent.schedules:exact_shares",
        ("LtE -> Lt in `if any((w <= 0*", "0 -> -1 in `if any((w <= 0*"),
        "a share is positive, and the double above the end of a ball that holds it is positive too",
    ),
    Equivalent(
        "dpref.algorithms.svrg.calibration:_proved_constant",
        ("LtE -> Lt in `if sign(*", "0 -> -1 in `if sign(*", "1024 -> * in `if sign(*"),
        "a rational epsilon is never 2 ln(1/delta), so that the sign is -1 or 1; 1024 bits are where it gives up",
    ),
    Equivalent(
        "dpref.mechanisms.sparsification:sparsify",
        ("Gt -> GtE in `if (weights < 0)*",),
        "the tolerance of a sum of doubles is not a distance that such a sum can have from 1",
        values.tolerances,
    ),
    Equivalent(
        "dpref.curator.keeping:Keeper.select",
        ("LtE -> Lt in `if mixture and*",),
        "the tolerance of a sum of doubles is not a distance that such a sum can have from 1",
        values.tolerances,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.binomial:_sum",
        (
            "* in `if ratio < 1*",
            "* in `return total + *",
        ),
        "where a sum stops does not matter while the rest is enclosed, and the rest is below its last bit",
        values.binomial_tails,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.binomial:_rising",
        ("1 -> 2 in `for j in range(*",),
        "the ratio after the last term is zero, and so are all terms after it",
        values.binomial_tails,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.binomial:_falling",
        ("1 -> 2 in `for j in range(*",),
        "the ratio after the last term is zero, and so are all terms after it",
        values.binomial_tails,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.binomial:binomial_tail",
        ("Gt -> GtE in `if least > trials * rate*",),
        "at the mean both sides are as long, and either is summed",
        values.binomial_tails,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.binomial:<module>",
        ("* in `_TERM_BITS*",),
        "where a sum stops does not matter while the rest is enclosed",
        values.binomial_tails,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.binomial:_check_work",
        ("Gt -> GtE in `if terms > MOST_TERMS*",),
        "no tail has exactly as many terms as are allowed",
        values.lengths_of_tails,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.binomial:_truncation",
        (
            "1 -> 2 in `return Truncation*",
            "0 -> -1 in `return Truncation*",
        ),
        "a share is below one and a rate above zero by more than their last bits",
        values.cut_samples,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.composition:optimal_delta.value",
        ("GtE -> Gt in `if gap >= 0*",),
        "a term whose loss is epsilon itself adds zero",
        values.optimal_compositions,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.composition:optimal_epsilon.value",
        (
            "* in `for weight in itertools.islice*",
            "Gt -> GtE in `if largest*",
            "1 -> 2 in `if largest*",
        ),
        "further corners are no larger: where the search for the largest stops does not matter",
        values.optimal_compositions,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.curves:discrete_laplace_curve.below",
        ("* in `if z < 0*",),
        "both formulas agree at 0 and at -1",
        values.discrete_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.curves:discrete_gaussian_curve.below",
        ("Lt -> LtE in `if z < -reach*",),
        "both bounds hold where the sums begin",
        values.discrete_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.curves:cut",
        (
            "Gt -> GtE in `return (value.union*",
            "Gt -> GtE in `if x > bound*",
            "Lt -> LtE in `if x < -bound*",
            "Lt -> LtE in `if abs(x) < bound*",
        ),
        "at an end of the losses every slope between both sides' holds, and at zero both values are zero",
        values.ends_of_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.curves:finite_curve",
        ("Gt -> GtE in `if loss > x*",),
        "balls that touch: what the atom adds is zero at the end that they share",
        values.ends_of_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.curves:exponential_delta",
        ("USub -> UAdd in `u = *",),
        "the number is squared",
    ),
    Equivalent(
        "dpref.privacy.closed_forms.curves:_gaussian_sums",
        (
            "* in `first = *",
            "* in `rest = *",
            "* in `whole = *",
        ),
        "what lies beyond the reach is less than the last bit of the sums",
        values.gaussian_sums,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.binomial:_told_apart",
        ("0.0 -> 1.0 in `first, last = (0.0*",),
        "zero is told apart whether the range begins there or at one",
        values.binomial_laws,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.binomial:binomial_draws",
        (
            "1 -> 0 in `tails = *",
            "? -> ? in `up, down = ({0: Fraction(1)}, {0: Fraction(1)})`",
            "0 -> -1 in `up, down = ({0: Fraction(1)}, {0: Fraction(1)})`",
            "Gt -> GtE in `up[k] = *",
            "0 -> -1 in `up[k] = *",
        ),
        "the chance of at least zero is never asked for, larger numbers alone are there yet, no end is negative",
        values.binomial_laws,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.zcdp:zcdp_to_delta",
        ("LtE -> Lt in `if e <= r*", "1.0 -> 2.0 in `return _above(enclose(bound,*"),
        "at the mean the formula is one, and that of the best order is nowhere more",
        values.zcdp_conversions,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.zcdp:zcdp_to_epsilon",
        ("* in `if r == 0*",),
        "the formula of no loss is zero, to the last bit",
        values.zcdp_conversions,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.zcdp:<module>",
        ("*",),
        "where the search for an order begins and ends: every order gives a bound, and these give the same",
        values.zcdp_conversions,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.zcdp:_increasing_root",
        ("*",),
        "the way of the search for an order: every order gives a bound, and these give the same",
        values.zcdp_conversions,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.three_laws:poisson_replaced",
        ("* in `y = ((b + root) / (2 * a) if not x < 0*",),
        "both forms of the root are the same number; the one that is chosen loses fewer digits",
        values.three_laws_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.three_laws:batch_filled",
        (
            "LtE -> Lt in `if squared <= 0*",
            "Gt -> GtE in `return (value, first) if squared > 0*",
            "Gt -> GtE in `if not x > 0*",
        ),
        "a ball that is not exactly zero is below zero where it is not above",
        values.three_laws_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.three_laws:batch_filled",
        ("0 -> -1 in `return (value, first) if squared > 0*",),
        "where the root may be zero both ends of the interval overlap: both balls hold zero without the union too",
        values.ends_of_filled_batches,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.guarantees:concentrated_delta",
        ("Lt -> LtE in `return (value,*",),
        "a ball that is not exactly one is below one where it is not above",
        values.concentrated_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.tradeoff:laplace_tradeoff_at.value",
        (
            "GtE -> Gt in `if x >= Fraction(1, 2)*",
            "Gt -> GtE in `return steep*",
            "Lt -> LtE in `return steep*",
            "0 -> 1 in `return steep*(2)",
        ),
        "the formulas agree where they meet",
        values.laplace_trade_offs,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.mixtures:<module>",
        ("* in `_STEPS*", "* in `_WIDENINGS*"),
        "how far a search goes that nothing rests on: what it finds is enclosed by a change of sign, or refused",
        values.mixture_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.mixtures:Mixture.crossing*",
        ("* in `start = *", "* in `terms = *", "* in `return sum((t * s*"),
        "the way of a search that nothing rests on: what it finds is enclosed by a change of sign, or refused",
        values.mixture_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.mixtures:drawn_often",
        ("* in `top = *",),
        "the start of a search that nothing rests on: what it finds is enclosed by a change of sign, or refused",
        values.mixture_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.mixtures:_left_of",
        ("*",),
        "the start of a search that nothing rests on: what it finds is enclosed by a change of sign, or refused",
        values.mixture_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.mixtures:_density_slope",
        ("*",),
        "the steps of a search that nothing rests on: what it finds is enclosed by a change of sign, or refused",
        values.mixture_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.mixtures:enclosed_root",
        (
            "* in `unit = *",
            "* in `step = *",
            "* in `if abs(step)*",
            "* in `radius = *",
            "* in `radius *= *",
            "lower -> upper in `low, high = *",
            "upper -> lower in `low, high = *",
            "Lt -> LtE in `if excess(low)*",
            "Gt -> GtE in `if excess(low)*",
        ),
        "the way of a search that nothing rests on: what it finds is enclosed by a change of sign, or refused",
        values.mixture_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.mixtures:Mixture.removed",
        ("Add -> Sub in `return (least.union*", "upper -> lower in `return (least.union*"),
        "the curve falls: above the weight it is below its value at the weight, which the ball holds already",
        values.mixture_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.mixtures:Mixture.*",
        ("LtE -> Lt in `if room <= 0*", "Gt -> GtE in `if not room > 0*"),
        "a ball that is not exactly zero is below zero where it is not above",
        values.mixture_curves,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.guarantees:table_atoms",
        ("Gt -> GtE in `while len(hull) > 1*", "1 -> 2 in `while len(hull) > 1*(3)"),
        "a dot lies on or above the line between two others where either side of it falls no faster than the whole",
        values.table_atoms,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.gaussian:<module>",
        ("* in `_LARGEST*", "* in `_NEWTON_STEPS*", "* in `_NEWTON_STOP*"),
        "the way of a search that nothing rests on: what it finds is certified, or searched for again",
        values.gaussian_searches,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.gaussian:_newton",
        ("*",),
        "the way of a search that nothing rests on: what it finds is certified, or searched for again",
        values.gaussian_searches,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.gaussian:_over",
        ("max -> min in `return Interval(*",),
        "how many bits an answer took is told and not promised",
        values.gaussian_searches,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.gaussian:_bracket",
        ("LtE -> Lt in `if *", "GtE -> Gt in `if *"),
        "a rational delta is never the value of the formula, so that a ball is never exactly at it",
        values.gaussian_searches,
    ),
    Equivalent(
        "dpref.privacy.closed_forms.gaussian:_sum",
        ("LtE -> Lt in `if len(*", "2 -> * in `if len(*", "2 -> 3 in `half = *"),
        "the order in which rational numbers are added",
        values.gaussian_totals,
    ),
    Equivalent(
        "dpref.privacy.calibration:<module>",
        ("* in `_NEWTON_STEPS*", "* in `_NEWTON_STOP*"),
        "the way of a search that nothing rests on: what it finds is certified, or searched for again",
        values.calibrations,
    ),
    Equivalent(
        "dpref.privacy.calibration:_newton_mu",
        ("*",),
        "the way of a search that nothing rests on: what it finds is certified, or searched for again",
        values.calibrations,
    ),
    Equivalent(
        "dpref.privacy.calibration:*",
        (
            "* in `guess = *",
            "* in `mu = exact(*",
            "1 -> * in `return least_integer(guess + 1*",
            "Add -> Sub in `return least_integer(guess + 1*",
        ),
        "where a search for a double or an integer begins, which ends at the same from everywhere",
        values.calibrations,
    ),
    Equivalent(
        "dpref.privacy.calibration:largest_mu",
        ("LtE -> Lt in `if (low == 0*", "GtE -> Gt in `if (low == 0*"),
        "a rational delta is never the value of the formula, so that a ball is never exactly at it",
        values.calibrations,
    ),
    Equivalent(
        "dpref.algorithms.spider.plan:_rounds",
        ("0 -> -1 in `return max(*",),
        "less than one round is refused as printed, and nothing to do where repaired, whether it is none or less",
        values.plans_of_spiders,
    ),
    Equivalent(
        "dpref.privacy.filters:ApproximateDPFilter.admits",
        ("0 -> -1 in `if squares == 0*",),
        "the formula of no loss is zero, which any target exceeds",
        values.filters_of_nothing,
    ),
    Equivalent(
        "dpref.privacy.filters:agrees",
        ("0 -> -1 in `return all(*", "0 -> -1 in `chosen = all(*"),
        "what was observed was observed at least once, which neither none nor less covers",
        values.agreements,
    ),
    Equivalent(
        "dpref.privacy.accountants:_pld_within",
        ("Lt -> LtE in `if found.width*", "0 -> -1 in `if found.width*"),
        "an interval that ends at zero is a point, and as narrow as any that is asked for",
        values.points_at_zero,
    ),
    Equivalent(
        "*",
        (
            "* in `with precision(*",
            "*_BITS: Final = *",
            "*BITS: Final = *",
            "*BITS = *",
            "*_PRECISION_LIMIT: Final = *",
        ),
        "a working precision: a ball holds the value at every precision, only its width changes",
    ),
)
