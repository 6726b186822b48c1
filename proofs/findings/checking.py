"""Whether a finding is today what the register says of it: certificates replayed, worst cases built, programs run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from proofs.findings import register
from proofs.findings.declared import Finding
from proofs.findings.witnesses import worked_out


def differences(finding: Finding) -> Iterator[str]:
    """Yield a line for each part of a finding that is not as recorded.

    Raises:
        Rejected: If the kernel does not accept one of its certificates.
    """
    recorded = register.read().get(finding.id)
    if recorded is None:
        yield f"{finding.id} is not in the register: python -m proofs.findings"
        return
    today = worked_out(finding)
    for part in sorted(today.keys() | recorded.keys()):
        if today.get(part) != recorded.get(part):
            yield f"{finding.id}: {part} was {recorded.get(part)!r} and is {today.get(part)!r}"
    if finding.prints and (printed := run(finding)) != finding.prints:
        yield f"{finding.id}: its program prints {printed!r} and not {finding.prints!r}"


def run(finding: Finding) -> tuple[str, ...]:
    """Return the lines that a finding's program prints, or its error."""
    words = [sys.executable, "-I", str(program_of(finding))]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - a program of this package
    return tuple((done.stdout if done.returncode == 0 else done.stderr).splitlines())


def program_of(finding: Finding) -> Path:
    """Return the file of a finding's program."""
    return Path(__file__).parents[1] / finding.program
