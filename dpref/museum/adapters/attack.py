"""The attack whose scores the other packages turn into a bound: they judge scores, and leave it to others to make them.

Half of the runs train a classifier to tell the two data sets apart; the scores of the other half are judged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import SeedSequence, default_rng
from sklearn.ensemble import HistGradientBoostingClassifier

from dpref.foreign.outputs import Outputs
from dpref.reals import FloatArray


def attack_scores(
    f: Callable[..., Any], pair: tuple[Any, Any], trials: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Scores of the judged half of the runs on d0 and on d1; a high score speaks for d1.

    Args:
        f: ``(data, rng) -> output``.
        pair: Two data sets.
        trials: Runs on either.
        seed: Of all runs.
    """
    seen = []
    for data, child in zip(pair, SeedSequence(seed).spawn(2), strict=True):
        rng = default_rng(child)
        seen.append(Outputs.of([f(data, rng) for _ in range(trials)]))
    both = features(Outputs.concatenate(seen))
    half = trials // 2
    train = np.r_[0:half, trials : trials + half]
    telling = np.array([np.unique(column[~np.isnan(column)]).size > 1 for column in both[train].T])
    if not telling.any():
        return np.zeros(trials - half), np.zeros(trials - half)
    fitted = HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=8, random_state=seed)
    fitted.fit(both[train][:, telling], np.repeat([0, 1], half))  # which refuses a column that never changes
    scores = np.asarray(fitted.decision_function(both[:, telling]))
    return scores[half:trials], scores[trials + half :]


def features(outputs: Outputs) -> FloatArray:
    """The numbers of outputs, what structure they have, and their texts by the order in which they came up.

    Args:
        outputs: The outputs.
    """
    seen: dict[tuple[str, ...], int] = {}
    texts = [seen.setdefault(row, len(seen)) for row in outputs.texts]
    return np.column_stack([outputs.numbers, outputs.code, np.minimum(texts, 1_000)])
