"""``python -m dpref.vectors``: number the questions that are new, in the index that is committed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from dpref.vectors.families import FAMILIES
from dpref.vectors.index import known, updated


def main() -> None:
    """Write the index beside this module."""
    found = updated(FAMILIES.values())
    path = Path(__file__).with_name("index.json")
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for name, ids in found["tests"].items():
        sys.stdout.write(f"{name}: {len(ids)} tests, {len(ids) - len(known(name))} of them new\n")


if __name__ == "__main__":
    main()
