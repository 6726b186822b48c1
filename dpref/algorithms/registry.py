"""Every algorithm of dpref under its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from dpref.algorithms.algorithm import Algorithm
from dpref.algorithms.erm import entries as erm
from dpref.algorithms.kl import entries as kl
from dpref.algorithms.online import entries as online
from dpref.algorithms.saddle import entries as saddle
from dpref.errors import InvalidArgumentError

ALGORITHMS: Final[Mapping[str, Algorithm]] = MappingProxyType(
    {a.name: a for a in (*erm.ENTRIES, *kl.ENTRIES, *online.ENTRIES, *saddle.ENTRIES)}
)


def algorithm_named(name: str) -> Algorithm:
    """The algorithm of that name.

    Raises:
        InvalidArgumentError: If there is none; the message lists the names.

    >>> algorithm_named("gradient-descent").paper
    'dp-erm-revisited'
    """
    try:
        return ALGORITHMS[name]
    except KeyError:
        raise InvalidArgumentError("algorithm", name, "must be one of " + ", ".join(ALGORITHMS)) from None
