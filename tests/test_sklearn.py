"""The estimators for scikit-learn: its own checks, bounds that are never taken from data, budgets that are kept."""

from __future__ import annotations

import pickle
import warnings
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import dpref
from dpref.errors import BudgetError, InvalidArgumentError
from dpref.fitting import Bounds, Classes, Range
from dpref.privacy.accountants import certify
from dpref.problems.losses import Huber
from dpref.reals import FloatArray, exact
from tests.estimators import ASK, classifier, regression, table

# Loading scikit-learn takes three seconds of a processor: nothing here loads it before a test runs.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("sklearn") is None, reason="the estimators need scikit-learn"),
]

# ------------------------------------------------------------------------------------ scikit-learn's checks


def checked(estimator: Any) -> dict[str, str]:
    """What became of each check; the same check on other data has a number."""
    from sklearn.utils.estimator_checks import check_estimator

    from dpref.sklearn import expected_failed_checks

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks name no classes
        results = check_estimator(
            estimator, expected_failed_checks=expected_failed_checks(estimator), on_fail=None, on_skip=None
        )
    return {f"{result['check_name']}-{i}": result["status"] for i, result in enumerate(results)}


def failed(estimator: Any) -> set[str]:
    return {name.rpartition("-")[0] for name, status in checked(estimator).items() if status == "failed"}


@pytest.mark.parametrize(
    "make",
    [classifier, regression, lambda: regression(loss="squared", clip="1/2")],
    ids=["classifier", "huber", "squared"],
)
def test_the_estimators_pass_the_checks_of_scikit_learn(make: Any) -> None:
    found = checked(make())
    assert len(found) > 45
    others = {name.rpartition("-")[0] for name, status in found.items() if status != "passed"}
    assert others <= {  # skipped where their package, or a setting of the environment, is absent
        "check_array_api_input",
        "check_classifier_data_not_an_array",
        "check_regressor_data_not_an_array",
    }
    assert "failed" not in found.values()


def test_nothing_is_expected_to_fail() -> None:
    from dpref.sklearn import EXPECTED_FAILED_CHECKS

    assert dict(EXPECTED_FAILED_CHECKS) == {}


def test_planted_bug_an_estimator_that_changes_its_arguments_is_seen() -> None:
    class Reading(type(classifier())):  # type: ignore[misc]
        epsilon: Any

        def fit(self, X: Any, y: Any) -> Any:
            self.epsilon = Fraction(self.epsilon)
            return super().fit(X, y)

    assert "check_dont_overwrite_parameters" in failed(Reading(**ASK, epsilon="2"))


# ------------------------------------------------------------------------------------ bounds are public


def theta(estimator: Any) -> FloatArray:
    """The answer for mapped records: every feature was divided by 4, and all and the constant by the root of 2."""
    return np.asarray(np.append(4 * estimator.coef_, estimator.intercept_) * np.sqrt(2))


def farthest(estimator: Any) -> float:
    """How far a replaced record moves the answer of one step with the same noise, of all that are tried."""
    rows, labels = table()
    before = theta(estimator.fit(rows, labels))
    moved = []
    for other in ([1e6, -1e6, 3.0], [-1e9, 0.0, 0.0], [0.0, 0.0, 0.0], [-2.0, 2.0, 0.0], [4.0, 0.0, 0.0]):
        for label in (0.0, 1.0):
            near, near_labels = rows.copy(), labels.copy()
            near[0], near_labels[0] = other, label
            moved.append(float(np.linalg.norm(theta(estimator.fit(near, near_labels)) - before)))
    return max(moved)


def test_a_record_moves_the_first_step_by_no_more_than_its_sensitivity() -> None:
    one = classifier(classes=(0, 1), parameters={"steps": 1})
    moved = farthest(one)
    most = one.plan_.step_size * float(one.plan_.sensitivity.value)
    assert most * 0.3 < moved <= most * (1 + 1e-9)


