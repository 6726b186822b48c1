"""One reference: its key, and its BibTeX entry."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Citation:
    """One reference.

    Attributes:
        key: BibTeX key.
        kind: BibTeX entry type.
        fields: BibTeX fields, in order.
    """

    key: str
    kind: str
    fields: tuple[tuple[str, str], ...]

    @property
    def bibtex(self) -> str:
        """The BibTeX entry."""
        body = "".join(f"  {name} = {{{value}}},\n" for name, value in self.fields)
        return f"@{self.kind}{{{self.key},\n{body}}}\n"
