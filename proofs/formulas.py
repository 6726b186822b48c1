"""The library's formulas by stable ids: what obligations are about and what certificates keep readings of.

A formula's id is ``subject.function``: the algorithm's registered name, or the part of the library that it belongs to.
Files may move; an id stays, and with it every certificate.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from dpref.errors import InvalidArgumentError

ROLES: Final = ("formulas", "utility", "plan")

# Where the formulas of a subject stand that is no algorithm; what a module does not define is looked for in the next.
SUBJECTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "allocations": ("dpref.privacy.closed_forms.allocations",),
        "amplification": ("dpref.privacy.closed_forms.amplification",),
        "composition": ("dpref.privacy.closed_forms.composition",),
        "conversions": ("dpref.privacy.closed_forms.conversions",),
        "curves": ("dpref.privacy.closed_forms.curves",),
        "divergences": ("dpref.privacy.closed_forms.divergences",),
        "erm": ("dpref.problems.erm",),
        "exponential-mechanism": ("dpref.mechanisms.exponential",),
        "fast-path": ("dpref.privacy.fast.fft", "dpref.privacy.fast.lower"),
        "gaussian-mechanism": ("dpref.mechanisms.gaussian",),
        "guarantees": ("dpref.privacy.closed_forms.guarantees",),
        "losses": ("dpref.problems.losses",),
        "lower-bounds": ("dpref.problems.lower_bounds",),
        "projection": ("dpref.geometry.sets",),
        "renyi": ("dpref.privacy.renyi.divergences",),
        "selection": ("dpref.privacy.closed_forms.best_of", "dpref.privacy.renyi.selection"),
        "smoothing": ("dpref.privacy.closed_forms.smoothing",),
        "sparsification": ("dpref.mechanisms.sparsification",),
        "stream": ("dpref.problems.stream",),
        "subsampled-gaussian": ("dpref.privacy.renyi.subsampled_gaussian",),
        "svrg-witness": ("dpref.audit.papers.dp_erm_revisited.witnesses",),
        "tradeoff": ("dpref.privacy.closed_forms.tradeoff",),
        "variance-reduction": ("dpref.privacy.closed_forms.variance_reduction",),
        "truncated-geometric": ("dpref.mechanisms.truncated_geometric",),
        "variance-reduced": ("dpref.mechanisms.variance_reduced",),
        "without-replacement": ("dpref.privacy.renyi.without_replacement",),
    }
)


def places(subject: str) -> tuple[str, ...]:
    """The modules in which a subject's formulas are looked for: of an algorithm, those of its folder.

    >>> places("spider")[0]
    'dpref.algorithms.spider.formulas'
    """
    folder = "dpref.algorithms." + subject.replace("-", "_")
    of_an_algorithm = (f"{folder}.{role}" for role in ROLES if _exists(folder) and _exists(f"{folder}.{role}"))
    return SUBJECTS.get(subject) or tuple(of_an_algorithm)


def _exists(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


@cache
def _place(name: str) -> str:
    subject, _, function = name.partition(".")
    for place in places(subject):
        if hasattr(importlib.import_module(place), function):
            return place
    rule = f"must be subject.function: a formula of an algorithm, or of {', '.join(SUBJECTS)}"
    raise InvalidArgumentError("formula", name, rule)


def formula(name: str) -> Callable[..., Any]:
    """The library function of an id.

    Raises:
        InvalidArgumentError: If the subject is unknown or has no function of that name.

    >>> formula("conversions.zcdp_rho").__name__
    'zcdp_rho'
    """
    found: Callable[..., Any] = getattr(importlib.import_module(_place(name)), name.partition(".")[2])
    return found


def place_of(name: str) -> str:
    """The dotted name under which a formula stands today: for links, not for certificates.

    >>> place_of("erm.mean_gradient_sensitivity")
    'dpref.problems.erm.mean_gradient_sensitivity'
    """
    found = formula(name)
    return f"{found.__module__}.{found.__qualname__}"
