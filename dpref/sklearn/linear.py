r"""What both estimators share: the constructor, one private run, the linear predictor $s=\langle w,x\rangle+b$.

Records are mapped into the unit ball by their public bounds alone, the constant of the intercept is one more column
inside that ball, and w and b are the answer brought back to the user's units (`dpref.fitting.scaling`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from dpref.algorithms.forms import Form
from dpref.checks import instance, natural
from dpref.errors import InvalidArgumentError
from dpref.fitting.bounds import Classes, Range
from dpref.fitting.run import fit
from dpref.fitting.scaling import Weights
from dpref.privacy.events.given import Number
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.interval import Interval
from dpref.problems.losses import Loss
from dpref.reals import FloatArray
from dpref.sklearn.public import Public, public_bounds
from dpref.units import Adjacency

REQUIRED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "epsilon": "the most that one fit may spend, such as 1 or '1/2'",
        "delta": "such as '1e-5', far below one over the number of records",
        "adjacency": "'replace-one', 'zero-out' or 'add-or-remove-one'",
        "bounds": "what is publicly known of the features, such as (0, 10); it is never taken from the data",
    }
)
_WEIGHTED: Final = (
    "is refused: a weight multiplies how far its record can move an answer, and the noise is calibrated for equal"
    " weights; fit without it"
)
_OF_A_RUN: Final = frozenset({"features", "target", "n", "dimension", "recorded"})
_BYTES_OF_A_SEED: Final = 16  # fewer can all be tried


class PrivateLinearModel(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A linear predictor that an algorithm of empirical risk minimisation finds within a certified budget.

    Args:
        algorithm: Registered name of an algorithm for tables of records (`dpref.fitting.problems.runnable_algorithms`).
        epsilon: The most that one fit may spend: a Fraction, text such as "1/2", or a number, read as the decimal that
            it prints.  Required.
        delta: At which, in (0, 1), written alike.  Required.
        adjacency: "replace-one", "zero-out" or "add-or-remove-one", or its class.  Required.
        bounds: What is publicly known of the features: a bound on the Euclidean norm of a record; or (least, largest)
            for every column; or one such pair a column, in order or by name; or `dpref.fitting.bounds.Bounds`.
            Records outside are moved to the bounds.  Required: never taken from the data.
        regularisation: Weight of half the squared norm of the answer for mapped records.
        radius: Of a ball in which that answer is sought.
        clip: At which gradients of mapped records are clipped.
        fit_intercept: Whether the predictor has a constant.
        form: "repaired", or "as-printed", which is refused where its plan is not certified to keep the budget.
        parameters: The algorithm's own, such as ``{"steps": 50}``; for the others there is a choice of public numbers.
        random_state: None draws fresh entropy.  A seed makes a fit repeatable, **and its noise known to whoever knows
            the seed** or tries seeds until one fits.  Fits of one seed, as in the folds of a cross-validation, have the
            same noise, which cancels between their answers: release none of them.

    Attributes:
        coef_: w, in the units of X.
        intercept_: b.
        n_features_in_: Number of columns.
        plan_: Every number of the run: noise, steps, step sizes.
        ledger_: What this one fit spent; another fit on the same records spends as much again.
        epsilon_: Certified from the plan at delta under the adjacency: an interval, whose upper end is at most epsilon.
        preview_: What the plan does, spends and promises, and its warnings, as text.
    """

    def __init__(
        self,
        algorithm: str = "gradient-descent",
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        adjacency: type[Adjacency] | str | None = None,
        bounds: Public | None = None,
        regularisation: Number = 0,
        radius: Number | None = None,
        clip: Number | None = None,
        fit_intercept: bool = True,
        form: str | Form = "repaired",
        parameters: Mapping[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.algorithm = algorithm
        self.epsilon = epsilon
        self.delta = delta
        self.adjacency = adjacency
        self.bounds = bounds
        self.regularisation = regularisation
        self.radius = radius
        self.clip = clip
        self.fit_intercept = fit_intercept
        self.form = form
        self.parameters = parameters
        self.random_state = random_state

    def _checked(self, X: Any, y: Any, refused: Mapping[str, Any], **rules: Any) -> tuple[FloatArray, Any]:
        """What the user must say is said, and the data have the shape of a table with a target."""
        for name, value in refused.items():
            rule = _WEIGHTED if name == "sample_weight" else "is unknown: fit takes X and y"
            raise InvalidArgumentError(name, type(value).__name__, rule)
        for name, rule in REQUIRED.items():
            if getattr(self, name) is None:
                raise InvalidArgumentError(name, None, f"must be given: {rule}")
        features, target = validate_data(self, X, y, dtype=np.float64, order="C", ensure_min_samples=2, **rules)
        return features, target

    def _run(self, features: FloatArray, target: Any, loss: str | Loss, public: Classes | Range) -> Weights:
        """One private run: what it spent is kept, what it found is returned."""
        given: Any = self  # whose arguments are there, and are checked by what reads them
        names = getattr(self, "feature_names_in_", None)
        parameters: Mapping[Any, Any] = {} if self.parameters is None else self.parameters
        instance("parameters", parameters, Mapping)
        asked: dict[str, Any] = {
            "epsilon": given.epsilon,
            "delta": given.delta,
            "adjacency": given.adjacency,
            "bounds": public_bounds(given.bounds, public, features.shape[1], names),
            "loss": loss,
            "regularisation": self.regularisation,
            "radius": self.radius,
            "clip": self.clip,
            "intercept": self.fit_intercept,
            "seed": seed_of(self.random_state),
            "form": self.form,
        }
        for name in parameters:
            if not isinstance(name, str) or name in {*asked, *_OF_A_RUN, *self.get_params(deep=False)}:
                rule = "must name the algorithm's own alone; what the estimator takes is given to the estimator"
                raise InvalidArgumentError("parameters", name, rule)
        fitted = fit(self.algorithm, features, target, **asked, **parameters)
        self.plan_: Any = fitted.plan
        self.ledger_: Ledger[Any] = fitted.ledger
        self.epsilon_: Interval = fitted.epsilon
        self.preview_: str = "\n".join([str(fitted.preview), *(f"warning: {text}" for text in fitted.warnings)])
        return Weights(fitted.weights, fitted.intercept)

    def _scores(self, X: Any) -> FloatArray:
        """<w, x> + b of each record, shape (n,)."""
        check_is_fitted(self)
        features = validate_data(self, X, dtype=np.float64, reset=False)
        found: Any = self
        return np.asarray(features @ np.ravel(found.coef_) + np.ravel(found.intercept_))


def seed_of(random_state: Any) -> int | None:
    """A seed of a run from what scikit-learn calls a random state.

    Args:
        random_state: None, a natural number, or numpy's older generator, which is asked for a number.

    Raises:
        InvalidArgumentError: If it is none of these.

    >>> seed_of(7), seed_of(None)
    (7, None)
    """
    if random_state is None:
        return None
    if isinstance(random_state, int | np.integer):
        return natural("random_state", random_state, least=0)
    try:
        return int.from_bytes(check_random_state(random_state).bytes(_BYTES_OF_A_SEED))
    except ValueError:
        rule = "must be None, a natural number, or a numpy.random.RandomState"
        raise InvalidArgumentError("random_state", random_state, rule) from None
