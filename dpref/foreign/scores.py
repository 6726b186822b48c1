r"""Scores: one number an output, made from its features so that large ones speak for d1.

A worse score costs power, never validity: it is fitted on earlier runs, and its events are chosen on others of them.
The learned one is a classifier of scikit-learn, where that is installed; the ridge discriminant
$(S+\lambda I)^{-1}(m_1-m_0)$ needs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dpref.errors import MissingExtraError
from dpref.reals import FloatArray

Learn: TypeAlias = Literal["auto"] | bool

VALUE: Final = "value"
RIDGE: Final = "ridge discriminant"
CALLER: Final = "the caller's score"
LEAST_RUNS: Final = 30  # on either data set, to fit anything on
_MOST_RUNS: Final = 20_000
_LARGE: Final = 1e300
_RIDGE: Final = 1e-3


@final
@dataclass(frozen=True, eq=False)
class Score:
    """A fitted score.

    Attributes:
        name: What reports call it.
        of: Features, shape (n, features), to scores, shape (n,).
        learned: Whether a classifier makes it.
    """

    name: str
    of: Callable[[FloatArray], FloatArray]
    learned: bool = False


def may_learn(learn: Learn) -> bool:
    """Whether the learned score is to be fitted.

    Args:
        learn: ``"auto"``: where scikit-learn is installed.

    Raises:
        MissingExtraError: If it is demanded and scikit-learn is not installed.
    """
    if learn is False:
        return False
    if _library() is None and learn is True:
        raise MissingExtraError("learn=True needs scikit-learn: pip install 'dpref[learn]'")
    return _library() is not None


@cache
def _library() -> Any:
    try:
        import sklearn.ensemble  # noqa: PLC0415 - an optional dependency, and slow to load
    except ImportError:
        return None
    return sklearn


def fit(first: FloatArray, second: FloatArray, *, learn: bool, seed: int) -> list[Score]:
    """The scores that earlier runs teach.

    Args:
        first: Features on d0, shape (n, features).
        second: Features on d1.
        learn: Whether a classifier is fitted beside the discriminant.
        seed: Of the classifier.
    """
    if len(first) < LEAST_RUNS or first.shape[1] < 1:
        return []
    x, y = first[-_MOST_RUNS:], second[-_MOST_RUNS:]
    found = [_ridge(x, y)] if first.shape[1] > 1 else []
    varied = _varied(np.concatenate([x, y]))
    return [*found, _classifier(x, y, varied, seed)] if learn and varied.size else found


def _ridge(x: FloatArray, y: FloatArray) -> Score:
    both = _finite(np.concatenate([x, y]))
    centre = np.median(both, axis=0)
    spread = np.quantile(np.abs(both - centre), 0.9, axis=0)
    scale = np.where(spread > 0, spread, 1.0)

    def standard(values: FloatArray) -> FloatArray:
        return np.asarray(np.clip((_finite(values) - centre) / scale, -5, 5))

    a, b = standard(x), standard(y)
    scatter = (np.cov(a, rowvar=False) + np.cov(b, rowvar=False)) / 2
    weights = np.linalg.solve(scatter + _RIDGE * np.eye(len(centre)), b.mean(axis=0) - a.mean(axis=0))
    return Score(RIDGE, lambda values: np.asarray(standard(values) @ weights))


def _finite(values: FloatArray) -> FloatArray:
    within = np.clip(values, -_LARGE, _LARGE)
    within[np.isnan(within)] = 0.0
    return np.asarray(within)


def _varied(values: FloatArray) -> NDArray[np.intp]:
    """The columns with more than one value: scikit-learn cannot sort others into bins."""
    with np.errstate(invalid="ignore"):
        kept = [len(np.unique(column[~np.isnan(column)])) > 1 for column in np.clip(values, -_LARGE, _LARGE).T]
    return np.flatnonzero(kept)


def _classifier(x: FloatArray, y: FloatArray, columns: NDArray[np.intp], seed: int) -> Score:
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    model = HistGradientBoostingClassifier(
        max_iter=40, max_leaf_nodes=8, min_samples_leaf=5, early_stopping=False, random_state=seed % 2**32
    )
    labels = np.repeat([0, 1], [len(x), len(y)])
    with threadpool_limits(1):
        model.fit(np.clip(np.concatenate([x, y])[:, columns], -_LARGE, _LARGE), labels)

    def of(values: FloatArray) -> FloatArray:
        with threadpool_limits(1):
            return np.asarray(model.decision_function(np.clip(values[:, columns], -_LARGE, _LARGE)))

    return Score(f"learned (scikit-learn {_library().__version__})", of, learned=True)
