"""Event expressions by the hundred thousand: right ones, nearly right ones and absurd ones, read and certified.

``python -m property_tests.event_expressions --count 100000 --seed 0`` draws texts (of the grammar, from the fields of
the events themselves; with a part exchanged, cut off, doubled or of the wrong kind; with numbers that are huge, tiny or
none; nested deeply), an adjacency and a question, and answers each in this process as the command line does, with a
limit of time.  A text is a finding if anything but an answer or one of the library's own errors comes out of it, if it
lasts longer than `SECONDS`, if its canonical form reads back as another event, or if an answer is below the truth where
one is known: what a part of a composition spends by itself, or the truths of ``certified_questions.py``.
"""
# ruff: noqa: S311 - samples, not secrets

from __future__ import annotations

import argparse
import math
import random
import signal
import sys
import time
import traceback
import types
import typing
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from dpref.errors import DprefError
from dpref.privacy.accountants import certify
from dpref.privacy.events.expression import event_fields, event_kinds, format_event, parse_event
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.interval import Interval
from dpref.privacy.training_text import ledger_of
from dpref.units import ADJACENCIES
from property_tests.certified_answers import wrong
from property_tests.certified_questions import Asked, single, small_delta, some_epsilon
from property_tests.kept_lines import in_processes, keeping, kept

SECONDS: Final = 10.0  # of processor time, for one text
LIMIT: Final = 0.2  # seconds of processor time that an answer may take
RIGHT: Final = ("1", "2", "1/2", "0.1", "3", "10", "1e-3", "7/3", "100", "1e-6", "60*60000/256")
ABSURD: Final = (
    "0", "-1", "1e400", "1e-400", "1e-12", "1e12", "1e15", "1e16", "1e300", "1/0", "0/0", "nan", "inf", "1e99999999",
    "9" * 300, "1" * 5000, "0." + "0" * 400 + "1", "1_0", "0x10", "½", "true", "none", "?", "", "1e5.5", "--1", "1/1e9",
    "1-1e-12", "0.999999999999", '"x"', "[1]", "[]", "x", "gaussian(1)", "1e-30", "1e30", "123456789/987654321",
)  # fmt: skip
LISTS: Final = (
    "[1/2, 1/2]",
    "[1]",
    "[]",
    "[1, 2, 3]",
    "[0, 1]",
    "[1/3, 2/3]",
    "[3/4, 1/4]",
    "[1, 1e400]",
    "[[1], [2]]",
)
NOISE: Final = (*"()[],=?\"'*/+-_.eE \t\n\x00é½∞", "compose(", "poisson(", "rate=", "gaussian", "),(", "1e9")
DEPTHS: Final = (2, 10, 60, 200, 3000)


class TooLong(BaseException):
    """The text lasts longer than it may."""


@dataclass(frozen=True)
class Ended:
    """What came of a text.

    Attributes:
        number: Of the text.
        text: The expression.
        adjacency: Its adjacency's name.
        at: The delta or the epsilon, in words.
        kind: ``"answer"``, or the name of the error.
        seconds: Processor time.
        problem: What is wrong with it; nothing, if nothing is.
    """

    number: int
    text: str
    adjacency: str
    at: str
    kind: str
    seconds: float
    problem: str = ""


# ------------------------------------------------------------------------------------ texts


def number(rng: random.Random) -> str:
    """A number, or what is none."""
    return rng.choice(RIGHT if rng.random() < 0.85 else ABSURD)


