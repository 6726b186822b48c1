r"""What a number of runs can show at most, known before the first of them.

The best that can happen is a test without errors: all m evaluating runs on neighbour 1 are called so, none on neighbour
0 is.  Then Clopper and Pearson's bounds are $p = (e/2)^{1/m}$ and $q = 1-p$, e the error of one aim, and since every
bound on a privacy loss grows with p and falls with q, no runs show more.  A claim above that cannot be refuted by runs,
whatever the code does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dpref.audit.claims import Claim
from dpref.audit.empirical import DEFAULT_CONFIDENCE, LEAST_TRIALS, MOST_TRIALS, error_of_an_aim, evaluated
from dpref.audit.statistics import Rates, epsilon_lower, gdp_lower, rates, zcdp_lower
from dpref.privacy.closed_forms.zcdp import zcdp_to_epsilon


@final
@dataclass(frozen=True)
class Reach:
    """The largest bounds that some outcome of the runs would give.

    Attributes:
        epsilon: At delta.
        rho: zCDP.
        mu: Gaussian DP.
        delta: At which epsilon is meant.
    """

    epsilon: float
    rho: float
    mu: float
    delta: Fraction


def reach(trials: int, delta: Fraction, confidence: Fraction = DEFAULT_CONFIDENCE) -> Reach:
    """What a number of runs on each data set can show at most.

    Args:
        trials: Runs on each data set, half of which evaluate.
        delta: Exact, in [0, 1).
        confidence: Joint, exact, in (0, 1).

    >>> round(reach(2000, Fraction(1, 10**5)).epsilon, 2)
    4.74
    """
    bounds = _without_errors(evaluated(trials), confidence)
    return Reach(epsilon_lower(bounds, delta), zcdp_lower(bounds), gdp_lower(bounds), delta)


def trials_needed(claim: Claim, confidence: Fraction = DEFAULT_CONFIDENCE) -> int | None:
    """The least number of runs on each data set that could refute a claim, by a test without errors.

    Args:
        claim: What is claimed.
        confidence: Joint, exact, in (0, 1).

    Returns:
        The number; a test that errs needs more.  None if even the most runs that can be asked for do not suffice.

    >>> from dpref.audit.catalogue import find
    >>> claim = find("dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one")
    >>> trials_needed(claim), trials_needed(find("dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5,replace-one"))
    (100, 631869)
    """
    refutes = _refuting(claim)
    low, high = evaluated(LEAST_TRIALS), evaluated(MOST_TRIALS)
    if refutes(_without_errors(low, confidence)):
        return LEAST_TRIALS
    if not refutes(_without_errors(high, confidence)):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if refutes(_without_errors(middle, confidence)) else (middle, high)
    return 2 * high - 1


def _refuting(claim: Claim) -> Callable[[Rates], bool]:
    """Whether rates refute a claim, by the rule of `dpref.audit.verdict.judge`."""
    claimed = claim.claimed.value
    if not claim.is_zcdp:
        return lambda bounds: epsilon_lower(bounds, claim.delta) > claimed
    implied = zcdp_to_epsilon(claimed, claim.delta).upper
    return lambda bounds: epsilon_lower(bounds, claim.delta) > implied or zcdp_lower(bounds) > claimed


def _without_errors(runs: int, confidence: Fraction) -> Rates:
    """The rates' bounds for as many hits as runs and no false alarm."""
    return rates((runs, runs), (0, runs), error_of_an_aim(confidence))
