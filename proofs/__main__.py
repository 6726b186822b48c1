"""``python -m proofs``: replay every certificate; ``--write [id ...]``: search for them and write them anew."""

from __future__ import annotations

import argparse
import sys

from proofs.check import run, write


def main() -> int:
    """Exit 0 when nothing is missing, stale or worse than recorded."""
    parser = argparse.ArgumentParser(prog="python -m proofs", description=__doc__)
    parser.add_argument("--write", nargs="*", metavar="ID", help="run the tactics (of these obligations) and write")
    arguments = parser.parse_args()
    if arguments.write is not None:
        write(arguments.write)
    report = run()
    for row in report.rows:
        sys.stdout.write(f"{row.status:10s} {row.id:40s} {row.title}\n")
    for problem in report.problems:
        sys.stdout.write(f"PROBLEM {problem}\n")
    sys.stdout.write(f"{report.counts} in {report.seconds:.2f} s\n")
    return 0 if report.ok else 1


if __name__ == "__main__":
    raise SystemExit(main())
