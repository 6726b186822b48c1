"""How the gate runs its steps: some side by side, each with a log, a cost and what it could not check."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

KINDS: Final = ("pip", "tests", "docs", "Coq", "other")
# These tests are a sample by intention: another task has all of them.
SAMPLED: Final = "too long for every day"


class Absent(NamedTuple):
    """Something that was not checked, and the reason."""

    what: str
    why: str


class FailedError(Exception):
    """A step has failed; the message says why."""


def complaint(code: int, printed: str, codes: Sequence[int] = (0,), says: str = "") -> str:
    """Return why an exit code and an output are no answer, or nothing.

    Args:
        code: The exit code.
        printed: The whole output.
        codes: The exit codes that are answers.
        says: A pattern that an answer has somewhere in its output.
    """
    if code not in codes:
        return f"exit code {code}"
    if code and "Traceback (most recent call last)" in printed:
        return f"exit code {code} with a traceback"
    return f"the output has no {says!r}" if says and not re.search(says, printed, re.MULTILINE) else ""


def skipped(printed: str) -> list[tuple[str, int, str]]:
    """Return the file, the number and the reason of each kind of test that pytest says it skipped."""
    found = re.findall(r"^SKIPPED \[(\d+)\] ([^\s:]+)(?::\d+)?: (.*)$", printed, re.MULTILINE)
    return [(file, int(count), reason) for count, file, reason in found if not reason.startswith(SAMPLED)]


@dataclass
class Work:
    """What one running step has: its log, the environment of its commands, its cost and what it could not check."""

    log: Path
    environment: Mapping[str, str]
    processor: float = 0.0
    absent: list[Absent] = field(default_factory=list)
    processes: set[int] = field(default_factory=set)

    def say(self, text: str) -> None:
        """Write a line to the log."""
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"{text}\n")

    def run(
        self, words: Sequence[str | Path] | str, folder: Path, *, codes: Sequence[int] = (0,), says: str = "",
        **more: str,
    ) -> str:  # fmt: skip
        """Run a command, or a line of shell, and return its output.

        Raises:
            FailedError: If its exit code or its output is no answer (`complaint`).
        """
        command = ["bash", "-c", words] if isinstance(words, str) else [str(word) for word in words]
        start = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            process = subprocess.Popen(  # noqa: S603 - the gate's own commands
                command, cwd=folder, env={**self.environment, **more}, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            self.processes.add(process.pid)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.processes.discard(process.pid)
        self.processor += used.ru_utime + used.ru_stime
        printed = self.log.read_bytes()[start:].decode(errors="replace")
        if why := complaint(process.returncode, printed, codes, says):
            raise FailedError(f"{why}: {' '.join(command)[:300]}")
        return printed


@dataclass(frozen=True)
class Step:
    """One thing that the gate does.

    Attributes:
        name: Its name, which other steps wait for.
        kind: One of `KINDS`.
        does: What runs.
        after: The steps that must have succeeded before.
        cores: How many processors it keeps busy.
        covers: The tests that it runs where what they need is installed: elsewhere their skips mean nothing.
    """

    name: str
    kind: str
    does: Callable[[Work], None]
    after: tuple[str, ...] = ()
    cores: int = 1
    covers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """How a step ended: the complaint is empty where it succeeded."""

    step: Step
    complaint: str
    wall: float
    processor: float
    printed: str
    absent: tuple[Absent, ...] = ()


def not_checked(outcomes: Iterable[Outcome]) -> list[Absent]:
    """Return what steps could not check, and the tests that the environment meant for them skipped."""
    every = list(outcomes)
    found = [a for outcome in every for a in outcome.absent]
    for outcome in every:
        for file, count, reason in skipped(outcome.printed):
            others = any(
                file.startswith(c) for o in every if o.step != outcome.step and not o.complaint for c in o.step.covers
            )
            if not others or file.startswith(outcome.step.covers):
                found.append(Absent(f"{file} ({count} test{'s' * (count > 1)}, {outcome.step.name})", reason))
    return list(dict.fromkeys(found))


class Runner:
    """Runs steps side by side on so many processors; a step that fails keeps those back that wait for it."""

    def __init__(self, folder: Path, environment: Mapping[str, str], cores: int, say: Callable[[str], None]) -> None:
        """Keep the logs in a folder, and say each step's beginning and end."""
        self.folder, self.environment, self.cores, self.say = folder, environment, max(1, cores), say
        self.start = time.monotonic()
        self._running = dict[str, Work]()

    def run(self, steps: Sequence[Step]) -> list[Outcome]:
        """Run the steps, in this order where there is a choice, and return how each ended."""
        waiting, ended, answers = list(steps), dict[str, Outcome](), queue.Queue[Outcome]()
        while waiting or self._running:
            for step in [*waiting]:
                if failed := [name for name in step.after if name in ended and ended[name].complaint]:
                    waiting.remove(step)
                    ended[step.name] = self._ended(Outcome(step, f"not run: {failed[0]} failed", 0.0, 0.0, ""))
                elif all(name in ended for name in step.after) and self._free(steps) >= min(step.cores, self.cores):
                    waiting.remove(step)
                    self._begin(step, answers)
            if self._running:
                outcome = answers.get()
                del self._running[outcome.step.name]
                ended[outcome.step.name] = self._ended(outcome)
            elif waiting and not any(all(name in ended for name in step.after) for step in waiting):
                raise ValueError(f"these wait for what is no step: {', '.join(step.name for step in waiting)}")
        return [ended[step.name] for step in steps]

    def stop(self) -> None:
        """End what still runs."""
        for process in [p for work in self._running.values() for p in work.processes]:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process, signal.SIGTERM)

    def _free(self, steps: Sequence[Step]) -> int:
        return self.cores - sum(min(step.cores, self.cores) for step in steps if step.name in self._running)

    def _begin(self, step: Step, answers: queue.Queue[Outcome]) -> None:
        work = Work(self.folder / f"{len(list(self.folder.iterdir())):02d}.log", self.environment)
        work.log.touch()
        self._running[step.name] = work
        self.say(f"\n=== {step.name}: begun ({self._seconds()})")

        def thread() -> None:
            begun, why = time.monotonic(), ""
            try:
                step.does(work)
            except FailedError as error:
                why = str(error)
            except Exception as error:  # noqa: BLE001 - whatever the step trips over, it has failed
                why = f"{type(error).__name__}: {error}"
            printed = work.log.read_text(encoding="utf-8", errors="replace")
            answers.put(
                Outcome(step, why, time.monotonic() - begun, work.processor, printed, tuple(work.absent))
            )  # fmt: skip

        threading.Thread(target=thread, daemon=True).start()

    def _ended(self, outcome: Outcome) -> Outcome:
        how = f"FAILED: {outcome.complaint}" if outcome.complaint else "done"
        self.say(f"\n=== {outcome.step.name}: {how} ({self._seconds()})\n{outcome.printed}")
        return outcome

    def _seconds(self) -> str:
        return f"{time.monotonic() - self.start:.0f}s"


