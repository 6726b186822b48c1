r"""How much each of many private choices may spend: in closed form by zCDP, or as much as an accountant certifies.

A choice with Gumbel noise is of bounded range, one with Laplace noise is pure DP alone; $\varepsilon_1$ is what each
spends, $(\varepsilon,\delta)$ what all of them may.  By zCDP $\varepsilon_1=\sqrt{\rho/(wN)}$, w = 1/8 or 1/2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from dpref.mechanisms.exponential import Law
from dpref.privacy.accountants import certify
from dpref.privacy.events.ledger import Exponential, Ledger, NoisyMax, Repeat
from dpref.privacy.searches import crossing
from dpref.reals import exact
from dpref.units import ReplaceOne

Calibration: TypeAlias = Literal["zcdp", "accountant"]

# Up to so many the pair of a pure choice is composed in a second or two; it certifies more than its Rényi curve.
_COMPOSED: Final = 1024
_FINEST: Final = 1e-10  # relatively
_WIDEN: Final = 1.5


@lru_cache(maxsize=1024)
def most_epsilon(epsilon: Fraction, delta: Fraction, count: int, law: Law) -> Fraction:
    r"""About the largest $\varepsilon_1$ with which so many choices are certified to be $(\varepsilon,\delta)$-DP.

    The Rényi curve of a bounded range certifies Gumbel choices, the composed pair of randomised response Laplace ones.
    A choice that spends less is a choice of that epsilon too, so that the certificate serves for all of these.

    Args:
        epsilon: Of all, exact, positive.
        delta: Of all, exact, in (0, 1).
        count: N, at least 1.
        law: Of the noise.

    >>> budget = Fraction(1), Fraction(1, 10**5)
    >>> [round(float(most_epsilon(*budget, 64, law)), 4) for law in ("gumbel", "laplace")]  # by zCDP .0510 and .0255
    [0.0623, 0.034]
    """
    accountant = "pld" if law == "laplace" and count <= _COMPOSED else "renyi"

    def spent(value: float) -> float:
        one = Exponential(exact(value)) if law == "gumbel" else NoisyMax(exact(value), "laplace")
        return certify(Ledger(Repeat(one, count), ReplaceOne), delta=delta, accountant=accountant).upper

    def excess(value: float) -> float:
        return math.log(spent(value) / float(epsilon))

    low = float(epsilon) / count  # pure DP adds up
    high = low * _WIDEN
    while excess(high) < 0:
        low, high = high, high * _WIDEN
    near, _ = crossing(excess, (low, min(0.0, excess(low))), (high, excess(high)), 0.0, _FINEST)
    return next(exact(value) for value in _downward(near) if spent(value) <= epsilon)


def _downward(near: float) -> Iterator[float]:
    """A number and smaller ones, in steps that double."""
    step = _FINEST
    while step < 1:
        yield near * (1 - step)
        step *= 2
