"""Private logistic regression for two classes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Final, Never, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from dpref.algorithms.forms import Form
from dpref.errors import InvalidArgumentError
from dpref.fitting.bounds import Bounds, Classes
from dpref.privacy.events.given import Number
from dpref.problems.losses import Logistic
from dpref.reals import FLOAT_ARRAY, FloatArray
from dpref.sklearn.linear import PrivateLinearModel
from dpref.sklearn.public import Public
from dpref.units import Adjacency

_READ: Final = "which labels occur was read from y and is not private: give classes, the two labels that may occur"


class LabelsReadWarning(UserWarning):
    """Which two labels occur was read from the private target."""


class PrivateLogisticRegression(ClassifierMixin, PrivateLinearModel):  # type: ignore[misc]
    r"""$\min_w\frac1n\sum_i\ln(1+e^{-y_is_i})+\frac\lambda2\|w\|^2$ for mapped records, by a private algorithm.

    Args:
        classes: The two labels, public.  None takes those that occur in y, **which is not private** and warns.

    Attributes:
        classes_: The two labels in order; the second is the positive one.

    The other arguments and attributes are those of `dpref.sklearn.linear.PrivateLinearModel`.

    >>> private = PrivateLogisticRegression(
    ...     epsilon=1, delta="1e-5", adjacency="replace-one", bounds=(-2, 2), classes=(0, 1), random_state=0
    ... ).fit([[-2.0], [-1.0], [1.0], [2.0]] * 100, [0, 0, 1, 1] * 100)
    >>> private.predict([[-2.0], [2.0]]).tolist(), private.epsilon_.upper <= 1
    ([0, 1], True)
    """

    def __init__(
        self,
        algorithm: str = "gradient-descent",
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        adjacency: type[Adjacency] | str | None = None,
        bounds: Public | None = None,
        classes: Sequence[Any] | None = None,
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
        self.classes = classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, **refused: Never) -> Self:
        """Run the algorithm once on the records, and spend the budget.

        Args:
            X: Features, shape (n, d), dense and finite.
            y: One of two labels a record, shape (n,).
            refused: What other estimators take besides, such as ``sample_weight``.

        Raises:
            InvalidArgumentError: If an argument is missing or breaks its rule, or the labels are not the two classes.
            BudgetError: If the plan is not certified to spend at most epsilon.
        """
        features, target = self._checked(X, y, refused)
        check_classification_targets(target)
        kind = type_of_target(target, input_name="y")
        if kind != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        labels = self._labels(target)
        found = self._run(features, target, Logistic(), Classes(*labels.tolist()))
        if self.classes is None and not isinstance(self.bounds, Bounds):
            self.preview_: str = f"{self.preview_}\nwarning: {_READ}"
        self.classes_: Any = labels
        self.coef_: FloatArray = found.weights[None, :]
        self.intercept_: FloatArray = np.array([found.intercept])
        return self

    def _labels(self, target: Any) -> Any:
        """The two labels, in order: the given ones, or those that occur."""
        known = self.bounds.target if isinstance(self.bounds, Bounds) else None
        given = self.classes
        if known is not None:
            if given is not None or not isinstance(known, Classes):
                rule = "must be left out where bounds name two classes" if given is not None else "need two classes"
                raise InvalidArgumentError("classes" if given is not None else "bounds", given or known, rule)
            given = known.negative, known.positive
        try:
            labels = np.unique(target if given is None else np.asarray(given))
        except TypeError:  # they have no order
            raise InvalidArgumentError("classes", given, "must be two labels, both numbers or both words") from None
        if len(labels) != 2:
            rule = "must be two different labels" if given is not None else "must hold two labels, not one class alone"
            raise InvalidArgumentError("y" if given is None else "classes", labels.tolist(), rule)
        if given is None:
            warnings.warn(_READ, LabelsReadWarning, stacklevel=3)
        return labels

    def decision_function(self, X: Any) -> FloatArray:
        """<w, x> + b of each record, shape (n,): positive for the second class.

        Args:
            X: Features, shape (n, d).
        """
        return self._scores(X)

    def predict(self, X: Any) -> Any:
        """The likelier label of each record, shape (n,).

        Args:
            X: Features, shape (n, d).
        """
        positive = self._scores(X) > 0
        return self.classes_[positive.astype(int)]

    def predict_proba(self, X: Any) -> FloatArray:
        """The model's probabilities of both labels, shape (n, 2); the noise in w is in them.

        Args:
            X: Features, shape (n, d).
        """
        half = FLOAT_ARRAY.tanh(self._scores(X) / 2) / 2
        return np.column_stack([0.5 - half, 0.5 + half])
