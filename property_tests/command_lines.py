"""Command lines by the thousand, made from the parser itself: no traceback, and each mistake is named.

``python -m property_tests.command_lines --count 10000 --seed 0`` draws a verb, some of its options and arguments, and
values that are right, wrong or absurd for them (files that are missing, empty, binary or half a document; numbers that
are huge, negative or none), and calls ``dpref.cli.main`` with each line in this process.  What is long is left out:
where a verb has checked what it was given and begins to draw runs, replay proofs or measure times, the line has
*reached the work* and ends.  Accounts are computed, with a limit of time.

A line is a finding if anything but an exit comes out of it, its exit code is none of 0 to 3, it lasts longer than
`SECONDS`, its ``--json`` is no JSON, or it exits with 2 and the message names nothing that the line has or lacks.
"""
# ruff: noqa: S311 - samples, not secrets

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import re
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from typer.main import get_command

from dpref.cli import app, main
from dpref.crosscheck.peers import PeerFailure
from property_tests.command_values import NUMBERS, TEXTS, planned_line, values

SECONDS: Final = 10.0  # of processor time, for one line
LIMIT: Final = 0.3  # seconds of processor time that an account may take
EXITS: Final = frozenset({0, 1, 2, 3})
# Where the work begins, by the module that calls it.
WORK: Final = (
    "dpref.audit.many.judge_one",
    "dpref.audit.many.judged",
    "dpref.foreign.mechanism.in_order",
    "dpref.foreign.executors.named_executor",
    "dpref.museum.score.results",
    "dpref.crosscheck.compare.compare",
    "dpref.crosscheck.calibrating.compare",
    "dpref.bench.accounting.benchmark",
    "dpref.bench.algorithms.benchmark",
    "dpref.bench.audit_runs.measure",
    "dpref.bench.questions.compare",
    "dpref.experiments.work.carry_out",
    "dpref.fitting.fitted.Prepared.run",
    "dpref.vectors.make.answered",
    "dpref.vectors.check.answered_tests",
    "proofs.anew.compare",
    "proofs.check.run",
    "proofs.coq.running.run",
    "proofs.findings.checking.differences",
)

PEOPLE: Final = "age,income,bought\n" + "".join(
    f"{18 + i % 70},{i * 37 % 90000},{'yes' if i % 3 else 'no'}\n" for i in range(300)
)
BOUNDS: Final = '{"features": {"age": [18, 90], "income": [0, 80000]}, "target": {"classes": ["no", "yes"]}}'
MINE: Final = """
import numpy as np
pair = np.zeros(3), np.array([0.0, 0.0, 1.0])
def count(data, rng):
    return data.sum() + rng.laplace(scale=2.0)
def ledger():
    return 1
"""


class Reached(BaseException):
    """The line was accepted, and its work would begin."""


class TooLong(BaseException):
    """The line lasts longer than it may."""


@dataclass(frozen=True)
class Ended:
    """How a line ended.

    Attributes:
        line: The arguments.
        code: The exit code; None where the work was reached.
        stdout: What was answered.
        stderr: What was said.
        problem: What is wrong with it; nothing, if nothing is.
    """

    line: tuple[str, ...]
    code: int | None
    stdout: str
    stderr: str
    problem: str = ""


