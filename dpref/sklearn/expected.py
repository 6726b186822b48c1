"""The checks of scikit-learn that an estimator is known to fail, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

EXPECTED_FAILED_CHECKS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "PrivateLinearRegression": MappingProxyType({}),
        "PrivateLogisticRegression": MappingProxyType({}),
    }
)


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """What ``check_estimator`` and ``parametrize_with_checks`` take under this name.

    Args:
        estimator: An instance.

    >>> from dpref.sklearn import PrivateLogisticRegression
    >>> expected_failed_checks(PrivateLogisticRegression())
    {}
    """
    return dict(EXPECTED_FAILED_CHECKS[type(estimator).__name__])
