"""``python -m proofs``: replay every certificate, or only those of the named obligations and what these rest on.

``--write [ID ...]`` searches for certificates and writes them anew; ``--status`` writes anew only the recorded statuses
of formulas and sentences, and the list of assumptions; ``--theorems`` has Coq check the library of privacy, the
theorems that obligations name and their corollaries, and records what it says.
"""

from __future__ import annotations

import argparse
import sys

from proofs.check import CERTIFICATES, run, write, write_statuses
from proofs.coq import privacy
from proofs.registry import registry


def main() -> int:
    """Exit 0 when nothing is missing, stale or worse than recorded."""
    parser = argparse.ArgumentParser(prog="python -m proofs", description=__doc__)
    parser.add_argument("only", nargs="*", metavar="ID", help="check nothing but these and what they rest on")
    parser.add_argument("--write", nargs="*", metavar="ID", help="run the tactics (of these obligations) and write")
    parser.add_argument("--status", action="store_true", help="write recorded statuses and assumptions anew")
    parser.add_argument("--theorems", action="store_true", help="have Coq check what obligations name, and record it")
    arguments = parser.parse_args()
    unknown = [name for name in [*arguments.only, *(arguments.write or ())] if name not in registry()]
    if unknown:
        parser.error(f"no obligation is named {', '.join(unknown)}")
    if arguments.write is not None:
        write(arguments.write)
    if arguments.status:
        for change in write_statuses():
            sys.stdout.write(f"STATUS {change}\n")
    if arguments.theorems:
        try:
            found = privacy.record(CERTIFICATES)
        except privacy.NotChecked as error:
            sys.stderr.write(f"nothing is recorded: {error}\n")
            return 1
        sys.stdout.write(f"{len(found.statements)} theorems, resting on {', '.join(found.axioms)}\n")
    report = run(only=arguments.only)
    for row in report.rows:
        told = "; ".join([f"{row.id:40s} {row.named}", *row.remarks])
        sys.stdout.write(f"{row.sentence:22s} | {row.formulas:15s} | {told}\n")
    for problem in report.problems:
        sys.stdout.write(f"PROBLEM {problem}\n")
    sys.stdout.write(f"{report.counted}\n{report.seconds:.2f} s\n")
    return 0 if report.ok else 1


if __name__ == "__main__":
    raise SystemExit(main())
