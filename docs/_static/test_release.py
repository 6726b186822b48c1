"""A noisy count, audited: records are rows, one may be replaced."""

import numpy as np
import pytest

PAIR = (np.zeros(20), np.eye(20)[0])


def noisy_count(data, rng):
    """The number of positive entries with discrete noise of scale 1: 1-DP."""
    return int((data > 0).sum()) + int(rng.geometric(1 - np.exp(-1)) - rng.geometric(1 - np.exp(-1)))


def too_little_noise(data, rng):
    """The same with a quarter of the noise."""
    return int((data > 0).sum()) + int(rng.geometric(1 - np.exp(-4)) - rng.geometric(1 - np.exp(-4)))


@pytest.mark.dpref(trials=2_000)
def test_the_count_is_not_refuted(dp_audit):
    dp_audit(noisy_count, PAIR, epsilon=1, adjacency="replace-one").assert_not_refuted()


@pytest.mark.dpref(trials=2_000, pair=PAIR, adjacency="replace-one")
def test_a_quarter_of_the_noise_is_too_little(dp_audit):
    dp_audit(too_little_noise, epsilon=1).assert_refuted()
