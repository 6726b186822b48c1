"""The side conditions of the kernel's rules, read from their syntax trees, and the kernel without some of them.

A side condition is what a ``require`` demands, or what stands before a ``raise Rejected``; each part of one that could
be left out alone counts alone, and so do the parts of a name that one is made of.  A statement that only looks at a
term or a box, ``along`` and ``smooth``, the relations that a premise may have, and each use of `known_on` and of
`at_place` are conditions too.
"""

from __future__ import annotations

import ast
import copy
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

import proofs

TRUSTED: Final = ("terms", "algebra", "kernel", "balls", "induction")
TREES: Final = {m: ast.parse((Path(proofs.__file__).parent / f"{m}.py").read_text(encoding="utf-8")) for m in TRUSTED}
LOOKS: Final = ("normal", "within", "check_term", "check_box")  # a statement of these alone refuses or does nothing
USES: Final = ("known_on", "at_place")
RELATIONS: Final = ("ORDER", "(*ORDER, '==')")  # which a premise may have, where not all of them will do
# What decides between > and >=, or is looked up in a table: no ``require`` is made of it.
MORE: Final = {"monotone": ("strict",), "lies_in": (None,), "join": ("a.relation == b.relation",), "refute": ("zero",)}
PACKAGE: Final = "less_careful"


@dataclass(frozen=True)
class Condition:
    """One part of a side condition.

    Attributes:
        name: The function that asks for it and the part, as Python writes it; the same text again has a number.
        module: The trusted file.
        place: Which node of the file's syntax tree it is.
        satisfied: The value with which nothing is refused; None where the node goes or only its argument stays.
    """

    name: str
    module: str
    place: int
    satisfied: bool | None


def _assigned(name: str, function: ast.FunctionDef) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and [ast.unparse(t) for t in node.targets] == [name]:
            if isinstance(node.value, ast.BoolOp):
                yield node.value
            elif isinstance(node.value, ast.ListComp):
                yield from (c for g in node.value.generators for c in g.ifs)


def _parts(
    node: ast.expr, satisfied: bool, function: ast.FunctionDef, names: frozenset[str] = frozenset()
) -> Iterator[tuple[ast.expr, bool]]:
    """A condition and its parts: each can be left out alone."""
    inner: list[tuple[ast.expr, bool]] = []
    whole = True
    if isinstance(node, ast.BoolOp):
        inner = [(v, satisfied) for v in node.values]
        whole = isinstance(node.op, ast.And) != satisfied
        if whole:  # all that matters of these are parts that are conditions again
            inner = [(v, s) for v, s in inner if isinstance(v, ast.BoolOp | ast.UnaryOp)]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner, whole = [(node.operand, not satisfied)], False
    elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("any", "all", "bool"):
        inner = [(g.elt, satisfied) for g in node.args if isinstance(g, ast.GeneratorExp)]
        inner += [(g, satisfied) for g in node.args if isinstance(g, ast.Name)]
        whole = not inner
    elif isinstance(node, ast.Name):
        if node.id in names:
            return
        names |= {node.id}
        inner = [(v, satisfied) for v in _assigned(node.id, function)]
    if whole:
        yield node, satisfied
    for part, value in inner:
        yield from _parts(part, value, function, names)


def _asked(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, bool | None]]:
    """Every node of a function that is a condition, with the value that satisfies it."""
    for node in ast.walk(function):
        called = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and called == "require":
            yield from _parts(node.args[0], True, function)
        elif isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise):
            yield from _parts(node.test, False, function)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            if ast.unparse(node.value.func).rpartition(".")[2] in LOOKS:
                yield node, None
        elif called in USES or (isinstance(node, ast.keyword) and ast.unparse(node) in ("along=x", "smooth=True")):
            yield node, None
            yield from ((a, None) for a in getattr(node, "args", ()) if ast.unparse(a) == "('==',)")
        elif isinstance(node, ast.IfExp) and ast.unparse(node.orelse) in RELATIONS:
            yield node, None
        for wanted in MORE.get(function.name, ()):
            if wanted is None and isinstance(node, ast.Return) and node.value is not None:
                yield from _parts(node.value, True, function)
            elif isinstance(node, ast.IfExp | ast.Dict):
                tests = [node.test] if isinstance(node, ast.IfExp) else node.values
                found = [n for t in tests for n in ast.walk(t) if isinstance(n, ast.expr) and ast.unparse(n) == wanted]
                yield from (p for n in found for p in _parts(n, True, function))


@cache
def conditions() -> dict[str, Condition]:
    """Return every part of every side condition of the trusted files, by its name."""
    found, seen = dict[str, Condition](), Counter[str]()
    for module, tree in TREES.items():
        places, asked = {id(node): place for place, node in enumerate(ast.walk(tree))}, set[int]()
        for function in (f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and f.name != "require"):
            for node, satisfied in _asked(function):
                if id(node) not in asked:
                    asked.add(id(node))
                    name = f"{function.name}: {ast.unparse(node)}"
                    seen[name] += 1
                    name += f" ({seen[name]})" * (seen[name] > 1)
                    found[name] = Condition(name, module, places[id(node)], satisfied)
    return found


def tree_without(module: str, *names: str) -> ast.Module:
    """Return the syntax tree of a trusted file in which nothing asks for these conditions."""
    tree = copy.deepcopy(TREES[module])
    nodes = [*ast.walk(tree)]
    for c in map(conditions().__getitem__, names):
        if c.module == module:
            _satisfy(tree, nodes[c.place], c.satisfied)
    return ast.fix_missing_locations(tree)


@cache
def _code(module: str, names: tuple[str, ...]) -> CodeType:
    tree = tree_without(module, *names)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("proofs."):
            node.module = f"{PACKAGE}.{node.module.removeprefix('proofs.')}"
    return compile(tree, f"{PACKAGE}/{module}.py", "exec")


def kernel_without(*names: str) -> Any:
    """Return the trusted files as modules of their own, in memory, in which nothing asks for these conditions."""
    sys.modules[PACKAGE] = ModuleType(PACKAGE)
    try:
        for name in TRUSTED:
            module = sys.modules[f"{PACKAGE}.{name}"] = ModuleType(f"{PACKAGE}.{name}")
            here = tuple(n for n in names if conditions()[n].module == name)
            exec(_code(name, here), vars(module))  # noqa: S102 - our own files, less a condition
        return sys.modules[f"{PACKAGE}.kernel"]
    finally:
        for name in [n for n in sys.modules if n.partition(".")[0] == PACKAGE]:
            del sys.modules[name]


def _satisfy(tree: ast.Module, part: ast.AST, satisfied: bool | None) -> None:
    new: ast.AST | None = ast.Constant(satisfied)
    if isinstance(part, ast.Expr):
        new = ast.Pass()
    elif isinstance(part, ast.keyword):
        new = None
    elif isinstance(part, ast.IfExp | ast.Tuple):
        new = ast.parse("('==', *ORDER)", mode="eval").body
    elif satisfied is None and isinstance(part, ast.Call):
        used = isinstance(part.func, ast.Name) and part.func.id == "known_on"
        kept = ", ".join(map(ast.unparse, part.args[:1] if used else part.args[1:]))
        new = ast.parse(f"({kept}).claim.expr" if used else f"substitute({kept})", mode="eval").body
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is part:
                setattr(parent, name, new)
            elif isinstance(value, list) and any(v is part for v in value):
                changed = [new if v is part else v for v in value]
                setattr(parent, name, [v for v in changed if v is not None])
