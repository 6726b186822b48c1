"""The side conditions of the kernel's rules, read from their syntax trees, and the kernel without one of them.

A side condition is what a ``require`` demands, or what stands before a ``raise Rejected``; each part of one that could
be left out alone counts alone.  `kernel_without` makes a kernel in memory in which one part is always satisfied.
"""

from __future__ import annotations

import ast
import copy
import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import proofs

TRUSTED: Final = ("terms", "algebra", "kernel", "balls", "induction")
TREES: Final = {m: ast.parse((Path(proofs.__file__).parent / f"{m}.py").read_text(encoding="utf-8")) for m in TRUSTED}
_number = itertools.count()


@dataclass(frozen=True)
class Condition:
    """One part of a side condition.

    Attributes:
        module: The trusted file.
        function: The function that asks for it.
        place: Which node of the file's syntax tree it is.
        satisfied: The value with which nothing is refused.
        text: The part, as Python writes it.
    """

    module: str
    function: str
    place: int
    satisfied: bool
    text: str


def _parts(node: ast.expr, satisfied: bool) -> Iterator[tuple[ast.expr, bool]]:
    """A condition and its parts: each can be left out alone."""
    inner: list[tuple[ast.expr, bool]] = []
    if isinstance(node, ast.BoolOp):
        inner = [(v, satisfied) for v in node.values]
        if isinstance(node.op, ast.And) != satisfied:  # all that matters of these are parts that are conditions again
            inner = [(v, s) for v, s in inner if isinstance(v, ast.BoolOp | ast.UnaryOp)]
            yield node, satisfied
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = [(node.operand, not satisfied)]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("any", "all"):
        inner = [(g.elt, satisfied) for g in node.args if isinstance(g, ast.GeneratorExp)]
    if not inner:
        yield node, satisfied
    for part, value in inner:
        yield from _parts(part, value)


def conditions() -> list[Condition]:
    """Return every part of every side condition of the trusted files."""
    found = list[Condition]()
    for module, tree in TREES.items():
        places = {id(node): place for place, node in enumerate(ast.walk(tree))}
        for function in (f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and f.name != "require"):
            for node in ast.walk(function):
                wanted: tuple[ast.expr, bool] | None = None
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "require":
                    wanted = node.args[0], True
                elif isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise):
                    wanted = node.test, False
                for part, value in _parts(*wanted) if wanted else ():
                    found.append(Condition(module, function.name, places[id(part)], value, ast.unparse(part)))
    return list({(c.module, c.place): c for c in found}.values())


def kernel_without(condition: Condition | None) -> Any:
    """Return the trusted files as modules of their own, in memory, in which nothing asks for that part."""
    package = f"without_{next(_number)}"
    sys.modules[package] = ModuleType(package)
    try:
        for name in TRUSTED:
            tree = copy.deepcopy(TREES[name])
            if condition is not None and condition.module == name:
                _satisfy(tree, condition)
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("proofs."):
                    node.module = f"{package}.{node.module.removeprefix('proofs.')}"
            module = sys.modules[f"{package}.{name}"] = ModuleType(f"{package}.{name}")
            exec(compile(ast.fix_missing_locations(tree), f"{package}/{name}.py", "exec"), vars(module))  # noqa: S102
        return sys.modules[f"{package}.kernel"]
    finally:
        for name in [n for n in sys.modules if n.partition(".")[0] == package]:
            if name != f"{package}.kernel":
                del sys.modules[name]


def _satisfy(tree: ast.Module, condition: Condition) -> None:
    part = [*ast.walk(tree)][condition.place]
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is part:
                setattr(parent, name, ast.Constant(condition.satisfied))
            elif isinstance(value, list) and any(v is part for v in value):
                setattr(parent, name, [ast.Constant(condition.satisfied) if v is part else v for v in value])
