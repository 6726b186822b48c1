"""Certificates as files of Coq, and ``coqc`` on them: what ``dpref prove --coq`` does.

Every certificate becomes a module of lemmas (untrusted, `proofs.coq.scripts`) in a file ``Proofs_N.v``, and its
recorded claims become theorems (`proofs.coq.statements`) in ``Theorems_N.v``.  A file of theorems requires the compiled
lemmas without importing them, so nothing that a script writes can change what a theorem says; an axiom or an unfinished
proof would be seen by ``Print Assumptions``, which is asked once, at the end, of all theorems.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from proofs.check import CERTIFICATES, path_of
from proofs.coq import printed, statements
from proofs.coq.checkers import Checkers, counts, digest, read
from proofs.coq.privacy import needed
from proofs.coq.taken import of_facts
from proofs.registry import Obligation, registry

THEORY: Final = Path(__file__).parent / "theory"
PACKAGES: Final = ("coq", "libcoq-coquelicot", "libcoq-interval")
ABSENT: Final = f"coqc, coquelicot or coq-interval is missing; on Debian: apt install {' '.join(PACKAGES)}"
USED: Final = "Points"  # the theory's file that proofs require; it requires the rest
A_SENTENCE: Final = 40  # seconds for one tactic
# What Coq's real numbers, coquelicot and coq-interval rest on; nothing else may appear.
ASSUMPTIONS: Final = frozenset(
    (
        "Classical_Prop.classic",
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
    )
)
INTEGERS: Final = ("PrimInt63.", "Uint63.", "Sint63.")  # primitive integers, which coq-interval computes with
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
        assumptions: What Coq says that they rest on.
        missing: Why nothing was checked, or nothing.
        seconds: Wall-clock time.
    """

    accepted: Mapping[str, str]
    refused: tuple[Complaint, ...]
    one_checker: Mapping[str, str]
    theorems: int
    assumptions: tuple[str, ...]
    missing: str
    seconds: float

    @property
    def foreign(self) -> tuple[str, ...]:
        """Assumptions that should not be there."""
        return tuple(a for a in self.assumptions if a not in ASSUMPTIONS and not a.startswith(INTEGERS))

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
        wrong += [f"coq: a theorem rests on {a}" for a in self.foreign]
        alone = f"; {len(self.one_checker)} have the kernel alone" if self.one_checker else ""
        checked = f"coq: accepts {len(self.accepted)} of {len(self.accepted) + len(self.refused)} certificates"
        return "\n".join([f"{checked}, {self.theorems} theorems, in {self.seconds:.0f} s{alone}", *wrong])

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


