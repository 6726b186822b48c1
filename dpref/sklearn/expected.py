"""The checks of scikit-learn that the estimators are known to fail, each with its reason: none."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

EXPECTED_FAILED_CHECKS: Final[Mapping[str, str]] = MappingProxyType({})


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """What ``check_estimator`` and ``parametrize_with_checks`` take under this name: check and reason.

    Args:
        estimator: An instance; what is expected does not depend on it.

    >>> from dpref.sklearn import PrivateLogisticRegression
    >>> expected_failed_checks(PrivateLogisticRegression())
    {}
    """
    return dict(EXPECTED_FAILED_CHECKS)
