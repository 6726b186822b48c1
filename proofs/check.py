"""The drift check: replays every committed certificate and compares it with the library of today.

``run(paper, formulas, sentence)`` is what ``dpref prove`` shows; ``write`` runs the tactics and writes the certificates
anew; ``write_statuses`` replays them and writes only what is recorded of formulas and sentences.
"""

from __future__ import annotations

import json
import logging
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from proofs import kernel as k
from proofs import sentences
from proofs.algebra import Rejected
from proofs.coq import privacy
from proofs.coq.checkers import COUNTED, counts, read
from proofs.registry import Obligation, reading, registry
from proofs.status import INFINITE, NO_GOALS, STATUSES, Row, chain_of, of_goals, row_of

CERTIFICATES: Final = Path(__file__).parent / "certificates"
ASSUMPTIONS: Final = "assumptions.json"
SENTENCES: Final = "sentences.json"
SCHEMA: Final = 1
_log: Final = logging.getLogger(f"dpref.{__name__}")  # the command line shows those of dpref


@dataclass(frozen=True)
class Report:
    """The result of `run`.

    ``dpref prove`` prints `rows`, and exits non-zero when `ok` is false (something is stale, missing, worse than
    recorded, or rests on an assumption that the committed list does not name).

    Attributes:
        rows: One row an obligation, in the order in which they are written, after the filters.
        problems: Every problem of the whole registry, whatever the filters.
        seconds: Wall-clock time of the replay.
    """

    rows: tuple[Row, ...]
    problems: tuple[str, ...]
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong anywhere."""
        return not self.problems

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """How many rows have each status, of their sentences and of their formulas; only statuses that some row has."""
        said, found = Counter(r.sentence for r in self.rows), Counter(r.formulas for r in self.rows)
        return {
            "sentences": {s: said[s] for s in sentences.SENTENCES if said[s]},
            "formulas": {s: found[s] for s in (*STATUSES, NO_GOALS) if found[s]},
        }

    @property
    def counted(self) -> str:
        """Both counts in words, a line each."""
        words = {s: "without goals" if s == NO_GOALS else s for s in (*STATUSES, NO_GOALS, *sentences.SENTENCES)}
        return "\n".join(
            f"{column}: {', '.join(f'{n} {words[s]}' for s, n in found.items())}"
            for column, found in self.counts.items()
        )

    def to_json(self) -> dict[str, Any]:
        """Plain JSON: ``{"ok", "seconds", "counts", "problems", "obligations": [row, ...]}``."""
        return {
            "ok": self.ok,
            "seconds": round(self.seconds, 3),
            "counts": self.counts,
            "problems": list(self.problems),
            "obligations": [asdict(r) | {"resting": list(r.resting), "remarks": list(r.remarks)} for r in self.rows],
        }


def path_of(o: Obligation, folder: Path = CERTIFICATES) -> Path:
    """Where the certificate of an obligation lies."""
    return folder / o.paper / f"{o.id.partition('/')[2].replace('/', '-')}.json"


def run(
    paper: str | None = None,
    formulas: str | None = None,
    sentence: str | None = None,
    folder: Path = CERTIFICATES,
    only: Sequence[str] = (),
) -> Report:
    """Replay every certificate and compare it with today's formulas.

    Args:
        paper: Show only this paper or topic (everything is checked all the same).
        formulas: Show only obligations whose formulas have this status.
        sentence: Show only obligations whose sentence has this status.
        folder: Where the certificates are.
        only: Check nothing but these obligations and what they rest on; everything where none is named.

    Returns:
        The report; ``report.ok`` is false when a certificate is missing, stale, rejected or worse than recorded.

    >>> run(only=["zcdp/to-dp"]).ok
    True
    """
    start = time.perf_counter()
    checked = _checked(folder, only)
    rows = [
        row
        for row in (checked[i] for i in registry() if i in checked)
        if paper in (None, row.paper) and formulas in (None, row.formulas) and sentence in (None, row.sentence)
    ]
    problems = [f"{row.id}: {p}" for row in checked.values() for p in row.problems]
    problems += _assumption_problems(checked, folder) + _sentence_problems(checked, folder)
    if not only:
        problems += _stray(folder) + privacy.problems(folder, registry().values())
    return Report(tuple(rows), tuple(problems), time.perf_counter() - start)


def _checked(folder: Path, only: Sequence[str] = (), said: Path | None = None) -> dict[str, Row]:
    """Rows by id; ``said`` is the folder in which Coq's answers are recorded, where that is another one."""
    rows, links = dict[str, Row](), dict[str, str]()
    checkers, accepted, stated = read(folder), privacy.accepted(said or folder), sentences.recorded(said or folder)
    for o in in_order(registry(), only):
        facts, problems, recorded = _replayed(o, folder)
        row, links[o.id] = row_of(o, facts, [(rows[p], links[p]) for p in o.premises], accepted, stated)
        _log.debug("%s: %s, formulas %s, %d facts replayed", o.id, row.sentence, row.formulas, len(facts))
        if recorded not in (None, row.formulas):
            problems.append(f"the status of its formulas is {row.formulas}, recorded as {recorded}")
        problems += sentences.problems(o, row.goals)
        problems += [f"rests on {p}, which is refuted" for p in o.premises if links[p] == "refuted"]
        below = [f"rests on {p}, which has one checker" for p in o.premises if rows[p].one_checker]
        own = [f.certificate() for f in facts]
        why = [checkers.alone(o.id, own) if counts(row.formulas, own) else "", *below]
        alone = next(filter(None, why), "") if row.formulas in COUNTED else ""
        rows[o.id] = replace(row, problems=tuple(problems), one_checker=alone)
    return rows


