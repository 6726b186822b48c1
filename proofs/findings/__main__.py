"""``python -m proofs.findings``: write the register of findings anew, from what exists; ids keep their meaning.

Half a minute: certificates are replayed and worst cases built. It refuses where an id would be lost.
"""

from __future__ import annotations

import sys

from proofs.check import path_of
from proofs.findings import register
from proofs.findings.gathering import sources
from proofs.findings.witnesses import worked_out


def main() -> None:
    """Work out every entry, and write."""
    entries = {}
    for source in sources():
        entry = worked_out(source.says, [o.id for o in source.obligations], source.claims)
        entries[source.id] = entry | {
            "certificates": {o.id: register.digest_of(path_of(o)) for o in source.obligations}
        }
    register.write(entries)
    sys.stdout.write(f"{len(entries)} findings\n")


if __name__ == "__main__":
    main()
