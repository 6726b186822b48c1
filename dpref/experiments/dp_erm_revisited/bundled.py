"""Both papers' algorithms on the bundled breast-cancer data, beside scikit-learn without privacy and diffprivlib.

Every number that is chosen is chosen on other data: the best of a small grid on draws of a planted logistic model
(`dpref.experiments.dp_erm_revisited.surrogate`) of the same size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any, Final, NamedTuple

import numpy as np

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.registry import ALGORITHMS, algorithm_named
from dpref.curator import LiveCurator
from dpref.experiments.dp_erm_revisited.hyperparameters import DELTA, grid
from dpref.experiments.dp_erm_revisited.peers import MAJORITY, PEERS, missing
from dpref.experiments.dp_erm_revisited.quiet import QuietCurator
from dpref.experiments.dp_erm_revisited.surrogate import planted_logistic
from dpref.experiments.experiment import (
    Curve,
    Experiment,
    Found,
    Panel,
    Part,
    Report,
    Spread,
    Table,
    curve,
    enclosed,
    short,
    spread,
)
from dpref.fitting.floors import floor_warning
from dpref.geometry.sets import L2Ball
from dpref.privacy.accountants import certify
from dpref.problems.datasets import Dataset, breast_cancer
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Logistic
from dpref.reals import FloatArray
from dpref.units import ReplaceOne

PAPERS: Final = ("dp-erm-revisited", "dynamic-privacy-budget")
RADIUS: Final = Fraction(10)  # of the ball in which the parameter lies
TRAINING: Final = 455  # of 569 records; the others are the test
DRAWS: Final = 8  # of the other data


class Shape(NamedTuple):
    """What is computed."""

    budgets: tuple[Fraction, ...]
    seeds: int


class Split(NamedTuple):
    """Training and test records."""

    training: Dataset
    test: Dataset


def split(data: Dataset, seed: int) -> Split:
    """455 random records to train on; the others are the test.

    Args:
        data: 569 records.
        seed: Of the permutation.

    >>> [part.n for part in split(breast_cancer(), 0)]
    [455, 114]
    """
    order = np.random.default_rng(seed).permutation(data.n)
    return Split(*(Dataset(data.features[part], data.labels[part]) for part in (order[:TRAINING], order[TRAINING:])))


@cache
def splits(count: int, *, other: bool) -> tuple[Split, ...]:
    """Splits of the bundled data, or draws of the other data, by seed.

    Args:
        count: How many.
        other: Which data.
    """
    bundled = breast_cancer()
    if other:
        return tuple(split(planted_logistic(bundled.n, bundled.dimension, draw), draw) for draw in range(count))
    return tuple(split(bundled, seed) for seed in range(count))


def problem() -> ERMProblem:
    """Logistic regression in a ball: its public constants, the same for both data.

    >>> problem().gradient_bound, problem().n
    (Fraction(1, 1), 455)
    """
    return ERMProblem(Logistic(), n=TRAINING, dimension=breast_cancer().dimension, domain=L2Ball(RADIUS))


def accuracy(theta: FloatArray, test: Dataset) -> float:
    """The share of labels whose sign is right.

    Args:
        theta: Shape (30,).
        test: The records.

    >>> accuracy(np.array([1.0]), Dataset(np.array([[1.0], [1.0]]), np.array([1.0, -1.0])))
    0.5
    """
    return float(np.mean(np.sign(test.features @ theta) == test.labels))


def algorithms() -> tuple[AnyAlgorithm, ...]:
    """Every registered algorithm of the two papers.

    >>> all(algorithm.paper in PAPERS for algorithm in algorithms())
    True
    """
    return tuple(algorithm for algorithm in ALGORITHMS.values() if algorithm.paper in PAPERS)


def accuracies(algorithm: AnyAlgorithm, plan: Any, data: Sequence[Split], *, quiet: bool = False) -> list[float]:
    """Test accuracies of a plan, one a split.

    Args:
        algorithm: Which.
        plan: Its plan on `problem`.
        data: Training and test records.
        quiet: Whether the noise is left out, and with it the privacy.
    """
    public, found = problem(), []
    for seed, (training, test) in enumerate(data):
        curator = (QuietCurator if quiet else LiveCurator)(
            public.read(training), ReplaceOne, np.random.default_rng([seed, TRAINING])
        )
        found.append(accuracy(algorithm.run(public, plan, curator), test))
    return found


class Tuned(NamedTuple):
    """A plan, with what was chosen, and its advantage over the majority class on the other data."""

    plan: Any
    chosen: str
    ahead: bool


def tuned(algorithm: AnyAlgorithm, epsilon: Fraction) -> Tuned:
    """The plan of largest mean accuracy on the other data.

    Args:
        algorithm: Which.
        epsilon: Privacy budget.
    """
    public, data, best = problem(), splits(DRAWS, other=True), (-1.0, Tuned(None, "", ahead=False))
    calm = {"accuracy": [MAJORITY.accuracy(*part, 0, {}, 0.0) for part in data]}
    for chosen, params in grid(algorithm.name, public, epsilon).items():
        plan = algorithm.plan(public, params)
        found = accuracies(algorithm, plan, data)
        entry = float(np.mean(found)), Tuned(plan, chosen, _ahead(found, calm))
        best = max(best, entry, key=lambda one: one[0])
    return best[1]


def own(name: str, epsilon: Fraction, shape: Shape) -> Found:
    """An algorithm at a budget over the splits, with and without its noise."""
    algorithm, data = algorithm_named(name), splits(shape.seeds, other=False)
    plan, chosen, ahead = tuned(algorithm, epsilon)
    interval = certify(algorithm.ledger(plan), delta=DELTA)
    before = list(filter(None, [floor_warning(name, problem(), plan)]))
    if not ahead:
        before.append("on the other data it does not beat the majority class")
    return {
        "chosen": chosen,
        "warnings": before,
        "accuracy": accuracies(algorithm, plan, data),
        "quiet": accuracies(algorithm, plan, data, quiet=True),
        "epsilon": [float(interval.lower), float(interval.upper)],
    }


def peer(name: str, epsilon: Fraction | None, shape: Shape) -> Found:
    """Another library's classifier over the splits; its number is chosen on the other data as well."""
    chosen = next(one for one in PEERS if one.name == name)
    budget = 0.0 if epsilon is None else float(epsilon)

    def mean(options: Mapping[str, float]) -> float:
        return float(np.mean([chosen.accuracy(*part, s, options, budget) for s, part in enumerate(other)]))

    other = splits(DRAWS, other=True)
    best = max(chosen.grid, key=mean)
    found = [chosen.accuracy(*part, s, best, budget) for s, part in enumerate(splits(shape.seeds, other=False))]
    return {"chosen": ", ".join(f"{k} = {v:g}" for k, v in best.items()), "accuracy": found}