def in_order(found: Mapping[str, Obligation], only: Sequence[str] = ()) -> list[Obligation]:
    """Obligations, premises first; with ``only``, nothing but these and what they rest on.

    Raises:
        ValueError: If premises form a circle.
    """
    done: dict[str, Obligation] = {}

    def visit(o: Obligation, path: tuple[str, ...]) -> None:
        if o.id in path:
            raise ValueError(f"premises in a circle: {' -> '.join(path)}")
        for p in o.premises:
            visit(found[p], (*path, o.id))
        done.setdefault(o.id, o)

    for name in only or found:
        visit(found[name], ())
    return list(done.values())


def replayed(o: Obligation, folder: Path = CERTIFICATES) -> list[k.Fact]:
    """The facts of one obligation's committed certificate.

    Raises:
        Rejected: If the certificate is missing, stale, or not accepted by the kernel.
    """
    facts, problems, _ = _replayed(o, folder)
    if problems:
        raise Rejected(f"{o.id}: {'; '.join(problems)}")
    return facts


def _replayed(o: Obligation, folder: Path) -> tuple[list[k.Fact], list[str], str | None]:
    try:
        c = json.loads(path_of(o, folder).read_text(encoding="utf-8"), object_pairs_hook=_object)
    except FileNotFoundError:
        return [], ["no certificate; run: python -m proofs --write"], None
    except ValueError as error:
        return [], [f"the certificate is not JSON: {error}"], None
    if not _well_formed(c) or (c["schema"], c["id"]) != (SCHEMA, o.id):
        return [], ["the certificate does not follow the schema, or is another obligation's"], None
    problems = [
        f"{name}, read through TERM, is no longer the formula of the certificate"
        for name in o.about
        if c["readings"].get(name) != reading(name)
    ]
    problems += [
        f"{name} is read in the certificate, and is not what it is about"
        for name in c["readings"]
        if name not in o.about
    ]
    goals = o.goals()
    if len(goals) != len(c["facts"]) or not all(g.recorded(f) for g, f in zip(goals, c["facts"], strict=True)):
        names = ", ".join(o.about) or "the statement"
        problems.append(f"the certificate proves another claim than {names} states today")
    facts = []
    for f in c["facts"]:
        try:
            facts.append(k.replay(f))
        except Rejected as error:
            problems.append(f"rejected: {error}")
    if c["statement"] != o.statement:
        problems.append("the statement's text is not the recorded one")
    return facts, problems, c["status"]


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object in which no key stands twice: a reader would see one value, and a program the other."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _well_formed(c: Any) -> bool:
    """Whether a certificate has the parts that `run` reads; the facts themselves are the kernel's affair."""
    parts = {"schema": int, "id": str, "statement": str, "status": str, "readings": dict, "facts": list}
    whole = isinstance(c, dict) and c.keys() == parts.keys()
    whole = whole and all(isinstance(c[name], kind) for name, kind in parts.items())
    return whole and all(isinstance(f, dict) and f.keys() == {"claim", "rule", "args"} for f in c["facts"])


def assumed(row: Row) -> list[str]:
    """Everything that an obligation takes from the literature, as the list of assumptions says it."""
    return [*row.assumptions, *(f"{INFINITE} {text}" for text in row.beyond)]


