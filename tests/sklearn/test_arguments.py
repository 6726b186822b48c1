"""Arguments that several estimators share have one default, and those that scikit-learn has too have its default."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from dpref import fitting
from dpref.sklearn import PrivateLinearRegression, PrivateLogisticRegression
from dpref.sklearn.linear import PrivateLinearModel


def defaults(f: Any) -> dict[str, Any]:
    return {
        name: p.default
        for name, p in inspect.signature(f).parameters.items()
        if p.default is not inspect.Parameter.empty
    }


@pytest.mark.parametrize("estimator", [PrivateLinearRegression, PrivateLogisticRegression])
def test_shared_arguments_have_shared_defaults(estimator: type[Any]) -> None:
    own = defaults(estimator)
    assert {**own, **defaults(PrivateLinearModel)} == own
    for theirs in (LinearRegression, LogisticRegression):
        assert own["fit_intercept"] is defaults(theirs)["fit_intercept"]
    assert own["fit_intercept"] is defaults(fitting.fit)["intercept"]


def test_a_regression_has_an_intercept_unless_it_is_told_otherwise() -> None:
    """The target is a constant far from the middle of its range, which no weight of a centred feature explains."""
    given: dict[str, Any] = {
        "epsilon": 8, "delta": "1e-5", "adjacency": "replace-one", "bounds": (-1, 1), "target_bounds": (-1, 1)
    }  # fmt: skip
    x, y = [[-1.0], [1.0]] * 200, [0.75] * 400
    assert PrivateLinearRegression(**given, random_state=0).fit(x, y).intercept_ > 0.3
    assert PrivateLinearRegression(**given, fit_intercept=False, random_state=0).fit(x, y).intercept_ == 0
