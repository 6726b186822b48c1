"""Every algorithm of dpref under its name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.checks import one_of

NAMES: Final = (
    "gradient-descent",
    "dynamic-gradient-descent",
    "dynamic-sgd",
    "dynamic-boosting",
    "svrg",
    "svrg-plus-plus",
    "accelerated-mirror-descent",
    "adaptive-gradient-descent",
    "stationary-point",
    "spider",
    "noisy-gradient-descent",
    "proximal-point",
    "online-frank-wolfe",
    "noisy-frank-wolfe",
    "local-mirror-descent",
    "noisy-sgd",
    "polyhedral-frank-wolfe",
    "high-dimensional-bandit",
    "linear-ucb",
    "mirror-descent",
    "bias-reduced-mirror-descent",
    "anytime-mirror-descent",
    "boosted-mirror-descent",
    "variance-reduced-frank-wolfe",
    "synthetic-data",
)


def _declared(name: str) -> AnyAlgorithm:
    found: AnyAlgorithm = import_module("dpref.algorithms." + name.replace("-", "_")).ALGORITHM
    return found


ALGORITHMS: Final[Mapping[str, AnyAlgorithm]] = MappingProxyType({name: _declared(name) for name in NAMES})


def algorithm_named(name: str) -> AnyAlgorithm:
    """The algorithm of that name.

    Raises:
        InvalidArgumentError: If there is none; the message lists the names.

    >>> algorithm_named("gradient-descent").paper
    'dp-erm-revisited'
    """
    one_of("algorithm", name, ALGORITHMS)
    return ALGORITHMS[name]