def _assumption_problems(checked: Mapping[str, Row], folder: Path) -> list[str]:
    now = {row.id: assumed(row) for row in checked.values()}
    try:
        then = json.loads((folder / ASSUMPTIONS).read_text(encoding="utf-8"), object_pairs_hook=_object)
    except (FileNotFoundError, ValueError):
        return [f"{ASSUMPTIONS} is missing or not JSON"]
    if not isinstance(then, dict):
        return [f"{ASSUMPTIONS} is not an object"]
    return [
        f"{name}: assumptions are {now.get(name, [])}, the committed list says {then.get(name, [])}"
        for name in sorted(now.keys() | then.keys() - registry().keys())
        if now.get(name, []) != then.get(name, [])
    ]


def _sentence_problems(checked: Mapping[str, Row], folder: Path) -> list[str]:
    try:
        then = json.loads((folder / SENTENCES).read_text(encoding="utf-8"), object_pairs_hook=_object)
    except (FileNotFoundError, ValueError):
        return [f"{SENTENCES} is missing or not JSON"]
    if not isinstance(then, dict):
        return [f"{SENTENCES} is not an object"]
    said = {row.id: row.sentence for row in checked.values()}
    return [
        f"{name}: its sentence is {said.get(name, 'of no obligation')}, recorded as {then.get(name, 'nothing')}"
        for name in sorted(said.keys() | then.keys() - registry().keys())
        if said.get(name) != then.get(name)
    ]


def _stray(folder: Path) -> list[str]:
    known = {path_of(o, folder) for o in registry().values()}
    return [f"{p.name}: a certificate of no obligation" for p in sorted(folder.glob("*/*.json")) if p not in known]


# ------------------------------------------------------------------------------------ writing


def write(names: Sequence[str] = (), folder: Path = CERTIFICATES) -> None:
    """Run the tactics of the named obligations (all, if none is named) and write their certificates."""
    accepted = privacy.accepted(CERTIFICATES)
    for o in in_order(registry()):
        if names and o.id not in names:
            continue
        facts = o.prove()
        premises = [_recorded_chain(registry()[p], folder) for p in o.premises]
        c = {
            "schema": SCHEMA,
            "id": o.id,
            "statement": o.statement,
            "status": of_goals(chain_of(o, facts, premises, accepted), facts, accepted) if facts else NO_GOALS,
            "readings": {name: reading(name) for name in o.about},
            "facts": [f.certificate() for f in facts],
        }
        path_of(o, folder).parent.mkdir(parents=True, exist_ok=True)
        _save(path_of(o, folder), c)
    for p in folder.glob("*/*.json"):
        if p not in {path_of(o, folder) for o in registry().values()}:
            p.unlink()
    _write_lists(_checked(folder, said=CERTIFICATES), folder)


def _recorded_chain(o: Obligation, folder: Path) -> str:
    """The weakest status along an obligation's formulas and premises, as certificates record it."""
    status = str(json.loads(path_of(o, folder).read_text(encoding="utf-8"))["status"])
    if status != NO_GOALS and not (o.theorems and status == "by construction"):  # its theorem is worth more
        return status
    return chain_of(o, [], [_recorded_chain(registry()[p], folder) for p in o.premises])


def write_statuses(folder: Path = CERTIFICATES) -> list[str]:
    """Write anew the statuses that are recorded, and the list of assumptions, without running a tactic.

    Returns:
        What changed, a line each. Facts that the kernel rejects count for nothing here; `run` says which.
    """
    changed = []
    rows = _checked(folder)
    for name, row in rows.items():
        path = path_of(registry()[name], folder)
        try:
            c = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_object)
        except (FileNotFoundError, ValueError):
            continue  # `run` says so
        if _well_formed(c) and c["status"] != row.formulas:
            changed.append(f"{name}: formulas {c['status']} -> {row.formulas}")
            _save(path, c | {"status": row.formulas})
    changed += _sentence_problems(rows, folder)
    _write_lists(rows, folder)
    return changed


def _write_lists(rows: Mapping[str, Row], folder: Path) -> None:
    _save(folder / SENTENCES, {name: row.sentence for name, row in sorted(rows.items())})
    _save(folder / ASSUMPTIONS, {name: assumed(row) for name, row in sorted(rows.items()) if assumed(row)})


def _save(path: Path, content: Any) -> None:
    compact = path.name not in (ASSUMPTIONS, SENTENCES)
    text = json.dumps(content, separators=(",", ":") if compact else None, indent=None if compact else 1)
    part = path.with_suffix(".part")
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(path)