def key(name: str, epsilon: Fraction | None) -> str:
    """The name of a part."""
    return name if epsilon is None else f"{name}, epsilon = {epsilon}"


def parts(shape: Shape) -> tuple[Part, ...]:
    """One for each algorithm or peer and budget; peers that cannot be imported are left out.

    Raises:
        InvalidArgumentError: If an algorithm of the papers has no hyperparameters.
    """
    made = []
    for algorithm in algorithms():
        grid(algorithm.name, problem(), shape.budgets[0])
        made += [Part(key(algorithm.name, e), partial(own, algorithm.name, e, shape)) for e in shape.budgets]
    for one in PEERS:
        if not missing(one.package):
            budgets: tuple[Fraction | None, ...] = shape.budgets if one.private else (None,)
            made += [Part(key(one.name, e), partial(peer, one.name, e, shape)) for e in budgets]
    return tuple(made)


def verdict(part: Found, calm: Found) -> str:
    """What is said of an algorithm that does not beat the majority class beyond two standard errors.

    Args:
        part: What the algorithm found.
        calm: What the majority class did on the same splits.

    >>> verdict({"accuracy": [0.5, 0.6], "quiet": [0.9, 0.9], "warnings": []}, {"accuracy": [0.6, 0.6]})
    'does not beat the majority class: n is too small, the noise hides what it learns without (0.9)'
    """
    if _ahead(part["accuracy"], calm):
        return ""
    if _ahead(part["quiet"], calm):
        without = spread(part["quiet"]).mean
        why = f": n is too small, the noise hides what it learns without ({without:.3g})"
    else:
        why = ", nor does it without noise"
    return f"does not beat the majority class{why}"


