"""A paper's algorithm on a user's own data: the plan, the run, and what it spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, final

import numpy as np

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.forms import Form
from dpref.checks import finite_array, natural, one_of, open_unit, rational
from dpref.curator import LiveCurator, RecordingCurator
from dpref.errors import BudgetExceededError, InvalidArgumentError
from dpref.fitting.bounds import Bounds, Classes
from dpref.fitting.given import Number, exactly, positively
from dpref.fitting.parameters import BUDGETS, Asked, largest_budget, parameters
from dpref.fitting.preview import Preview, certified_within
from dpref.fitting.problems import loss_named, norm_of, problem_of, runnable
from dpref.fitting.scaling import Scaling
from dpref.fitting.utility import promised
from dpref.foreign.replay import Recording, Source, write_transcript
from dpref.foreign.replay.recording import written_down
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms.zcdp import largest_rho
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.filters import agrees
from dpref.privacy.interval import Interval
from dpref.problems.datasets import Dataset
from dpref.problems.losses import Loss
from dpref.reals import FloatArray, exact
from dpref.units import AddOrRemoveOne, Adjacency, adjacency_named, known_adjacency


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted:
    """What a run released, and what it spent.

    Attributes:
        weights: Of the linear predictor in the user's units, shape (d,).
        intercept: Its constant, in the user's units.
        answer: What the algorithm released, for mapped records.
        preview: What was said before the run.
        ledger: What the curator counted.
        epsilon: Certified at delta under the asked adjacency.  Where a run may stop early by what it has seen, it is
            the whole plan's: what was saved is no public knowledge.
        scaling: The map of records.
        transcript: The recorded run, if it was asked for: **it holds the data** and must not be published.
    """

    weights: FloatArray
    intercept: float
    answer: FloatArray
    preview: Preview
    ledger: Ledger[Any]
    epsilon: Interval
    scaling: Scaling
    transcript: Recording | None = None

    @property
    def plan(self) -> Any:
        """Every number of the run."""
        return self.preview.plan

    def decision(self, features: object) -> FloatArray:
        """Predictions for records, shape (n,): for classes their sign is the class.

        Records are mapped as those of the run, so that what lies outside the bounds is moved to them.

        Args:
            features: Shape (n, d).
        """
        found = self.scaling.mapped(features) @ self.answer
        target = self.scaling.bounds.target
        if isinstance(target, Classes):
            return found
        middle, half = target.map()
        return middle + half * found

    def save_transcript(self, path: Path) -> None:
        """Write the recorded run; the file holds the private data.

        Args:
            path: Where to.

        Raises:
            InvalidArgumentError: If the run was not recorded.
        """
        if self.transcript is None:
            raise InvalidArgumentError("transcript", None, "the run was not recorded: fit with recorded=True")
        write_transcript(self.transcript, path)


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
    scaling = Scaling(bounds, natural("dimension", dimension), norm_of(declared), intercept)
    bounds.affine(dimension)
    problem = problem_of(
        declared,
        loss_named(loss, bounds.target),
        natural("n", n),
        scaling.dimension,
        radius=None if radius is None else positively("radius", radius),
        ridge=rational("regularisation", exactly("regularisation", regularisation)),
        clip=None if clip is None else positively("clip", clip),
        counted=relation is not AddOrRemoveOne,
    )
    budget = positively("epsilon", epsilon), open_unit("delta", exactly("delta", delta))
    return _preview(declared, Asked(problem, *budget, relation, asked_form), given)


def fit(
    algorithm: str,
    features: object,
    target: Sequence[Any],
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
        settings: The other arguments of `planned`: loss, regularisation, radius, clip, form, and the algorithm's own.

    Raises:
        InvalidArgumentError: If an argument breaks its rule.
        BudgetError: If the plan is not certified to spend at most epsilon.

    >>> from dpref.fitting.bounds import Classes
    >>> ask = dict(epsilon=8, delta="1e-5", adjacency="replace-one", bounds=Bounds([(0, 1)], Classes(0, 1)), seed=1)
    >>> fitted = fit("gradient-descent", [[0.1], [0.9]] * 500, [0, 1] * 500, **ask)
    >>> bool(fitted.weights[0] > 0), fitted.epsilon.upper <= 8
    (True, True)
    """
    declared = runnable(algorithm)
    relation = _adjacency(declared, adjacency)
    if not isinstance(bounds, Bounds):
        raise InvalidArgumentError("bounds", bounds, "must be Bounds: public, and never taken from the data")
    if seed is not None:
        natural("seed", seed, least=0)
    rows = finite_array("features", features, ndim=2)
    scaling = Scaling(bounds, rows.shape[1], norm_of(declared), intercept)
    data = scaling.records(rows, list(target))
    preview = planned(
        algorithm,
        _public_number(data.n, bounds, relation),
        rows.shape[1],
        epsilon=epsilon,
        delta=delta,
        adjacency=relation,
        bounds=bounds,
        intercept=intercept,
        **settings,
    )
    return _run(preview, scaling, data, seed, recorded)


def _run(preview: Preview, scaling: Scaling, data: Dataset, seed: int | None, recorded: bool) -> Fitted:
    algorithm, problem, plan = preview.algorithm, preview.problem, preview.plan
    kind: Any = RecordingCurator if recorded else LiveCurator
    curator = kind(problem.read(data), preview.adjacency, np.random.default_rng(seed))
    answer = np.asarray(algorithm.run(problem, plan, curator), dtype=np.float64)
    if not agrees(algorithm.spending, preview.ledger, curator.ledger):
        raise BudgetExceededError(
            f"{algorithm.name} spent {curator.ledger}, not what its plan says; nothing is released"
        )
    weights, constant = scaling.weights(answer)
    return Fitted(
        weights=weights,
        intercept=constant,
        answer=answer,
        preview=preview,
        ledger=curator.ledger,
        epsilon=preview.epsilon,
        scaling=scaling,
        transcript=written_down(Source(algorithm, problem, data, plan), curator.transcript, answer)
        if recorded
        else None,
    )


def _preview(declared: AnyAlgorithm, asked: Asked, given: Mapping[str, Any]) -> Preview:
    made, epsilon, delta = parameters(declared, asked, given), asked.epsilon, asked.delta
    own = next((name for name in BUDGETS if name in {field.name for field in fields(declared.params)}), None)

    @cache
    def plan(budget: Fraction | None) -> Any:
        return declared.plan(asked.problem, declared.params(**made, **({own: budget} if own else {})))

    def spent(budget: Fraction) -> float:
        return certify(declared.ledger(plan(budget)), delta=delta).upper

    budget = None
    if own is not None:
        budget = exact(largest_rho(epsilon, delta)) * (2 if own == "budget" else 1)
        if asked.form is Form.REPAIRED:
            budget = largest_budget(budget, spent, epsilon)
    found = plan(budget)
    ledger = declared.ledger(found)
    return Preview(
        algorithm=declared,
        problem=asked.problem,
        plan=found,
        ledger=ledger,
        epsilon=certified_within(ledger, epsilon, delta),
        asked=epsilon,
        delta=delta,
        utility=promised(declared, asked.problem, found),
    )


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
