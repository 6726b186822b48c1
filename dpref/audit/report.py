"""Verdicts as one HTML page that needs nothing else: style, pictures and text in a single file."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dpref.audit.catalogue import catalogue
from dpref.audit.empirical import DEFAULT_CONFIDENCE
from dpref.audit.mathml import interval, math, prose, together
from dpref.audit.papers.titles import TITLES
from dpref.audit.rules import Aim
from dpref.audit.terminal import COLOURS, certified_text, down, interval_text, needed_text, plain, up
from dpref.audit.verdict import DECLARED, HYPOTHESIS, Verdict
from dpref.errors import InvalidArgumentError, MissingExtraError
from dpref.reals import decimal_down, decimal_up
from dpref.version import VERSION


@contextmanager
def page(path: Path, docs: str | None = None) -> Iterator[Callable[[Sequence[Verdict]], None]]:
    """A page that appears under its name only when it is complete.

    Everything that can be refused is refused on entry, before the audit's work: a missing extra, a place that cannot
    be written, a name that belongs to a device or a pipe.  While the work goes on nothing lies in the folder, so that
    a process that is killed leaves nothing there; on any error an older page of that name stays as it was.

    Args:
        path: Where the page goes; a link is followed.
        docs: Where the documentation lies (see `render`).

    Yields:
        A function that writes the page of some verdicts.

    Raises:
        MissingExtraError: If jinja2 is not installed.
        InvalidArgumentError: If the path cannot be written.
    """
    if find_spec("jinja2") is None:
        raise MissingExtraError("the HTML report needs jinja2: install dpref[report]")
    target = _target(path)
    temporaries: list[Path] = []

    def write(verdicts: Sequence[Verdict]) -> None:
        text = render(verdicts, docs)
        with _refusals(path):
            handle, name = tempfile.mkstemp(prefix=".dpref-", suffix=".html.tmp", dir=target.parent)
            os.close(handle)
            temporaries.append(Path(name))
            _write(temporaries[-1], text)

    try:
        yield write
        with _refusals(path):
            for temporary in temporaries:
                temporary.replace(target)
    finally:
        for temporary in temporaries:
            with suppress(OSError):
                temporary.unlink()


def _target(path: Path) -> Path:
    """The file that a rename may replace, in a folder that takes new files."""
    with _refusals(path):
        target = path.resolve()
        if target.is_dir():
            raise InvalidArgumentError("html", str(path), "cannot be written: it is a directory")
        # A rename would put a file in the place of /dev/null.
        if path.exists() and not (path.is_file() and target.is_file()):
            raise InvalidArgumentError("html", str(path), "cannot be written: it is not a regular file")
        tempfile.TemporaryFile(dir=target.parent).close()
    return target


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InvalidArgumentError("html", str(path), f"cannot be written: {error.strerror or error}") from None


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    umask = os.umask(0)
    os.umask(umask)
    path.chmod(0o666 & ~umask)


def render(verdicts: Sequence[Verdict], docs: str | None = None) -> str:
    """The page's text; the same verdicts give the same text.

    Args:
        verdicts: What it shows.
        docs: Where the documentation lies, an address or a relative path, for links to its pages; None for no links.
    """
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415

    template = files("dpref").joinpath("audit", "templates", "report.html.j2").read_text("utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    entries = [_entry(v, docs) for v in verdicts]
    names = dict.fromkeys(v.claim.paper for v in verdicts)
    papers = [_paper(name, [e for e in entries if e["claim"].paper == name], docs) for name in names]
    choices = {
        "verdict": [outcome for outcome in COLOURS if any(v.outcome == outcome for v in verdicts)],
        "paper": list(names),
        "adjacency": sorted({v.claim.adjacency.name for v in verdicts}),
        "evidence": sorted({kind for v in verdicts for kind in v.evidence or ("none",)}),
    }
    return environment.from_string(template).render(
        version=VERSION,
        entries=entries,
        anchors={e["anchor"] for e in entries},
        papers=papers,
        choices=choices,
        counts=_counts(verdicts),
        found=_found(verdicts),
    )


def _found(verdicts: Sequence[Verdict]) -> str:
    """The sentence that says what was found."""
    printed = [v for v in verdicts if v.claim.form.startswith("as-printed")]
    refuted = sum(v.outcome == "refuted" for v in printed)
    papers = len({v.claim.paper for v in verdicts})
    return (
        f"Of {len(printed)} printed {_plural('statement', len(printed))} of {papers} {_plural('paper', papers)},"
        f" {refuted} {'is' if refuted == 1 else 'are'} refuted under the adjacency that is named with"
        f" {'it' if refuted == 1 else 'them'}."
    )


def _plural(word: str, count: int) -> str:
    return word if count == 1 else word + "s"


def _counts(verdicts: Sequence[Verdict]) -> dict[str, int]:
    return {outcome: sum(v.outcome == outcome for v in verdicts) for outcome in COLOURS}


def _word(outcome: str, count: int) -> str:
    return "hold" if outcome == "holds" and count > 1 else outcome


def _paper(name: str, entries: Sequence[dict[str, Any]], docs: str | None) -> dict[str, Any]:
    counted = _counts([e["verdict"] for e in entries])
    return {
        "name": name,
        "title": str(TITLES.get(name, name)),
        "link": f"{docs.rstrip('/')}/papers/{name}.html" if docs is not None and name in TITLES else None,
        "counts": ", ".join(f"{count} {_word(outcome, count)}" for outcome, count in counted.items() if count),
        "entries": entries,
    }


def _entry(verdict: Verdict, docs: str | None) -> dict[str, Any]:
    from dpref.audit.plots import curves_svg, scores_svg, strip_svg  # noqa: PLC0415

    claim, seen = verdict.claim, verdict.empirical
    unit: Aim = "rho" if claim.is_zcdp else "epsilon"
    declared = verdict.declared
    slack = verdict.slack
    return {
        "anchor": claim.id,
        "claim": claim,
        "verdict": verdict,
        "unit": unit,
        "relations": {
            "claimed": math(unit, "<=", up(claim.claimed.value)),
            "certified": interval(certified_text(verdict, verdict.certified)),
            "empirical": math(">=", down(verdict.empirical_lower)),
        },
        "rows": _rows(verdict),
        "words": {name: together(prose(getattr(claim, name))) for name in ("quote", "statement", "reading")},
        "obligations": {name: _theorem(docs, name) for name in claim.obligations},
        "charitable": None if claim.charitable is None else _full(claim.paper, claim.charitable),
        "exact": {
            f"{unit}, certified": (decimal_down(verdict.certified.lower), decimal_up(verdict.certified.upper)),
            "epsilon, certified": (decimal_down(verdict.epsilon.lower), decimal_up(verdict.epsilon.upper)),
            f"slack, claimed minus true {unit}": (decimal_down(slack.lower), decimal_up(slack.upper)),
        },
        "declared": None if declared is None else interval(interval_text(declared.loss, verdict.outcome)),
        "not_checked": DECLARED,
        "needed": needed_text(verdict.trials_needed),
        "test": str(seen.tests[unit].rule),
        "mu": down(seen.mu),
        "gaussian_epsilon": down(seen.gaussian_epsilon),
        "hypothesis": HYPOTHESIS,
        "confidence": decimal_down(seen.confidence, 6),
        "command": _command(verdict),
        "strip": strip_svg(verdict),
        "scores": scores_svg(verdict),
        "curves": curves_svg(verdict),
    }


def _command(verdict: Verdict) -> str | None:
    """What gives a built-in claim's numbers again; a claim of a file has a name that only the file knows."""
    claim, seen = verdict.claim, verdict.empirical
    if claim not in catalogue():
        return None
    words = ["dpref", "audit", claim.id, "--trials", str(seen.trials), "--seed", str(seen.seed)]
    if seen.confidence != DEFAULT_CONFIDENCE:
        words += ["--confidence", str(seen.confidence)]
    return shlex.join(words)


