"""The drift check: replays every committed certificate and compares it with the library of today.

``run(paper, status)`` is what ``dpref prove`` shows; ``write`` runs the tactics and writes the certificates anew.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from proofs import balls
from proofs import kernel as k
from proofs.algebra import Rejected
from proofs.registry import Obligation, reading, registry, status_of

CERTIFICATES: Final = Path(__file__).parent / "certificates"
ASSUMPTIONS: Final = "assumptions.json"
SCHEMA: Final = 1
_SHORT: Final = 120  # claims that are longer are not written out


@dataclass(frozen=True)
class Row:
    """What ``dpref prove`` says of one obligation.

    Attributes:
        id: Its name.
        paper: Short name of the paper or topic.
        item: The paper's item.
        title: A few words.
        status: Computed: proved, certified, assumed, tested, refuted or open.
        evidence: Which rules, how many facts, which boxes.
        witness: For a refuted statement, where it is false.
        about: Dotted names of the library's formulas; empty means analysis only.
        assumptions: Citations that it rests on.
        repaired_by: The right form's id, for a refuted one.
        problems: Why the check fails; empty when it passes.
    """

    id: str
    paper: str
    item: str
    title: str
    status: str
    evidence: str
    witness: str
    about: tuple[str, ...]
    assumptions: tuple[str, ...]
    repaired_by: str
    problems: tuple[str, ...]


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
    def counts(self) -> dict[str, int]:
        """How many of the rows have each status."""
        found = [r.status for r in self.rows]
        return {s: found.count(s) for s in dict.fromkeys(sorted(found))}

    def to_json(self) -> dict[str, Any]:
        """Plain JSON: ``{"ok", "seconds", "counts", "problems", "obligations": [row, ...]}``."""
        return {
            "ok": self.ok,
            "seconds": round(self.seconds, 3),
            "counts": self.counts,
            "problems": list(self.problems),
            "obligations": [asdict(r) for r in self.rows],
        }


def path_of(o: Obligation, folder: Path = CERTIFICATES) -> Path:
    """Where the certificate of an obligation lies."""
    return folder / o.paper / f"{o.id.partition('/')[2].replace('/', '-')}.json"


def run(paper: str | None = None, status: str | None = None, folder: Path = CERTIFICATES) -> Report:
    """Replay every certificate and compare it with today's formulas.

    Args:
        paper: Show only this paper or topic (everything is checked all the same).
        status: Show only this status.
        folder: Where the certificates are.

    Returns:
        The report; ``report.ok`` is false when a certificate is missing, stale, rejected or worse than recorded.

    >>> run(paper="zcdp").ok
    True
    """
    start = time.perf_counter()
    checked = dict(_checked(folder))
    rows = [
        row for row in (checked[i] for i in registry()) if paper in (None, row.paper) and status in (None, row.status)
    ]
    problems = [f"{row.id}: {p}" for row in checked.values() for p in row.problems]
    problems += _assumption_problems(checked, folder) + _stray(folder)
    return Report(tuple(rows), tuple(problems), time.perf_counter() - start)


def _checked(folder: Path) -> Iterator[tuple[str, Row]]:
    statuses: dict[str, str] = {}
    assumed: dict[str, frozenset[str]] = {}
    for o in _in_order(registry()):
        facts, problems, recorded = _replayed(o, folder)
        statuses[o.id] = status_of(o, facts, [statuses[p] for p in o.premises])
        assumed[o.id] = frozenset().union(*(f.assumptions() for f in facts), *(assumed[p] for p in o.premises))
        if recorded not in (None, statuses[o.id]):
            problems.append(f"status {statuses[o.id]}, recorded as {recorded}")
        problems += [f"rests on {p}, which is refuted" for p in o.premises if statuses[p] == "refuted"]
        yield o.id, Row(
            o.id, o.paper, o.item, o.title, statuses[o.id], evidence(o, facts), witness(facts), o.about,
            tuple(sorted(assumed[o.id])), o.repaired_by, tuple(problems),
        )  # fmt: skip


def _in_order(found: Mapping[str, Obligation]) -> list[Obligation]:
    """Premises first."""
    done: dict[str, Obligation] = {}

    def visit(o: Obligation, path: tuple[str, ...]) -> None:
        if o.id in path:
            raise ValueError(f"premises in a circle: {' -> '.join(path)}")
        for p in o.premises:
            visit(found[p], (*path, o.id))
        done.setdefault(o.id, o)

    for o in found.values():
        visit(o, ())
    return list(done.values())


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
    goals = [k.encode(tuple(g.claim)) for g in o.goals()]
    if [f["claim"] for f in c["facts"]] != goals:
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
    return whole and all(isinstance(f, dict) and "claim" in f for f in c["facts"])


def _assumption_problems(checked: Mapping[str, Row], folder: Path) -> list[str]:
    now = {row.id: list(row.assumptions) for row in checked.values() if row.assumptions}
    try:
        then = json.loads((folder / ASSUMPTIONS).read_text(encoding="utf-8"), object_pairs_hook=_object)
    except (FileNotFoundError, ValueError):
        return [f"{ASSUMPTIONS} is missing or not JSON"]
    if not isinstance(then, dict):
        return [f"{ASSUMPTIONS} is not an object"]
    return [
        f"{name}: assumptions are {now.get(name, [])}, the committed list says {then.get(name, [])}"
        for name in sorted(now.keys() | then.keys())
        if now.get(name) != then.get(name)
    ]


def _stray(folder: Path) -> list[str]:
    known = {path_of(o, folder) for o in registry().values()}
    return [f"{p.name}: a certificate of no obligation" for p in sorted(folder.glob("*/*.json")) if p not in known]


# ------------------------------------------------------------------------------------ words


def evidence(o: Obligation, facts: Sequence[k.Fact]) -> str:
    """What the status rests on, in one line.

    >>> evidence(registry()["gaussian/renyi"], [])
    'nothing'
    """
    if o.open_because:
        return o.open_because
    parts = []
    if facts:
        rules = sorted(frozenset[str]().union(*(f.rules() for f in facts)))
        parts.append(f"{len(facts)} {'fact' if len(facts) == 1 else 'facts'} by {', '.join(rules)}")
        leaves = sum(f.args[2].split().count("0") for g in facts for f in _leaves(g))
        parts += [f"{leaves} boxes of ball arithmetic"] * (leaves > 0)
    parts += [f"tested by {t}" for t in o.tests]
    alone = "what it rests on" if o.premises and not o.goals() else "nothing"
    return "; ".join(parts) or alone


def _leaves(fact: k.Fact) -> Iterator[k.Fact]:
    if fact.rule == "cover":
        yield fact
    for p in fact.premises():
        yield from _leaves(p)


def witness(facts: Sequence[k.Fact]) -> str:
    """Where a refuted claim is false, and by how much."""
    found = []
    for f in facts:
        if f.rule == "refute":
            at = {s: (balls.fraction(q), balls.fraction(q)) for s, q in f.args[3]}
            point = ", ".join(f"{s} = {q}" for s, q in f.args[3])
            value = balls.evaluate(f.claim.expr, at, f.args[4]).str(12, radius=False)
            text = f"{f.claim.expr} {f.claim.relation.removeprefix('not ')} 0"
            claim = text if len(text) <= _SHORT else "the claim"
            found.append(f"{claim} is false{' at ' * bool(point)}{point}: the left side is {value}")
        elif f.rule == "distinguish":
            found.append(f"outputs {f.args[0]} and {f.args[1]}, event {f.args[2]}")
    return "; ".join(found)


# ------------------------------------------------------------------------------------ writing


def write(names: Sequence[str] = (), folder: Path = CERTIFICATES) -> None:
    """Run the tactics of the named obligations (all, if none is named) and write their certificates."""
    for o in _in_order(registry()):
        if names and o.id not in names:
            continue
        facts = o.prove()
        premises = [json.loads(path_of(registry()[p], folder).read_text())["status"] for p in o.premises]
        c = {
            "schema": SCHEMA,
            "id": o.id,
            "statement": o.statement,
            "status": status_of(o, facts, premises),
            "readings": {name: reading(name) for name in o.about},
            "facts": [f.certificate() for f in facts],
        }
        path_of(o, folder).parent.mkdir(parents=True, exist_ok=True)
        _save(path_of(o, folder), c)
    for p in folder.glob("*/*.json"):
        if p not in {path_of(o, folder) for o in registry().values()}:
            p.unlink()
    assumed = {i: list(row.assumptions) for i, row in _checked(folder) if row.assumptions}
    _save(folder / ASSUMPTIONS, dict(sorted(assumed.items())))


def _save(path: Path, content: Any) -> None:
    compact = path.name != ASSUMPTIONS
    text = json.dumps(content, separators=(",", ":") if compact else None, indent=None if compact else 1)
    part = path.with_suffix(".part")
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(path)