def report(shape: Shape, found: Mapping[str, Found]) -> Report:
    """Accuracies, certified losses, and who does not beat the majority class."""
    calm, rows, lines = found[key(MAJORITY.name, None)], list[tuple[str, ...]](), list[Curve]()
    budgets = [float(epsilon) for epsilon in shape.budgets]
    for one in PEERS:
        if not one.private and one.name in found:
            rows.append(_peer_row(one.name, "", found[one.name], calm, one.promises))
            if one is not MAJORITY:  # far below, it would leave the others one line
                lines.append(curve(one.name, budgets, [found[one.name]["accuracy"]] * len(budgets), dashed=True))
    for epsilon in shape.budgets:
        for algorithm in algorithms():
            part = found[key(algorithm.name, epsilon)]
            low, high = part["epsilon"]
            warning = "; ".join(filter(None, (*part["warnings"], verdict(part, calm))))
            rows.append(
                (
                    str(epsilon), algorithm.name, part["chosen"], f"{enclosed(low, high)} at 1e-5",
                    str(spread(part["accuracy"])), str(spread(part["quiet"])), _shown(part, calm), warning,
                )
            )  # fmt: skip
        for one in PEERS:
            if one.private and key(one.name, epsilon) in found:
                rows.append(_peer_row(one.name, str(epsilon), found[key(one.name, epsilon)], calm, one.promises))
    names = [algorithm.name for algorithm in algorithms()] + [one.name for one in PEERS if one.private]
    for name in names:
        if key(name, shape.budgets[0]) in found:
            lines.append(curve(name, budgets, [found[key(name, e)]["accuracy"] for e in shape.budgets]))
    heads = (
        "epsilon", "method", "chosen on other data", "certified epsilon (replace-one)", "test accuracy",
        "without its noise", "ahead of the majority class", "warning",
    )  # fmt: skip
    absent = [(one.name, one.package.partition(".")[0], missing(one.package)) for one in PEERS]
    left_out = tuple(f"{name} is left out: the package {package} {why}." for name, package, why in absent if why)
    title = f"Test accuracy, 114 records (majority class: {short(spread(calm['accuracy']).mean, 3)})"
    panel = Panel(title, "epsilon", "share right", tuple(lines))
    sentence = " ".join(_sentence(epsilon, found) for epsilon in shape.budgets)
    return Report(Table(heads, tuple(rows)), (panel,), sentence, (*NOTES, *left_out))


def _peer_row(name: str, epsilon: str, part: Found, calm: Found, promises: str) -> tuple[str, ...]:
    warning = ""
    if part is not calm and not _ahead(part["accuracy"], calm):
        warning = "does not beat the majority class"
    return (epsilon, name, part["chosen"], promises, str(spread(part["accuracy"])), "", _shown(part, calm), warning)


def _gain(accuracies: Sequence[float], calm: Found) -> Spread:
    return spread(np.array(accuracies) - np.array(calm["accuracy"]))


def _ahead(accuracies: Sequence[float], calm: Found) -> bool:
    gain = _gain(accuracies, calm)
    return gain.mean > gain.error


def _shown(part: Found, calm: Found) -> str:
    gain = _gain(part["accuracy"], calm)
    return "" if part is calm else f"{gain.mean:.3g} ± {gain.error:.1g}"


def _sentence(epsilon: Fraction, found: Mapping[str, Found]) -> str:
    calm = found[key(MAJORITY.name, None)]
    means = {one.name: found[key(one.name, epsilon)] for one in algorithms()}
    below = [name for name, part in means.items() if not _ahead(part["accuracy"], calm)]
    best = max(means, key=lambda name: spread(means[name]["accuracy"]).mean)
    beside = [
        f"{one.name} {spread(found[key(one.name, e)]['accuracy'])}"
        for one in PEERS
        for e in [epsilon if one.private else None]
        if key(one.name, e) in found
    ]
    missed = f"; {', '.join(below)} {'does' if len(below) == 1 else 'do'} not" if below else ""
    return (
        f"At epsilon = {epsilon}, {len(means) - len(below)} of {len(means)} algorithms beat the majority class beyond "
        f"two standard errors{missed}. The best is {best} with {spread(means[best]['accuracy'])}; beside it "
        f"{', '.join(beside)}."
    )


NOTES: Final = (
    (
        "One record is replaced under every row; the standardisation of the bundled data and the scaling of rows to "
        "norm 1 are taken as public. diffprivlib has the same epsilon and data norm; its delta is 0, its own."
    ),
    (
        "The spread is the standard deviation over random splits; ahead of the majority class: the mean of paired "
        "differences with two standard errors."
    ),
)


BUNDLED: Final = Experiment[Shape](
    name="dp-erm-revisited/bundled",
    title="both papers' algorithms on the bundled breast-cancer data",
    printed="No such experiment: the papers use Covertype and MNIST, which no package ships.",
    stands_in=(
        "The 569 records of the Wisconsin breast-cancer data, 455 to train on, logistic regression in the ball of "
        "radius 10 without intercept, delta = 1e-5, replace-one, repaired forms with the certified noise. Counts, "
        "steps, batches, schedules and C are the best of small grids on 8 draws of a planted logistic model of the "
        "same size, which knows nothing of the bundled data."
    ),
    shapes={
        "quick": Shape((Fraction(1),), 15),
        "default": Shape((Fraction(1), Fraction(4)), 15),
        "full": Shape((Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4), Fraction(8)), 100),
    },
    takes={"quick": "15 seconds", "default": "a minute", "full": "two minutes"},
    parts=parts,
    report=report,
)
