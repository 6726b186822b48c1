"""One page an algorithm, from its declaration, its docstrings, its recorded claims and its obligations."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from generated import write_pages
from papers import table
from words import badge, bullets, capitalised, parts, said, slug

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.places import places
from dpref.algorithms.registry import ALGORITHMS
from dpref.audit.catalogue import catalogue
from dpref.audit.claims import Claim
from dpref.fitting.problems import eligible
from proofs.registry import Obligation, registry

if TYPE_CHECKING:  # the pages are written, and tested, without Sphinx
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

PAGE = """---
orphan: true
---

[Algorithms](index.md#{paper})

# {name}

{facts}

## What it computes

```{{eval-rst}}
.. automodule:: {module}
   :no-index:
   :no-members:
```

## What is printed, and what is true

{claims}

## Its parameters

```{{eval-rst}}
.. autoclass:: {params}
   :no-index:
   :no-members:
```

## Try it

```sh
{commands}
```

## Where everything of it stands

{places}
"""
INDEX = """# Algorithms

Every algorithm of the five papers that dpref implements, each as printed and as repaired, with a ledger that is
certified, a compiled kernel, claims that are audited and obligations whose formulas are proved. `dpref algorithms`
prints the same list.

{tables}
"""
SPENDING = {
    "fixed": "its plan's events, whatever the data",
    "stopped": "some of its plan's events: when it stops depends on private answers",
    "filtered": "whatever a filter of its plan's budget lets through: its noise depends on private answers",
}


def statement(algorithm: AnyAlgorithm) -> str:
    """The module whose text states the algorithm, and how it differs from the print."""
    return algorithm.folder + ".algorithm"


def title(algorithm: AnyAlgorithm) -> str:
    """The algorithm in words, with its paper: the first line of that text."""
    text = inspect.cleandoc(import_module(statement(algorithm)).__doc__ or "")
    return text.partition("\n")[0].rstrip(".").replace("``", "`")


def facts(algorithm: AnyAlgorithm, obligations: Mapping[str, Obligation]) -> str:
    """What a reader looks for first."""
    known = [name for name in algorithm.evidence if name in obligations]
    missing = set(algorithm.evidence) - set(known)
    if missing:
        raise KeyError(f"{algorithm.name} rests on obligations that are not registered: {sorted(missing)}")
    varied = algorithm.variant_of
    return parts(
        {
            "Paper": f"[{algorithm.paper}](../../papers/{algorithm.paper}.md), {', '.join(algorithm.items)}",
            "Varies": f"[{varied}]({varied}.md)" if varied else "",
            "Data": f"the records of a {{py:class}}`{algorithm.kind.__module__}.{algorithm.kind.__name__}`",
            "Guarantee": f"in the paper {algorithm.measure} under {algorithm.paper_adjacency}; planned here under "
            + ", ".join(adjacency.name for adjacency in algorithm.adjacencies),
            "A run spends": SPENDING[algorithm.spending],
            "Gradients": said(algorithm.oracle_cost),
            "Rests on": bullets(f"[`{name}`](../theorems/{slug(name)}.md)" for name in known),
        }
    )


def verdict(claim: Claim) -> str:
    """The recorded verdict, and in which way a claim fails."""
    return badge(claim.expected or "open")


def judged(claims: Sequence[Claim]) -> str:
    """A table of an algorithm's claims, with recorded verdicts."""
    rows = ((f"`{c.id.partition('/')[2]}`<br>{cited(c)}", verdict(c)) for c in claims)
    return table(("claim", "recorded verdict"), rows)


def cited(claim: Claim) -> str:
    """A claim in one sentence as the cell of a table."""
    return said(claim.statement)


def commands(algorithm: AnyAlgorithm, claims: Sequence[Claim]) -> str:
    """What can be done with it from the command line: its places, the audit of one claim, a run on a table."""
    best = next((c for c in claims if c.form.startswith("repaired")), claims[0])
    found = [f"dpref algorithms {algorithm.name}", f'dpref audit "{best.id}" --trials 200']
    if eligible(algorithm):
        adjacency = algorithm.adjacencies[0].name
        found.append(
            f"dpref run {algorithm.name} --data people.csv --target bought --bounds bounds.json "
            f"--epsilon 1 --delta 1e-5 --adjacency {adjacency}"
        )
    return "\n".join(found)


def page(algorithm: AnyAlgorithm, claims: Sequence[Claim], obligations: Mapping[str, Obligation]) -> str:
    """The page of one algorithm in MyST."""
    params = algorithm.params
    return PAGE.format(
        paper=algorithm.paper,
        name=algorithm.name,
        facts=facts(algorithm, obligations),
        module=statement(algorithm),
        claims=judged(claims),
        params=f"{params.__module__}.{params.__name__}",
        commands=commands(algorithm, claims),
        places=table(("role", "place"), ((role, f"`{place}`") for role, place in places(algorithm).items())),
    )


def index(algorithms: Iterable[AnyAlgorithm]) -> str:
    """The overview, one table a paper."""
    by_paper: dict[str, list[AnyAlgorithm]] = {}
    for algorithm in algorithms:
        by_paper.setdefault(algorithm.paper, []).append(algorithm)
    tables = [
        f"## {paper}\n\n"
        + table(
            ("algorithm", "in words"),
            ((f"[{a.name}]({a.name}.md)", capitalised(title(a)).replace("|", "\\|")) for a in found),
        )
        for paper, found in by_paper.items()
    ]
    return INDEX.format(tables="\n\n".join(tables))


def pages() -> dict[str, str]:
    """All pages by file name."""
    obligations, claims = registry(), catalogue()
    found = {
        f"{name}.md": page(a, [c for c in claims if c.algorithm == name], obligations) for name, a in ALGORITHMS.items()
    }
    return found | {"index.md": index(ALGORITHMS.values())}


def generate(app: Sphinx) -> None:
    """Write the pages below ``generated/algorithms``."""
    write_pages(Path(app.srcdir) / "generated" / "algorithms", pages())


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", generate, priority=400)
    return {"version": "1", "parallel_read_safe": True}
