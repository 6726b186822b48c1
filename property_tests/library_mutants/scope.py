"""Which functions are mutated, and which of them decide privacy: both by rule, in this file alone."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from functools import cache
from pathlib import Path
from typing import Final

import dpref

LIBRARY: Final = Path(dpref.__file__).parent
ROOT: Final = LIBRARY.parent

INSIDE: Final = (
    "dpref.algorithms",
    "dpref.audit.statistics",
    "dpref.audit.papers.dp_erm_revisited.witnesses",
    "dpref.checks",
    "dpref.curator",
    "dpref.geometry",
    "dpref.mechanisms",
    "dpref.privacy",
    "dpref.problems",
    "dpref.reals",
    "dpref.units",
)

# Inside those packages, what decides no noise, sensitivity, guard or bound, with the reason.
OUTSIDE: Final = {
    "dpref.privacy.fast.point": "a point estimate that is labelled as not certified",
}

# Of the modules inside, those of which no privacy statement depends: what is promised of the risk, and geometry.
UTILITY: Final = (
    "dpref.algorithms.dynamic_gradient_descent.iterations",
    "dpref.algorithms.dynamic_gradient_descent.utility",
    "dpref.algorithms.dynamic_gradient_descent.formulas",
    "dpref.algorithms.online_frank_wolfe.utility",
    "dpref.algorithms.mirror_descent.utility",
    "dpref.audit.papers.dp_erm_revisited.witnesses",
    "dpref.geometry.linear_minimization",
    "dpref.geometry.prox",
    "dpref.problems.games",
    "dpref.problems.protocol",
)

# Modules with these names promise something of the risk too, unless something that decides privacy imports them.
_RISK: Final = ("utility", "population", "known_optima", "lower_bounds")

# Modules and functions of instances to begin with, for examples and tests: nothing that is mutated reads their numbers.
_INSTANCES: Final = "examples"

_SHOWN: Final = ("__repr__", "__str__", "__format__", "describe", "to_json")  # texts for people


def library_modules() -> list[str]:
    """Every module of the library, by name."""
    return [m.name for m in pkgutil.walk_packages(dpref.__path__, "dpref.") if not m.name.endswith("__main__")]


def modules() -> list[str]:
    """The modules that are mutated, by name."""
    inside = (m for m in library_modules() if any(m == i or m.startswith(i + ".") for i in INSIDE))
    # Compiled kernels are checked against the references, which are mutated.
    return sorted(m for m in inside if m not in OUTSIDE and not m.endswith(".kernel") and not is_instances(m))


def is_instances(name: str) -> bool:
    """Whether a module or a function only holds instances to begin with."""
    return name.endswith(_INSTANCES)


@cache
def imports(module: str) -> frozenset[str]:
    """The modules of the library that a module imports, anywhere in its text."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path_of(module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{a.name}" for a in node.names)}
        elif isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
    return frozenset(found & _all())


@cache
def _all() -> frozenset[str]:
    return frozenset(library_modules())


def path_of(module: str) -> Path:
    """The file of a module."""
    path = importlib.import_module(module).__file__
    assert path is not None
    return Path(path)


def mutated(qualname: str) -> bool:
    """Whether a function of a module inside is mutated: all but texts for people and instances to begin with."""
    name = qualname.rpartition(".")[2]
    return name not in _SHOWN and not is_instances(name)


def decides_privacy(module: str) -> bool:
    """Whether a wrong number in this module can make a privacy statement false."""
    return module not in UTILITY and module not in _risk()


@cache
def _risk() -> frozenset[str]:
    """The modules whose names promise something of the risk, but for those that others of the modules import."""
    named = {m for m in modules() if m.rpartition(".")[2] in _RISK}
    others = (m for m in modules() if m not in named and m not in UTILITY)
    return frozenset(named.difference(*(imports(m) for m in others)))


def module_of(path: str) -> str:
    """The module's name of a file of the library."""
    return ".".join(Path(path).relative_to(ROOT).with_suffix("").parts)
