"""A finding as BibTeX, beside the entry of the paper that it is about."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from functools import cache
from importlib.metadata import metadata
from pathlib import Path
from typing import Final

from dpref.version import DATE, VERSION
from proofs.citations import CITATIONS
from proofs.findings.declared import Finding
from proofs.findings.evidence import evidence
from proofs.findings.gathering import read
from proofs.findings.plain import plain
from proofs.registry import registry

_ROOT: Final = Path(__file__).parents[2]
_SPECIAL: Final = re.compile(r"([&%#_])")


def bibtex(found: Sequence[Finding]) -> str:
    """Return an entry for each finding, and one for each paper.

    >>> from proofs.findings.gathering import named
    >>> text = bibtex(named("dp-erm-revisited/E1"))
    >>> text.splitlines()[0], "@inproceedings{wang2017revisited," in text
    ('@misc{dpref-dp-erm-revisited-theorem-5.3,', True)
    """
    papers = dict.fromkeys(citation(f.paper) for f in found)
    return "\n".join([*map(entry, found), *(CITATIONS[key].bibtex for key in papers)])


def entry(finding: Finding) -> str:
    """Return the entry of one finding: its id, the text that was read, the version of dpref, and its digests."""
    text = read(finding.paper)
    known = [f"On {finding.printed[0].place} of \\cite{{{citation(finding.paper)}}}", finding.kind]
    known += [f"arXiv {text.arxiv}, {text.version}, as read", f"version {VERSION}"]
    if commit := checkout():
        known.append(f"commit {commit}")
    known += [f"certificate {c.obligation}, SHA-256 {c.digest}" for c in evidence(finding).certificates]
    fields = {
        "author": "{The dpref authors}",
        "title": f"{{dpref}} finding {finding.id}: {_escaped(plain(finding.title).rstrip('.'))}",
        "year": DATE[:4],
        "url": f"{site()}/generated/findings/{finding.paper}.html\\#{anchor(finding)}",
        "note": "; ".join(_escaped(part) for part in known),
    }
    body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@misc{{dpref-{finding.id.replace('/', '-')},\n{body}}}\n"


def anchor(finding: Finding) -> str:
    """Return the label of a finding on the page of its paper."""
    return "finding-" + re.sub(r"[^a-z0-9]+", "-", finding.id.lower()).strip("-")


def site(name: str = "Documentation") -> str:
    """Return an address of the project, which a release writes into pyproject.toml."""
    urls: dict[str, str] = dict(line.split(", ", 1) for line in metadata("dpref").get_all("Project-URL") or [])
    return urls[name]


@cache
def citation(paper: str) -> str:
    """Return the BibTeX key of a paper, which most of its obligations cite."""
    keys = [o.citation for o in registry().values() if o.paper == paper]
    return max(keys, key=keys.count)


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
