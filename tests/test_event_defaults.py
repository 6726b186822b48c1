"""The numbers that an event has if none is given, and how large a file of numbers may be."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from dpref.errors import InvalidArgumentError
from dpref.privacy import events
from dpref.privacy.events.files import read_numbers

DEFAULTS = {
    "Concentrated": {"xi": 0},
    "DiscreteGaussian": {"sensitivity": 1},
    "DiscreteLaplace": {"sensitivity": 1},
    "GriddedGaussian": {"dimension": 1},
    "MatrixGaussian": {"min_separation": 1},
    "MixtureGaussian": {"noise_multiplier": 1},
    "PrefixSumSqrt": {"min_separation": 1},
    "RandomAllocation": {"participations": 1},
    "RandomizedResponse": {"categories": 2},
    "ToeplitzGaussian": {"min_separation": 1},
    "TreeGaussian": {"min_separation": 1},
}


def test_a_number_that_an_event_is_not_given_is_what_it_was() -> None:
    found: dict[str, dict[str, object]] = {}
    for module in pkgutil.iter_modules(events.__path__, "dpref.privacy.events."):
        for name, kind in vars(importlib.import_module(module.name)).items():
            if isinstance(kind, type) and is_dataclass(kind):
                numbers = {f.name: f.default for f in fields(kind) if type(f.default) in {int, float, Fraction}}
                found |= {name: numbers} if numbers else {}
    assert found == DEFAULTS


def test_a_file_of_numbers_has_at_most_fifty_million_bytes(tmp_path: Path) -> None:
    path = tmp_path / "numbers.txt"
    with path.open("wb") as stream:
        stream.truncate(50_000_001)  # null bytes, which no disk has to hold
    with pytest.raises(InvalidArgumentError, match="larger than 50000000 bytes"):
        read_numbers(str(path))