def test_planted_bug_bounds_that_are_taken_from_the_data_are_seen() -> None:
    class Peeking(type(classifier())):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            self.bounds = float(np.linalg.norm(X, axis=1).max())
            return super().fit(X, y)

    peeking = Peeking(**ASK, epsilon=2, classes=(0, 1), parameters={"steps": 1})
    assert farthest(peeking) > 2 * peeking.plan_.step_size * float(peeking.plan_.sensitivity.value)


def test_the_plan_of_neighbours_is_the_same() -> None:
    rows, labels = table()
    near = np.vstack([[[1e5, 1e5, 1e5]], rows[1:]])
    one, other = (classifier(classes=(0, 1)).fit(X, labels) for X in (rows, near))
    assert one.plan_ == other.plan_
    assert one.preview_ == other.preview_


def test_every_way_to_write_the_bounds_means_the_same() -> None:
    rows, labels = table()
    pairs = [(-3, 3)] * 3
    ways: list[Any] = [(-3, 3), ["-3", "3"], pairs, np.array(pairs), Bounds(pairs, Classes(0, 1))]
    found = [
        classifier(bounds=way, classes=None if isinstance(way, Bounds) else (0, 1)).fit(rows, labels) for way in ways
    ]
    assert all(np.array_equal(one.coef_, found[0].coef_) for one in found)
    norms: list[Any] = [4, "4", 4.0, np.float64(4), Fraction(4)]
    assert len({classifier(bounds=norm, classes=(0, 1)).fit(rows, labels).coef_.tobytes() for norm in norms}) == 1


def test_bounds_by_name_are_for_the_columns_of_that_name() -> None:
    from dpref.sklearn.public import public_bounds

    target, named = Range(0, 1), {"age": (0, 100), "income": (0, 10)}
    found = public_bounds(named, target, 2, ["age", "income"])
    assert found.columns == ((Fraction(0), Fraction(100)), (Fraction(0), Fraction(10)))
    for names in (["income", "age"], ["age", "wealth"], ["age"]):
        with pytest.raises(InvalidArgumentError, match="must name the columns of X in their order"):
            public_bounds(named, target, 2, names)
    for given in (named, Bounds(named, target)):
        with pytest.raises(InvalidArgumentError, match="X has no names: give X as a data frame"):
            public_bounds(given, target, 2, None)
    with pytest.raises(InvalidArgumentError, match="must be a bound on the norm of a record"):
        public_bounds({1, 2}, target, 2, None)


def test_bounds_by_name_are_for_data_frames() -> None:
    pandas = pytest.importorskip("pandas", reason="data frames need pandas")
    rows, labels = table()
    frame = pandas.DataFrame(rows, columns=["a", "b", "c"])
    named = classifier(bounds=dict.fromkeys("abc", (-3, 3)), classes=(0, 1)).fit(frame, labels)
    assert np.array_equal(named.coef_, classifier(bounds=(-3, 3), classes=(0, 1)).fit(rows, labels).coef_)
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]


# ------------------------------------------------------------------------------------ budgets are kept


def spent(estimator: Any) -> float:
    """What the ledger of a fit is certified to spend at the delta that was asked for."""
    return certify(estimator.fit(*table()).ledger_, delta=Fraction(1, 10**5)).upper


@pytest.mark.parametrize(
    ("algorithm", "given"),
    [
        ("gradient-descent", {}),
        ("dynamic-gradient-descent", {}),
        ("dynamic-boosting", {"parameters": {"steps": 5}}),
        ("adaptive-gradient-descent", {}),
        ("stationary-point", {}),
        ("accelerated-mirror-descent", {"radius": 5}),
        ("noisy-gradient-descent", {"parameters": {"iterates": 20}}),
    ],
)
def test_a_fit_spends_at_most_what_it_was_given(algorithm: str, given: dict[str, Any]) -> None:
    more = {"algorithm": algorithm, "classes": (0, 1), "epsilon": "3/2", "regularisation": "0.01", "parameters": None}
    estimator = classifier(**{**more, **given})
    assert 0 < spent(estimator) <= 1.5
    assert estimator.epsilon_.upper <= 1.5
    assert estimator.ledger_.adjacency is dpref.ReplaceOne


