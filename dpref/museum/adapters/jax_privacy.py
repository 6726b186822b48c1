"""The canary auditor of JAX Privacy, on the scores of an attack."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from dpref.foreign.mechanism import DEFAULT_ERROR
from dpref.museum.adapters.attack import attack_scores


def clopper_pearson(f: Callable[..., Any], pair: tuple[Any, Any], claim: Any, trials: int, seed: int) -> Any:
    """Its Clopper-Pearson bound at one of the claim's points, the threshold chosen on a part of the scores, both ways.

    Args:
        f: ``(data, rng) -> output``.
        pair: Two data sets.
        claim: What is claimed.
        trials: Runs on either.
        seed: Of all runs.
    """
    auditing: Any = import_module("jax_privacy.auditing")
    zero, one = attack_scores(f, pair, trials, seed)
    point = claim.points()[len(claim.points()) // 2]
    found = auditing.CanaryScoreAuditor(one, zero).epsilon_clopper_pearson(
        float(DEFAULT_ERROR),
        float(claim.delta_of(point)),
        one_sided=False,
        threshold_strategy=auditing.Split(seed=int(np.uint32(seed))),
    )
    return found > point, found
