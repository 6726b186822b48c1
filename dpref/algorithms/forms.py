"""The two forms in which a paper's algorithm stands here."""

from __future__ import annotations

from enum import Enum

from dpref.errors import InvalidArgumentError


class Form(Enum):
    """As the paper prints it, or as the errata repair it (the default everywhere).

    >>> [form.value for form in Form]
    ['as-printed', 'repaired']
    """

    AS_PRINTED = "as-printed"
    REPAIRED = "repaired"


def form_named(name: str) -> Form:
    """The form of that name.

    Raises:
        InvalidArgumentError: If there is none.

    >>> form_named("as-printed")
    <Form.AS_PRINTED: 'as-printed'>
    """
    try:
        return Form(name)
    except ValueError:
        raise InvalidArgumentError("form", name, "must be one of " + ", ".join(f.value for f in Form)) from None
