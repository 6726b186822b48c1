"""``python -m proofs.coq``: let Coq check every certificate; with ``--write``, record which it accepts."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from proofs.check import CERTIFICATES
from proofs.coq import checkers, running


def main() -> int:
    """Exit 0 when Coq accepts what it should, 1 when it does not, 3 when nothing could be checked."""
    parser = argparse.ArgumentParser(prog="python -m proofs.coq", description=__doc__)
    parser.add_argument("only", nargs="*", metavar="ID", help="check nothing but these")
    parser.add_argument("--write", action="store_true", help="record what is accepted (of these alone)")
    parser.add_argument("--files", type=Path, help="keep the generated files in this folder")
    parser.add_argument("--jobs", type=int, default=0, help="how many files at once")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    summary = running.run(
        arguments.only, folder=arguments.files, jobs=arguments.jobs, everything=arguments.write or bool(arguments.only)
    )
    if arguments.write:
        old = checkers.read(CERTIFICATES) if arguments.only else checkers.Checkers()
        if (found := running.recorded(summary, old)) is not None:
            checkers.write(CERTIFICATES, found)
    sys.stdout.write(f"{summary.text}\n")
    return running.exit_code(summary)


if __name__ == "__main__":
    raise SystemExit(main())
