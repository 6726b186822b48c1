"""What a subject's witnesses say in one unit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpref.audit.subjects import Subject, Unit


def witnessed(subject: Subject, unit: Unit, delta: Fraction = Fraction(1, 10**6)) -> Any:
    """The value of the only witness in that unit; None if there is none."""
    values = [witness.value for witness in subject.witnesses(delta) if witness.unit == unit]
    assert len(values) <= 1
    return values[0] if values else None
