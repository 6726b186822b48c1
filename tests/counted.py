"""How long a re-implementation is, with everything that it calls: one statement a line, however it is written down."""

from __future__ import annotations

import ast
import math
from pathlib import Path
from typing import Final

WIDTH: Final = 120
FOLDER: Final = Path(__file__).parent
Defined = ast.FunctionDef | ast.ClassDef


def lines(source: str, root: str, apart: frozenset[str] = frozenset()) -> int:
    """The lines of a function and of all that it reaches, without docstrings and blank lines, statements taken apart.

    Args:
        source: Of a module.
        root: The function's name, at the top of the module.
        apart: Functions that are algorithms of the paper on their own, and are counted on their own.

    >>> lines("def f():\\n    a = 1; b = 2; return g(a + b)\\ndef g(x): return x", "f")
    6
    """
    seen: set[str] = set()
    return _reached(source, root, seen, apart - {root})


def reached(source: str, root: str) -> set[str]:
    """The names of the functions of a module that a function reaches, itself among them."""
    seen: set[str] = set()
    _reached(source, root, seen, frozenset())
    return seen


def borrowed(source: str, root: str) -> set[str]:
    """What a re-implementation and its helpers take from dpref: names that are imported anywhere, types aside.

    A name that only an annotation has is a type and takes nothing over. What takes a thing from dpref is not written
    again from the paper, so a test allows none but what it lists.

    >>> borrowed("from dpref.a import b\\ndef f(x: b): return b(x)", "f")
    {'dpref.a.b'}
    >>> borrowed("from dpref.a import B\\ndef f(x: B): return x", "f")
    set()
    """
    seen: set[str] = set()
    _reached(source, root, seen, frozenset())
    tree = ast.parse(source)
    own = {node.name: node for node in tree.body if isinstance(node, Defined)}
    modules = _imported(tree)
    found: set[str] = set()
    for name in seen & own.keys():
        local = modules | _imported(own[name])
        found |= {local[used] for used in _used(own[name]) if local.get(used, "").split(".")[0] == "dpref"}
        for used in _used(own[name]):
            module, _, member = local.get(used, "").rpartition(".")
            if module.startswith("tests."):
                found |= borrowed((FOLDER / f"{module.removeprefix('tests.')}.py").read_text("utf-8"), member)
    return found


def _imported(node: ast.AST) -> dict[str, str]:
    """The names that imports bind within a node, at any depth for a function, at the top for a module; what each is."""
    found: dict[str, str] = {}
    for part in node.body if isinstance(node, ast.Module) else ast.walk(node):
        if isinstance(part, ast.ImportFrom):
            found |= {n.asname or n.name: f"{part.module}.{n.name}" for n in part.names}
        elif isinstance(part, ast.Import):
            found |= {n.asname or n.name.split(".")[0]: n.name for n in part.names}
    return found


def _used(node: Defined) -> set[str]:
    """The names that a definition reads from outside: those of annotations and its own arguments left out."""
    types = [a for part in ast.walk(node) for a in (getattr(part, "annotation", None), getattr(part, "returns", None))]
    apart = {id(part) for a in types if isinstance(a, ast.AST) for part in ast.walk(a)}
    own = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and id(part) not in apart} - own


def _reached(source: str, root: str, seen: set[str], apart: frozenset[str]) -> int:
    if root in seen or root in apart:
        return 0
    tree = ast.parse(source)
    own = {node.name: node for node in tree.body if isinstance(node, Defined)}
    taken = {
        name.asname or name.name: (node.module, name.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests.")
        for name in node.names
    }
    if root not in own:
        return 0
    seen.add(root)
    total = _lines(own[root])
    for node in ast.walk(own[root]):
        if isinstance(node, ast.Name) and node.id in own:
            total += _reached(source, node.id, seen, apart)
        elif isinstance(node, ast.Name) and node.id in taken:
            module, name = taken[node.id]
            elsewhere = (FOLDER / f"{(module or '').removeprefix('tests.')}.py").read_text("utf-8")
            total += _reached(elsewhere, name, seen, apart)
    return total


def _lines(node: Defined) -> int:
    """Of one definition, written anew by ``ast.unparse``; a line that is too long counts as many as it would fill."""
    fresh = ast.parse(ast.unparse(node)).body[0]
    for part in ast.walk(fresh):
        if isinstance(part, Defined) and ast.get_docstring(part) is not None:
            part.body = part.body[1:] or [ast.Pass()]
    return sum(math.ceil(len(line) / WIDTH) for line in ast.unparse(fresh).splitlines() if line.strip())
