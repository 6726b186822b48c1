"""Which certificates and files of Coq's library a run of the gate lets Coq compile.

These are what a change touches, by digest, and a sample of the rest.  A file is touched where it differs from the
commit that the change began at and its digest is not among those that Coq has accepted in an earlier run on this
machine.  A change of the translator touches no certificate by itself: the digests that ``checkers.json`` records no
longer hold then, and ``dpref prove`` fails until Coq has been asked about all of them.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CERTIFICATES: Final = "proofs/certificates"
THEORY: Final = "proofs/coq/theory"


@dataclass(frozen=True)
class Chosen:
    """What Coq is asked about: certificates by their ids, files of the library by their paths, each with its digest."""

    certificates: Mapping[str, str]
    theory: Mapping[str, str]
    touched: int


def base(root: Path) -> str:
    """Return the commit that a change began at: where it left the main branch, or else the one before it."""
    head = _git(root, "rev-parse", "HEAD")
    for name in ("origin/main", "main"):
        common = _git(root, "merge-base", "HEAD", name)
        if common and common != head:
            return common
    return _git(root, "rev-parse", "--verify", "--quiet", "HEAD~1")


def changed(root: Path) -> set[str]:
    """Return the paths of certificates and of the library that differ from `base`; all of them where there is none."""
    start = base(root)
    words = ("diff", "--name-only", start, "HEAD") if start else ("ls-files",)
    return set(_git(root, *words, "--", CERTIFICATES, THEORY).splitlines())


def choose(root: Path, changes: set[str], accepted: set[str], sample: int, seed: int) -> Chosen:
    """Return the touched certificates and files, and a sample of the other certificates.

    Args:
        root: The checkout.
        changes: The paths that differ from where the change began.
        accepted: The digests of what Coq accepted in earlier runs.
        sample: How many other certificates.
        seed: It decides which.
    """
    known = json.loads((root / CERTIFICATES / "checkers.json").read_text(encoding="utf-8"))
    paths = {
        p.relative_to(root / CERTIFICATES).with_suffix("").as_posix(): p for p in root.glob(f"{CERTIFICATES}/*/*.json")
    }
    translator = [*sorted(root.glob("proofs/coq/**/*.py")), *sorted((root / THEORY).glob("*.v"))]
    digests = {i: _digest([p, *translator]) for i, p in sorted(paths.items()) if i not in known["one"]}
    differ = {i for i, p in paths.items() if p.relative_to(root).as_posix() in changes}
    touched = {i: d for i, d in digests.items() if i in differ and d not in accepted}
    # Only what is recorded as accepted may be drawn: an open certificate has nothing to compile.
    rest = sorted(i for i in digests if i not in touched and i in known["two"])
    drawn = random.Random(seed).sample(rest, min(sample, len(rest)))  # noqa: S311 - which to check is no secret
    needs = required(root / THEORY)
    files = {Path(c).relative_to(THEORY).as_posix() for c in changes if c.startswith(THEORY) and c.endswith(".v")}
    theory = {
        file: d
        for file, closure in needs.items()
        if files & {*closure, file} and (d := _digest(root / THEORY / f for f in (*closure, file))) not in accepted
    }
    return Chosen(touched | {i: digests[i] for i in drawn}, theory, len(touched))


def required(theory: Path) -> dict[str, tuple[str, ...]]:
    """Return for each file of the library, by its path in the folder, the files that it needs, in the order of need."""
    files = {p.stem: p.relative_to(theory).as_posix() for p in sorted(theory.rglob("*.v"))}
    direct = {
        file: [files[word] for word in _words((theory / file).read_text(encoding="utf-8")) if word in files]
        for file in files.values()
    }
    closed = dict[str, tuple[str, ...]]()

    def close(file: str) -> tuple[str, ...]:
        if file not in closed:
            closed[file] = tuple(dict.fromkeys(x for d in direct[file] for x in (*close(d), d)))
        return closed[file]

    return {file: close(file) for file in files.values()}


def in_order(theory: Path, files: Iterable[str]) -> list[str]:
    """Return these files and what they need, each after what it needs."""
    needs = required(theory)
    return list(dict.fromkeys(x for file in files for x in (*needs[file], file)))


def read(record: Path) -> set[str]:
    """Return the digests of what Coq has accepted; nothing where no record is, or one that cannot be read."""
    try:
        return set(map(str, json.loads(record.read_text(encoding="utf-8"))))
    except (OSError, ValueError, TypeError):
        return set()


def write(record: Path, digests: set[str]) -> None:
    """Keep the digests."""
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text(json.dumps(sorted(digests)), encoding="utf-8")


def _words(text: str) -> list[str]:
    """Return the last part of every name that a file of Coq requires from the library."""
    sentences = re.findall(r"From Dpref(?:\.\w+)? Require (?:Import |Export )?([\w.\s]+?)\.(?=\s)", text)
    return [name.rpartition(".")[2] for sentence in sentences for name in sentence.split()]


def _digest(files: Iterable[Path]) -> str:
    return hashlib.sha256(b"\0".join(f.read_bytes() for f in files)).hexdigest()


def _git(root: Path, *words: str) -> str:
    command: Sequence[str] = ("git", "-C", str(root), *words)
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603
