"""Other accountants, each asked in a process of its own that may crash, hang or talk nonsense without harm.

One process serves one accountant: it is started once, answers one question after the other, and is killed and started
anew when an answer does not come in time.  Everything that it writes is taken as text from a stranger.
"""

from __future__ import annotations

import json
import math
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self, final

from dpref.crosscheck import worker
from dpref.crosscheck.threads import ONE_THREAD
from dpref.errors import InvalidArgumentError

_FLOOD: Final = 1 << 20  # bytes without an answer among them
_START_LIMIT: Final = 60.0
OWN: Final = "own"


@final
@dataclass(frozen=True)
class Peer:
    """One accountant of another package.

    Attributes:
        name: What the table calls it.
        package: The distribution that it comes from, which is what ``--peer`` names.
        module: What is imported to see whether it is installed.
        function: Its function in `dpref.crosscheck.worker`.
    """

    name: str
    package: str
    module: str
    function: str


PEERS: Final = (
    Peer("dp-accounting PLD", "dp-accounting", "dp_accounting", "dp_accounting_pld"),
    Peer("dp-accounting self_compose", "dp-accounting", "dp_accounting", "dp_accounting_self_compose"),
    Peer("dp-accounting RDP", "dp-accounting", "dp_accounting", "dp_accounting_rdp"),
    Peer("prv-accountant", "prv-accountant", "prv_accountant", "prv_accountant"),
    Peer("opacus PRV", "opacus", "opacus", "opacus_prv"),
    Peer("opacus RDP", "opacus", "opacus", "opacus_rdp"),
    Peer("opacus GDP", "opacus", "opacus", "opacus_gdp"),
    Peer("autodp RDP", "autodp", "autodp", "autodp_rdp"),
    Peer("riskcal CTD", "riskcal", "riskcal", "riskcal"),
    Peer("opake PLD", "opake-accounting", "opake.accounting", "opake_pld"),
)
PACKAGES: Final = tuple(dict.fromkeys(peer.package for peer in PEERS))


class Question(Protocol):
    """What a peer is asked."""

    @property
    def question(self) -> dict[str, object]:
        """The arguments by name, and under ``asks`` their names in order."""


@final
@dataclass(frozen=True)
class Answer:
    """What a peer says of one case.

    Attributes:
        upper: What it calls an upper bound of epsilon, or None.
        estimate: What it calls an estimate, or None.
        lower: What it calls a lower bound, or None.
        seconds: How long each repetition took, imports excluded.
        problem: Why there is no answer, or the empty text.
    """

    upper: float | None = None
    estimate: float | None = None
    lower: float | None = None
    seconds: tuple[float, ...] = ()
    problem: str = ""

    @property
    def claim(self) -> float | None:
        """The number that a user would report: the upper bound, or the estimate where there is none."""
        return self.estimate if self.upper is None else self.upper


class PeerFailure(Exception):
    """The process of a peer has crashed, hung or talked nonsense."""


