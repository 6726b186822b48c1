"""Words that the generated pages of obligations share."""

from __future__ import annotations

import re
from collections.abc import Iterable

from proofs.citations import CITATIONS

LEFT_OUT = """The measure theory under the formulas (that means, densities and conditioning behave as said), the source
of randomness, and floating-point samplers: see [what is not covered](../../limits.md)."""
DETAILS = """<details><summary>{summary}</summary>

```{{code-block}} {language}
{text}
```

</details>
"""


def slug(name: str) -> str:
    """An obligation's name as a file name and a label."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def badge(status: str) -> str:
    """A status as coloured text."""
    return f'<span class="status status-{status}">{status}</span>'


def link(name: str) -> str:
    """A link to another obligation's page."""
    return f"[`{name}`]({slug(name)}.md)"


def bullets(items: Iterable[str]) -> str:
    """A list in Markdown; a single item stands alone."""
    found = list(items)
    return found[0] if len(found) == 1 else "\n".join(f"* {item}" for item in found)


def cited(assumption: str) -> str:
    """An assumption, ``key: text``, with its key as a citation."""
    key, _, text = assumption.partition(": ")
    return f"{text} ({{cite:t}}`{key}`)" if key in CITATIONS else assumption


def bibtex(key: str) -> str:
    """One reference as BibTeX, to be copied."""
    return DETAILS.format(summary="Cite", language="bibtex", text=CITATIONS[key].bibtex.strip())


def capitalised(title: str) -> str:
    """A title that begins like a sentence, unless it begins with a symbol such as zCDP."""
    return title if title[1:2].isupper() else title[:1].upper() + title[1:]