def argument(rng: random.Random, hint: Any, depth: int) -> str:  # noqa: PLR0911 - one return for each kind
    """A value for a field, by its annotation, of the right kind mostly."""
    if rng.random() < 0.03:
        return rng.choice((number(rng), rng.choice(LISTS), event(rng, depth - 1), rng.choice(ABSURD)))
    wanted = typing.get_args(hint) if typing.get_origin(hint) in {typing.Union, types.UnionType} else (hint,)
    kind = rng.choice([part for part in wanted if part is not type(None)] or [Fraction])
    if typing.get_origin(kind) is typing.Literal:
        return str(rng.choice(typing.get_args(kind)))
    if kind is bool:
        return rng.choice(("true", "false"))
    if typing.get_origin(kind) is tuple:
        return rng.choice(LISTS)
    if kind in {int, Fraction}:
        return number(rng) if kind is Fraction else rng.choice(("1", "2", "3", "10", "100", "1000", *ABSURD[:8]))
    if kind is str:
        return rng.choice(("mine", "x", "1x", "a" * 100))
    if getattr(kind, "__name__", "") in {"FinitePair", "GibbsPair"}:
        return f"{rng.choice(('finite', 'gibbs'))}({rng.choice(LISTS)}, {rng.choice(LISTS)})"
    return event(rng, depth - 1)


def event(rng: random.Random, depth: int = 3) -> str:
    """An event of the grammar, from the fields of the events themselves."""
    luck = rng.random()
    if luck < 0.12 and depth > 0:
        parts = ", ".join(event(rng, depth - 1) for _ in range(rng.randrange(1, 4)))
        return f"{rng.choice(('compose', 'compose', 'parallel'))}({parts})"
    if luck < 0.2 and depth > 0:
        return (
            f"compose({event(rng, depth - 1)}, {rng.choice(('2', '3', '10', '1000', '1000000', '1e9', *ABSURD[:8]))})"
        )
    if luck < 0.3 or depth <= 0:
        return rng.choice(("gaussian({})", "laplace({})", "randomized_response({})")).format(number(rng))
    name, kind = rng.choice(list(event_kinds().items()))
    given: list[str] = []
    for field, hint in event_fields(kind).items():
        if type(None) in typing.get_args(hint) and rng.random() < 0.5:
            continue
        value = argument(rng, hint, depth)
        given.append(value if len(given) == 0 and rng.random() < 0.5 else f"{field}={value}")
    return f"{name}({', '.join(given)})"


def damaged(rng: random.Random, text: str) -> str:
    """A text with a part cut off, exchanged, doubled or put in."""
    for _ in range(rng.randrange(1, 3)):
        i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        j = min(j, i + 12)
        text = rng.choice(
            (
                text[:i] + text[j:],
                text[:j] + text[i:],
                text[:i] + rng.choice(NOISE) + text[i:],
                text[:i] + rng.choice(NOISE) + text[j:],
                text[:i],
            )
        )
    return text


def nested(rng: random.Random) -> str:
    """Something in itself, many times."""
    depth = rng.choice(DEPTHS)
    left, right = rng.choice(
        (
            ("compose(", ", 2)"),
            ("compose(", ")"),
            ("poisson(", ", rate=1/2)"),
            ("(", ")"),
            ("parallel(", ", gaussian(1))"),
        )
    )
    return left * depth + rng.choice(("gaussian(1)", "laplace(1/2)", "")) + right * (depth - (rng.random() < 0.1))


def training(rng: random.Random) -> str:
    """A training in one call."""
    given = {
        "records": number(rng), "batch": number(rng), "noise_multiplier": number(rng),
        rng.choice(("epochs", "steps")): number(rng), "sampling": rng.choice(("poisson", "fixed", "shuffled", "1")),
    }  # fmt: skip
    if rng.random() < 0.1:
        given.pop(rng.choice(list(given)))
    return f"dpsgd({', '.join(f'{name}={value}' for name, value in given.items())})"


def drawn(rng: random.Random) -> tuple[str, str, Fraction | None, Fraction | None, Asked | None]:
    """A text, an adjacency, a delta or an epsilon, and the question if its truth is known."""
    luck = rng.random()
    delta, epsilon = (small_delta(rng), None) if rng.random() < 0.6 else (None, some_epsilon(rng))
    if luck < 0.1:
        case = single(rng)
        return case.text, case.adjacency, delta, epsilon, Asked(case, delta, epsilon)
    adjacency = rng.choice(list(ADJACENCIES))
    if luck < 0.5:
        return event(rng), adjacency, delta, epsilon, None
    if luck < 0.85:
        return damaged(rng, single(rng).text if rng.random() < 0.5 else event(rng)), adjacency, delta, epsilon, None
    text = rng.choice((nested, nested, training, lambda _: "".join(rng.choice(NOISE) for _ in range(20))))(rng)
    return text, adjacency, delta, epsilon, None