def coqc(folder: Path, name: str, timeout: float) -> str:
    """Compile ``theory/X`` or ``certificates/X`` in a folder; what Coq complains of, or nothing."""
    program = shutil.which("coqc")
    if program is None:
        return ABSENT
    where = ["-Q", "theory", "Dpref", "-Q", "certificates", "Certificates"]
    try:
        done = subprocess.run(  # noqa: S603 - coqc on a file that was just written
            [program, "-q", *where, f"{name}.v"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer in {timeout:.0f} s"
    (folder / f"{name}.log").write_text(done.stdout, encoding="utf-8")
    return "" if done.returncode == 0 else done.stderr.strip() or "coqc failed"


def _place(texts: Sequence[str], complaint: str) -> int:
    """Which of the texts of a file the complaint is about; 0 where that is not known."""
    said = re.findall(r"line (\d+), characters", complaint[: complaint.find("Error")])  # warnings come first
    lines = list(itertools.accumulate(text.count("\n") for text in texts))
    return next((n for n, end in enumerate(lines) if int(said[-1]) <= end), 0) if said else 0


def _short(complaint: str) -> str:
    error = complaint[complaint.find("Error") :] if "Error" in complaint else complaint
    return " ".join(error.split())[:200]


def check(
    folder: Path, number: int, items: Sequence[tuple[Obligation, Sequence[Mapping[str, Any]]]], timeout: float = 900.0
) -> tuple[list[Written], list[Complaint]]:
    """Write and compile one file of lemmas and one of theorems; a certificate that fails is left out and named.

    Args:
        folder: Where the theory has been compiled (`build_theory`).
        number: Of the two files.
        items: Obligations with their recorded facts.
        timeout: Seconds for a file.
    """
    file, good, complaints = f"Proofs_{number:02d}", list[Written](), list[Complaint]()
    for o, facts in items:
        try:
            good.append(written(o, facts, file))
        except Exception as error:  # noqa: BLE001 - whatever a script trips over, this certificate has no proof here
            complaints.append(Complaint(o.id, f"no proof is written: {error}"[:200]))
    while good:
        required = "".join(f"From Dpref Require {name}.\n" for name in sorted({n for w in good for n in w.files}))
        head = f"From Dpref Require Import {USED}.\n{required}Set Default Timeout {A_SENTENCE}.\n"
        texts = [head, *(w.proofs for w in good)]
        complaint = _compile(folder, file, texts, timeout)
        if not complaint:
            theorems = f"From Dpref Require Import Real.\nFrom Certificates Require {file}.\n"
            texts = [theorems, *(w.theorems for w in good)]
            complaint = _compile(folder, f"Theorems_{number:02d}", texts, timeout)
        if not complaint:
            break
        at = _place(texts, complaint)
        wrong = [good.pop(at - 1)] if at else good
        complaints += [Complaint(w.id, _short(complaint)) for w in wrong]
        good = good if at else []
    return good, complaints


def _check_named(
    folder: Path, number: int, ids: Sequence[str], certificates_: Path, timeout: float
) -> tuple[list[Written], list[Complaint]]:
    """`check`, of committed certificates: obligations hold functions, which do not travel to another process."""
    found = certificates(certificates_)
    return check(folder, number, [(found[i][0], found[i][1]["facts"]) for i in ids], timeout)


def _compile(folder: Path, name: str, texts: Iterable[str], timeout: float) -> str:
    (folder / "certificates").mkdir(exist_ok=True)
    (folder / "certificates" / f"{name}.v").write_text("".join(texts), encoding="utf-8")
    return coqc(folder, f"certificates/{name}", timeout)


def build_theory(folder: Path, names: Sequence[str], timeout: float = 600.0) -> str:
    """Compile the theory in a folder; what Coq complains of, or nothing."""
    (folder / "theory").mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copy(THEORY / f"{name}.v", folder / "theory")
        if complaint := coqc(folder, f"theory/{name}", timeout):
            return complaint
    return ""


def assumptions(
    folder: Path, theorems: Sequence[Written], numbers: Sequence[int], timeout: float
) -> tuple[str, ...] | str:
    """What Coq says that all theorems rest on together; a complaint as text."""
    lines = [f"From Certificates Require Theorems_{n:02d}.\n" for n in numbers]
    uses = "".join(f"  pose proof Theorems_{n:02d}.{name}.\n" for n, name in _located(folder, theorems, numbers))
    lines += ["Theorem everything : True.\nProof.\n", uses, "  exact I.\nQed.\nPrint Assumptions everything.\n"]
    if complaint := _compile(folder, "Everything", lines, timeout):
        return complaint
    return printed.assumptions((folder / "certificates" / "Everything.log").read_text(encoding="utf-8"))


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
    timeout: float = 900.0, certificates_: Path = CERTIFICATES, everything: bool = False,
) -> Summary:  # fmt: skip
    """Let Coq check certificates.

    Args:
        only: Check these alone; all that count where none is named.
        sample: Check this many of them; all where it is 0.
        seed: Which of them; consecutive seeds take consecutive parts.
        folder: Where the files are written, and kept; a temporary folder where none is named.
        jobs: How many files are compiled at once; as many as there are processors where it is 0.
        timeout: Seconds for a file.
        certificates_: Where the certificates are.
        everything: Also ask about those that are recorded as not accepted.

    Returns:
        The summary; ``missing`` says why nothing was checked where Coq is not installed.
    """
    start = time.perf_counter()
    if folder is None:
        with tempfile.TemporaryDirectory() as temporary:
            return run(
                only, sample=sample, seed=seed, folder=Path(temporary), jobs=jobs, timeout=timeout,
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
    if complaint := build_theory(folder, needed([USED, *_taken_from(ids, certificates_)])):
        return Summary({}, (Complaint("theory", _short(complaint)),), listed, 0, (), "", time.perf_counter() - start)
    jobs = jobs or os.cpu_count() or 1
    files = _shared(ids, certificates_, jobs)
    good, refused, numbers = list[Written](), list[Complaint](), list[int]()
    with ProcessPoolExecutor(jobs) as pool:
        waiting = [pool.submit(_check_named, folder, n, part, certificates_, timeout) for n, part in enumerate(files)]
        for n, future in enumerate(waiting):
            accepted, complaints = future.result()
            _log.info("coq: file %d of %d: %d accepted, %d refused", n + 1, len(files), len(accepted), len(complaints))
            good += accepted
            refused += complaints
            numbers += [n] if accepted else []
    rest = assumptions(folder, good, numbers, timeout) if good else ()
    if isinstance(rest, str):
        refused.append(Complaint("Print Assumptions", _short(rest)))
        rest = ()
    theorems = sum(len(w.names) for w in good)
    digests, seconds = {w.id: w.digest for w in good}, time.perf_counter() - start
    return Summary(digests, tuple(refused), dict(listed), theorems, rest, "", seconds)


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
