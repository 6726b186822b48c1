"""The library's formulas by stable ids: what obligations are about and what certificates keep readings of.

A formula's id is ``subject.function``: the algorithm's registered name, or the part of the library that it belongs to.
Files may move; an id stays, and with it every certificate.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

# Where the formulas of each subject stand; what a module does not define is looked for in the next.
SUBJECTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "gradient-descent": ("dpref.algorithms.erm.gradient_descent",),
        "dynamic-gradient-descent": ("dpref.algorithms.erm.schedules", "dpref.algorithms.erm.risk_bounds"),
        "svrg": ("dpref.algorithms.erm.svrg_plan", "dpref.algorithms.erm.svrg"),
        "svrg-plus-plus": ("dpref.algorithms.erm.svrg_plus_plus",),
        "adaptive-gradient-descent": ("dpref.algorithms.kl.adaptive_plan",),
        "spider": ("dpref.algorithms.kl.spider_schedule",),
        "online-frank-wolfe": ("dpref.algorithms.online.calibration", "dpref.algorithms.online.risk_bounds"),
        "mirror-descent": ("dpref.algorithms.saddle.mirror_descent", "dpref.algorithms.saddle.parameters"),
        "bias-reduced-mirror-descent": ("dpref.algorithms.saddle.bias_reduced_mirror_descent",),
        "composition": ("dpref.privacy.composition",),
        "conversions": ("dpref.privacy.conversions",),
        "curves": ("dpref.privacy.curves",),
        "divergences": ("dpref.privacy.divergences",),
        "erm": ("dpref.problems.erm",),
        "exponential-mechanism": ("dpref.mechanisms.exponential",),
        "fast-path": ("dpref.privacy.fast_fft", "dpref.privacy.fast_lower"),
        "gaussian-mechanism": ("dpref.mechanisms.gaussian",),
        "projection": ("dpref.geometry.sets",),
        "renyi": ("dpref.privacy.renyi",),
        "selection": ("dpref.privacy.selection",),
        "stream": ("dpref.problems.stream",),
        "subsampled-gaussian": ("dpref.privacy.subsampled_gaussian",),
        "svrg-witness": ("dpref.audit.svrg_witness",),
        "tradeoff": ("dpref.privacy.tradeoff",),
        "truncated-geometric": ("dpref.mechanisms.truncated_geometric",),
        "without-replacement": ("dpref.privacy.without_replacement",),
    }
)


def formula(name: str) -> Callable[..., Any]:
    """The library function of an id.

    Raises:
        KeyError: If the subject is unknown or has no function of that name.

    >>> formula("conversions.zcdp_rho").__name__
    'zcdp_rho'
    """
    subject, _, function = name.partition(".")
    for place in SUBJECTS[subject]:
        found: Callable[..., Any] | None = vars(importlib.import_module(place)).get(function)
        if found is not None:
            return found
    raise KeyError(name)


def place_of(name: str) -> str:
    """The dotted name under which a formula stands today: for links, not for certificates.

    >>> place_of("erm.mean_gradient_sensitivity")
    'dpref.problems.erm.mean_gradient_sensitivity'
    """
    found = formula(name)
    return f"{found.__module__}.{found.__qualname__}"
