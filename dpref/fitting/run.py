"""A paper's algorithm on a user's own data: the plan, the run, and what it spent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.forms import Form
from dpref.checks import finite_array, natural, one_of, open_unit, rational
from dpref.checks import runnable as in_doubles
from dpref.errors import BudgetError, InvalidArgumentError
from dpref.fitting.bounds import Bounds
from dpref.fitting.exact import exactness, on_a_grid
from dpref.fitting.fitted import Fitted, Prepared
from dpref.fitting.parameters import BUDGETS, COUNTS, Asked, few_enough, largest_budget, parameters
from dpref.fitting.preview import Preview, certified_within
from dpref.fitting.problems import loss_named, norm_of, problem_of, runnable
from dpref.fitting.scaling import Scaling
from dpref.fitting.utility import promised
from dpref.geometry.sets import WHOLE_SPACE
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms.zcdp import largest_rho
from dpref.privacy.events.given import Number, exactly, positively
from dpref.privacy.time_limit import time_limit
from dpref.problems.losses import Loss
from dpref.reals import exact
from dpref.units import AddOrRemoveOne, Adjacency, adjacency_named, known_adjacency

_HAIR: Final = 1 - Fraction(1, 2**40)
_SETS: Final = ("constraint", "domain")  # what a plan calls the set that a user gives by its radius


def planned(
    algorithm: str,
    n: int,
    dimension: int,
    *,
    epsilon: Number,
    delta: Number,
    adjacency: type[Adjacency] | str,
    bounds: Bounds,
    loss: str | Loss = "logistic",
    regularisation: Number = 0,
    radius: Number | None = None,
    clip: Number | None = None,
    intercept: bool = True,
    form: str | Form = "repaired",
    noise: str = "floating",
    evaluation_error: Number | None = None,
    **given: Any,
) -> Preview:
    """What `fit` would do and spend with n records of d features; no data are needed and none are read.

    Args:
        algorithm: Its registered name.
        n: Number of records, public.
        dimension: d, the number of feature columns.
        epsilon: The most that may be spent; exact, text, or a float that is read as the decimal that it prints.
        delta: At which, in (0, 1).
        adjacency: The neighbouring relation, or its name.
        bounds: What is publicly known of the records.
        loss: "logistic", "squared" or "huber", or a loss of `dpref.problems.losses`.
        regularisation: Weight of half the squared norm of the answer for mapped records.
        radius: Of a ball in which the answer is sought.
        clip: At which the gradients of mapped records are clipped.
        intercept: Whether the predictor has a constant.
        form: "repaired", or "as-printed".
        noise: "floating", drawn as doubles, or "gridded", drawn exactly (`dpref.fitting.exact`).
        evaluation_error: For "gridded": a bound, in the l2 norm, on how far the doubles of any query are from its
            exact value.  It is the user's word.
        given: Parameters of the algorithm.

    Raises:
        InvalidArgumentError: If an argument breaks its rule.
        BudgetError: If the plan is not certified to spend at most epsilon.

    >>> from dpref.fitting.bounds import Classes
    >>> ask = dict(epsilon=1, delta="1e-5", adjacency="replace-one", bounds=Bounds([(0, 1)], Classes(0, 1)))
    >>> preview = planned("gradient-descent", 1000, 1, steps=10, **ask)
    >>> preview.plan.steps, preview.epsilon.upper <= 1
    (10, True)
    """
    declared, asked_form = runnable(algorithm), _form(form)
    relation = _adjacency(declared, adjacency)
    scaling = _scaling(declared, bounds, natural("dimension", dimension), intercept=intercept)
    bounds.affine(dimension)
    problem = problem_of(
        declared,
        loss_named(loss, bounds.target),
        natural("n", n),
        scaling.dimension,
        radius=None if radius is None else Fraction(in_doubles("radius", positively("radius", radius))),
        ridge=Fraction(
            in_doubles("regularisation", rational("regularisation", exactly("regularisation", regularisation)))
        ),
        clip=None if clip is None else Fraction(in_doubles("clip", positively("clip", clip))),
        counted=relation is not AddOrRemoveOne,
    )
    budget = positively("epsilon", epsilon), open_unit("delta", exactly("delta", delta))
    for argument, number in zip(("epsilon", "delta"), budget, strict=True):
        in_doubles(argument, number)
    asked, wrong = Asked(problem, *budget, relation, asked_form), exactness(noise, evaluation_error)
    with time_limit(None):  # as long as it takes, and not in silence
        if wrong is None:
            return _preview(declared, asked, given)
        return on_a_grid(lambda most: _preview(declared, asked._replace(epsilon=most), given), asked.epsilon, wrong)


def fit(
    algorithm: str,
    features: object,
    target: Sequence[Any] | NDArray[Any],
    *,
    epsilon: Number,
    delta: Number,
    adjacency: type[Adjacency] | str,
    bounds: Bounds,
    intercept: bool = True,
    seed: int | None = None,
    recorded: bool = False,
    **settings: Any,
) -> Fitted:
    """Run a registered algorithm on a table of records, with at most epsilon certified at delta.

    Records reach the algorithm by a map of the public bounds alone, each by itself (`dpref.fitting.bounds`).

    Args:
        algorithm: Its registered name.
        features: Finite numbers, shape (n, d).
        target: n labels or numbers.
        epsilon: The most that may be spent; exact, text, or a float that is read as the decimal that it prints.
        delta: At which, in (0, 1).
        adjacency: The neighbouring relation, or its name; there is no default.
        bounds: What is publicly known of the records; never taken from them.
        intercept: Whether the predictor has a constant.
        seed: Makes a run repeatable, **and its noise known to whoever knows it**; None draws fresh entropy.
        recorded: Whether to keep the transcript, which holds the data.
        settings: The other arguments of `planned`: loss, regularisation, radius, clip, form, noise, evaluation_error,
            and the algorithm's own.

    Raises:
        InvalidArgumentError: If an argument breaks its rule.
        BudgetError: If the plan is not certified to spend at most epsilon.

    >>> from dpref.fitting.bounds import Classes
    >>> ask = dict(epsilon=8, delta="1e-5", adjacency="replace-one", bounds=Bounds([(0, 1)], Classes(0, 1)), seed=1)
    >>> fitted = fit("gradient-descent", [[0.1], [0.9]] * 500, [0, 1] * 500, **ask)
    >>> bool(fitted.weights[0] > 0), fitted.epsilon.upper <= 8
    (True, True)
    """
    budget: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "adjacency": adjacency}
    made = prepare(algorithm, features, target, **budget, bounds=bounds, intercept=intercept, **settings)
    return made.run(seed=seed, recorded=recorded)


def prepare(
    algorithm: str,
    features: object,
    target: Sequence[Any] | NDArray[Any],
    *,
    adjacency: type[Adjacency] | str,
    bounds: Bounds,
    intercept: bool = True,
    **settings: Any,
) -> Prepared:
    """The same without the run: a plan to look at, and the mapped data beside it.

    Args:
        algorithm: Its registered name.
        features: Finite numbers, shape (n, d).
        target: n labels or numbers.
        adjacency: The neighbouring relation, or its name.
        bounds: What is publicly known of the records.
        intercept: Whether the predictor has a constant.
        settings: The other arguments of `planned`, epsilon and delta among them.

    Raises:
        InvalidArgumentError: If an argument breaks its rule.
        BudgetError: If the plan is not certified to spend at most epsilon.
    """
    declared = runnable(algorithm)
    relation = _adjacency(declared, adjacency)
    rows = finite_array("features", features, ndim=2)
    scaling = _scaling(declared, bounds, rows.shape[1], intercept=intercept)
    if isinstance(target, str) or not isinstance(target, Iterable):
        raise InvalidArgumentError("target", type(target).__name__, "must have one label or number a record")
    data = scaling.records(features, list(target))
    preview = planned(
        algorithm,
        _public_number(data.n, bounds, relation),
        rows.shape[1],
        adjacency=relation,
        bounds=bounds,
        intercept=intercept,
        **settings,
    )
    return Prepared(preview, scaling, data)


def _preview(declared: AnyAlgorithm, asked: Asked, given: Mapping[str, Any]) -> Preview:
    made, epsilon, delta = parameters(declared, asked, given), asked.epsilon, asked.delta
    counted = next((name for name in COUNTS if name in given), "answers of the plan")
    own = next((name for name in BUDGETS if name in {field.name for field in fields(declared.params)}), None)

    @cache
    def plan(budget: Fraction | None) -> Any:
        params = declared.params(**made, **({own: budget} if own else {}))
        try:
            made_plan = declared.plan(asked.problem, params)
        except InvalidArgumentError as error:
            if error.argument in _SETS and asked.problem.domain.name == WHOLE_SPACE.name:
                rule = f"{declared.name} seeks its answer in a ball: give its radius, such as 5"
                raise InvalidArgumentError("radius", None, rule) from None
            raise
        few_enough(counted, made_plan.steps)
        return made_plan

    def spent(budget: Fraction) -> float:
        return certify(declared.ledger(plan(budget)), delta=delta).upper

    budget = None
    if own is not None:
        budget = exact(largest_rho(epsilon, delta)) * (2 if own == "budget" else 1)
        if asked.form is Form.REPAIRED:
            budget = largest_budget(budget, spent, epsilon)
    found = plan(budget)
    ledger = declared.ledger(found)
    try:
        certain = certified_within(ledger, epsilon, delta)
    except BudgetError:
        if own is not None or asked.form is not Form.REPAIRED:
            raise
        # Noise that is the least for the budget can be certified for it but for a last bit: a hair more settles it.
        made["epsilon"] = epsilon * _HAIR
        plan.cache_clear()
        found = plan(None)
        ledger = declared.ledger(found)
        certain = certified_within(ledger, epsilon, delta)
    return Preview(
        algorithm=declared,
        problem=asked.problem,
        plan=found,
        ledger=ledger,
        epsilon=certain,
        asked=epsilon,
        delta=delta,
        utility=promised(declared, asked.problem, found),
    )


def _scaling(declared: AnyAlgorithm, bounds: object, dimension: int, *, intercept: object) -> Scaling:
    if not isinstance(bounds, Bounds):
        raise InvalidArgumentError("bounds", bounds, "must be Bounds: public, and never taken from the data")
    if not isinstance(intercept, int | np.bool_) or intercept not in (True, False):
        raise InvalidArgumentError("intercept", intercept, "must be true or false")
    return Scaling(bounds, dimension, norm_of(declared), bool(intercept))


def _form(form: str | Form) -> Form:
    if isinstance(form, Form):
        return form
    one_of("form", form, [known.value for known in Form])
    return Form(form)


def _adjacency(declared: AnyAlgorithm, adjacency: type[Adjacency] | str) -> type[Adjacency]:
    relation = adjacency_named(adjacency) if isinstance(adjacency, str) else known_adjacency(adjacency)
    if relation not in declared.adjacencies:
        known = ", ".join(one.name for one in declared.adjacencies)
        rule = f"{declared.name} is analysed under {known} alone, and a guarantee is of one adjacency"
        raise InvalidArgumentError("adjacency", relation.name, rule)
    return relation


def _public_number(rows: int, bounds: Bounds, relation: type[Adjacency]) -> int:
    """The number of records that the plan may know."""
    if relation is AddOrRemoveOne:
        if bounds.records is None:
            rule = "under add-or-remove-one the number of records is private: the bounds must give a public one"
            raise InvalidArgumentError("records", None, rule)
        return bounds.records
    if bounds.records not in {None, rows}:
        raise InvalidArgumentError("records", bounds.records, f"must be the number of records, {rows}, which is public")
    return rows
