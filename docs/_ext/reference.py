"""One reference page a package, from the docstrings: a new module is there as soon as it exists."""

from __future__ import annotations

import pkgutil
from functools import cache
from pathlib import Path

from generated import write_pages
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

import dpref
import proofs
from proofs.registry import registry

CORE = "dpref"
INDEX = """# Reference

Every public name, from its docstring, one page a package.

```{{toctree}}
{pages}
```
"""


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


def generate(app: Sphinx) -> None:
    """Write the pages below ``generated/reference``."""
    found = packages()
    pages = {f"{name}.md": page(name, modules) for name, modules in found.items()}
    pages["index.md"] = INDEX.format(pages="\n".join(found))
    write_pages(Path(app.srcdir) / "generated" / "reference", pages)


@cache
def _obligations() -> frozenset[object]:
    return frozenset(o.goals for o in registry().values())


def has_a_page(_app: Sphinx, _what: str, name: str, found: object, *_rest: object) -> bool | None:
    """Leave out the obligations, whose pages show them as theorems, and what scikit-learn adds to its estimators."""
    of_scikit_learn = name.startswith("set_") and name.endswith("_request")
    return True if of_scikit_learn or (callable(found) and found in _obligations()) else None


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", generate)
    app.connect("autodoc-skip-member", has_a_page)
    return {"version": "1", "parallel_read_safe": True}
