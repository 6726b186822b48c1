"""One reference page a package, from the docstrings: a new module is there as soon as it exists."""

from __future__ import annotations

import inspect
import pkgutil
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name

from generated import write_pages
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata

import dpref
import proofs
from proofs.registry import registry

CORE = "dpref"
# The names to begin with, in the order in which one needs them, and the module of each.
START = {
    "parse_event": "dpref.privacy.events.expression",
    "Ledger": "dpref.privacy.events.ledger",
    "certify": "dpref.privacy.accountants",
    "calibrate": "dpref.privacy.event_calibration",
    "audit_mechanism": "dpref.foreign.mechanism",
    "catalogue": "dpref.audit.catalogue",
    "audit": "dpref.audit.verdict",
    "algorithm_named": "dpref.algorithms.registry",
    "RecordingCurator": "dpref.curator.modes",
    "assert_same_run": "dpref.foreign.replay.same_run",
}
INDEX = """# Reference

## Start here

Ten names carry most programs:

{start}

{shorter} Each has [a page of its own](../names/index.md), with an example.

```{{toctree}}
:hidden:

../names/index
```

## Every public name

From its docstring, one page a package.

```{{toctree}}
:maxdepth: 1

{pages}
```
"""
SHORTER = """These can be imported from `dpref` itself, and are loaded when they are first used: {names}."""


def packages() -> dict[str, list[str]]:
    """The modules of dpref and proofs by the page on which they stand, in the order of import."""
    found: dict[str, list[str]] = {CORE: []}
    for package in (dpref, proofs):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            parts = module.name.split(".")
            if parts[-1].startswith("_"):
                continue
            top = (
                package.__name__
                if len(parts) == 2 and not module.ispkg
                else ".".join(parts[: 2 if parts[0] == CORE else 1])
            )
            found.setdefault(top, []).append(module.name)
    return {name: sorted(modules) for name, modules in found.items()}


def page(name: str, modules: list[str]) -> str:
    """One reference page in MyST."""
    parts = [f"# {name}\n"]
    for module in modules:
        title = "" if module == name else f"## {module.removeprefix(name + '.')}\n\n"
        parts.append(f"{title}```{{eval-rst}}\n.. automodule:: {module}\n```\n")
    return "\n".join(parts)


def said_first(found: object) -> str:
    """The first sentence of a docstring, with what is in single backquotes as code."""
    return re.split(r"\.(?=\s|$)|\n\n", inspect.getdoc(found) or "")[0].replace("\n", " ")


def start() -> str:
    """The names to begin with: a table of links, each with the first sentence of its docstring."""
    rows = [
        f"| {{py:obj}}`{name} <{module}.{name}>` | {said_first(getattr(import_module(module), name))} |"
        for name, module in START.items()
    ]
    return "\n".join(["| name | |", "|---|---|", *rows])


def generate(app: Sphinx) -> None:
    """Write the pages below ``generated/reference``."""
    found = packages()
    pages = {f"{name}.md": page(name, modules) for name, modules in found.items()}
    names = ", ".join(
        f"{{py:obj}}`{name} <{resolve_name(f'dpref:{name}').__module__}.{name}>`" for name in dpref.__all__
    )
    pages["index.md"] = INDEX.format(pages="\n".join(found), start=start(), shorter=SHORTER.format(names=names))
    write_pages(Path(app.srcdir) / "generated" / "reference", pages)


@cache
def _obligations() -> frozenset[object]:
    return frozenset(o.goals for o in registry().values())


def has_a_page(_app: Sphinx, _what: str, name: str, found: object, *_rest: object) -> bool | None:
    """Leave out the obligations, whose pages show them as theorems, and what scikit-learn adds to its estimators."""
    of_scikit_learn = name.startswith("set_") and name.endswith("_request")
    return True if of_scikit_learn or (callable(found) and found in _obligations()) else None


ROOT = Path(dpref.__file__).parents[1]


def plain(signature: str) -> str:
    """A signature without what is of this machine: folders of the repository begin at its root.

    What typer is told about a parameter is an object that shows but its address, and is left out.

    >>> plain("(event: ~typing.Annotated[list[str] | None, <typer.models.OptionInfo object at 0x7f43>] = None)")
    '(event: list[str] | None = None)'
    >>> plain(f"(folder: ~pathlib.Path = {ROOT / 'proofs' / 'certificates'!r})").replace("Windows", "Posix")
    "(folder: ~pathlib.Path = PosixPath('proofs/certificates'))"
    """
    said = re.sub(r"~?typing\.Annotated\[(.*?), <typer\.models\.\w+ object at 0x[0-9a-f]+>\]", r"\1", signature)
    return said.replace(f"{ROOT.as_posix()}/", "")


def without_addresses(
    _app: Sphinx, _what: str, _name: str, _found: object, _options: object, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Signatures as one reads them."""
    return plain(signature) if signature else signature, returns


def no_address(app: Sphinx, failed: Exception | None) -> None:
    """No page names a folder of the machine that built it, or where in its memory an object lay.

    Raises:
        ExtensionError: If one does.
    """
    if failed or app.builder.name != "html":
        return
    shown = re.compile(rf"object at 0x[0-9a-f]+|{re.escape(ROOT.as_posix())}/")
    for path in sorted((Path(app.outdir) / "generated" / "reference").glob("*.html")):
        if found := shown.search(path.read_text(encoding="utf-8")):
            raise ExtensionError(f"{path.name} shows {found[0]!r}, which is of this machine alone")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", generate)
    app.connect("autodoc-skip-member", has_a_page)
    app.connect("autodoc-process-signature", without_addresses)
    app.connect("build-finished", no_address)
    return {"version": "1", "parallel_read_safe": True}
