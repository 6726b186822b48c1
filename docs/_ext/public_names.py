"""One page for each name that can be imported from `dpref`, with an example."""

from __future__ import annotations

import contextlib
import inspect
import io
import typing
from pathlib import Path

from generated import write_pages

import dpref
from dpref.privacy.events.ledger import Event
from dpref.privacy.examples import event_session
from dpref.units import ADJACENCIES

if typing.TYPE_CHECKING:  # the pages are written, and tested, without Sphinx
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

INDEX = """# Names of `dpref`

Each of them can be imported from `dpref` itself, and is loaded when it is first used.

```{{toctree}}
:maxdepth: 1

{names}
```
"""
PAGE = """# {name}

```python
from dpref import {name}
```

```{{eval-rst}}
.. auto{kind}:: {module}.{name}
   :no-index:
```
"""


def session(name: str) -> tuple[str, ...]:
    """The lines of an example that the page needs beside the docstring's; none where that has one, or none is known."""
    found = getattr(dpref, name)
    if ">>>" in (inspect.getdoc(found) or ""):
        return ()
    if found in typing.get_args(Event):
        return event_session(found)
    if found in ADJACENCIES.values():
        return (
            "import dpref",
            f'training = {{"records": 1000, "batch": 10, "steps": 1, "sampling": "fixed", "adjacency": dpref.{name}}}',
            "print(dpref.dpsgd(**training, noise_multiplier=1, delta=1e-5))",
        )
    if found is dpref.Ledger:
        return event_session(dpref.Repeat)
    return ()


def shown(lines: tuple[str, ...]) -> str:
    """A session with its answers, as they come out."""
    said, scope = [], {"__name__": "__main__"}
    for line in lines:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(line, scope)  # noqa: S102 - our own examples
        said.append(f">>> {line}\n{output.getvalue()}")
    return "".join(said)


def page(name: str) -> str:
    """The page of a name."""
    found = getattr(dpref, name)
    kind = "class" if inspect.isclass(found) else "function"
    kind = "exception" if inspect.isclass(found) and issubclass(found, Exception) else kind
    text = PAGE.format(name=name, kind=kind, module=found.__module__)
    lines = session(name)
    return f"{text}\n## Example\n\n```pycon\n{shown(lines)}\n```\n" if lines else text


def generate(app: Sphinx) -> None:
    """Write the pages below ``generated/names``."""
    names = sorted(dpref.__all__, key=str.lower)
    pages = {f"{name}.md": page(name) for name in names}
    pages["index.md"] = INDEX.format(names="\n".join(names))
    write_pages(Path(app.srcdir) / "generated" / "names", pages)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", generate)
    return {"version": "1", "parallel_read_safe": True}
