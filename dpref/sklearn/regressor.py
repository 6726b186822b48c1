"""Private linear regression: the Huber loss, or the squared one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Never, Self

import numpy as np
from sklearn.base import RegressorMixin

from dpref.algorithms.forms import Form
from dpref.errors import InvalidArgumentError
from dpref.fitting.bounds import Bounds, Range
from dpref.privacy.events.given import Number
from dpref.problems.losses import Loss
from dpref.reals import FloatArray
from dpref.sklearn.linear import PrivateLinearModel
from dpref.sklearn.public import Public
from dpref.units import Adjacency


class PrivateLinearRegression(RegressorMixin, PrivateLinearModel):  # type: ignore[misc]
    r"""$\min_w\frac1n\sum_i\ell(s_i,y_i)+\frac\lambda2\|w\|^2$ for mapped records and targets, by a private algorithm.

    Args:
        target_bounds: (least, largest) of the target, public; what lies outside is moved to them.  Required, unless
            ``bounds`` has them.
        loss: "huber" (its threshold is a quarter of the target's range), "squared", which needs a radius (1 by default)
            or a clip, or a loss of `dpref.problems.losses`.

    The other arguments and attributes are those of `dpref.sklearn.linear.PrivateLinearModel`.

    >>> private = PrivateLinearRegression(
    ...     epsilon=4, delta="1e-5", adjacency="replace-one", bounds=(0, 1), target_bounds=(0, 2), random_state=0
    ... ).fit([[0.0], [0.5], [1.0]] * 300, [0.0, 1.0, 2.0] * 300)
    >>> private.predict([[0.5], [1.0]]).round().tolist(), private.epsilon_.upper <= 4
    ([1.0, 2.0], True)
    """

    def __init__(
        self,
        algorithm: str = "gradient-descent",
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        adjacency: type[Adjacency] | str | None = None,
        bounds: Public | None = None,
        target_bounds: Sequence[Number] | None = None,
        loss: str | Loss = "huber",
        regularisation: Number = 0,
        radius: Number | None = None,
        clip: Number | None = None,
        fit_intercept: bool = True,
        form: str | Form = "repaired",
        parameters: Mapping[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            algorithm,
            epsilon=epsilon,
            delta=delta,
            adjacency=adjacency,
            bounds=bounds,
            regularisation=regularisation,
            radius=radius,
            clip=clip,
            fit_intercept=fit_intercept,
            form=form,
            parameters=parameters,
            random_state=random_state,
        )
        self.target_bounds = target_bounds
        self.loss = loss

    def fit(self, X: Any, y: Any, **refused: Never) -> Self:
        """Run the algorithm once on the records, and spend the budget.

        Args:
            X: Features, shape (n, d), dense and finite.
            y: A finite number a record, shape (n,).
            refused: What other estimators take besides, such as ``sample_weight``.

        Raises:
            InvalidArgumentError: If an argument is missing or breaks its rule.
            BudgetError: If the plan is not certified to spend at most epsilon.
        """
        known = self._range()
        features, target = self._checked(X, y, refused, y_numeric=True)
        found = self._run(features, target, self.loss, known)
        self.coef_: FloatArray = found.weights
        self.intercept_: float = found.intercept
        return self

    def _range(self) -> Range:
        """What is publicly known of the target."""
        if isinstance(self.bounds, Bounds):
            if self.target_bounds is not None or not isinstance(self.bounds.target, Range):
                rule = "must bound the target once: give Bounds with a Range, and no target_bounds"
                raise InvalidArgumentError("bounds", self.bounds.target, rule)
            return self.bounds.target
        given: Any = self.target_bounds
        ends = tuple(given) if np.ndim(given) == 1 else ()
        if len(ends) != 2:
            rule = "must be given: the least and the largest value that a target can have; never taken from the data"
            raise InvalidArgumentError("target_bounds", self.target_bounds, rule)
        return Range(*ends)

    def predict(self, X: Any) -> FloatArray:
        """<w, x> + b of each record, shape (n,).

        Args:
            X: Features, shape (n, d).
        """
        return self._scores(X)
