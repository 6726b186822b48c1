"""What `dpref algorithms NAME` says of the places of an algorithm is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpref.algorithms.places import places
from dpref.algorithms.registry import ALGORITHMS

ROOT = Path(__file__).parents[1]
EVERYONE = {"statement", "plan", "formulas", "kernel", "claims", "obligations", "tests", "page"}


def missing(found: dict[str, str]) -> list[str]:
    """The places, some of them patterns, at which there is nothing."""
    return [place for text in found.values() for place in text.split(", ") if not list(ROOT.glob(place))]


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_every_place_of_an_algorithm_is_there(name: str) -> None:
    found = places(ALGORITHMS[name])
    assert set(found) >= EVERYONE
    assert missing(found) == []


def test_a_variant_that_has_no_file_of_its_own_shows_the_one_that_it_shares() -> None:
    assert places(ALGORITHMS["svrg-plus-plus"])["formulas"] == "dpref/algorithms/svrg/formulas.py"


def test_planted_bug_a_place_that_is_not_there_is_seen() -> None:
    assert missing({"page": "docs/papers/nothing.md", "tests": "tests/test_places.py"}) == ["docs/papers/nothing.md"]
