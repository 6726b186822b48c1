"""The proofs in numbers: sentences and formulas by paper and status, by checkers, and what is assumed, by citation.

``dpref prove --table`` prints it of what was just replayed.  ``python -m proofs.tally [FOLDER]`` prints it of a folder
of certificates as it is recorded there, without replaying anything: of an earlier version's, to compare.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from proofs.check import ASSUMPTIONS, CERTIFICATES
from proofs.check import SENTENCES as RECORDED
from proofs.coq.checkers import counts, read
from proofs.coq.taken import of_facts
from proofs.sentences import SENTENCES
from proofs.status import INFINITE, NO_GOALS, STATUSES, Row

_CHECKED: Final = ("two checkers", "one checker")


class Counted(NamedTuple):
    """One obligation: its paper, the statuses of its sentence and of its formulas, and how many checkers these have."""

    paper: str
    sentence: str
    formulas: str
    checkers: str


@dataclass(frozen=True)
class Tally:
    """Obligations in numbers.

    Attributes:
        counted: One entry an obligation; ``checkers`` is empty where there is nothing that two could check.
        everywhere: Ids of the obligations that rest on a citation, by the citation.
        beyond: The same of what Coq proves where outputs are finitely many.
    """

    counted: tuple[Counted, ...]
    everywhere: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    beyond: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Three tables in Markdown: papers by status of sentences, and of formulas; citations by what rests on them."""
        said = self._table("sentences of", [(s, "sentence", s) for s in SENTENCES])
        columns = [(s, "formulas", s) for s in STATUSES] + [("without goals", "formulas", NO_GOALS)]
        columns += [(s, "checkers", s) for s in _CHECKED]
        cited = [
            _line([step.replace("|", "\\|"), where, str(len(ids))])
            for where, found in (("everywhere", self.everywhere), ("beyond finite outputs", self.beyond))
            for step, ids in sorted(found.items())
        ]
        total = f"{len(self.everywhere)} steps are assumed everywhere, {len(self.beyond)} beyond finite outputs."
        second = [_line(["assumed", "where", "obligations that rest on it"]), _line(["---"] * 3), *cited]
        return "\n".join([*said, "", *self._table("formulas of", columns), "", *second, "", total, ""])

    def _table(self, head: str, columns: Sequence[tuple[str, str, str]]) -> list[str]:
        """Return a table with a row a paper; a column has a heading, an attribute, and the value that it counts."""

        def count(counted: Iterable[Counted], of: str, value: str) -> int:
            return sum(getattr(c, of) == value for c in counted)

        shown = [column for column in columns if count(self.counted, *column[1:])]
        papers = list(dict.fromkeys(c.paper for c in self.counted))
        rows = [(paper, [c for c in self.counted if c.paper == paper]) for paper in papers]
        rows.append(("all", list(self.counted)))
        lines = [_line([head, *(name for name, *_ in shown), "obligations"]), _line(["---"] * (len(shown) + 2))]
        return lines + [_line([n, *(str(count(cs, of, v)) for _, of, v in shown), str(len(cs))]) for n, cs in rows]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON: ``sentences`` and ``formulas`` count by paper and status, ``assumed`` and ``beyond`` list ids."""
        counts: dict[str, dict[str, Counter[str]]] = {"sentences": {}, "formulas": {}}
        for c in self.counted:
            counts["sentences"].setdefault(c.paper, Counter()).update([c.sentence])
            counts["formulas"].setdefault(c.paper, Counter()).update(filter(None, (c.formulas, c.checkers)))
        plain = {column: {p: dict(n) for p, n in found.items()} for column, found in counts.items()}
        cited = {"assumed": self.everywhere, "beyond": self.beyond}
        return plain | {name: {step: list(ids) for step, ids in found.items()} for name, found in cited.items()}


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def of_rows(rows: Sequence[Row], two: Iterable[str]) -> Tally:
    """The tally of what was replayed.

    Args:
        rows: Of `proofs.check.run`.
        two: Ids of the obligations whose certificate Coq accepts, as it is recorded.
    """
    accepted = frozenset(two)
    counted = [
        Counted(
            r.paper,
            r.sentence,
            r.formulas,
            _CHECKED[1] if r.one_checker else _CHECKED[0] if r.id in accepted else "",
        )
        for r in rows
    ]
    pairs = [(step, r.id) for r in rows for step in r.assumptions]
    return Tally(tuple(counted), _grouped(pairs), _grouped([(step, r.id) for r in rows for step in r.beyond]))


def of_folder(folder: Path = CERTIFICATES) -> Tally:
    """The tally of a folder of certificates, as it is recorded there.

    Raises:
        FileNotFoundError: If there are no certificates in the folder.
    """
    checkers, counted = read(folder), list[Counted]()
    path = folder / RECORDED  # earlier versions recorded nothing of sentences
    said: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for c in _recorded(folder):
        checked = ""
        if counts(c["status"], c["facts"]):
            checked = _CHECKED[0] if c["id"] in checkers.two and not of_facts(c["facts"]) else _CHECKED[1]
        counted.append(Counted(c["id"].partition("/")[0], said.get(c["id"], ""), c["status"], checked))
    steps = json.loads((folder / ASSUMPTIONS).read_text(encoding="utf-8"))
    pairs = [(step, name) for name, found in steps.items() for step in found]
    return Tally(
        tuple(counted),
        _grouped([(step, name) for step, name in pairs if not step.startswith(INFINITE)]),
        _grouped([(step.removeprefix(INFINITE).strip(), name) for step, name in pairs if step.startswith(INFINITE)]),
    )


def _recorded(folder: Path) -> Iterator[dict[str, Any]]:
    paths = sorted(folder.glob("*/*.json"))
    if not paths:
        raise FileNotFoundError(f"{folder} holds no certificates: name a folder like proofs/certificates")
    yield from (json.loads(path.read_text(encoding="utf-8")) for path in paths)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found = dict[str, tuple[str, ...]]()
    for step, name in pairs:
        found[step] = (*found.get(step, ()), name)
    return found


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m proofs.tally", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=CERTIFICATES, help="a folder of certificates")
    sys.stdout.write(of_folder(parser.parse_args().folder).text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
