r"""The evidence against a broken form, of which no auditor knows: its witness event, its event, its first difference.

For a release, Clopper and Pearson's bounds of the witness's two rates give $e^\varepsilon P_0(E)+\delta<P_1(E)$ with
probability at most `ERROR` if the claim holds.  For an accountant the interval is certified, and for a loop the two
forms are compared number by number: those need no probability.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from dpref.audit.statistics import epsilon_lower, rates
from dpref.museum.exhibit import Accounting, Loop, Release
from dpref.privacy.accountants import certify
from dpref.privacy.events.expression import parse_event
from dpref.privacy.events.ledger import Ledger

Form: TypeAlias = Literal["broken", "fixed"]
ERROR: Final = Fraction(1, 1000)


def hits(exhibit: Release, form: Form, seed: int) -> tuple[int, int]:
    """How often the witness holds on the data set on which it is likely, and on the other one.

    Args:
        exhibit: With a witness.
        form: Which form is run.
        seed: Makes the runs reproducible.
    """
    run, witness = getattr(exhibit, form), exhibit.witness
    assert witness is not None  # noqa: S101  the caller's part
    rng = np.random.default_rng(seed)
    pair = (exhibit.d0, exhibit.d1) if exhibit.likely == 0 else (exhibit.d1, exhibit.d0)
    likely, other = (sum(bool(witness(run(data, rng))) for _ in range(exhibit.trials)) for data in pair)
    return likely, other


def witnessed(exhibit: Release, form: Form, seed: int) -> bool:
    """Whether the witness refutes the claim of a form at a seed.

    Args:
        exhibit: With a witness.
        form: Which form is run.
        seed: Makes the runs reproducible.
    """
    likely, other = hits(exhibit, form, seed)
    at, delta = exhibit.statement
    return epsilon_lower(rates((likely, exhibit.trials), (other, exhibit.trials), ERROR), delta) > at


def too_small(exhibit: Accounting, form: Form) -> bool:
    """Whether what a form reports is certified to be below the epsilon of what it runs.

    Args:
        exhibit: An accountant's.
        form: Which form reports.
    """
    event, reported = getattr(exhibit, form)()
    ledger: Ledger[Any] = Ledger(parse_event(event), exhibit.adjacency)
    return bool(reported < certify(ledger, delta=exhibit.delta).lower)


def first_difference(exhibit: Loop) -> tuple[int, str] | None:
    """The first step, and its first quantity, in which the broken form is not the fixed one.

    Args:
        exhibit: A loop's.
    """
    forms = (exhibit.broken(exhibit.data, exhibit.tape), exhibit.fixed(exhibit.data, exhibit.tape))
    for step, (wrong, right) in enumerate(zip(*forms, strict=True)):
        for name in right:
            if not np.array_equal(wrong[name], right[name]):
                return step, name
    return None