def _rows(verdict: Verdict) -> list[tuple[str, dict[str, str]]]:
    """The table of a claim: its rows' names, and what each has in the columns."""
    claim, seen = verdict.claim, verdict.empirical
    at = f"{math('epsilon')} at {math('delta', '=', plain(decimal_up(claim.delta, 3)))}"
    epsilon = (at, verdict.claimed_epsilon, verdict.epsilon, seen.epsilon, verdict.reach.epsilon)
    rho = (f"zCDP {math('rho')}", claim.claimed.value, verdict.certified, seen.rho, verdict.reach.rho)
    return [
        (
            name,
            {
                "claimed": math("<=", up(claimed)),
                "certified": interval(certified_text(verdict, ends)),
                "empirical": math(">=", down(shown)),
                "runs can show": f"at most {math(up(most))}",
            },
        )
        for name, claimed, ends, shown, most in ([rho, epsilon] if claim.is_zcdp else [epsilon])
    ]


def _theorem(docs: str | None, obligation: str) -> str | None:
    """The page of an obligation, named as the documentation's build names it."""
    page = re.sub(r"[^a-z0-9]+", "-", obligation.lower()).strip("-")
    return None if docs is None else f"{docs.rstrip('/')}/generated/theorems/{page}.html"


def _full(paper: str, name: str) -> str:
    return name if name.startswith(f"{paper}/") else f"{paper}/{name}"