class PeerProcess:
    """A running peer; a context manager that leaves no process behind.

    Attributes:
        version: The version that it reports.

    Raises:
        PeerFailure: If it does not start, or the accountant is not installed.
    """

    def __init__(self, peer: Peer, interpreter: str, *, start_limit: float = _START_LIMIT) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="dpref-peer-")
        asked = (peer.function, peer.module, peer.package, str(Path.cwd()))
        command = [interpreter, str(Path(worker.__file__)), *asked]
        try:
            self._process = subprocess.Popen(  # noqa: S603  # the interpreter is the user's choice
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._folder.name,
                env=_environment(),
                start_new_session=True,
            )
        except OSError as error:
            self._folder.cleanup()
            raise PeerFailure(f"cannot be started: {error.strerror}") from None
        self._buffer = b""
        try:
            ready = self._receive(start_limit)
        except PeerFailure:
            self.close()
            raise
        if ready.get("ready") is not True:
            self.close()
            raise PeerFailure(f"not installed ({_shown(ready.get('problem'))})")
        self.version: str = _shown(ready.get("version"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, number: int, case: Question, *, repeat: int, limit: float) -> Answer:
        """One question; what the accountant itself refuses is an answer with a problem.

        Raises:
            PeerFailure: If no well-formed answer comes within ``limit`` seconds; the process is of no more use.
        """
        question = {"id": number, **case.question, "repeat": repeat}
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101  # a pipe was asked for
        try:
            stdin.write(json.dumps(question).encode() + b"\n")
            stdin.flush()
        except OSError:
            raise PeerFailure(self._death()) from None
        return _answer(self._receive(limit), number)

    def close(self) -> None:
        """Kill the process with all that it started."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except OSError:
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:  # what was not yet written has no reader any more
                    continue
        self._folder.cleanup()

    def _death(self) -> str:
        try:
            code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return "closed its output"
        return f"died of signal {-code}" if code < 0 else f"ended with exit code {code}"

    def _receive(self, limit: float) -> dict[str, Any]:
        """The next answer among whatever is written."""
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101  # a pipe was asked for
        deadline = time.monotonic() + limit
        ignored = 0
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while True:
                while b"\n" in self._buffer:
                    line, self._buffer = self._buffer.split(b"\n", 1)
                    if line.startswith(worker.MARK.encode()):
                        return _object(line[len(worker.MARK) :])
                    ignored += len(line) + 1
                if len(self._buffer) + ignored > _FLOOD:
                    raise PeerFailure("writes without answering")
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    raise PeerFailure(f"no answer within {limit:g} s")
                chunk = os.read(stdout.fileno(), 1 << 16)
                if not chunk:
                    raise PeerFailure(self._death())
                self._buffer += chunk


def _environment() -> dict[str, str]:
    """The user's environment without what would leak this interpreter into another, and with one thread."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return {**kept, **ONE_THREAD}


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        raise PeerFailure("answers what is not JSON") from None
    if not isinstance(found, dict):
        raise PeerFailure("answers what is not a JSON object")
    return found


def _shown(value: object) -> str:
    """Text from a stranger, fit for a terminal."""
    return "".join(c if c.isprintable() else " " for c in str(value))[:160]


def _answer(found: dict[str, Any], number: int) -> Answer:
    if found.get("id") != number:
        raise PeerFailure("answers another question")
    if "problem" in found:
        return Answer(problem=_shown(found["problem"]))
    ends = {}
    for name in ("lower", "estimate", "upper"):
        value = found.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise PeerFailure(f"answers {name} = {_shown(value)}")
        ends[name] = None if value is None else float(value)
    seconds = found.get("seconds")
    if not isinstance(seconds, list) or not all(isinstance(s, float) and math.isfinite(s) for s in seconds):
        raise PeerFailure("answers without a time")
    given = [value for value in ends.values() if value is not None]
    if not given or any(math.isnan(value) for value in given):
        return Answer(seconds=tuple(seconds), problem="answers NaN" if given else "answers nothing")
    return Answer(ends["upper"], ends["estimate"], ends["lower"], tuple(seconds))


def ask_all(
    peer: Peer, interpreter: str, cases: Sequence[Question], *, repeat: int = 1, limit: float = 60.0
) -> Iterator[Answer]:
    """The peer's answers, one for each case and in their order; a failed process is replaced before the next case."""
    process: PeerProcess | None = None
    hopeless = ""
    try:
        for number, case in enumerate(cases):
            if process is None and not hopeless:
                try:
                    process = PeerProcess(peer, interpreter)
                except PeerFailure as failure:
                    hopeless = str(failure)
            if process is None:
                yield Answer(problem=hopeless)
                continue
            try:
                yield process.ask(number, case, repeat=repeat, limit=limit)
            except PeerFailure as failure:
                process.close()
                process = None
                yield Answer(problem=str(failure))
    finally:
        if process is not None:
            process.close()


def installed(interpreters: Mapping[str, str], *, others: bool = True) -> tuple[tuple[Peer, str, str], ...]:
    """The peers that can be imported: each with its interpreter and its version.

    Args:
        interpreters: Package to interpreter; for all others it is the running one.
        others: Whether those are asked for that have no interpreter here.
    """
    found = []
    for peer in PEERS:
        if not (others or peer.package in interpreters):
            continue
        interpreter = interpreters.get(peer.package, sys.executable)
        try:
            with PeerProcess(peer, interpreter) as process:
                found.append((peer, interpreter, process.version))
        except PeerFailure as failure:
            if peer.package in interpreters:
                raise InvalidArgumentError("--peer", f"{peer.package}={interpreter}", str(failure)) from None
    return tuple(found)


def own(target: str) -> tuple[Peer, str, str]:
    """The user's accountant as a peer, with the running interpreter and the version of its package.

    Args:
        target: ``package.module:function``, looked for in the current folder first.

    Raises:
        InvalidArgumentError: If it is not of this form, or cannot be imported.
    """
    module, _, function = target.partition(":")
    if not (module and all(part.isidentifier() for part in [*module.split("."), *function.split(".")])):
        raise InvalidArgumentError("--mine", target, "must be package.module:function")
    peer = Peer("mine", target, module, OWN)
    try:
        with PeerProcess(peer, sys.executable) as process:
            return peer, sys.executable, process.version
    except PeerFailure as failure:
        raise InvalidArgumentError("--mine", target, str(failure)) from None


def interpreter_options(options: Sequence[str]) -> dict[str, str]:
    """``NAME=/path/to/python`` options, checked.

    Raises:
        InvalidArgumentError: If a name is no known package, or the path is no file.
    """
    found: dict[str, str] = {}
    for option in options:
        package, separator, path = option.partition("=")
        if not separator or package not in PACKAGES:
            raise InvalidArgumentError(
                "--peer", option, "must be NAME=/path/to/python, NAME one of " + ", ".join(PACKAGES)
            )
        if not Path(path).is_file():
            raise InvalidArgumentError("--peer", option, "must name an interpreter that exists")
        found[package] = path
    return found
