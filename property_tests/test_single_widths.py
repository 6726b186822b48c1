"""The ends of one answer lie within a millionth of each other, or the documentation says of which events not."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from dpref.privacy.interval import Interval
from dpref.units import ZeroOut
from property_tests.batch_questions import (
    allocation,
    group_on_a_sample,
    mixture,
    several_on_a_batch,
    shuffled,
    truncated_sample,
)
from property_tests.certified_answers import certified
from property_tests.certified_questions import Asked, Case, single, small_delta, some_epsilon
from property_tests.further_questions import further
from property_tests.guarantee_questions import approximate, concentrated, selected_response
from property_tests.matrix_answers import matrix_mechanism, sampled_round
from tests.effort import runs

PAGE = Path(__file__).parent.parent / "docs" / "events" / "checks.md"
MOST = 1e-6
LEAST = 1e-290  # what is smaller is hardly a double
OTHERS = (
    matrix_mechanism, sampled_round, approximate, concentrated, selected_response, mixture, group_on_a_sample,
    truncated_sample, allocation, shuffled, several_on_a_batch, further, further,
)  # fmt: skip
# How a family of questions begins, and how the page names the events that are meant.
WIDER = {
    "approximate": "`approximate`", "zcdp": "`zcdp`", "custom": "`custom`",
    "poisson(custom": "any `custom` on a sample",
    "generalized_gaussian": "`generalized_gaussian`", "noisy_max(laplace)": "`noisy_max(..., laplace)`",
    "exponential": "`exponential`", "noisy_max": "`noisy_max(..., gumbel)`", "poisson(exponential": "`exponential`",
    "variance_reduced": "`variance_reduced_gaussian`", "randomized_response(null=none)": "`randomized_response`",
    "poisson(randomized_response(null=none))": "`randomized_response`", "gridded_gaussian": "`gridded_gaussian`",
    "discrete_gaussian": "`discrete_gaussian`", "poisson(discrete_gaussian": "`discrete_gaussian`",
    "sample_without_replacement(discrete_gaussian": "`discrete_gaussian`", "random_allocation": "`random_allocation`",
    "shuffled": "`shuffled`", "truncated_poisson": "`truncated_poisson`", "parallel": "`parallel`",
    "group(sample_with_replacement": "`sample_with_replacement`",
    "sample_with_replacement": "`sample_with_replacement`",
    "matrix_gaussian": "`matrix_gaussian`", "toeplitz_gaussian": "`toeplitz_gaussian`", "select": "`select`",
    "profile": "`profile`", "filtered": "`filtered_gaussians`", "prefix_sum_sqrt": "`prefix_sum_sqrt`",
    "tree_gaussian": "`tree_gaussian`", "sampled_column": "`sampled_column`",
    "several on one batch": "Several answers that are not all Gaussian, on one batch",
}  # fmt: skip


def too_wide(found: Interval) -> bool:
    """Whether the ends lie further apart than a millionth, relatively."""
    return found.upper > max(LEAST, found.lower * (1 + MOST)) and not found.lower == found.upper == math.inf


def one_answer(rng: random.Random) -> Case:
    """A case of one event that is no composition, but for what is composed on one batch."""
    return (single if rng.random() < 0.5 else rng.choice(OTHERS))(rng)


def wide_ones(seed: int, count: int) -> list[tuple[str, Interval]]:
    """Questions about one answer whose intervals are wider than that, with their families."""
    found = []
    for k in range(count):
        rng = random.Random(f"{seed}/{k}")  # noqa: S311
        case = one_answer(rng)
        delta, epsilon = (small_delta(rng), None) if rng.random() < 0.5 else (None, some_epsilon(rng))
        answer = certified(Asked(case, delta, epsilon))
        if too_wide(answer):
            found.append((f"{case.family} under {case.adjacency}", answer))
    return found


def unsaid(wide: list[tuple[str, Interval]]) -> list[tuple[str, Interval]]:
    """Those that the page does not speak of."""
    page = PAGE.read_text(encoding="utf-8")
    said = tuple(start for start, words in WIDER.items() if words in page)
    return [(family, answer) for family, answer in wide if not family.startswith(said)]


def test_a_single_answer_is_narrow_or_the_page_says_that_it_is_not() -> None:
    assert unsaid(wide_ones(1, 20)) == []


@pytest.mark.slow
def test_a_single_answer_of_many_is_narrow_or_the_page_says_that_it_is_not() -> None:
    wide = wide_ones(2, runs(1500, 400))
    assert unsaid(wide) == []
    assert len({family for family, _ in wide}) > 30


def test_the_page_names_every_family_that_may_be_wide() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [words for words in WIDER.values() if words not in page] == []


def test_planted_bug_a_lower_end_of_nothing_is_found() -> None:
    given = Interval(0.0, 0.5, "epsilon", "planted", 53, ZeroOut)
    assert too_wide(given)
    assert unsaid([("laplace under zero-out", given)])
