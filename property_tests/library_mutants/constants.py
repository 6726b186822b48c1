"""A change of a module's constant: the constant is bound anew wherever it was imported to."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from pathlib import Path

from property_tests.library_mutants import changes


def is_plain(mutant: changes.Mutant) -> bool:
    """Whether a change is in a constant that only functions read, so that binding it anew is enough."""
    statement = statement_of(mutant)
    if mutant.function != "<module>" or not isinstance(statement, ast.Assign | ast.AnnAssign):
        return False
    names = targets(statement)
    others = [s for s in changes.parsed(mutant.module).body if s is not statement]
    read = {n.id for other in others for n in at_import(other) if isinstance(n, ast.Name)}
    return (
        bool(names) and not names & read and not any(_imports(m, mutant.module) & names & _read(m) for m in _modules())
    )


def bind(mutant: changes.Mutant) -> None:
    """Give a plain constant its changed value, wherever it is imported to."""
    statement = next(s for s in changes.changed(mutant).body if s.lineno == statement_of(mutant).lineno)
    scratch = dict(vars(sys.modules[mutant.module]))
    exec(compile(ast.Module([statement], []), "<mutant>", "exec"), scratch)  # noqa: S102 - the library's own text
    for name in targets(statement):
        vars(sys.modules[mutant.module])[name] = scratch[name]
        for module in _modules():
            if name in _imports(module, mutant.module):
                vars(sys.modules[module])[name] = scratch[name]


def _modules() -> list[str]:
    """The modules of the library, of the proofs and of the tests that are loaded and have a file."""
    tops = ("dpref", "proofs", "tests", "property_tests")
    return [n for n, m in sys.modules.items() if n.partition(".")[0] in tops and getattr(m, "__file__", None)]


@functools.cache
def _tree(module: str) -> ast.Module:
    return ast.parse(Path(str(sys.modules[module].__file__)).read_text(encoding="utf-8"))


@functools.cache
def _imported(module: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.ImportFrom):
            found.setdefault(str(node.module), set()).update(a.name for a in node.names if a.asname is None)
    return {origin: frozenset(names) for origin, names in found.items()}


def _imports(module: str, origin: str) -> frozenset[str]:
    """The names that a module imports from another."""
    return _imported(module).get(origin, frozenset())


@functools.cache
def _read(module: str) -> frozenset[str]:
    """The names that a module reads while it is imported."""
    return frozenset(n.id for s in _tree(module).body for n in at_import(s) if isinstance(n, ast.Name))


def at_import(statement: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement that are evaluated at import: no body of a function, no annotation."""
    match statement:
        case ast.FunctionDef(decorator_list=decorators, args=arguments):
            parts: list[ast.AST] = [*decorators, *arguments.defaults, *(d for d in arguments.kw_defaults if d)]
        case ast.Lambda(args=arguments):
            parts = [*arguments.defaults, *(d for d in arguments.kw_defaults if d)]
        case ast.AnnAssign(value=value):
            parts = [value] if value is not None else []
        case _:
            yield statement
            parts = list(ast.iter_child_nodes(statement))
    for part in parts:
        yield from at_import(part)


def statement_of(mutant: changes.Mutant) -> ast.stmt:
    """The statement of the module that a change is in."""
    body = changes.parsed(mutant.module).body
    return next(s for s in body if s.lineno <= mutant.line <= (s.end_lineno or 0))


def targets(statement: ast.stmt) -> set[str]:
    """The names that a statement binds."""
    match statement:
        case ast.Assign(targets=targets):
            return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
    return set()
