"""Certificates as files of Coq, and ``coqc`` on them: what ``dpref prove --coq`` does.

Every certificate becomes a module of lemmas (untrusted, `proofs.coq.scripts`) in a file ``Proofs_N.v``, and its
recorded claims become theorems (`proofs.coq.statements`) in ``Theorems_N.v``.  A file of theorems requires the compiled
lemmas without importing them, so nothing that a script writes can change what a theorem says; an axiom or an unfinished
proof would be seen by ``Print Assumptions``, which is asked once, at the end, of all theorems.  Beside the certificates
stand the theory itself, the theorems of privacy, the corollaries and the negations (`proofs.coq.whole`).
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from proofs.check import CERTIFICATES, path_of
from proofs.coq import axioms, compiler, statements, whole
from proofs.coq.axioms import Resting
from proofs.coq.checkers import Checkers, counts, digest, read
from proofs.coq.privacy import NotChecked, needed
from proofs.coq.taken import of_facts
from proofs.registry import Obligation, registry

ABSENT: Final = f"coqc, coquelicot or coq-interval is missing; on Debian: apt install {' '.join(compiler.PACKAGES)}"
USED: Final = "Points"  # the theory's file that proofs require; it requires the rest
# Limits in seconds of processor time: of a file of certificates, of one certificate where its file takes too long.
A_FILE: Final = 900.0
A_CERTIFICATE: Final = 300.0
_log: Final = logging.getLogger(f"dpref.{__name__}")


@dataclass(frozen=True)
class Complaint:
    """A certificate that Coq does not accept.

    Attributes:
        obligation: Its id.
        text: What Coq says, or why nothing could be written.
    """

    obligation: str
    text: str


@dataclass(frozen=True)
class Summary:
    """What ``dpref prove --coq`` says.

    Attributes:
        accepted: Ids of the certificates that Coq accepts, with the digests of the facts that it was asked about.
        refused: Those that it should accept and does not.
        one_checker: Ids of the certificates that only the kernel checks and Coq was not asked about, with the reason.
        theorems: How many theorems were checked.
        assumptions: The axioms that they rest on, by their full names.
        missing: Why nothing was checked, or nothing.
        seconds: Wall-clock time.
        by: A theorem that rests on it, for each axiom that is not allowed.
        compiled: How many of each other kind were compiled; nothing where only certificates were asked for.
    """

    accepted: Mapping[str, str]
    refused: tuple[Complaint, ...]
    one_checker: Mapping[str, str]
    theorems: int
    assumptions: tuple[str, ...]
    missing: str
    seconds: float
    by: Mapping[str, str] = field(default_factory=dict)
    compiled: Mapping[str, int] = field(default_factory=dict)

    @property
    def foreign(self) -> tuple[str, ...]:
        """Axioms that are not allowed."""
        return axioms.foreign(self.assumptions)

    @property
    def ok(self) -> bool:
        """Whether everything that was asked for was checked and accepted."""
        return not (self.missing or self.refused or self.foreign) and bool(self.accepted)

    @property
    def text(self) -> str:
        """In words, a line each."""
        if self.missing:
            return f"coq: nothing was checked: {self.missing}"
        wrong = [f"coq does not accept {c.obligation}: {c.text}" for c in self.refused]
        wrong += [f"coq: {problem}" for problem in Resting(self.assumptions, self.by).problems]
        alone = f"; {len(self.one_checker)} have the kernel alone" if self.one_checker else ""
        checked = f"coq: accepts {len(self.accepted)} of {len(self.accepted) + len(self.refused)} certificates"
        kinds = ", ".join(f"{n} {kind}" for kind, n in self.compiled.items())
        also = [f"coq: accepts {kinds}"] if kinds else []
        return "\n".join([f"{checked}, {self.theorems} theorems, in {self.seconds:.0f} s{alone}", *also, *wrong])

    def to_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self) | {"foreign": list(self.foreign), "ok": self.ok}


# ------------------------------------------------------------------------------------ files


@dataclass(frozen=True)
class Written:
    """One certificate in Coq: its id, the digest of its facts, lemmas, theorems, their names, files that they need."""

    id: str
    digest: str
    proofs: str
    theorems: str
    names: tuple[str, ...]
    files: tuple[str, ...] = ()


def coq_name(obligation: str) -> str:
    """The name of an obligation in Coq.

    >>> coq_name("zcdp/to-dp")
    'zcdp__to_dp'
    """
    return obligation.replace("/", "__").replace("-", "_").replace(".", "_dot_")


def certificates(folder: Path = CERTIFICATES) -> dict[str, tuple[Obligation, dict[str, Any]]]:
    """The certificates that count: proved, certified or refuted, with facts.

    Raises:
        ValueError: If two obligations have one name in Coq.
    """
    found = {}
    for o in registry().values():
        c = json.loads(path_of(o, folder).read_text(encoding="utf-8"))
        if counts(c["status"], c["facts"]):
            found[o.id] = (o, c)
    if len({*map(coq_name, found)}) < len(found):
        raise ValueError("two obligations have one name in Coq")
    return found


def written(o: Obligation, facts: Sequence[Mapping[str, Any]], file: str = "Proofs") -> Written:
    """A certificate in Coq.

    Raises:
        Unstated: If a claim has no statement.
        Unsupported: If a proof is not written.
    """
    from proofs.coq.scripts import Lemmas, by_hand  # noqa: PLC0415 - sympy's part is not needed to read a result

    name, book = coq_name(o.id), Lemmas()
    counted = [f for f in facts if f["rule"] != "axiom"]
    claims = [book.by_hand(i, f, t) if (t := by_hand(o.id, i)) else book.claim(i, f) for i, f in enumerate(counted)]
    names = tuple(name if len(counted) == 1 else f"{name}_{i}" for i in range(1, len(counted) + 1))
    theorems = [
        statements.theorem(n, f, f"{file}.{name}.{claim}") for n, f, claim in zip(names, counted, claims, strict=True)
    ]
    head = statements.comment(f"{o.id}: {o.title}. {o.statement}")
    lemmas = "".join(f"Lemma {n} : {s}.\nProof.\n  {p}\nQed.\n" for n, s, p in book.out)
    module = f"{head}Module {name}.\n{lemmas}End {name}.\n"
    return Written(o.id, digest(facts), module, head + "".join(theorems), names, tuple(sorted(book.files)))


# ------------------------------------------------------------------------------------ coqc


def coqc(folder: Path, name: str, seconds: float) -> str:
    """Compile ``theory/X`` or ``certificates/X`` in a folder; what Coq complains of, or nothing."""
    program = compiler.installed()
    if program is None:
        return ABSENT
    where = ["-Q", "theory", "Dpref", "-Q", "certificates", "Certificates"]
    answer = compiler.ask(program, folder, name, where, seconds)
    if not answer.complaint:
        (folder / f"{name}.log").write_text(answer.printed, encoding="utf-8")
    return answer.complaint


def _place(texts: Sequence[str], complaint: str) -> int:
    """Which of the texts of a file the complaint is about; 0 where that is not known."""
    said = re.findall(r"line (\d+), characters", complaint[: complaint.find("Error")])  # warnings come first
    lines = list(itertools.accumulate(text.count("\n") for text in texts))
    return next((n for n, end in enumerate(lines) if int(said[-1]) <= end), 0) if said else 0


def _short(complaint: str) -> str:
    error = complaint[complaint.find("Error") :] if "Error" in complaint else complaint
    return " ".join(error.split())[:200]


def check(
    folder: Path, number: int, items: Sequence[tuple[Obligation, Sequence[Mapping[str, Any]]]], seconds: float = A_FILE
) -> tuple[list[Written], list[Complaint]]:
    """Write and compile one file of lemmas and one of theorems; a certificate that fails is left out and named.

    Args:
        folder: Where the theory has been compiled (`build_theory`).
        number: Of the two files.
        items: Obligations with their recorded facts.
        seconds: The limit of processor time for a file.
    """
    file, good, complaints = f"Proofs_{number:02d}", list[Written](), list[Complaint]()
    for o, facts in items:
        try:
            good.append(written(o, facts, file))
        except Exception as error:  # noqa: BLE001 - whatever a script trips over, this certificate has no proof here
            complaints.append(Complaint(o.id, f"no proof is written: {error}"[:200]))
    while good:
        required = "".join(f"From Dpref Require {name}.\n" for name in sorted({n for w in good for n in w.files}))
        head = f"From Dpref Require Import {USED}.\n{required}"
        texts = [head, *(w.proofs for w in good)]
        complaint = _compile(folder, file, texts, seconds)
        if not complaint:
            theorems = f"From Dpref Require Import Real.\nFrom Certificates Require {file}.\n"
            texts = [theorems, *(w.theorems for w in good)]
            complaint = _compile(folder, f"Theorems_{number:02d}", texts, seconds)
        if not complaint:
            break
        at = _place(texts, complaint)
        slow = {} if at else _slow(folder, file, head, good)
        wrong = {good[at - 1].id: complaint} if at else slow or {w.id: complaint for w in good}
        complaints += [Complaint(name, _short(why)) for name, why in wrong.items()]
        good = [w for w in good if w.id not in wrong]
    return good, complaints


def _slow(folder: Path, file: str, head: str, parts: Sequence[Written]) -> dict[str, str]:
    """The certificates that Coq does not accept alone either, where it does not say which it stopped at."""
    each = {w.id: _compile(folder, file, [head, w.proofs], A_CERTIFICATE) for w in parts} if len(parts) > 1 else {}
    return {name: complaint for name, complaint in each.items() if complaint}


def _check_named(
    folder: Path, number: int, ids: Sequence[str], certificates_: Path, seconds: float
) -> tuple[list[Written], list[Complaint]]:
    """`check`, of committed certificates: obligations hold functions, which do not travel to another process."""
    found = certificates(certificates_)
    return check(folder, number, [(found[i][0], found[i][1]["facts"]) for i in ids], seconds)


def _compile(folder: Path, name: str, texts: Iterable[str], seconds: float) -> str:
    (folder / "certificates").mkdir(exist_ok=True)
    (folder / "certificates" / f"{name}.v").write_text("".join(texts), encoding="utf-8")
    return coqc(folder, f"certificates/{name}", seconds)


def build_theory(folder: Path, names: Sequence[str], jobs: int = 1) -> str:
    """Compile the theory in a folder, ``jobs`` files at once; what Coq complains of, or nothing."""
    try:
        whole.build(folder / "theory", names, jobs)
    except NotChecked as error:
        return str(error)
    return ""


def assumptions(folder: Path, theorems: Sequence[Written], numbers: Sequence[int], seconds: float) -> Resting | str:
    """What Coq says that all theorems rest on together; a complaint as text."""

    def ask(name: str, text: str) -> str:
        if complaint := _compile(folder, name, [text], seconds):
            raise NotChecked(complaint)
        return (folder / "certificates" / f"{name}.log").read_text(encoding="utf-8")

    head = "".join(f"From Certificates Require Theorems_{n:02d}.\n" for n in numbers)
    names = [f"Theorems_{n:02d}.{name}" for n, name in _located(folder, theorems, numbers)]
    try:
        return axioms.rests_on(ask, head, names)
    except NotChecked as error:
        return str(error)


def _located(folder: Path, theorems: Sequence[Written], numbers: Sequence[int]) -> list[tuple[int, str]]:
    texts = {n: (folder / "certificates" / f"Theorems_{n:02d}.v").read_text(encoding="utf-8") for n in numbers}
    return [(n, name) for n, text in texts.items() for w in theorems for name in w.names if f"Theorem {name} :" in text]


def missing(folder: Path) -> str:
    """Why Coq cannot check anything here, or nothing."""
    if shutil.which("coqc") is None:
        return ABSENT
    test = "From Coquelicot Require Import Coquelicot.\nFrom Interval Require Import Tactic.\n"
    complaint = _compile(folder, "Installed", [test], 120.0)
    return f"{ABSENT} ({_short(complaint)})" if complaint else ""


def run(
    only: Sequence[str] = (), *, sample: int = 0, seed: int = 0, folder: Path | None = None, jobs: int = 0,
    seconds: float = A_FILE, certificates_: Path = CERTIFICATES, everything: bool = False,
) -> Summary:  # fmt: skip
    """Let Coq check certificates, and all that it proves beside them.

    Args:
        only: Check these certificates and nothing else; everything where none is named.
        sample: Check this many of the certificates; all where it is 0.
        seed: Which of them; consecutive seeds take consecutive parts.
        folder: Where the files are written, and kept; a temporary folder where none is named.
        jobs: How many files are compiled at once; as many as there are processors where it is 0.
        seconds: The limit of processor time for a file.
        certificates_: Where the certificates are.
        everything: Also ask about those that are recorded as not accepted.

    Returns:
        The summary; ``missing`` says why nothing was checked where Coq is not installed.
    """
    start = time.perf_counter()
    if folder is None:
        with tempfile.TemporaryDirectory() as temporary:
            return run(
                only, sample=sample, seed=seed, folder=Path(temporary), jobs=jobs, seconds=seconds,
                certificates_=certificates_, everything=everything,
            )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    listed = {} if everything else dict(read(certificates_).one)
    if why := missing(folder):
        return Summary({}, (), listed, 0, (), why, time.perf_counter() - start)
    ids = [i for i in certificates(certificates_) if i not in listed and (not only or i in only)]
    if sample:
        first = seed * sample % max(len(ids), 1)
        ids = (ids[first:] + ids[:first])[:sample]
    jobs = jobs or os.cpu_count() or 1
    names = needed([USED, *_taken_from(ids, certificates_)]) if only else whole.files()
    if complaint := build_theory(folder, names, jobs):
        return Summary({}, (Complaint("theory", _short(complaint)),), listed, 0, (), "", time.perf_counter() - start)
    files = _shared(ids, certificates_, jobs)
    good, refused, numbers = list[Written](), list[Complaint](), list[int]()
    with ProcessPoolExecutor(jobs) as pool:
        waiting = [pool.submit(_check_named, folder, n, part, certificates_, seconds) for n, part in enumerate(files)]
        for n, future in enumerate(waiting):
            accepted, complaints = future.result()
            _log.info("coq: file %d of %d: %d accepted, %d refused", n + 1, len(files), len(accepted), len(complaints))
            good += accepted
            refused += complaints
            numbers += [n] if accepted else []
    rest = assumptions(folder, good, numbers, seconds) if good else Resting()
    if isinstance(rest, str):
        refused.append(Complaint("Print Assumptions", _short(rest)))
        rest = Resting()
    library = whole.Library() if only else whole.checked(folder / "theory", certificates_)
    refused += [Complaint(*each) for each in library.refused]
    theorems = sum(len(w.names) for w in good)
    digests, took = {w.id: w.digest for w in good}, time.perf_counter() - start
    return Summary(
        digests, tuple(refused), dict(listed), theorems, rest.axioms, "", took, rest.by, library.compiled
    )  # fmt: skip


def _taken_from(ids: Sequence[str], folder: Path) -> list[str]:
    """The files of the theory that certificates take facts from, or that prove claims of theirs by hand."""
    from proofs.coq.scripts import files  # noqa: PLC0415

    found = certificates(folder)
    taken = {t.theorem.partition(".")[0] for i in ids for t in of_facts(found[i][1]["facts"])}
    return sorted(taken.union(*map(files, ids)))


def _shared(ids: Sequence[str], folder: Path, jobs: int) -> list[list[str]]:
    """The certificates in files of about one size, which a certificate's own size estimates."""
    found = certificates(folder)
    sizes = {i: path_of(found[i][0], folder).stat().st_size for i in ids}
    goal = max(40_000.0, sum(sizes.values()) / (12 * jobs))
    files, room = list[list[str]](), 0.0
    for i in ids:
        if room <= 0 or not files:
            files.append([])
            room = goal
        files[-1].append(i)
        room -= sizes[i]
    return files


def recorded(summary: Summary, old: Checkers, folder: Path = CERTIFICATES) -> Checkers | None:
    """What a run says, beside what is known of certificates that it did not ask about.

    None where it was not about certificates that went wrong: a run in which nothing was checked, the theory or the
    question what everything rests on failed, or something rests on what it must not, has accepted nothing.
    """
    found = certificates(folder)
    one, two = {c.obligation: c.text for c in summary.refused}, dict(summary.accepted)
    if summary.missing or summary.foreign or not set(one) <= set(found):
        return None
    asked = one.keys() | two.keys()
    kept = [{i: v for i, v in known.items() if i in found and i not in asked} for known in (old.two, old.one)]
    return Checkers(kept[0] | two, kept[1] | one)


def exit_code(summary: Summary) -> int:
    """0 where everything is accepted, 1 where something is not, 3 where nothing could be checked."""
    return 3 if summary.missing else 0 if summary.ok else 1
