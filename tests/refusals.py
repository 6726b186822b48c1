"""What a refusal names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from dpref.errors import InvalidArgumentError


def blamed(call: Callable[[Any], object], values: Iterable[Any]) -> set[str]:
    """The arguments that are named when each of the values is refused; a value that is answered fails the test."""
    names = set()
    for value in values:
        with pytest.raises(InvalidArgumentError) as caught:
            call(value)
        names.add(caught.value.argument)
    return names
