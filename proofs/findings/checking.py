"""Whether a finding is today what the register says of it: certificates replayed, worst cases built anew."""

from __future__ import annotations

from collections.abc import Iterator

from proofs.check import path_of
from proofs.findings import register
from proofs.findings.gathering import sources
from proofs.findings.witnesses import worked_out


def differences(name: str) -> Iterator[str]:
    """What the register says of a finding and is no longer so, a line each.

    Args:
        name: The id of a finding.

    Raises:
        Rejected: If the kernel does not accept one of its certificates.
    """
    recorded = register.read().get(name)
    if recorded is None:
        yield f"{name} is not in the register: python -m proofs.findings"
        return
    source = next(s for s in sources() if s.id == name)
    today = worked_out(source.says, [o.id for o in source.obligations], source.claims)
    today["certificates"] = {o.id: register.digest_of(path_of(o)) for o in source.obligations}
    for part in sorted(today.keys() | recorded.keys()):
        if today.get(part) != recorded.get(part):
            yield f"{name}: {part} was {recorded.get(part)!r} and is {today.get(part)!r}"