def test_planted_bug_a_budget_that_is_ignored_is_seen() -> None:
    class Spending(type(classifier())):  # type: ignore[misc]
        epsilon: Any

        def fit(self, X: Any, y: Any) -> Any:
            asked, self.epsilon = self.epsilon, 100
            super().fit(X, y)
            self.epsilon, self.epsilon_ = asked, None
            return self

    assert spent(Spending(**ASK, epsilon="3/2", classes=(0, 1))) > 1.5


def spread(estimator: Any) -> float:
    """Mean square of 802 differences of one step's answers, in units of the noise that the plan has for them."""
    rows, labels = np.random.default_rng(0).normal(size=(20, 400)), np.arange(20) % 2
    answers = [theta(estimator.set_params(random_state=seed).fit(rows, labels)) for seed in range(4)]
    found = np.concatenate([answers[0] - answers[1], answers[2] - answers[3]])
    return float(np.mean(found**2) / (2 * (estimator.plan_.step_size * estimator.plan_.std) ** 2))


def test_the_noise_of_the_plan_is_in_the_answer() -> None:
    # A chi square of 802 degrees divided by as many is outside of these ends with probability below 1e-4.
    assert 0.8 < spread(classifier(classes=(0, 1), parameters={"steps": 1})) < 1.2


def test_planted_bug_noise_that_is_halved_is_seen() -> None:
    class Halving(type(classifier())):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            noisy = super().fit(X, y)
            quiet = type(classifier())(**{**noisy.get_params(), "epsilon": 10**6, "delta": "0.9"}).fit(X, y)
            noisy.coef_, noisy.intercept_ = (noisy.coef_ + quiet.coef_) / 2, (noisy.intercept_ + quiet.intercept_) / 2
            return noisy

    assert spread(Halving(**ASK, epsilon=2, classes=(0, 1), parameters={"steps": 1})) < 0.4


def test_budgets_may_be_text_fractions_or_numbers() -> None:
    ways: list[Any] = ["0.1", "1/10", 0.1, Fraction(1, 10), np.float64(0.1)]
    fits = [classifier(epsilon=way, classes=(0, 1)).fit(*table()) for way in ways]
    assert len({one.coef_.tobytes() for one in fits}) == 1
    assert 0 < exact(fits[0].epsilon_.upper) <= Fraction(1, 10) + Fraction(1, 10**15)


def test_a_fit_without_a_seed_draws_fresh_noise() -> None:
    rows, labels = table()
    fits = [classifier(classes=(0, 1), random_state=state) for state in (None, None, 7, 7, np.random.RandomState(7))]
    found = [one.fit(rows, labels).coef_.tobytes() for one in fits]
    assert found[2] == found[3]
    assert len(set(found)) == 4
    with pytest.raises(InvalidArgumentError, match="random_state = -1: must be at least 0"):
        classifier(random_state=-1, classes=(0, 1)).fit(rows, labels)
    with pytest.raises(InvalidArgumentError, match=r"must be None, a natural number, or a numpy.random.RandomState"):
        classifier(random_state="x", classes=(0, 1)).fit(rows, labels)
    with pytest.raises(InvalidArgumentError, match="random_state = True: must be an integer"):
        classifier(random_state=True, classes=(0, 1)).fit(rows, labels)


def test_a_seed_from_a_random_state_has_too_many_values_to_try_them_all() -> None:
    from dpref.sklearn.linear import seed_of

    seeds = [seed_of(np.random.RandomState(k)) for k in range(20)]
    assert len(set(seeds)) == 20
    assert max(seed or 0 for seed in seeds).bit_length() > 120
    assert seeds[3] == seed_of(np.random.RandomState(3))


