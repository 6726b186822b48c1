"""Words that the generated pages of obligations share."""

from __future__ import annotations

import re
from collections.abc import Iterable

from proofs.algebra import Claim
from proofs.citations import CITATIONS

_LONGEST = 240  # claims that are longer are read in the code

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


def stated(claim: Claim) -> str:
    """A claim of the kernel as code: what it says, and for which values of its symbols."""
    relation = claim.relation.removeprefix("not ")
    text = f"{claim.expr} {relation} 0"
    if text == "0 == 0":
        said = "both sides are one term"
    else:
        said = f"`{text}`" if len(text) <= _LONGEST else "a claim too long to be written out"
    said += ", false at the witness," * (relation != claim.relation)
    box = ", ".join(
        f"{d.symbol} = {d.lo}, {d.lo + 1}, ..." if d.integer else f"{d.symbol} in {d.ends[0]}{d.lo}, {d.hi}{d.ends[1]}"
        for d in claim.domain
    )
    return f"{said} for `{box}`" if box else said.removesuffix(",")


def bibtex(key: str) -> str:
    """One reference as BibTeX, to be copied."""
    return DETAILS.format(summary="Cite", language="bibtex", text=CITATIONS[key].bibtex.strip())


def capitalised(title: str) -> str:
    """A title that begins like a sentence, unless it begins with a symbol such as zCDP."""
    return title if title[1:2].isupper() else title[:1].upper() + title[1:]