def verbs(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every verb of the parser by the words that call it."""
    for name, below in command.commands.items():
        if hasattr(below, "commands"):
            yield from verbs(below, (*words, name))
        else:
            yield (*words, name), below


def drawn(rng: random.Random) -> tuple[str, ...]:
    """A command line."""
    if rng.random() < 0.02:
        junk = [
            rng.choice(rng.choice((NUMBERS, TEXTS, ("--help", "-h", "--version", "-v", "-vv", "audit"))))
            for _ in range(2)
        ]
        return tuple(junk[: rng.randrange(3)])
    if rng.random() < 0.12:
        return planned_line(rng)
    words, command = rng.choice(VERBS)
    parameters = [p for p in command.params if p.name != "help"]
    chosen = [p for p in parameters if (p.required and rng.random() < 0.98) or rng.random() < 2.5 / len(parameters)]
    rng.shuffle(chosen)
    line: list[str] = []
    for parameter in chosen:
        if getattr(parameter, "param_type_name", "") == "argument":
            line += [values(parameter, rng) for _ in range(1 if parameter.nargs == 1 else rng.randrange(1, 3))]
        elif getattr(parameter, "is_flag", False):
            line.append(rng.choice([*parameter.opts, *parameter.secondary_opts]))
        else:
            option, value = rng.choice(parameter.opts), values(parameter, rng)
            line += [f"{option}={value}"] if rng.random() < 0.5 and option.startswith("--") else [option, value]
    if rng.random() < 0.04:
        line.insert(
            rng.randrange(len(line) + 1), rng.choice(("--nothing", "-q", "--json", "--help", "x", "--", "--seed"))
        )
    if line and rng.random() < 0.03:
        line.pop()
    return (*words, *line)


VERBS: Final = tuple(verbs(get_command(app)))


# ------------------------------------------------------------------------------------ calling it


def refusing_peer(*_: object, **__: object) -> None:
    """No interpreter of another package is started."""
    raise PeerFailure("is not asked")


def reached(*_: object, **__: object) -> None:
    """Where the work would begin."""
    raise Reached


@contextlib.contextmanager
def scene() -> Iterator[Path]:
    """A folder of files of every kind, the work left out."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "empty.json").touch()
        (folder / "binary.json").write_bytes(bytes(range(256)))
        (folder / "folder.json").mkdir()
        (folder / "number.json").write_text("1")
        (folder / "list.json").write_text("[[]]")
        (folder / "deep.json").write_text("[" * 100_000 + "]" * 100_000)
        (folder / "huge.json").write_text('{"claims": ' + "9" * 10_000 + "}")
        claims = Path(__file__).parents[1] / "docs" / "_static" / "claims.json"
        text = claims.read_text(encoding="utf-8")
        (folder / "claims.json").write_text(text)
        (folder / "half.json").write_text(text[: len(text) // 2])
        (folder / "twice.json").write_text('{"claims": [], "claims": []}')
        (folder / "folder").mkdir()
        (folder / "full").mkdir()
        (folder / "full" / "something").touch()
        (folder / "mine.py").write_text(MINE)
        (folder / "people.csv").write_text(PEOPLE)
        (folder / "bounds.json").write_text(BOUNDS)
        (folder / "empty.csv").touch()
        (folder / "binary.csv").write_bytes(bytes(range(256)))
        (folder / "ragged.csv").write_text("age,income,bought\n1,2\n1,2,3,4\nx,,yes\n")
        (folder / "nothing.parquet").write_bytes(b"PAR1")
        stack.enter_context(contextlib.chdir(folder))
        stack.enter_context(patch.dict(os.environ, {"XDG_CACHE_HOME": str(folder / "cache"), "COLUMNS": "200"}))
        stack.enter_context(patch.object(sys, "path", [*sys.path]))
        for place in WORK:
            stack.enter_context(patch(place, reached))
        stack.enter_context(patch("typer.main.get_command", cache(get_command)))
        stack.enter_context(patch("dpref.crosscheck.peers.PeerProcess", refusing_peer))
        stack.enter_context(patch("dpref.privacy.time_limit.DEFAULT_LIMIT", LIMIT))
        yield folder


def called(line: tuple[str, ...]) -> Ended:
    """What comes of a line."""

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    problem, code = "", None
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            patch.object(sys, "argv", ["dpref", *line]),
        ):
            main()
    except SystemExit as stopped:
        code = stopped.code if isinstance(stopped.code, int) else 0 if stopped.code is None else 1
    except Reached:
        pass
    except TooLong:
        problem = f"lasts longer than {SECONDS:g} s"
    except BaseException:  # noqa: BLE001 - whatever it is, it is the finding
        problem = traceback.format_exc(limit=-4)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    said = [stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err)]
    ended = Ended(line, code, said[0], said[1], problem)
    return Ended(line, code, said[0], said[1], problem or wrong(ended))


def wrong(ended: Ended) -> str:
    """What is wrong with how a line ended, but for exceptions."""
    if "Traceback" in ended.stderr:
        return "a traceback on standard error"
    if ended.code is not None and ended.code not in EXITS:
        return f"exit code {ended.code}"
    if ended.code == 2 and not ended.stdout.lstrip().startswith("Usage"):  # a group of verbs without one says its help
        return "" if names_something(ended.line, ended.stderr) else "the message names nothing of the line"
    asked = "--json" in ended.line and not {"-h", "--help", "--"} & set(ended.line)
    if asked and ended.code == 0 and ended.stdout:
        try:
            json.loads(ended.stdout)
        except ValueError:
            return "--json is no JSON"
    return ""


def names_something(line: Sequence[str], stderr: str) -> bool:
    """Whether a message names an argument, a value or a command, and is more than that name."""
    message = " ".join(re.sub(r"[│╭╮╰╯─]", " ", stderr).replace("Error", "", 1).split())
    known = {name for _, command in VERBS for p in command.params for name in p.opts}
    named = parts_of(*known, "claim event algorithm experiment command argument dir option")
    named = {word for word in named if len(word) > 2} | parts_of(*line)
    files = {str(Path(word.rpartition("=")[2])).encode("utf-8", "replace").decode() for word in line}
    named_file = any(f"dpref: {file}: " in stderr for file in files)
    return len(message) > len("dpref: x = 1: no") and (named_file or bool(parts_of(message) & named))


def parts_of(*texts: str) -> set[str]:
    """The words of texts, without what joins them."""
    return {word for text in texts for word in re.findall(r"[^\W_]+", text.lower())}


def main_of_lines(arguments: Sequence[str] | None = None) -> int:
    """Draw lines, call them, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    begun, codes, found = time.perf_counter(), Counter[str](), list[Ended]()
    for ended in ends(chosen.count, chosen.seed):
        codes["reached the work" if ended.code is None else f"exit {ended.code}"] += 1
        if ended.problem:
            found.append(ended)
            shown = (word if len(word) < 80 else f"{word[:60]}...({len(word)})" for word in map(repr, ended.line))
            print(f"{' '.join(shown)}\n  {ended.problem}\n  {ended.stderr[:300]}", flush=True)
    counts = ", ".join(f"{name} {count}" for name, count in sorted(codes.items()))
    print(f"{chosen.count} command lines, seed {chosen.seed}: {len(found)} findings; {counts};", end=" ")
    print(f"{time.perf_counter() - begun:.0f} s")
    return 1 if found else 0


def ends(count: int, seed: int, call: Callable[[tuple[str, ...]], Ended] = called) -> Iterator[Ended]:
    """How so many drawn lines end."""
    rng = random.Random(seed)
    with scene():
        for _ in range(count):
            yield call(drawn(rng))


if __name__ == "__main__":
    sys.exit(main_of_lines())
