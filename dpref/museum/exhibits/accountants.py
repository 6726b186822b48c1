"""Reports of accountants: too small, or only thought to be."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Final

import numpy as np

from dpref.museum.exhibit import Accounting, Source
from dpref.units import AddOrRemoveOne

_DELTA: Final = 1e-5
_SIGMA, _RATE, _STEPS = 0.6, 0.01, 400


def _of_mu(mu: float, delta: float) -> float:
    """The epsilon of a Gaussian mechanism with sensitivity mu and variance 1."""
    cdf, low, high = NormalDist().cdf, 0.0, 500.0
    for _ in range(100):
        e = (low + high) / 2
        too_small = cdf(mu / 2 - e / mu) - math.exp(e) * cdf(-mu / 2 - e / mu) > delta
        low, high = (e, high) if too_small else (low, e)
    return high


def _training() -> str:
    return f"compose(poisson(gaussian({_SIGMA}), rate={_RATE}), {_STEPS})"


def central_limit() -> tuple[str, float]:
    """The mu that many sampled steps tend to, taken for a bound."""
    return _training(), _of_mu(_RATE * math.sqrt(_STEPS * math.expm1(_SIGMA**-2)), _DELTA)


def renyi() -> tuple[str, float]:
    """Moments of integer orders, by their binomial sum, and the plain conversion."""
    found = []
    for order in range(2, 64):
        terms = [
            math.log(math.comb(order, k)) + (order - k) * math.log1p(-_RATE) + k * math.log(_RATE)
            + k * (k - 1) / (2 * _SIGMA**2)
            for k in range(order + 1)
        ]  # fmt: skip
        found.append((_STEPS * np.logaddexp.reduce(terms) - math.log(_DELTA)) / (order - 1))
    return _training(), float(min(found))


class _History:
    """Steps of a training by noise multiplier; the total is asked for now and then."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int]] = []

    def epsilon(self, steps: list[tuple[int, int]]) -> float:
        """By rho-zCDP."""
        rho = sum(count / (2 * multiplier**2) for multiplier, count in steps)
        return rho + 2 * math.sqrt(rho * math.log(1 / _DELTA))

    def epsilon_by_taking(self) -> float:
        """Takes the last entry off the history to look at it."""
        last = self.steps.pop()
        return self.epsilon([*self.steps, last])


def _two_phases(*, take: bool) -> tuple[str, float]:
    history, reported = _History(), 0.0
    for phase in [(20, 400), (10, 100)]:
        history.steps.append(phase)
        for _ in range(2):  # once for the log, once at the end of the phase
            if history.steps:
                reported = history.epsilon_by_taking() if take else history.epsilon(history.steps)
    return "compose(compose(gaussian(20), 400), compose(gaussian(10), 100))", reported


def order_of_nearly_one() -> tuple[str, float]:
    """Order 1 + 1e-8 says how small the divergence is; delta is above what that allows at epsilon 0."""
    divergence = (105 / 100_000) ** 2 * math.expm1(1) / 2  # to first order
    reported = 0.0 if -math.expm1(-divergence) <= 1e-3**2 else math.inf
    return "poisson(gaussian(1), rate=21/20000)", reported


def orders_above() -> tuple[str, float]:
    """Order 10 and the plain conversion, which never gives 0."""
    return "poisson(gaussian(1), rate=21/20000)", math.log(1 / 1e-3) / 9


def _odometer(within_root: float) -> tuple[str, float]:
    epsilon, count = 0.1, 50
    expected = count * epsilon * math.expm1(epsilon) / (math.exp(epsilon) + 1)
    return f"compose(laplace(10), {count})", expected + epsilon * math.sqrt(2 * count * within_root)


EXHIBITS: Final = (
    Accounting(
        id="opacus-central-limit",
        title="The limit of a central limit theorem is reported as an upper bound.",
        bug_class="accountant",
        sources=(
            Source("https://github.com/meta-pytorch/opacus/issues/384"),
            Source("https://github.com/meta-pytorch/opacus/pull/400"),
        ),
        broken=central_limit,
        fixed=renyi,
        delta=Fraction(1, 100_000),
        adjacency=AddOrRemoveOne,
    ),
    Accounting(
        id="opacus-reading-spends-less",
        title="Asking for epsilon takes the last entry off the history.",
        bug_class="state",
        sources=(
            Source("https://github.com/meta-pytorch/opacus/issues/535"),
            Source("https://github.com/meta-pytorch/opacus/pull/541"),
        ),
        broken=lambda: _two_phases(take=True),
        fixed=lambda: _two_phases(take=False),
        delta=Fraction(1, 100_000),
        adjacency=AddOrRemoveOne,
    ),
    Accounting(
        id="tensorflow-privacy-epsilon-zero",
        title="An order near 1 makes epsilon 0, which was reported as a bug; at this delta it is 0.",
        bug_class="accountant",
        level="safe",
        sources=(Source("https://github.com/tensorflow/privacy/issues/166"),),
        broken=order_of_nearly_one,
        fixed=orders_above,
        delta=Fraction(1, 1_000),
        adjacency=AddOrRemoveOne,
    ),
    Accounting(
        id="smartnoise-odometer-without-logarithm",
        title="Advanced composition without the logarithm of 1 / delta reports too much.",
        bug_class="accountant",
        level="safe",
        sources=(Source("https://github.com/opendp/smartnoise-sdk/issues/621"),),
        broken=lambda: _odometer(1 / 1e-3),
        fixed=lambda: _odometer(math.log(1 / 1e-3)),
        delta=Fraction(1, 1_000),
        adjacency=AddOrRemoveOne,
    ),
)
