"""What a subject's witnesses say in one unit, and the claims of which they say nothing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpref.audit.subjects import Subject, Unit

# No witness is certified here: what refutes them are the runs (test_online_frank_wolfe_audit.py makes them).
BY_RUNS_ALONE = {
    f"private-online-frank-wolfe/{name},replace-one"
    for name in (
        "algorithm-4@as-printed",
        "algorithm-4@as-printed-d-10",
        "algorithm-4@as-printed-d-20",
        "lemma-3.2@as-printed-d-4-output",
        "lemma-3.2@as-printed-d-4",
        "lemma-3.2@as-printed-d-5",
    )
}


def witnessed(subject: Subject, unit: Unit, delta: Fraction = Fraction(1, 10**6)) -> Any:
    """The value of the only witness in that unit; None if there is none."""
    values = [witness.value for witness in subject.witnesses(delta) if witness.unit == unit]
    assert len(values) <= 1
    return values[0] if values else None
