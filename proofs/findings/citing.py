"""A finding as BibTeX, beside the entry of the paper that it is about."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from dpref.version import DATE, VERSION
from proofs.citations import CITATIONS
from proofs.findings.finding import Finding
from proofs.findings.plain import plain

_ROOT: Final = Path(__file__).parents[2]
_SPECIAL: Final = re.compile(r"([&%#_])")


def bibtex(found: Sequence[Finding]) -> str:
    """An entry for each finding, and one for each paper.

    >>> from proofs.findings.gathering import named
    >>> text = bibtex(named("dp-erm-revisited/E1"))
    >>> text.splitlines()[0], "@inproceedings{wang2017revisited," in text
    ('@misc{dpref-dp-erm-revisited-theorem-5.3,', True)
    """
    papers = dict.fromkeys(f.citation for f in found)
    return "\n".join([*map(entry, found), *(CITATIONS[key].bibtex for key in papers)])


def entry(finding: Finding) -> str:
    """The entry of one finding: its id, the version, the commit where it is known, and what its evidence hashes to."""
    known = [f"On {finding.item} of \\cite{{{finding.citation}}}", finding.kind, f"version {VERSION}"]
    if commit := checkout():
        known.append(f"commit {commit}")
    known += [f"certificate {c.obligation}, SHA-256 {c.digest}" for c in finding.certificates]
    shown = [a for a in finding.audited if a.certified and a.claim.kind == finding.kind]
    known += [
        f"claim {a.claim.id}: {a.unit} certified to be at least {a.least}"
        f" where {float(a.claim.claimed.value):g} is claimed"
        for a in shown[:1]  # the others are a command away
    ]
    fields = {
        "author": "{The dpref authors}",
        "title": f"{{dpref}} finding {finding.id}: {_escaped(plain(finding.title).rstrip('.'))}",
        "year": DATE[:4],
        "note": "; ".join(_escaped(part) for part in known),
    }
    body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@misc{{dpref-{finding.id.replace('/', '-')},\n{body}}}\n"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text).replace("^", r"\^{}")


@cache
def checkout() -> str:
    """The commit of this checkout; empty where it is none, or where its code is not what was committed."""
    if not (_ROOT / ".git").exists():
        return ""

    def git(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", "-C", str(_ROOT), *words], capture_output=True, text=True, check=False)  # noqa: S603, S607

    try:
        changed = git("status", "--porcelain", "--", "dpref", "proofs")
        head = git("rev-parse", "HEAD")
    except OSError:  # no git
        return ""
    clean = changed.returncode == 0 and not changed.stdout.strip()
    return head.stdout.strip() if clean and head.returncode == 0 else ""
