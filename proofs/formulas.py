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
        "gradient-descent": ("dpref.algorithms.gradient_descent.formulas",),
        "dynamic-gradient-descent": (
            "dpref.algorithms.dynamic_gradient_descent.formulas",
            "dpref.algorithms.dynamic_gradient_descent.utility",
        ),
        "svrg": ("dpref.algorithms.svrg.formulas", "dpref.algorithms.svrg.utility"),
        "svrg-plus-plus": ("dpref.algorithms.svrg_plus_plus.plan",),
        "adaptive-gradient-descent": ("dpref.algorithms.adaptive_gradient_descent.formulas",),
        "spider": ("dpref.algorithms.spider.formulas",),
        "online-frank-wolfe": (
            "dpref.algorithms.online_frank_wolfe.formulas",
            "dpref.algorithms.online_frank_wolfe.utility",
        ),
        "mirror-descent": ("dpref.algorithms.mirror_descent.formulas", "dpref.algorithms.mirror_descent.utility"),
        "bias-reduced-mirror-descent": ("dpref.algorithms.bias_reduced_mirror_descent.formulas",),
        "composition": ("dpref.privacy.closed_forms.composition",),
        "conversions": ("dpref.privacy.closed_forms.conversions",),
        "curves": ("dpref.privacy.closed_forms.curves",),
        "divergences": ("dpref.privacy.closed_forms.divergences",),
        "erm": ("dpref.problems.erm",),
        "exponential-mechanism": ("dpref.mechanisms.exponential",),
        "fast-path": ("dpref.privacy.fast.fft", "dpref.privacy.fast.lower"),
        "gaussian-mechanism": ("dpref.mechanisms.gaussian",),
        "projection": ("dpref.geometry.sets",),
        "renyi": ("dpref.privacy.renyi.divergences",),
        "selection": ("dpref.privacy.renyi.selection",),
        "stream": ("dpref.problems.stream",),
        "subsampled-gaussian": ("dpref.privacy.renyi.subsampled_gaussian",),
        "svrg-witness": ("dpref.audit.svrg_witness",),
        "tradeoff": ("dpref.privacy.closed_forms.tradeoff",),
        "truncated-geometric": ("dpref.mechanisms.truncated_geometric",),
        "without-replacement": ("dpref.privacy.renyi.without_replacement",),
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
