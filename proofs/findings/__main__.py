"""``python -m proofs.findings``: write the register of findings anew from what exists; ids keep their meaning."""

from __future__ import annotations

import sys

from proofs.findings import register
from proofs.findings.gathering import corrections, findings
from proofs.findings.witnesses import worked_out


def main() -> None:
    """Work out every entry, which replays certificates and builds worst cases for half a minute, and write."""
    entries = {finding.id: worked_out(finding) for finding in findings()}
    register.write(entries, corrections())
    sys.stdout.write(f"{len(entries)} findings\n")


if __name__ == "__main__":
    main()
