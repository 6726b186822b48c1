"""One run with canaries: m records are put in by coins, and after one training the coins are guessed.

It needs one training where other audits need thousands, and rests on a theorem about add-or-remove-one
(`one_run_bound`).  Unlike the bets of the other audits it is not valid at every moment: whoever looks twice and reports
the better is wrong more often than promised.  So what is chosen is written to a store before the run, and what was seen
after it: the same call gives the record, another one about the same training is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dpref.algorithms.forms import Form
from dpref.checks import natural, open_unit
from dpref.errors import ForeignCodeError, InvalidArgumentError, StoreError
from dpref.foreign.chunks import name_of
from dpref.foreign.claims import Claim
from dpref.foreign.digits import down, short_up
from dpref.foreign.identity import digest
from dpref.foreign.one_run_bound import e_value, largest_refuted, p_value
from dpref.foreign.store import publish, read
from dpref.reals import FloatArray, exact
from dpref.units import AddOrRemoveOne, Adjacency, known_adjacency

Rule: TypeAlias = int | Literal["half", "all"]

SCHEMA: Final = "urn:dpref:schema:one-run:1"


@final
@dataclass(frozen=True)
class OneRun:
    """What one run showed.

    Attributes:
        claim: What was claimed, under add-or-remove-one.
        canaries: m.
        guesses: r, how many coins were guessed.
        right: v, how many guesses were right.
        p_value: Of the claim, rounded up.
        lower: The parameter of the claim is at least this, wrong with probability at most ``error``.
        ceiling: What ``lower`` would have been with every guess right.
        error: The level.
        seed: Of the coins and of the training.
        train: What was run.
        form: Which of the two bounds.
    """

    claim: Claim
    canaries: int
    guesses: int
    right: int
    p_value: float
    lower: float
    ceiling: float
    error: Fraction
    seed: int
    train: str
    form: Form = Form.REPAIRED

    @property
    def outcome(self) -> Literal["refuted", "not refuted"]:
        """Never that the claim holds: one run can only speak against it."""
        return "refuted" if exact(self.p_value) < self.error else "not refuted"

    @property
    def e_value(self) -> float:
        """Evidence against the claim that may be multiplied with that of other, independent runs."""
        return e_value(self.p_value)

    def to_json(self) -> dict[str, Any]:
        """Everything, with the names that the other audits use."""
        return {
            "verdict": self.outcome,
            "claimed": self.claim.to_json(),
            "adjacency": AddOrRemoveOne.name,
            "empirical": {"lower": self.lower, "p_value": self.p_value, "e_value": self.e_value},
            "ceiling": self.ceiling,
            "canaries": self.canaries,
            "guesses": self.guesses,
            "right": self.right,
            "error": str(self.error),
            "form": self.form.value,
            "seed": self.seed,
            "target": self.train,
        }

    def __str__(self) -> str:
        counted = f"{self.right} of {self.guesses} guesses about {self.canaries} canaries were right"
        found = f"{counted}: p = {short_up(self.p_value, 3)}"
        parameter = self.claim.parameter
        most = f"{self.guesses} right ones would have shown {down(self.ceiling, 3)}"
        shown = f"{parameter} is at least {down(self.lower, 3)}; {most}"
        return f"{self.train}: {self.claim} is {self.outcome}\n  {found}\n  {shown}, error {float(self.error):g}"


def audit_one_run(
    train: Callable[[Any, np.random.Generator], Any],
    canaries: Sequence[Any] | NDArray[Any],
    score: Callable[[Any, Any], Any],
    claim: Claim,
    *,
    adjacency: type[Adjacency],
    store: Path | str,
    guesses: Rule = "half",
    error: Fraction = Fraction(1, 1000),
    seed: int = 0,
    form: Form = Form.REPAIRED,
    code_version: str | None = None,
) -> OneRun:
    r"""Audit a training by one run of it, on data with canaries.

    Each of the m canaries is put in by a fair coin of its own.  Of what ``train`` returns, ``score`` tells for each
    canary how much it looks as if it had been in; the highest half of the guesses say in, the lowest half say out, and
    in between nobody guesses.  A claim is refuted where so many right guesses have a probability below ``error``.

    Args:
        train: Called once, with the canaries that are in (of an array those rows, else a list) and a generator.  It
            adds them to records of its own, and runs the algorithm as it would on any data.
        canaries: m records, no two of them equal.
        score: Called once, with what ``train`` returned and all canaries; returns m numbers, the larger the likelier
            in.  About a NaN nobody guesses, unless there is too little else.
        claim: `DPClaim`, `ZCDPClaim` or `GDPClaim`.
        adjacency: Add-or-remove-one: the theorem is about no other.
        store: Folder in which the plan is written before the run, and the result after it.
        guesses: r: "half" of m, "all", or a number.
        error: Level of the test, exact.
        seed: Of the coins and of the generator.
        form: The exact bound, or the printed one, which has a larger term for delta (`one_run_bound`).
        code_version: Stands for the code of ``train`` and ``score``; by default their files are read.

    Raises:
        InvalidArgumentError: If an argument breaks its rule.
        ForeignCodeError: If ``train`` or ``score`` raises, or the scores are not m numbers.
        StoreError: If another audit of this training is in the store.

    References:
        Steinke, Nasr and Jagielski, "Privacy auditing with one (1) training run", 2023.
    """
    _only_add_or_remove(adjacency)
    level, count = open_unit("error", error), _distinct(canaries)
    asked = _number_of_guesses(guesses, count)
    name = name_of(train)
    code = digest((train, score), code_version)
    plan = {
        "schema": SCHEMA,
        "train": name,
        "code": code,
        "claim": claim.to_json(),
        "adjacency": adjacency.name,
        "canaries": [count, digest(canaries, code_version)],
        "guesses": asked,
        "error": str(level),
        "form": form.value,
        "seed": natural("seed", seed, least=0),
    }
    place = Path(store) / f"one-run-{digest((name, code))[:16]}.json"
    _announce(place, plan)
    result = place.with_suffix(".result.json")
    known = read(result)
    if known is None:
        right = _right_guesses(train, canaries, score, asked, seed, count)
        publish(result, json.dumps({"schema": SCHEMA, "right": right}, indent=2).encode())
    else:
        right = int(json.loads(known)["right"])
    return OneRun(
        claim=claim,
        canaries=count,
        guesses=asked,
        right=right,
        p_value=p_value(claim, count, asked, right, form),
        lower=largest_refuted(claim, count, asked, right, level, form),
        ceiling=largest_refuted(claim, count, asked, asked, level, form),
        error=level,
        seed=seed,
        train=name,
        form=form,
    )


# ------------------------------------------------------------------------------------ before the run


def _only_add_or_remove(adjacency: type[Adjacency]) -> None:
    if known_adjacency(adjacency) is not AddOrRemoveOne:
        rule = "must be add-or-remove-one, as a canary is in or out: name that one if the claim is made for it too"
        raise InvalidArgumentError("adjacency", adjacency.name, rule)


def _distinct(canaries: Sequence[Any] | NDArray[Any]) -> int:
    """How many canaries there are, if no two are equal: one score cannot tell whether one of two is in."""
    seen: dict[str, int] = {}
    for i, canary in enumerate(canaries):
        first = seen.setdefault(digest(canary), i)
        if first != i:
            raise InvalidArgumentError("canaries", canary, f"must be distinct: those at {first} and {i} are equal")
    return natural("canaries", len(seen), least=2)


def _number_of_guesses(guesses: Rule, canaries: int) -> int:
    if guesses == "half":
        return canaries // 2
    if guesses == "all":
        return canaries
    return natural("guesses", guesses, most=canaries)


def _announce(place: Path, plan: dict[str, Any]) -> None:
    """Write the plan, or find it written.

    Raises:
        StoreError: If another plan for this training is there.
    """
    body = json.dumps(plan, indent=2).encode()
    known = read(place)
    if known is None:
        publish(place, body)
    elif known != body:
        before = json.loads(known)
        names = ", ".join(key for key, value in plan.items() if before.get(key) != value)
        rule = "an audit by one run is valid for one look, so take another store for an independent run and multiply"
        raise StoreError(f"{place}: this training was planned with another {names}: {rule} their e-values")


# ------------------------------------------------------------------------------------ the run


def _right_guesses(
    train: Callable[[Any, np.random.Generator], Any],
    canaries: Sequence[Any] | NDArray[Any],
    score: Callable[[Any, Any], Any],
    guesses: int,
    seed: int,
    count: int,
) -> int:
    """Toss the coins, train, guess, and count."""
    tosses, generator = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    coins = tosses.integers(2, size=count).astype(np.bool_)
    included = canaries[coins] if isinstance(canaries, np.ndarray) else [canaries[i] for i in range(count) if coins[i]]
    before = digest(canaries)
    scores = np.asarray(_called(score, _called(train, included, generator), canaries))
    if digest(canaries) != before:
        raise ForeignCodeError(
            f"{name_of(train)} or {name_of(score)} changed the canaries: it must leave them as they are"
        )
    if scores.shape != (count,) or scores.dtype.kind not in "biuf":
        what = f"returned {scores.dtype} of shape {scores.shape}"
        raise ForeignCodeError(f"{name_of(score)} {what}: it must return {count} real numbers, one a canary")
    guessed_in, guessed_out = guessed(scores.astype(np.float64), guesses)
    return int(coins[guessed_in].sum() + (~coins[guessed_out]).sum())


def guessed(scores: FloatArray, guesses: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which canaries are guessed to be in, and which to be out: half of the guesses each, the odd one out.

    Equal scores are taken in the order of the canaries, and NaN stands in the middle: the coins are not looked at.

    Args:
        scores: One a canary, shape (m,).
        guesses: r, at most m.

    >>> guessed(np.array([3.0, np.nan, 1.0, 2.0]), 3)
    (array([0]), array([2, 3]))
    """
    order = np.argsort(scores, kind="stable")  # with NaN last
    numbers, highest = len(order) - int(np.isnan(scores).sum()), guesses // 2
    lowest = guesses - highest
    order = np.concatenate([order[: min(lowest, numbers)], order[numbers:], order[lowest:numbers]])
    return order[len(order) - highest :], order[:lowest]


def _called(f: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return f(*arguments)
    except Exception as error:
        raise ForeignCodeError(f"{name_of(f)} raised {type(error).__name__}: {error} (in the one run)") from error
