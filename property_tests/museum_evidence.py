"""How surely the museum's own evidence speaks, over seeds.

    python -m property_tests.museum_evidence --seeds 10

One line an exhibit: at how many seeds its witness refutes the broken form, and at how many the fixed one.  The command
fails if a broken form stands at any seed, or a fixed one is refuted at any.
"""

from __future__ import annotations

import argparse
import sys
import time

from dpref.museum.catalogue import exhibits
from dpref.museum.evidence import witnessed
from dpref.museum.exhibit import Release


def main(arguments: list[str] | None = None) -> int:
    """Print a line an exhibit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("names", nargs="*", help="only these")
    given = parser.parse_args(arguments)
    fine = True
    for exhibit in exhibits():
        if not isinstance(exhibit, Release) or exhibit.witness is None:
            continue
        if given.names and exhibit.id not in given.names:
            continue
        begun = time.process_time()
        broken = sum(witnessed(exhibit, "broken", seed) for seed in range(given.seeds))
        fixed = sum(witnessed(exhibit, "fixed", seed) for seed in range(given.seeds))
        fine &= broken == given.seeds and fixed == 0
        seconds = time.process_time() - begun
        print(
            f"{exhibit.id:40} broken {broken}/{given.seeds}  fixed {fixed}/{given.seeds}  {seconds:5.1f} s", flush=True
        )
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
