"""Audit a callable: run it on two neighbouring data sets, and bet that the claim is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias

from dpref.checks import natural, one_of, open_unit
from dpref.errors import ForeignCodeError
from dpref.foreign.betting import LARGEST_STAKE
from dpref.foreign.chunks import ChunkSpec, Exceptions, Seeding, in_order, name_of, resolve
from dpref.foreign.claims import Claim, DPClaim
from dpref.foreign.layout import LEAST_TRIALS, MOST_TRIALS, bet_on, epoch_ends, slots
from dpref.foreign.pairs import Pair, candidates, neighbours
from dpref.foreign.report import Judgement
from dpref.foreign.statement import Statement
from dpref.units import Adjacency, known_adjacency

Bits: TypeAlias = Literal["report", "refute", "off"]

DEFAULT_TRIALS: Final = 2_000
DEFAULT_ERROR: Final = Fraction(1, 1000)
_STEP: Final = Fraction(1, 100)


def audit_mechanism(
    f: str | Callable[..., Any],
    pair: Any,
    claim: Claim,
    *,
    adjacency: type[Adjacency],
    trials: int = DEFAULT_TRIALS,
    error: Fraction = DEFAULT_ERROR,
    batched: bool = False,
    bits: Bits = "report",
    exceptions: Exceptions = "stop",
    seeding: Seeding = "argument",
    seed: int = 0,
) -> Judgement:
    """Whether runs of a callable refute what is claimed of it.

    Args:
        f: ``(data, rng) -> output``, or where it is: ``"package.module:function"``.
        pair: Two neighbouring data sets as a 2-tuple, or a callable that yields such pairs.
        claim: What is claimed.
        adjacency: The neighbouring relation that is claimed.
        trials: Pairs of runs, at most.
        error: Probability with which a correct callable is refuted, at most; exact.
        batched: Whether ``f(data, rng, n)`` returns n outputs along axis 0 of every leaf.
        bits: Whether low-order bits are reported only, may refute, or are not looked at.
        exceptions: Whether an exception is an error or an output.
        seeding: Whether f takes a generator or an integer, or brings its own randomness.
        seed: Of all runs.

    >>> import numpy as np
    >>> def count(data, rng):
    ...     return data.sum() + rng.laplace(scale=0.5)
    >>> pair = np.zeros(9), np.eye(9)[0]
    >>> from dpref.units import ReplaceOne
    >>> audit_mechanism(count, pair, DPClaim(Fraction(1)), adjacency=ReplaceOne).outcome
    'refuted'
    """
    known_adjacency(adjacency)
    natural("trials", trials, least=LEAST_TRIALS, most=MOST_TRIALS)
    level = open_unit("error", error)
    one_of("bits", bits, ("report", "refute", "off"))
    target = resolve(f)
    chosen = candidates(pair)[0]
    looked = neighbours(chosen, adjacency)

    def judged(outcome: Any, reason: str, done: int, **more: Any) -> Judgement:
        return Judgement(outcome, reason, name_of(f), claim, adjacency, chosen.name, done, level, seed, **more)

    if looked.problem:
        return judged("error", f"the data sets are no neighbours: {looked.problem}", 0)
    grid = _grid(claim, _ceiling(claim, bet_on(trials), level))
    statements = [Statement("values", claim, grid, level)]
    if bits != "off":
        statements.append(Statement("bits", claim, grid, level))
    control = Statement("control", DPClaim(Fraction(0)), (), level)
    specs = (
        ChunkSpec(
            f if isinstance(f, str) else target,
            Pair(chosen.first, chosen.first) if slot.purpose == "control" else chosen,
            seed,
            slot.number,
            slot.size,
            batched,
            seeding,
            exceptions,
            slot.purpose,
        )
        for slot in slots(trials)
    )
    done = 0
    ends = iter(epoch_ends(trials))
    end = next(ends)
    try:
        for slot, result in zip(slots(trials), in_order(specs), strict=True):
            done = slot.start + slot.size
            for statement in [control] if slot.purpose == "control" else statements:
                statement.see(result.first, result.second, done)
            if done == end:
                for statement in [control, *statements]:
                    statement.close()
                if done == trials or control.refuted or statements[0].refuted:
                    break
                for statement in [control, *statements]:
                    statement.learn()
                end = next(ends)
    except ForeignCodeError as problem:
        return judged("error", str(problem), done)
    found = tuple(statement.found() for statement in [*statements, control])
    lower = found[0].lower
    if control.refuted:
        return judged(
            "error",
            "two runs on the same data set can be told apart by their order: it keeps state",
            done,
            statements=found,
        )
    refuted = found[0].refuted or (bits == "refute" and found[1].refuted)
    return judged(
        "refuted" if refuted else "not refuted",
        found[0].event,
        done,
        lower=lower,
        ceiling=_ceiling(claim, bet_on(trials), level),
        statements=found,
        score=found[0].score,
        warnings=looked.warnings,
    )


def _ceiling(claim: Claim, runs: int, error: Fraction) -> float:
    if not isinstance(claim, DPClaim):
        return math.inf
    gain = math.expm1(-math.log(error) / runs)
    delta = float(claim.delta)
    return max(0.0, math.log(max(1.0, float(LARGEST_STAKE) * (1 - delta) / gain - delta)))


def _grid(claim: Claim, ceiling: float) -> list[Claim]:
    if isinstance(claim, DPClaim):
        return [claim.at(i * _STEP) for i in range(1, int(ceiling * 100) + 2)]
    return [claim.at(claim.value * Fraction(2) ** k) for k in range(-4, 5)]
