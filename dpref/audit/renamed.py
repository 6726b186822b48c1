"""Claims that were renamed: their old names are understood, with a note, for one release."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# What stands before the comma; the adjacency stays.
RENAMED: Final[Mapping[str, str]] = MappingProxyType(
    {
        f"{paper}/{old}": f"{paper}/{new}"
        for paper, names in {
            "dp-erm-revisited": {
                "theorem-4.1@as-printed-20-steps": "equation-3@without-range-20-steps",
                "theorem-4.1@as-printed-200-steps": "equation-3@without-range-200-steps",
                "theorem-4.1@as-printed-2000-steps": "equation-3@without-range-2000-steps",
                "theorem-4.1@as-printed-output": "equation-3@without-range-output",
                "theorem-4.3@as-printed-200-steps": "equation-6@without-range-200-steps",
                "theorem-4.3@as-printed-output": "equation-6@without-range-output",
                "theorem-6.3": "theorem-6.1@repaired-random-iterate",
                "theorem-6.3@repaired": "theorem-6.1@repaired-random-iterate",
            },
            "dynamic-privacy-budget": {
                f"theorem-{theorem}@{form}": f"theorem-3.5@{form}-schedule-{theorem}"
                for theorem in ("4.5", "4.8")
                for form in ("as-printed", "repaired")
            },
            "private-online-frank-wolfe": {
                "theorem-3.1@as-printed": "algorithm-4@as-printed-norm-d-3",
                "theorem-3.1@as-printed-gamma": "algorithm-4@as-printed-p-2",
                "theorem-3.1@as-printed-gamma-n-10000": "algorithm-4@as-printed-p-2-n-10000",
                "theorem-3.1@as-printed-gamma-iterates": "algorithm-4@as-printed-iterates",
                "theorem-3.1@as-printed-gamma-p-1.5": "algorithm-4@as-printed-d-1",
                "theorem-3.1@as-printed-index-d-3": "lemma-3.2@as-printed-d-3",
                "theorem-3.1@as-printed-index-d-4": "lemma-3.2@as-printed-d-4",
                "theorem-3.1@as-printed-index-d-5": "lemma-3.2@as-printed-d-5",
            },
        }.items()
        for old, new in names.items()
    }
)


def current_name(name: str) -> str:
    """The name by which a claim goes now; warns if the given one is an old one.

    Args:
        name: A claim's name, or the leading part of one.

    >>> with warnings.catch_warnings(record=True):
    ...     warnings.simplefilter("always")
    ...     current_name("dp-erm-revisited/theorem-4.1@as-printed-output,replace-one")
    'dp-erm-revisited/equation-3@without-range-output,replace-one'
    """
    head, comma, adjacency = name.partition(",")
    if head not in RENAMED:
        return name
    now = RENAMED[head] + comma + adjacency
    warnings.warn(f"{name} is now {now}; the old name ends with the next release", FutureWarning, stacklevel=2)
    return now
