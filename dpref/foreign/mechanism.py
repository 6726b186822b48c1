"""Audit a callable: run it on two neighbouring data sets, and bet that the claim is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from dpref.checks import instance, natural, one_of, open_unit, runnable
from dpref.errors import ChunkError, ForeignCodeError, InvalidArgumentError, StoreError
from dpref.foreign.behaviour import Behaviour
from dpref.foreign.chunks import (
    DEFAULT_LIMIT,
    ChunkResult,
    ChunkSpec,
    Exceptions,
    Seeding,
    name_of,
    resolve,
)
from dpref.foreign.claims import Claim, DPClaim
from dpref.foreign.declared import declared_loss
from dpref.foreign.layout import LEAST_TRIALS, MOST_TRIALS, epoch_ends, looks, slots
from dpref.foreign.limits import ceiling, grid, trials_needed
from dpref.foreign.outputs import Outputs
from dpref.foreign.pairs import Pair, candidates, neighbours
from dpref.foreign.report import Bits, Judgement, Outcome, StatementName, each_error
from dpref.foreign.scores import Learn, may_learn
from dpref.foreign.search import runs_of, worst
from dpref.foreign.settling import in_order
from dpref.foreign.statement import Statement
from dpref.foreign.store import Store
from dpref.privacy.events.ledger import Ledger
from dpref.units import Adjacency, known_adjacency

Isolate: TypeAlias = Literal["none", "process"]

DEFAULT_TRIALS: Final = 2_000
DEFAULT_ERROR: Final = Fraction(1, 1000)
_UNREAD: Final = (
    "is new in most runs, so that what it says was not looked at (of a fraction or decimal its nearest double was):"
    " return its parts, as numbers and labels"
)
_STATE: Final = "its first and its second run on the same data set can be told apart: it keeps state between calls"


def check_game(trials: int, error: Fraction) -> None:
    """Refuse a number of runs or an error that no game can have.

    Args:
        trials: Pairs of runs.
        error: Probability with which a correct callable is refuted, at most; exact.

    Raises:
        InvalidArgumentError: If there are too few or too many runs, or the error is no probability for doubles.
    """
    natural("trials", trials, least=LEAST_TRIALS, most=MOST_TRIALS)
    runnable("error", open_unit("error", error))


def audit_mechanism(
    f: str | Callable[..., Any],
    pair: Any,
    claim: Claim,
    *,
    adjacency: type[Adjacency],
    trials: int = DEFAULT_TRIALS,
    error: Fraction = DEFAULT_ERROR,
    batched: bool = False,
    score: str | Callable[..., Any] | None = None,
    learn: Learn = "auto",
    bits: Bits = "report",
    exceptions: Exceptions = "stop",
    seeding: Seeding = "argument",
    isolate: Isolate = "none",
    ledger: Ledger[Any] | None = None,
    seed: int = 0,
    same: Callable[[Any, Any], bool] | None = None,
    limit: float = DEFAULT_LIMIT,
    executor: Executor | None = None,
    store: Store | Path | str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Judgement:
    """Whether runs of a callable refute what is claimed of it.

    Args:
        f: ``(data, rng) -> output``, or where it is: ``"package.module:function"``.
        pair: Two neighbouring data sets as a 2-tuple, or a callable that yields such pairs.
        claim: What is claimed.
        adjacency: The neighbouring relation that is claimed.
        trials: Pairs of runs, at most.
        error: Probability with which a correct callable is refuted, at most; exact.  Where bits may refute, values and
            bits have half of it each.  The control has as much for itself, with which it calls a correct callable an
            error.
        batched: Whether ``f(data, rng, n)`` returns n outputs along axis 0 of every leaf.
        score: ``(outputs) -> array``, one number or some for each of several outputs, such as a log-likelihood ratio.
            It is asked about one output at a time, because a score must not depend on the others.
        learn: Whether a classifier is fitted; ``"auto"``: where scikit-learn is installed.
        bits: Whether low-order bits are reported only, may refute, or are not looked at.
        exceptions: Whether an exception, or an array of another shape, is an error or an output.  An exception of a
            batch is always an error.
        seeding: Whether f takes a generator, an integer (``f(data, int)``), or brings its own randomness (``f(data)``).
        isolate: Whether every chunk is run in a fresh interpreter (``"process"``): nothing is kept between chunks.
        ledger: What f says that it spends; composed, compared and shown as declared, never believed.
        seed: Of all runs.
        same: Says whether two data sets are neighbours, where their records cannot be told.
        limit: Seconds that one run may last; infinity for no limit.
        executor: Where chunks are run, or None for here; it does not change the result.
        store: Where they are kept, and found again by the same call, or by one with more trials.
        progress: Told after every chunk how many pairs of runs it had.

    Raises:
        InvalidArgumentError: If an argument breaks its rule; what f does wrong is a verdict, ``"error"``.

    >>> from dpref.units import ReplaceOne
    >>> noisy_sum = lambda data, rng: sum(data) + rng.laplace(scale=0.5)
    >>> pair = [0.0, 0.0], [0.0, 1.0]
    >>> audit_mechanism(noisy_sum, pair, DPClaim(Fraction(1)), adjacency=ReplaceOne, learn=False).outcome
    'refuted'
    """
    known_adjacency(adjacency)
    check_game(trials, error)
    natural("seed", seed, least=0)
    one_of("bits", bits, ("report", "refute", "off"))
    one_of("exceptions", exceptions, ("stop", "output"))
    one_of("seeding", seeding, ("argument", "seed", "own"))
    one_of("isolate", isolate, ("none", "process"))
    if isolate == "process" and executor is not None:
        raise InvalidArgumentError("isolate", isolate, "must be none with an executor, which decides where chunks run")
    if not limit > 0:
        raise InvalidArgumentError("limit", limit, "must be positive")
    if score is not None:
        resolve(score)
    spec = ChunkSpec(
        f if isinstance(f, str) else resolve(f),
        Pair(None, None),
        seed,
        index=0,
        size=1,
        batched=batched,
        seeding=seeding,
        exceptions=exceptions,
        limit=limit,
        score=score,
    )
    audit = _Audit(spec, claim, adjacency, trials, error, bits, learn=may_learn(learn), same=same)
    audit.store = Store(store) if isinstance(store, Path | str) else store
    if audit.store is not None:
        audit.store.look_again()
    if ledger is not None:
        audit.declare(ledger)
    with _fresh_interpreters() if isolate == "process" else nullcontext(executor) as audit.executor:
        return audit.run(candidates(pair), progress or (lambda _: None))


def _fresh_interpreters() -> Executor:
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1)


@dataclass(eq=False)
class _Audit:
    """An audit at work.

    Attributes:
        spec: What all chunks have in common.
        claim: What is claimed.
        adjacency: The relation.
        trials: Pairs of runs, at most.
        error: Of a refutation, and of the control.
        bits: What is made of the low-order bits.
        learn: Whether a classifier is fitted.
        same: The caller's own check of neighbours.
        executor: Where chunks are run.
        store: Where they are kept.
        done: Pairs of runs that were to be bet on.
        searched: Pairs of runs that the search for a pair took.
        warnings: What a reader should know.
        statements: Values, bits, control.
        more: What else the verdict says.
    """

    spec: ChunkSpec
    claim: Claim
    adjacency: type[Adjacency]
    trials: int
    error: Fraction
    bits: Bits
    learn: bool
    same: Callable[[Any, Any], bool] | None
    executor: Executor | None = None
    store: Store | None = None
    done: int = 0
    searched: int = 0
    warnings: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    more: dict[str, Any] = field(default_factory=dict)

    def declare(self, ledger: Ledger[Any]) -> None:
        """What the callable says of itself."""
        instance("ledger", ledger, Ledger)
        loss, remark = declared_loss(ledger, self.claim, self.adjacency)
        self.more["declared"] = loss
        self.warnings += (remark,) if remark else ()

    def run(self, pairs: tuple[Pair, ...], progress: Callable[[int], None]) -> Judgement:
        """Look at the pairs, choose one, and bet."""
        least = LEAST_TRIALS + runs_of(len(pairs))
        if self.trials < least:
            rule = f"must be at least {least}: the search among {len(pairs)} pairs takes {runs_of(len(pairs))} of them"
            raise InvalidArgumentError("trials", self.trials, rule)
        self.more["ceiling"] = ceiling(self.claim, self.trials, self._each, batched=self.spec.batched)
        self.more["needed"] = trials_needed(self.claim, self._each, batched=self.spec.batched)
        for pair in pairs:
            looked = neighbours(pair, self.adjacency, self.same)
            if looked.problem:
                return self._judged("error", f"{pair.name or 'the pair'}: no neighbours: {looked.problem}", pair)
        chosen = pairs[0]
        try:
            if len(pairs) > 1:
                chosen = self._search(pairs)
            looked = neighbours(chosen, self.adjacency, self.same)
            self.more["differ"] = looked.differ
            self.warnings += looked.warnings
            self._bet(chosen, progress)
        except (ForeignCodeError, ChunkError, StoreError) as problem:
            self.more["statements"] = tuple(s.found() for s in self.statements) if self.done else ()
            return self._judged("error", str(problem), chosen)
        return self._verdict(chosen)

    def _search(self, pairs: tuple[Pair, ...]) -> Pair:
        """The worst of several pairs; its runs are part of the trials, and are not bet on."""

        def run(asked: Iterable[tuple[Pair, int, int]]) -> Iterator[ChunkResult]:
            specs = (replace(self.spec, pair=pair, index=i, size=n, purpose="search") for pair, i, n in asked)
            return in_order(specs, self.executor, self.store)

        found = worst(pairs, self.claim, run, scored=self.spec.score is not None)
        self.searched = found.runs
        self.trials -= found.runs
        self.more["ceiling"] = ceiling(self.claim, self.trials, self._each, batched=self.spec.batched)
        return found.pair

    def _bet(self, pair: Pair, progress: Callable[[int], None]) -> None:
        """Run the chunks, and show them to the statements in order."""
        scored = self.spec.score is not None
        values, most = grid(self.claim, self._each), self.more["ceiling"]
        names: tuple[StatementName, ...] = ("values",) if self.bits == "off" else ("values", "bits")
        tested = [
            Statement(
                name, self.claim, values, self._each, most=most, learn=self.learn, scored=scored, seed=self.spec.seed
            )
            for name in names
        ]
        control = Statement("control", DPClaim(Fraction(0)), (), self.error, scored=scored)
        self.statements = (*tested, control)
        alone = Pair(pair.first, pair.first, pair.name)
        behaviour = Behaviour(
            name_of(self.spec.target), self.spec.seeding, self.spec.exceptions == "stop", self.spec.batched
        )
        plan = list(slots(self.trials, batched=self.spec.batched))
        # A longer audit goes on with the same runs: a shorter call, or noise of its own, would give others.
        whole = self.spec.batched or self.spec.seeding == "own"
        specs = (
            replace(
                self.spec,
                pair=alone if slot.purpose == "control" else pair,
                index=slot.number,
                size=slot.whole if whole else slot.size,
                purpose=slot.purpose,
            )
            for slot in plan
        )
        ends, pauses = set(epoch_ends(self.trials)), set(looks(self.trials, batched=self.spec.batched))
        waiting: dict[str, list[ChunkResult]] = {"runs": [], "control": []}
        for slot, made in zip(plan, in_order(specs, self.executor, self.store), strict=True):
            result = made if slot.size == len(made.first) else made.beginning(slot.size)
            self.done = slot.start + slot.size
            behaviour.see(slot, result)
            waiting[slot.purpose].append(result)
            progress(slot.size)
            if self.done in pauses:
                _show(waiting["runs"], tested, self.done)
                _show(waiting["control"], [control], self.done)
            if self.done in ends:
                for statement in self.statements:
                    statement.close()
                if self.done == self.trials or control.refuted or any(map(self._decides, tested)):
                    break
                for statement in self.statements:
                    statement.learn()
        self.warnings += behaviour.warnings() + tuple(f"{text} {_UNREAD}" for text in tested[0].unread)

    @property
    def _each(self) -> Fraction:
        return each_error(self.error, self.bits)

    def _decides(self, statement: Statement) -> bool:
        return statement.refuted and (statement.name == "values" or self.bits == "refute")

    def _verdict(self, pair: Pair) -> Judgement:
        found = tuple(statement.found() for statement in self.statements)
        values, control = found[0], found[-1]
        self.more |= {"statements": found, "lower": values.lower, "score": values.score}
        if control.refuted:
            return self._judged("error", f"{name_of(self.spec.target)}: {_STATE} ({control.event})", pair)
        deciding = next((s for s, of in zip(found, self.statements, strict=True) if self._decides(of)), None)
        if deciding is None:
            return self._judged("not refuted", self._silence(), pair)
        hits, alarms, runs = deciding.counts
        often = f"{hits} of {runs} runs on {deciding.more_often_on}, {alarms} on the other"
        return self._judged("refuted", f"{deciding.name}: {deciding.event} in {often}", pair)

    def _silence(self) -> str:
        """Why nothing was refuted, as far as one can say."""
        if self.more["needed"] is None:
            return "this claim cannot be refuted by any number of runs"
        if self.more["ceiling"] < self.claim.value:
            return f"this claim cannot be refuted with so many runs: {self.more['needed']} could at the least"
        return "no event came up too often"

    def _judged(self, outcome: Outcome, reason: str, pair: Pair) -> Judgement:
        return Judgement(
            outcome,
            reason,
            name_of(self.spec.target),
            self.claim,
            self.adjacency,
            pair.name,
            self.searched + self.done,
            self.error,
            self.spec.seed,
            warnings=self.warnings,
            bits=self.bits,
            **self.more,
        )


def _show(waiting: list[ChunkResult], statements: Sequence[Statement], done: int) -> None:
    """Show what has come in to those whom it concerns."""
    first = Outputs.concatenate(result.first for result in waiting)
    second = Outputs.concatenate(result.second for result in waiting)
    waiting.clear()
    for statement in statements:
        statement.see(first, second, done)
