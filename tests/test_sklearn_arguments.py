"""What the estimators for scikit-learn must be told, and what they refuse."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpref.errors import InvalidArgumentError
from dpref.fitting import Bounds, Classes, Range
from tests.estimators import classifier, regression, table

# Loading scikit-learn takes three seconds of a processor: nothing here loads it before a test runs.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("sklearn") is None, reason="the estimators need scikit-learn"),
]


@pytest.mark.parametrize("name", ["epsilon", "delta", "adjacency", "bounds"])
@pytest.mark.parametrize("make", [classifier, regression], ids=["classifier", "regression"])
def test_what_must_be_said_has_no_default(make: Any, name: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"{name} = None: must be given: ") as raised:
        make(**{name: None}).fit(*table())
    assert raised.value.argument == name


def test_the_range_of_a_target_has_no_default() -> None:
    rows, labels = table()
    for wrong in (None, (1,), "01", 5):
        with pytest.raises(InvalidArgumentError, match="the least and the largest value that a target can have"):
            regression(target_bounds=wrong).fit(rows, labels)
        with pytest.raises(InvalidArgumentError, match="target_bounds"):  # before the data are looked at
            regression(target_bounds=wrong).fit(np.nan * rows, labels)
    known = Bounds(None, Range(-3, 3), norm=4)
    assert np.array_equal(
        regression(bounds=known, target_bounds=None).fit(rows, labels).coef_, regression().fit(rows, labels).coef_
    )
    for bounds, target in ((known, (-3, 3)), (Bounds(None, Classes(0, 1), norm=4), None)):
        with pytest.raises(InvalidArgumentError, match="must bound the target once"):
            regression(bounds=bounds, target_bounds=target).fit(rows, labels)


def test_weights_sparse_matrices_and_unknown_arguments_are_refused() -> None:
    from scipy.sparse import csr_array

    rows, labels = table()
    with pytest.raises(
        InvalidArgumentError, match="sample_weight = 'ndarray': is refused: a weight multiplies how far"
    ):
        classifier().fit(rows, labels, sample_weight=np.ones(60))
    with pytest.raises(InvalidArgumentError, match="check_input = 'bool': is unknown: fit takes X and y"):
        regression().fit(rows, labels, check_input=False)
    with pytest.raises(TypeError, match="Sparse data was passed for X, but dense data is required"):
        classifier().fit(csr_array(rows), labels)
    with pytest.raises(InvalidArgumentError, match=r"parameters = \[1\]: must be a Mapping"):
        classifier(parameters=[1], classes=(0, 1)).fit(rows, labels)
    for name in ("epsilon", "seed", "recorded", "n", "fit_intercept", "random_state", 1):
        with pytest.raises(InvalidArgumentError, match=f"parameters = '?{name}'?: must name the algorithm's own alone"):
            classifier(parameters={name: 5}, classes=(0, 1)).fit(rows, labels)


def test_labels_are_public_or_a_warning_says_that_they_were_read() -> None:
    from dpref.sklearn import LabelsReadWarning

    rows, labels = table()
    words = np.where(labels > 0, "yes", "no")
    with pytest.warns(LabelsReadWarning, match="give classes"):
        read = classifier().fit(rows, words)
    told = classifier(classes=("yes", "no")).fit(rows, words)  # warnings are errors here
    assert told.classes_.tolist() == read.classes_.tolist() == ["no", "yes"]
    assert np.array_equal(told.coef_, read.coef_)
    known = classifier(bounds=Bounds(None, Classes("yes", "no"), norm=4)).fit(rows, words)
    assert np.array_equal(told.coef_, known.coef_)
    assert classifier(classes=("no", "yes")).fit(rows, np.full(60, "yes")).predict(rows).shape == (60,)


def test_labels_that_are_not_the_two_classes_are_refused() -> None:
    rows, labels = table()
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        classifier().fit(rows, np.arange(60) % 3)
    with pytest.raises(InvalidArgumentError, match="not one class alone"):
        classifier().fit(rows, np.zeros(60))
    with pytest.raises(InvalidArgumentError, match=r"classes = .*: must be two different labels"):
        classifier(classes=(1, 1)).fit(rows, labels)
    for wrong in ((None, 1), 5, "ab"):
        with pytest.raises(InvalidArgumentError, match=r"classes = .*: must be two"):
            classifier(classes=wrong).fit(rows, labels)
    with pytest.raises(InvalidArgumentError, match="record 1: must be 2 or 3"):
        classifier(classes=(2, 3)).fit(rows, labels)
    bounds = Bounds(None, Classes(0, 1), norm=4)
    with pytest.raises(InvalidArgumentError, match="must be left out where bounds name two classes"):
        classifier(bounds=bounds, classes=(0, 1)).fit(rows, labels)
    with pytest.raises(InvalidArgumentError, match=r"bounds = .*: need two classes"):
        classifier(bounds=Bounds(None, Range(0, 1), norm=4)).fit(rows, labels)


def test_a_fit_that_is_refused_leaves_the_labels_of_the_one_before() -> None:
    rows, labels = table()
    fitted = classifier(classes=(0, 1)).fit(rows, labels)
    with pytest.raises(InvalidArgumentError, match="epsilon = -1: must be positive"):
        fitted.set_params(classes=("a", "b"), epsilon=-1).fit(rows, np.where(labels > 0, "a", "b"))
    assert fitted.classes_.tolist() == [0, 1]


def test_without_scikit_learn_the_error_names_the_extra() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import dpref.sklearn"
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert (
        "MissingExtraError: dpref.sklearn needs scikit-learn 1.6 or newer: pip install 'dpref[sklearn]'" in ended.stderr
    )
