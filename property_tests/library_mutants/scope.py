"""Which functions are mutated, and which of them certify: both by rule, in this file alone."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Final

import dpref

LIBRARY: Final = Path(dpref.__file__).parent
ROOT: Final = LIBRARY.parent

# What certifies, adds noise or plans it; an answer of these is held against a truth.
CERTIFIES: Final = ("dpref.mechanisms", "dpref.privacy", "dpref.reals", "dpref.units", "dpref.checks")
# What plans with these, and what runs or audits: judged by tests.
BESIDE: Final = (
    "dpref.algorithms",
    "dpref.audit.statistics",
    "dpref.curator",
    "dpref.fitting",
    "dpref.foreign",
    "dpref.interop",
    "dpref.kernels",
    "dpref.problems",
)

# Inside those packages, what decides no noise, sensitivity, guard or bound, with the reason.
OUTSIDE: Final = {
    "dpref.privacy.fast.point": "a point estimate that is labelled as not certified",
    "dpref.privacy.refusals": "texts of refusals",
}

_INSTANCES: Final = "examples"  # for examples and tests: nothing that is mutated reads their numbers
_SHOWN: Final = ("__repr__", "__str__", "__format__", "describe", "to_json")  # texts for people


@cache
def library_modules() -> tuple[str, ...]:
    """Every module of the library, by name; none is imported."""
    return tuple(sorted(module_of(str(p)) for p in LIBRARY.rglob("*.py") if p.name != "__main__.py"))


def modules(named: tuple[str, ...] = CERTIFIES) -> list[str]:
    """The modules of some packages that are mutated, by name."""
    inside = (m for m in library_modules() if any(m == i or m.startswith(i + ".") for i in named))
    return [m for m in inside if m not in OUTSIDE and not m.endswith(_INSTANCES)]


@cache
def imports(module: str) -> frozenset[str]:
    """The modules of the library that a module imports, anywhere in its text."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path_of(module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{a.name}" for a in node.names)}
        elif isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
    return frozenset(found & set(library_modules()))


def path_of(module: str) -> Path:
    """The file of a module."""
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def mutated(qualname: str) -> bool:
    """Whether a function of a module inside is mutated: all but texts for people and instances to begin with."""
    name = qualname.rpartition(".")[2]
    return name not in _SHOWN and not name.endswith(_INSTANCES)


def module_of(path: str) -> str:
    """The module's name of a file of the library."""
    return ".".join(Path(path).relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