def costs(outcomes: Sequence[Outcome]) -> list[str]:
    """Return what each step took, and what each kind took, as lines."""
    lines = [f"{'step':<58} {'kind':<6} {'wall s':>7} {'processor s':>12}"]
    lines += [f"{o.step.name:<58.58} {o.step.kind:<6} {o.wall:>7.0f} {o.processor:>12.0f}" for o in outcomes]
    for kind in KINDS:
        of_kind = [o for o in outcomes if o.step.kind == kind]
        lines.append(
            f"{'all of ' + kind:<65} {sum(o.wall for o in of_kind):>7.0f} {sum(o.processor for o in of_kind):>12.0f}"
        )
    return lines


def verdict(outcomes: Sequence[Outcome], absent: Sequence[Absent], *, strict: bool) -> tuple[list[str], int]:
    """Return the last lines of a run and its exit code: what was not checked, what failed, and whether all is green."""
    width = max([len(a.what) for a in absent], default=0)
    lines = ["not checked" + " " * max(1, width - 9) + "why", *(f"{a.what:<{width}}  {a.why}" for a in absent)]
    if not absent:
        lines = ["not checked: nothing was left out"]
    failed = [f"{o.step.name}: {o.complaint}" for o in outcomes if o.complaint]
    failed += [f"not checked, and DPREF_GATE is strict: {a.what}" for a in absent if strict]
    lines += [f"FAILED {line}" for line in failed]
    return [*lines, "=== not green" if failed else "=== all green"], 1 if failed else 0
