"""The two forms in which a paper's algorithm stands here."""

from __future__ import annotations

from enum import Enum


class Form(Enum):
    """As the paper prints it, or as the errata repair it (the default everywhere).

    >>> [form.value for form in Form]
    ['as-printed', 'repaired']
    """

    AS_PRINTED = "as-printed"
    REPAIRED = "repaired"
