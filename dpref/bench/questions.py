"""The questions that practice asks, each put to dpref and to dp_accounting in processes of their own, in turn.

A process is started for each answer, by turns, so that both sides meet the same machine; what counts is processor time,
the least of a few repetitions.  ``whole`` counts everything from the start of the interpreter; otherwise only what
follows the imports counts, and with ``again`` only a second answer in the same process.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from dpref.checks import natural

PEER: Final = "dp-accounting PLD"
_OWN: Final = """
from fractions import Fraction
from dpref import AddOrRemoveOne, certify
from dpref.privacy.event_calibration import calibrate
from dpref.privacy.events.expression import parse_template
from dpref.privacy.training_text import ledger_of
def ends(text):
    found = certify(ledger_of(text, AddOrRemoveOne), delta=Fraction(1, 10**6), limit=30)
    return [found.lower, found.upper]
"""
_OTHER: Final = """
import dp_accounting
from dp_accounting import dp_event as e, mechanism_calibration as m
from dp_accounting.pld import PLDAccountant
def sampled(q, sigma, steps):
    return e.SelfComposedDpEvent(e.PoissonSampledDpEvent(q, e.GaussianDpEvent(sigma)), steps)
def ends(event):
    return [PLDAccountant().compose(event).get_epsilon(1e-6)]
"""
_MANY: Final = ", ".join(
    f"compose(poisson(gaussian({50 + k}/50), rate={100 + k}/10000), 10)"
    if k % 2
    else f"compose(gaussian({20 + k}), 10)"
    for k in range(100)
)
_MANY_THERE: Final = (
    "e.ComposedDpEvent([sampled(.01 + k / 1e4, 1 + k / 50, 10) if k % 2 else"
    " e.SelfComposedDpEvent(e.GaussianDpEvent(20 + k), 10) for k in range(100)])"
)


@final
@dataclass(frozen=True)
class Question:
    """One question, as each side writes it.

    Attributes:
        name: What is asked.
        own: An expression of what dpref answers.
        other: The same of dp_accounting.
        whole: Whether the whole process counts.
        again: Whether the second answer of a process counts.
    """

    name: str
    own: str
    other: str
    whole: bool = False
    again: bool = False


def _steps(exponent: int) -> Question:
    own = f"ends('compose(poisson(gaussian(1), rate=1/100), 1e{exponent})')"
    return Question(f"again, T = 1e{exponent}", own, f"ends(sampled(.01, 1, 10**{exponent}))", again=True)


QUESTIONS: Final = (
    Question(
        "whole process, T = 1e4",
        "ends('compose(poisson(gaussian(1), rate=1/100), 1e4)')",
        "ends(sampled(.01, 1, 10**4))",
        whole=True,
    ),
    *map(_steps, range(3, 8)),
    Question(
        "least noise, six digits, T = 1e3",
        "[float(calibrate(parse_template('compose(poisson(gaussian(?), rate=1/100), 1000)'), epsilon=Fraction(1),"
        " delta=Fraction(1, 10**6), adjacency=AddOrRemoveOne, digits=6).value)]",
        "[dp_accounting.calibrate_dp_mechanism(PLDAccountant, lambda s: sampled(.01, s, 1000), 1, 1e-6,"
        " m.LowerEndpointAndGuess(.1, 1), tol=1e-5)]",
    ),
    Question("100 different events", f"ends('compose({_MANY})')", f"ends({_MANY_THERE})"),
    Question(
        "rate 1e-9, T = 1e9",
        "ends('compose(poisson(gaussian(1), rate=1e-9), 1e9)')",
        "ends(sampled(1e-9, 1, 10**9))",
    ),
    Question(
        "rate 1e-12, T = 1e12",
        "ends('compose(poisson(gaussian(1), rate=1e-12), 1e12)')",
        "ends(sampled(1e-12, 1, 10**12))",
    ),
)


@final
@dataclass(frozen=True)
class Asked:
    """One side's answer to one question.

    Attributes:
        answer: An interval, a bound or a noise; empty if there is none.
        seconds: Processor time, the least of the repetitions; infinite if there is no answer.
        problem: Why there is none, or the empty text.
    """

    answer: tuple[float, ...]
    seconds: float
    problem: str = ""


def program(setup: str, ask: str, *, again: bool = False) -> str:
    """The source of a process that answers once (or twice) and prints the time of the last answer, and the answer.

    >>> "answer = 1" in program("", "1")
    True
    """
    begin = f"import json, time\n{setup}\n" + (f"answer = {ask}\n" if again else "")
    return begin + (
        f"begun = time.process_time()\nanswer = {ask}\n"
        "print('\\nanswer', json.dumps([time.process_time() - begun, answer]))"
    )


def ask(interpreter: str, source: str, *, whole: bool, limit: float) -> Asked:
    """Run a program in a process of its own.

    Args:
        interpreter: Path of the Python that has what the program imports.
        source: What `program` made.
        whole: Whether the time of the whole process counts.
        limit: Seconds after which it is ended.

    >>> ask(sys.executable, program("", "[2.0]"), whole=False, limit=10).answer
    (2.0,)
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run([interpreter, "-c", source], capture_output=True, text=True, timeout=limit, check=False)  # noqa: S603 - our own source
    except subprocess.TimeoutExpired:
        return Asked((), math.inf, f"no answer in {limit:g} s")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = [line for line in done.stdout.splitlines() if line.startswith("answer ")]
    if not lines:
        said = done.stderr.strip().splitlines()
        return Asked((), math.inf, said[-1][:60] if said else "no answer")
    seconds, answer = json.loads(lines[-1].removeprefix("answer "))
    all_of_it = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Asked(tuple(answer), all_of_it if whole else seconds)


