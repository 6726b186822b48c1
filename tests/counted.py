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
    """What of the library a function calls, or hands on to be called, in what it reaches in its own module.

    >>> borrowed("from dpref.a import g, T\\ndef h(x): return g(x)\\ndef f(x: T): return h(x)", "f")
    {'g'}
    """
    tree = ast.parse(source)
    imported = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom | ast.Import)
        and (isinstance(node, ast.Import) or (node.module or "").split(".")[0] == "dpref")
        for name in node.names
        if isinstance(node, ast.ImportFrom) or name.name.split(".")[0] == "dpref"
    }
    own = {node.name: node for node in tree.body if isinstance(node, Defined)}
    found = set()
    for name in reached(source, root) & own.keys():
        for part in own[name].body if not isinstance(own[name], ast.ClassDef) else [own[name]]:
            found |= {node.id for node in ast.walk(part) if isinstance(node, ast.Name) and node.id in imported}
    return found


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
