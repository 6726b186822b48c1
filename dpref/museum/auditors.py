"""Who is scored: dpref's own auditors, a plain one to compare with, and any function of the same signature.

An auditor of releases is a function ``(f, pair, claim, trials, seed)``: f takes ``(data, rng)``, the pair is two data
sets, the claim is one of `dpref.foreign.claims`.  It returns whether the claim is refuted, or that and a lower bound on
epsilon.  Auditors of other packages are given this signature in `dpref.museum.adapters`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, TypeAlias, final

import numpy as np
from numpy.random import SeedSequence, default_rng

from dpref.audit.statistics import epsilon_lower, rates
from dpref.errors import InvalidArgumentError
from dpref.foreign.chunks import resolve
from dpref.foreign.mechanism import DEFAULT_ERROR, audit_mechanism
from dpref.foreign.outputs import Outputs
from dpref.museum.evidence import Form, first_difference, too_small
from dpref.museum.exhibit import Accounting, Exhibit, Loop, Release
from dpref.reals import FloatArray

Claimed: TypeAlias = Any  # of dpref.foreign.claims, for code that does not import it
Function: TypeAlias = Callable[[Callable[..., Any], tuple[Any, Any], Claimed, int, int], "bool | tuple[bool, float]"]


@final
@dataclass(frozen=True)
class Finding:
    """What an auditor said of a form.

    Attributes:
        refuted: Whether the claim is refuted.
        lower: Its lower bound on what is claimed, if it gives one.
        problem: Why it could not judge, or the empty text.
    """

    refuted: bool
    lower: float | None = None
    problem: str = ""


@final
@dataclass(frozen=True)
class Auditor:
    """An auditor by name.

    Attributes:
        name: In the table.
        judge: What it says of a form at a number of trials and a seed; None of an exhibit that is not its matter.
    """

    name: str
    judge: Callable[[Exhibit, Form, int, int], Finding | None]


def _by_runs(*, learn: bool) -> Callable[[Exhibit, Form, int, int], Finding | None]:
    """dpref on a callable; on an exhibit whose low-order bits are its matter, these may refute."""

    def judge(exhibit: Exhibit, form: Form, trials: int, seed: int) -> Finding | None:
        if not isinstance(exhibit, Release):
            return None
        try:
            found = audit_mechanism(
                getattr(exhibit, form),
                (exhibit.d0, exhibit.d1),
                exhibit.claim,
                adjacency=exhibit.adjacency,
                trials=trials,
                learn="auto" if learn else False,
                bits="refute" if exhibit.level == "bits" else "report",
                seed=seed,
            )
        except Exception as error:  # noqa: BLE001  an auditor that fails has judged nothing, ours included
            return Finding(refuted=False, problem=f"{type(error).__name__}: {error}")
        return Finding(found.outcome == "refuted", found.lower, found.reason if found.outcome == "error" else "")

    return judge


def _by_proof(exhibit: Exhibit, form: Form, trials: int, seed: int) -> Finding | None:
    """dpref without runs: certified intervals for what accountants report, number by number for transcripts."""
    if isinstance(exhibit, Accounting):
        return Finding(too_small(exhibit, form))
    if isinstance(exhibit, Loop):
        return Finding(form == "broken" and first_difference(exhibit) is not None)
    return None


def mean_threshold(f: Callable[..., Any], pair: tuple[Any, Any], claim: Claimed, trials: int, seed: int) -> Any:
    """The plainest auditor: a threshold on the mean of an output, chosen on half of the runs, judged on the other.

    Args:
        f: ``(data, rng) -> output``.
        pair: Two data sets.
        claim: What is claimed.
        trials: Runs on either.
        seed: Of all runs.
    """
    scores = []
    for data, child in zip(pair, SeedSequence(seed).spawn(2), strict=True):
        rng = default_rng(child)
        scores.append(mean_of(Outputs.of([f(data, rng) for _ in range(trials)])))
    half = trials // 2
    point = claim.points()[len(claim.points()) // 2]
    delta = claim.delta_of(point)
    early = np.sort([s[:half] for s in scores], axis=1)
    thresholds = np.unique(early)
    below = np.array([np.searchsorted(row, thresholds) for row in early]) / half
    chosen, worth = (1, 1.0, 0.0), -math.inf
    for likely in (0, 1):
        for sign, rate in ((1.0, 1 - below), (-1.0, below)):
            hit, alarm = rate[likely], rate[1 - likely]
            spread = np.sqrt((hit + math.exp(2 * point) * (alarm + 1 / half)) / half)
            gain = hit - math.exp(point) * alarm - spread
            best = int(gain.argmax())
            if gain[best] > worth:
                worth, chosen = float(gain[best]), (likely, sign, float(thresholds[best]))
    likely, sign, threshold = chosen
    above = [(s[half:] >= threshold) == (sign > 0) for s in scores]
    hits, alarms = int(above[likely].sum()), int(above[1 - likely].sum())
    found = epsilon_lower(rates((hits, trials - half), (alarms, trials - half), DEFAULT_ERROR), delta)
    return found > point, found


def mean_of(outputs: Outputs) -> FloatArray:
    """One number an output: the mean of its numbers, NaN left out; 0 if there is none.

    Args:
        outputs: The outputs.
    """
    there = ~np.isnan(outputs.numbers)
    return np.asarray(np.where(there, outputs.numbers, 0).sum(1) / np.maximum(1, there.sum(1)))


def of_function(name: str, function: Function) -> Auditor:
    """A function of the signature above as an auditor of releases.

    Args:
        name: In the table.
        function: The function.
    """

    def judge(exhibit: Exhibit, form: Form, trials: int, seed: int) -> Finding | None:
        if not isinstance(exhibit, Release):
            return None
        try:
            found = function(getattr(exhibit, form), (exhibit.d0, exhibit.d1), exhibit.claim, trials, seed)
        except Exception as error:  # noqa: BLE001  whatever somebody else's auditor raises is its answer
            return Finding(refuted=False, problem=f"{type(error).__name__}: {error}")
        if isinstance(found, tuple):
            return Finding(bool(found[0]), float(found[1]))
        return Finding(bool(found))

    return Auditor(name, judge)


OWN: Final = {
    auditor.name: auditor
    for auditor in (
        Auditor("dpref", _by_runs(learn=True)),
        Auditor("unlearned", _by_runs(learn=False)),
        Auditor("proof", _by_proof),
        of_function("mean", mean_threshold),
    )
}


def auditor_named(name: str) -> Auditor:
    """One of `OWN`, or the function at ``"package.module:function"``.

    Args:
        name: Its name.

    Raises:
        InvalidArgumentError: If it is neither.
    """
    if ":" in name:
        return of_function(name, resolve(name))
    if name not in OWN:
        raise InvalidArgumentError("auditor", name, f"must be one of {', '.join(OWN)}, or package.module:function")
    return OWN[name]


def counted(f: Callable[..., Any]) -> tuple[Callable[..., Any], list[int]]:
    """A callable that counts its calls, and the count.

    Args:
        f: The callable.

    >>> g, calls = counted(abs)
    >>> g(-1), g(-2), calls
    (1, 2, [2])
    """
    calls = [0]

    @wraps(f)
    def g(*arguments: Any) -> Any:
        calls[0] += 1
        return f(*arguments)

    return g, calls