def test_a_seed_and_labels_that_were_read_are_warned_of_in_the_preview() -> None:
    from dpref.sklearn import LabelsReadWarning

    rows, labels = table()
    fresh, seeded = (classifier(classes=(0, 1), random_state=state).fit(rows, labels).preview_ for state in (None, 0))
    with pytest.warns(LabelsReadWarning):
        read = classifier(random_state=None).fit(rows, labels).preview_
    assert ("seed" in fresh, "is not private" in fresh) == (False, False)
    assert "between two answers of one seed it cancels" in seeded.splitlines()[-1]
    assert "which labels occur was read from y and is not private" in read.splitlines()[-1]


def test_a_plan_that_does_not_keep_the_budget_does_not_run() -> None:
    printed = classifier(form="as-printed", classes=(0, 1), parameters={"steps": 5, "constant": "1/100"})
    with pytest.raises(BudgetError, match="nothing runs"):
        printed.fit(*table())
    assert not hasattr(printed, "coef_")


# ------------------------------------------------------------------------------------ among scikit-learn's own


def test_a_fitted_estimator_keeps_what_is_released_and_nothing_else() -> None:
    fitted = classifier(classes=(0, 1)).fit(*table())
    assert set(vars(fitted)) - set(fitted.get_params()) == {
        "classes_", "coef_", "intercept_", "n_features_in_", "plan_", "ledger_", "epsilon_", "preview_",
    }  # fmt: skip
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301 - its own
    assert again.ledger_ == fitted.ledger_
    assert again.plan_ == fitted.plan_
    assert np.array_equal(again.predict(table()[0]), fitted.predict(table()[0]))


def test_they_work_in_pipelines_searches_and_clones() -> None:
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    rows, labels = table(400)
    chain = make_pipeline(FunctionTransformer(), classifier(classes=(0, 1)))
    grid = {"privatelogisticregression__parameters": [{"steps": 1}, {"steps": 40}]}
    search = GridSearchCV(chain, grid, cv=2).fit(rows, labels)
    assert search.best_params_ == {"privatelogisticregression__parameters": {"steps": 40}}
    assert search.best_estimator_[-1].epsilon_.upper <= 2
    copied = clone(search.best_estimator_[-1])
    assert copied.get_params() == search.best_estimator_[-1].get_params()
    assert not hasattr(copied, "ledger_")


def test_the_answer_is_in_the_units_of_the_data() -> None:
    rng = np.random.default_rng(0)
    rows = rng.uniform([0, -1], [10, 1], (3000, 2))
    target = 3 * rows[:, 0] - 4 * rows[:, 1] + 5
    bounds = [(0, 10), (-1, 1)]
    ask = {"bounds": bounds, "target_bounds": (0, 40), "epsilon": 100, "loss": Huber(Fraction(1)), "parameters": None}
    fitted = regression(**ask).fit(rows, target)
    assert np.allclose(fitted.coef_, [3, -4], atol=0.5)
    assert abs(fitted.intercept_ - 5) < 1
    flat = regression(**ask, fit_intercept=False).fit(rows - [5, 0], target - 20)
    assert flat.intercept_ != 0  # the bounds' middles and the target's: public, and not fitted


def test_probabilities_are_those_of_the_logistic_model() -> None:
    fitted = classifier(classes=(0, 1)).fit(*table())
    scores, found = fitted.decision_function(table()[0]), fitted.predict_proba(table()[0])
    assert np.allclose(found[:, 1], 1 / (1 + np.exp(-scores)), rtol=1e-12)
    assert np.array_equal(fitted.predict(table()[0]), (scores > 0).astype(float))
    far = fitted.predict_proba(1e9 * table()[0])
    assert np.isfinite(far).all()
