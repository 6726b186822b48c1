"""Estimators of scikit-learn that train on private data with the algorithms of empirical risk minimisation.

They need scikit-learn 1.6 or newer (``pip install 'dpref[sklearn]'``), whose own estimator checks they pass.  Budget,
adjacency and public bounds are given by the caller; none is read from the data, and none has a default.

>>> from dpref.sklearn import PrivateLogisticRegression
>>> ask = {"epsilon": 1, "delta": "1e-5", "adjacency": "replace-one", "bounds": 4, "classes": (0, 1), "random_state": 0}
>>> private = PrivateLogisticRegression(**ask).fit([[-2.0], [-1.0], [1.0], [2.0]] * 50, [0, 0, 1, 1] * 50)
>>> private.predict([[-2.0], [2.0]]).tolist()
[0, 1]
"""

from __future__ import annotations

from dpref.errors import MissingExtraError

try:
    from sklearn.utils.validation import validate_data as _of_release_1_6  # noqa: F401 - the youngest name that is used
except ImportError as _reason:
    _message = "dpref.sklearn needs scikit-learn 1.6 or newer: pip install 'dpref[sklearn]'"
    raise MissingExtraError(_message) from _reason

from dpref.sklearn.classifier import LabelsReadWarning as LabelsReadWarning
from dpref.sklearn.classifier import PrivateLogisticRegression as PrivateLogisticRegression
from dpref.sklearn.expected import EXPECTED_FAILED_CHECKS as EXPECTED_FAILED_CHECKS
from dpref.sklearn.expected import expected_failed_checks as expected_failed_checks
from dpref.sklearn.regressor import PrivateLinearRegression as PrivateLinearRegression

__all__ = [
    "EXPECTED_FAILED_CHECKS",
    "LabelsReadWarning",
    "PrivateLinearRegression",
    "PrivateLogisticRegression",
    "expected_failed_checks",
]
