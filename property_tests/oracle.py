"""Questions with answers that were computed without the library, and how an answer is held against them.

A question names what is asked (`ASKS`) and its arguments; its truth is two numbers: no upper end may lie below `least`,
and no lower end above `most`.  Each is asked of every accountant that supports it, and again at few bits and on coarse
grids, where an end that is rounded the wrong way is wrong by more than a last digit.

`oracle.json` holds recorded questions with 30 digits of their truths; ``python -m property_tests.oracle --write``
computes them again from the curves of ``certified_questions.py`` and from mpmath.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import Final

from flint import ctx

from dpref import reals
from dpref.errors import DprefError
from dpref.privacy.accountants import accountants, certify
from dpref.privacy.events.expression import parse_event
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.fast import accountant as fast
from dpref.privacy.fast import curves as fast_curves
from dpref.privacy.interval import Interval
from dpref.privacy.pld import accountant as pld
from dpref.units import adjacency_named
from property_tests.certified_answers import exceeds
from property_tests.certified_questions import SINGLE, Asked, Truth, single, size, small_delta, some_epsilon
from property_tests.composed_questions import MIXED
from property_tests.further_questions import FURTHER, further
from property_tests.independent_compositions import ERROR, NoTruthError
from property_tests.oracle_quantities import QUANTITIES, Ends

RECORDED: Final = Path(__file__).with_name("oracle.json")
COARSE: Final = Fraction(1, 4)
_DIGITS: Final = 30
_SECONDS: Final = 1.0  # of a recorded question


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes:
        ask: ``"certify"``, or a key of `oracle_quantities.QUANTITIES`.
        arguments: Its arguments as texts; for ``"certify"`` event, adjacency, and delta or epsilon.
        least: No upper end may lie below it.
        most: No lower end may lie above it.
        ways: The ways in which it was answered when it was recorded.
    """

    ask: str
    arguments: tuple[str, ...]
    least: str = "0"
    most: str = "inf"
    ways: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.ask}({', '.join(self.arguments)})"


@dataclass(frozen=True)
class Answer:
    """One interval, and the way that it came about."""

    way: str
    lower: float
    upper: float

    def wrong(self, question: Question) -> str:
        """How the interval excludes the truth of a recorded question; nothing if it does not."""
        if self.upper < math.inf and Fraction(self.upper) < Fraction(question.least):
            return f"{question} by {self.way}: [{self.lower!r}, {self.upper!r}], but at least {question.least}"
        if question.most != "inf" and self.lower > -math.inf and Fraction(self.lower) > Fraction(question.most):
            return f"{question} by {self.way}: [{self.lower!r}, {self.upper!r}], but at most {question.most}"
        return ""


