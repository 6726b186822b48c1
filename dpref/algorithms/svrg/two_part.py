r"""Noise in two parts: one for the full gradient of an epoch, another for each sampled difference (errata 3.6.4).

The answers of an epoch are $\nabla F(\tilde x)+N(0,\sigma_2^2I)$, once, and
$\frac1b\sum_{i\in B}(\nabla f(x,z_i)-\nabla f(\tilde x,z_i))+N(0,\sigma_1^2I)$ for each of its steps; a step adds both.
The full gradient is answered T times instead of K times.  A difference is a Gaussian answer on a batch of fixed size,
which says nothing where the record is not in the batch.

With u the noise of an epoch's gradient, its steps are those of DP-SVRG on $F+\langle u,\cdot\rangle$ with noise
$\sigma_1$: Eq. (39) holds for that, and strong convexity leads back to F.  ``dp-erm-revisited/3.6.4`` is that bound,
`dpref.algorithms.svrg.utility.two_part_noise`; of DP-SVRG++, whose F need not be strongly convex, none is known.

Notation: K (``steps``) is the number of differences, T ``epochs``, b the batch, n the number of records.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from dpref.algorithms.forms import Form
from dpref.algorithms.svrg.calibration import Calibration
from dpref.checks import positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.gaussian import gaussian_event
from dpref.mechanisms.sampled import sampled_gaussian_event
from dpref.mechanisms.variance_reduced import sampled_difference_sensitivity
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.events.ledger import Compose, Event, Ledger, Repeat
from dpref.privacy.fast.curves import epsilon_above
from dpref.privacy.fast.variance_reduction import least_noise
from dpref.privacy.renyi import accountant as renyi
from dpref.problems.erm import mean_gradient_sensitivity
from dpref.reals import exact, float_up
from dpref.units import L2, Adjacency, ReplaceOne, Sensitivity

Noise: TypeAlias = Literal["whole", "two-part"]

_DIGITS: Final = 10**6  # of the default ratio
_FIRST: Final = 2  # noise of a difference in units of G/b, where the search begins
_DOUBLINGS: Final = 40


def check_choice(
    noise: Noise,
    ratio: Fraction | None,
    form: Form,
    calibration: Calibration | None,
    constants: tuple[Fraction | None, Fraction | None],
) -> None:
    """Refuse what does not go together: noise in two parts is repaired, and no formula of the paper computes it.

    Args:
        noise: "whole" or "two-part".
        ratio: sigma_2 / sigma_1, or None.
        form: As printed or repaired.
        calibration: How sigma is computed, or None.
        constants: c and c_1 of the formula, or None.

    Raises:
        InvalidArgumentError: If a choice belongs to the other noise; it is named.

    >>> check_choice("two-part", Fraction(1, 2), Form.REPAIRED, None, (None, None))
    """
    if noise == "whole":
        if ratio is not None:
            raise InvalidArgumentError("ratio", ratio, 'belongs to noise "two-part": leave it out')
        return
    if form is Form.AS_PRINTED:
        raise InvalidArgumentError("noise", noise, 'belongs to the repaired form: the print has "whole" alone')
    if calibration not in {None, "accountant"}:
        rule = 'must be "accountant" with noise "two-part": no theorem states another for it'
        raise InvalidArgumentError("calibration", calibration, rule)
    if constants != (None, None):
        raise InvalidArgumentError("constant", constants[0], "belongs to the formula, not to the accountant")


class Answers(NamedTuple):
    """What is asked of the data, and how often.

    Attributes:
        gradient_bound: G, exact.
        records: n.
        batch: b.
        adjacency: Replace-one or zero-out.
        lengths: Steps of each epoch.
    """

    gradient_bound: Fraction
    records: int
    batch: int
    adjacency: type[Adjacency]
    lengths: tuple[int, ...]


def default_ratio(steps: int, epochs: int) -> Fraction:
    r"""$\sigma_2/\sigma_1=\sqrt{\frac T{2K}}$, rounded down to six places.

    An epoch's noise enters each of its K/T steps, so that it weighs K/T times as much as a step's.  What a small noise
    spends is in the ratio of $8K/(n\sigma_1)^2$ and $2T/(n\sigma_2)^2$; the ratio is the one that makes
    $\sigma_1^2+\frac KT\sigma_2^2$ least (P54).

    >>> default_ratio(20, 10), default_ratio(8, 1)
    (Fraction(1, 2), Fraction(1, 4))
    """
    return Fraction(max(1, math.isqrt(_DIGITS**2 * epochs // (2 * steps))), _DIGITS)


def events(answers: Answers, std: float, epoch_std: float) -> Event:
    """What a run spends, in its order.

    Args:
        answers: What is asked.
        std: Noise of a difference.
        epoch_std: Noise of a full gradient.

    >>> print(events(Answers(Fraction(1), 10, 2, ReplaceOne, (3,)), 2.0, 1.0))
    compose(gaussian(noise_multiplier=5), compose(sample_without_replacement(gaussian(noise_multiplier=1), batch=2, \
records=10), 3))
    """
    bound, n, b, adjacency, lengths = answers
    full = gaussian_event(Sensitivity(mean_gradient_sensitivity(bound, n, adjacency), L2, adjacency), epoch_std)
    of_batch = sampled_difference_sensitivity(bound, b, adjacency)
    difference = sampled_gaussian_event(of_batch, std, "fixed", b, n)
    return Compose(tuple(event for length in lengths for event in (full, Repeat(difference, length))))


class Stds(NamedTuple):
    """Noise of a difference, or of a whole answer, and of a full gradient that is answered by itself; rounded up."""

    difference: float
    full: float | None


@lru_cache(maxsize=256)
def certified_stds(answers: Answers, ratio: Fraction, epsilon: Fraction, delta: Fraction) -> Stds:
    r"""The least noise of the given ratio, nearly, that is certified $(\varepsilon,\delta)$-DP.

    Under replace-one by the dominating pairs, composed; under zero-out by Rényi divergences, whose bound on a batch of
    fixed size is loose there; with b = n in closed form.

    Args:
        answers: What is asked.
        ratio: $\sigma_2/\sigma_1$, exact, positive.
        epsilon: Privacy budget.
        delta: Privacy slack.

    Raises:
        InvalidArgumentError: If the ratio is not positive, or no noise of reasonable size is certified.

    >>> found = certified_stds(Answers(Fraction(1), 10, 10, ReplaceOne, (3,)), Fraction(1), Fraction(1), Fraction(1, 9))
    >>> found.difference == found.full, round(found.full, 2)
    (True, 0.76)
    """
    share, bound = positive_rational("ratio", ratio), answers.gradient_bound

    def stds(z: float) -> tuple[float, float]:
        unit = exact(z) * bound
        return float_up(unit), float_up(share * unit)

    def spent(z: float, width: Fraction) -> float:
        ledger = Ledger(events(answers, *stds(z)), answers.adjacency)
        if answers.batch == answers.records:
            return gaussian.epsilon(ledger, delta).upper
        if answers.adjacency is ReplaceOne:
            return epsilon_above(ledger, delta, width=width)
        return renyi.epsilon(ledger, delta).upper

    first = _FIRST / answers.batch
    for _ in range(_DOUBLINGS):
        found = least_noise(spent, epsilon, first)
        if found < math.inf:
            return Stds(*stds(found))
        first *= 2
    raise InvalidArgumentError("epsilon", epsilon, "is too small: no noise of reasonable size is certified")
