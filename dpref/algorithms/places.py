"""Where everything of an algorithm stands in the repository: each place follows from its name or its paper's."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from dpref.algorithms.declaration import AnyAlgorithm

ROLES: Final = {
    "statement": "algorithm",
    "plan": "plan",
    "formulas": "formulas",
    "utility": "utility",
    "kernel": "kernel",
}


def places(algorithm: AnyAlgorithm) -> dict[str, str]:
    """The files and folders of each role, relative to the repository.

    A role for which a variant has no file of its own is the file of the algorithm that it varies, as its tests are.

    Args:
        algorithm: Of the registry.

    >>> from dpref.algorithms.registry import algorithm_named
    >>> places(algorithm_named("spider"))["kernel"]
    'dpref/algorithms/spider/kernel.py'
    """
    folders = [algorithm.folder]
    if algorithm.variant_of:
        folders.append("dpref.algorithms." + algorithm.variant_of.replace("-", "_"))
    found = {}
    for role, name in ROLES.items():
        module = next((f"{folder}.{name}" for folder in folders if find_spec(f"{folder}.{name}")), None)
        if module:
            found[role] = module.replace(".", "/") + ".py"
    paper = algorithm.paper.replace("-", "_")
    return found | {
        "claims": f"dpref/audit/papers/{paper}/claims.py",
        "obligations": f"proofs/papers/{paper}/",
        "tests": f"tests/test_{folders[-1].rpartition('.')[2]}*.py, property_tests/test_algorithms.py",
        "page": f"docs/papers/{algorithm.paper}.md",
    }