class Few:
    """The precision of a context, of which a quarter is used."""

    def __init__(self) -> None:
        self._bits = ctx.prec

    @property
    def prec(self) -> int:
        """What was asked for."""
        return self._bits

    @prec.setter
    def prec(self, bits: int) -> None:
        self._bits = bits
        ctx.prec = max(24, bits // 4)


@contextmanager
def few_bits() -> Iterator[None]:
    """Let the library compute with a quarter of the bits that it asks for."""
    names, bits = vars(reals), ctx.prec
    names["ctx"] = Few()
    try:
        yield
    finally:
        names["ctx"], ctx.prec = ctx, bits


def answers(question: Question) -> list[Answer]:
    """What the library answers, in every way that it can; a way that it refuses is left out.

    Raises:
        TimeoutError: If the processor time of `limited` is over.
    """
    found = []
    for name, ask in _ways(question):
        for bits in ("", "few bits, "):
            try:
                if bits:
                    with few_bits():
                        ends = ask()
                else:
                    ends = ask()
            except DprefError:
                continue
            found.append(Answer(bits + name, ends[0], ends[1]))
    return found


def _ways(question: Question) -> list[tuple[str, Callable[[], Ends]]]:
    if question.ask != "certify":
        return [(question.ask, lambda: QUANTITIES[question.ask].ask(*question.arguments))]
    text, adjacency, kind, number = question.arguments
    at = Fraction(number)
    ledger = Ledger(parse_event(text), adjacency_named(adjacency))
    asked: dict[str, Fraction] = {kind: at}

    def ends(found: Interval) -> Ends:
        return found.lower, found.upper

    def by(name: str) -> Callable[[], Ends]:
        if at == 0 and kind == "delta":
            return lambda: ends(certify(ledger, delta=at))
        of_epsilon = kind == "delta"
        match name:
            case "pld":
                of = pld.pld_epsilon if of_epsilon else pld.pld_delta
                return lambda: ends(of(ledger, at, relative_width=COARSE, most_cells=2000))
            case "fast" if not _batches(text):
                return lambda: ends((fast.epsilon if of_epsilon else fast.delta)(ledger, at, width=COARSE))
            case "fast-curves":
                fine = fast_curves.epsilon if of_epsilon else fast_curves.delta
                return lambda: ends(fine(ledger, at, width=COARSE))
        return lambda: ends(certify(ledger, accountant=name, **asked))

    names = ["best"] if at == 0 and kind == "delta" else [a.name for a in accountants() if not a.refused(ledger)]
    return [(name, by(name)) for name in names]


def _batches(text: str) -> bool:
    return "sample_without_replacement" in text


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in a block after so much processor time."""

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    old = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)


def recorded() -> list[Question]:
    """The recorded questions."""
    lines = json.loads(RECORDED.read_text(encoding="utf-8"))
    return [Question(**{**line, **{k: tuple(line[k]) for k in ("arguments", "ways")}}) for line in lines]


# ------------------------------------------------------------------------------------ questions at random


def drawn(seed: str, number: int) -> tuple[Question, Asked | None]:
    """A question of a seed without its truth, families by turns, and the curves that hold it."""
    rng = random.Random(f"{seed}/{number}")  # noqa: S311 - a sample, not a secret
    families = [*SINGLE, *(f for f in MIXED if f not in (single, further)), *FURTHER]
    quantities = list(QUANTITIES)
    k = number % (len(families) + len(quantities))
    if k >= len(families):
        name = quantities[k - len(families)]
        return Question(name, QUANTITIES[name].draw(rng)), None
    case = families[k](rng)
    plain = case.truth.rounding == ERROR
    if rng.random() < 0.6:
        asked = Asked(case, min(size(rng, -10, -2), Fraction(1, 2)) if plain else small_delta(rng), None)
    else:
        asked = Asked(case, None, size(rng, -1.5, 0.7) if plain else some_epsilon(rng))
    at = ("epsilon", str(asked.epsilon)) if asked.delta is None else ("delta", str(asked.delta))
    return Question("certify", (case.text, case.adjacency, *at)), asked


def told(question: Question, asked: Asked | None) -> Question:
    """A question with the digits of its truth.

    Raises:
        NoTruthError: If its curves do not tell it.
        ArithmeticError: If they cannot be told from a number near them.
    """
    if asked is None:
        least, most = QUANTITIES[question.ask].truth(*question.arguments)
        return Question(question.ask, question.arguments, least, most)
    truth = asked.case.truth
    least = _below(truth, asked)
    most = _above(truth, asked)
    return Question(question.ask, question.arguments, least, most)


def _below(truth: Truth, asked: Asked) -> str:
    """A number that the quantity is at least: the curve that is owed exceeds delta there, or delta there."""
    low = Fraction(0)
    for step in _ladder():
        if _exceeds(truth, asked, low + step, below=False):
            low += step
    return _text(low, ROUND_FLOOR)


def _above(truth: Truth, asked: Asked) -> str:
    """A number that the quantity is at most, by what may be claimed."""
    if _exceeds(truth, asked, Fraction(0), below=True):
        return "0"
    high = Fraction(2) ** 40 if asked.epsilon is None else Fraction(1)
    if not _exceeds(truth, asked, high, below=True):
        return "inf"
    for step in _ladder():
        if high > step and _exceeds(truth, asked, high - step, below=True):
            high -= step
    return _text(high, ROUND_CEILING)


def _ladder() -> list[Fraction]:
    return [Fraction(2) ** k for k in range(40, -100, -1)]


def _exceeds(truth: Truth, asked: Asked, place: Fraction, *, below: bool) -> bool:
    epsilon, delta = (place, asked.delta) if asked.epsilon is None else (asked.epsilon, place)
    assert delta is not None
    curve = truth.claimable if below else truth.owed
    return exceeds(curve, epsilon, delta, truth.rounding, below=below)


def _text(number: Fraction, rounding: str) -> str:
    context = Context(prec=_DIGITS, rounding=rounding)
    return str(context.divide(Decimal(number.numerator), Decimal(number.denominator)))


def wrong(question: Question, asked: Asked | None, found: Sequence[Answer]) -> str:
    """The first answer that excludes the truth, with its interval; nothing if all hold."""
    if asked is None or question.least != "0" or question.most != "inf":
        settled = told(question, asked) if asked is None else question
        return next((text for answer in found if (text := answer.wrong(settled))), "")
    for answer in found:
        truth, of_epsilon = asked.case.truth, asked.epsilon is None
        ends = [(answer.upper, False)] if answer.upper < math.inf else []
        ends += [(answer.lower, True)] if 0 < answer.lower < math.inf else []
        for end, below in ends:
            if _exceeds(truth, asked, Fraction(end), below=below):
                settled = told(question, asked)
                side = f"at most {settled.most}" if below else f"at least {settled.least}"
                what = "epsilon" if of_epsilon else "delta"
                return f"{question} by {answer.way}: {what} in [{answer.lower!r}, {answer.upper!r}], but {side}"
    return ""


def add(seed: str, count: int) -> list[Question]:
    """So many questions of a seed that are quick to ask, with their truths; those without a truth are left out."""
    found = []
    for number in range(count):
        question, asked = drawn(seed, number)
        try:
            with limited(_SECONDS):
                said = answers(question)
            with limited(5 * _SECONDS):
                settled = told(question, asked)
        except (NoTruthError, ArithmeticError, TimeoutError):
            continue
        if said:
            problems = [text for answer in said if (text := answer.wrong(settled))]
            sys.stdout.write("".join(f"WRONG {text}\n" for text in problems))
            found.append(replace(settled, ways=tuple(answer.way for answer in said)))
    return found


def main() -> int:
    """Write the recorded questions anew, those of the seeds that are named."""
    parser = argparse.ArgumentParser(prog="python -m property_tests.oracle", description=__doc__)
    parser.add_argument("--write", nargs="+", required=True, metavar="SEED:COUNT", help="such as first:200")
    found = [q for one in parser.parse_args().write for q in add(one.partition(":")[0], int(one.partition(":")[2]))]
    lines = ",\n".join(json.dumps(asdict(q)) for q in found)
    RECORDED.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    sys.stdout.write(f"{len(found)} questions\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
