"""All exhibits, in the order of their files."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

from dpref.museum.exhibit import Exhibit

_FILES: Final = (
    "linear_regression",
    "histograms",
    "statistics_of_a_table",
    "range_from_the_data",
    "gaussian_scales",
    "wishart",
    "choosing",
    "sparse_vector",
    "sampling",
    "training",
    "teachers",
    "rounding_of_noise",
    "float_sums",
    "accountants",
    "accumulation",
)


@cache
def exhibits() -> tuple[Exhibit, ...]:
    """Every exhibit of the museum.

    >>> len(exhibits()) >= 25
    True
    """
    found: list[Exhibit] = []
    for name in _FILES:
        found.extend(import_module(f"dpref.museum.exhibits.{name}").EXHIBITS)
    return tuple(found)
