"""What the algorithms stand beside: the majority class, scikit-learn without privacy, diffprivlib."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Final

import numpy as np

from dpref.problems.datasets import Dataset


@dataclass(frozen=True)
class Peer:
    """A classifier of another library.

    Attributes:
        name: In the table.
        package: What must be importable.
        private: Whether it takes an epsilon.
        grid: Its options, of which other data choose.
        accuracy: ``(training, test, seed, options, epsilon) -> share`` of the test labels that are right.
        promises: What it says of its privacy.
    """

    name: str
    package: str
    private: bool
    grid: tuple[Mapping[str, float], ...]
    accuracy: Callable[[Dataset, Dataset, int, Mapping[str, float], float], float]
    promises: str


@cache
def missing(package: str) -> str:
    """Why a package cannot be used, or nothing.

    Args:
        package: By the name under which it is imported.

    >>> missing("no_such_package")
    'is not installed'
    """
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        return "is not installed" if error.name == package.partition(".")[0] else f"cannot be imported: {error}"
    except ImportError as error:
        return f"cannot be imported: {error}"
    return ""


def _majority(training: Dataset, test: Dataset, seed: int, options: Mapping[str, float], epsilon: float) -> float:
    more = 1.0 if training.labels.sum() > 0 else -1.0
    return float(np.mean(test.labels == more))


def _scikit_learn(training: Dataset, test: Dataset, seed: int, options: Mapping[str, float], epsilon: float) -> float:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    return _score(LogisticRegression(fit_intercept=False, **options), training, test)


def _diffprivlib(training: Dataset, test: Dataset, seed: int, options: Mapping[str, float], epsilon: float) -> float:
    from diffprivlib.models import LogisticRegression  # noqa: PLC0415

    # The data norm and the absent intercept are those of the other rows.
    made = LogisticRegression(epsilon=epsilon, data_norm=1.0, fit_intercept=False, random_state=seed, **options)
    return _score(made, training, test)


def _score(model: Any, training: Dataset, test: Dataset) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # diffprivlib passes options that scipy renames
        model.fit(training.features, training.labels)
    return float(model.score(test.features, test.labels))


_C: Final = tuple({"C": c} for c in (0.01, 0.1, 1.0, 10.0))
MAJORITY: Final = Peer("majority class", "numpy", False, ({},), _majority, "reads one bit of the training labels")
PEERS: Final = (
    MAJORITY,
    Peer("scikit-learn, no privacy", "sklearn", False, _C, _scikit_learn, "not private"),
    Peer("diffprivlib", "diffprivlib.models", True, _C, _diffprivlib, "its own: (epsilon, 0)"),
)