def compare(
    questions: Sequence[Question],
    other: str | None,
    *,
    repeat: int = 3,
    limit: float = 60.0,
    advance: Callable[[str], None] = lambda name: None,
) -> list[tuple[Question, Asked, Asked]]:
    """Every question to both sides by turns.

    Args:
        questions: What is asked.
        other: The interpreter that has dp_accounting, or None if none has.
        repeat: How often each is asked; the least time counts.
        limit: Seconds for one process.
        advance: Called with each question's name.
    """
    natural("repeat", repeat)
    rows = []
    for question in questions:
        advance(question.name)
        ours: list[Asked] = []
        theirs: list[Asked] = []
        for _ in range(repeat):
            source = program(_OWN, question.own, again=question.again)
            ours.append(ask(sys.executable, source, whole=question.whole, limit=limit))
            if other is not None and not (theirs and theirs[-1].problem):
                source = program(_OTHER, question.other, again=question.again)
                theirs.append(ask(other, source, whole=question.whole, limit=limit))
        absent = Asked((), math.inf, "not installed")
        rows.append((question, _quickest(ours), _quickest(theirs) if theirs else absent))
    return rows


def _quickest(asked: Sequence[Asked]) -> Asked:
    return min(asked, key=lambda one: one.seconds)


def ratio(ours: Asked, theirs: Asked) -> str:
    """Their time over ours, where both answered.

    >>> ratio(Asked((1.0,), 0.5), Asked((1.0,), 2.0)), ratio(Asked((1.0,), 0.5), Asked((), math.inf, "none"))
    ('4.0', '-')
    """
    return f"{theirs.seconds / ours.seconds:.1f}" if ours.seconds < math.inf and theirs.seconds < math.inf else "-"


def texts(row: tuple[Question, Asked, Asked]) -> tuple[str, ...]:
    """A line of the table: the question, both answers and times, the ratio."""
    question, ours, theirs = row
    return (question.name, _answer(ours), _time(ours), _answer(theirs), _time(theirs), ratio(ours, theirs))


HEADS: Final = ("question", "dpref", "time", PEER, "time", "ratio")


def _answer(asked: Asked) -> str:
    if asked.problem:
        return asked.problem
    shown = ", ".join(f"{x:.8g}" for x in asked.answer)
    return f"[{shown}]" if len(asked.answer) > 1 else shown


def _time(asked: Asked) -> str:
    return f"{asked.seconds:.3g} s" if asked.seconds < math.inf else "-"


def to_json(rows: Sequence[tuple[Question, Asked, Asked]]) -> list[dict[str, Any]]:
    """The rows as JSON; a time that there is not is null."""

    def side(asked: Asked) -> dict[str, Any]:
        seconds = asked.seconds if asked.seconds < math.inf else None
        return {"answer": [repr(x) for x in asked.answer], "seconds": seconds, "note": asked.problem or None}

    return [{"question": q.name, "dpref": side(ours), PEER: side(theirs)} for q, ours, theirs in rows]