# ------------------------------------------------------------------------------------ answers


def answered(
    text: str,
    adjacency: str,
    delta: Fraction | None,
    epsilon: Fraction | None,
    known: Asked | None = None,
    ask: Callable[..., Interval] = certify,
    number: int = 0,
) -> Ended:
    """What comes of a text."""

    def stop(*_: object) -> None:
        raise TooLong

    at = f"delta {delta}" if delta is not None else f"epsilon {epsilon}"
    before, begun = signal.signal(signal.SIGPROF, stop), time.thread_time()
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    kind, problem = "answer", ""
    found: Interval | None = None
    try:
        ledger = ledger_of(text, ADJACENCIES[adjacency])
        found = ask(ledger, delta=delta, epsilon=epsilon, limit=LIMIT)
        problem = unlike_itself(ledger)
    except DprefError as error:
        kind = type(error).__name__
        problem = "" if str(error).strip() else "an error that says nothing"
    except TooLong:
        kind, problem = "too long", f"lasts longer than {SECONDS:g} s"
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the finding
        kind, problem = type(error).__name__, traceback.format_exc(limit=-4)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    seconds = time.thread_time() - begun
    if found is not None and not problem:
        problem = ill_formed(found, of_delta=delta is None) or (wrong(known, found) if known is not None else "")
    return Ended(number, text, adjacency, at, kind, seconds, problem)


def unlike_itself(ledger: Ledger[Any]) -> str:
    """Whether the canonical text of an event reads back as it."""
    written = format_event(ledger.event)
    if "function" in written:
        return ""
    return "" if format_event(parse_event(written)) == written else f"reads back otherwise: {written[:200]}"


def ill_formed(found: Interval, *, of_delta: bool) -> str:
    """What no interval may be."""
    if math.isnan(found.lower) or math.isnan(found.upper) or not 0 <= found.lower <= found.upper:
        return f"no interval: {found.lower}, {found.upper}"
    return f"a delta above 1: {found.upper}" if of_delta and found.upper > 1 else ""


def some(arguments: tuple[int, tuple[int, ...]]) -> list[Ended]:
    """What comes of several texts of a seed."""
    seed, numbers = arguments
    return [answered(*drawn(random.Random(f"{seed}/{k}")), number=k) for k in numbers]


def ends(seed: int, numbers: Sequence[int], jobs: int = 1) -> Iterator[Ended]:
    """What comes of texts of a seed, in so many processes."""
    return in_processes(some, seed, numbers, jobs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw texts, answer them, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--record", type=Path, help="keep what came of the texts in this file, and go on there")
    chosen = parser.parse_args(arguments)
    begun = time.perf_counter()
    found = [Ended(**line) for line in kept(chosen.record, chosen.seed)]
    known = {ended.number for ended in found}
    numbers = [k for k in range(chosen.count) if k not in known]
    with keeping(chosen.record, chosen.seed) as keep:
        for ended in ends(chosen.seed, numbers, chosen.jobs):
            found.append(ended)
            shown = ended.text if len(ended.text) < 400 else f"{ended.text[:200]}...({len(ended.text)})"
            keep({**asdict(ended), "text": shown})
            if ended.problem:
                print(f"{ended.number}: {shown!r} under {ended.adjacency} at {ended.at}", flush=True)
                print(f"  {ended.problem}", flush=True)
    findings = sum(bool(ended.problem) for ended in found)
    kinds = Counter(ended.kind for ended in found)
    said = ", ".join(f"{name} {number_of}" for name, number_of in sorted(kinds.items()))
    longest = max((ended.seconds for ended in found), default=0.0)
    print(f"{len(found)} expressions, seed {chosen.seed}: {findings} findings; {said};", end=" ")
    print(f"the longest {longest:.1f} s; {time.perf_counter() - begun:.0f} s")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
