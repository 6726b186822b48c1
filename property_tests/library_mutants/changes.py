"""What one change is: every variant of a module's syntax tree that differs in one number, operator or rounding."""

from __future__ import annotations

import ast
import copy
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from property_tests.library_mutants import scope

_OPERATORS: Final[dict[type[ast.AST], tuple[type[ast.AST], ...]]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}

_PAIRS: Final = (
    ("upper", "lower"),
    ("float_up", "float_down"),
    ("decimal_up", "decimal_down"),
    ("ceil", "floor"),
    ("max", "min"),
    ("maximum", "minimum"),
    ("ROUND_CEILING", "ROUND_FLOOR"),
)
_DIRECTION: Final = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
_NUMERAL: Final = re.compile(r"[0-9.]+")


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes:
        module: Of the library.
        function: Qualified name, or ``<module>`` or a class for what runs when the module is imported.
        change: In words, unique within the function.
        line: Where.
        site: Position of the changed node in the module's tree, and which change of that node.
    """

    module: str
    function: str
    change: str
    line: int
    site: tuple[int, int]

    @property
    def name(self) -> str:
        """The function's full name."""
        return f"{self.module}:{self.function}"

    @property
    def at_import(self) -> bool:
        """Whether the change runs when the module is imported (a constant, a default), not in a call."""
        return self.function == "<module>" or self.change.startswith("default ")


@cache
def parsed(module: str) -> ast.Module:
    """The module's tree."""
    return ast.parse(scope.path_of(module).read_text(encoding="utf-8"))


@cache
def mutants(module: str) -> list[Mutant]:
    """Every change of a module, in the order of its text."""
    tree = parsed(module)
    position = {id(node): i for i, node in enumerate(ast.walk(tree))}
    found: list[Mutant] = []
    taken: dict[str, int] = {}
    for node, function, where in sites(tree, "", ""):
        for kind, (words, _) in enumerate(variants(node)):
            name = f"{where}{words} in `{_line(tree, node)}`"
            taken[function + name] = taken.get(function + name, 0) + 1
            if taken[function + name] > 1:
                name += f" ({taken[function + name]})"
            line = getattr(node, "lineno", 0)
            found.append(Mutant(module, function or "<module>", name, line, (position[id(node)], kind)))
    return sorted(found, key=lambda m: m.line)


def changed(mutant: Mutant) -> ast.Module:
    """The module's tree with the one change."""
    tree = copy.deepcopy(parsed(mutant.module))
    site, kind = mutant.site
    for i, node in enumerate(ast.walk(tree)):
        if i == site:
            variants(node)[kind][1]()
            break
    return ast.fix_missing_locations(tree)


_STATEMENTS: dict[int, dict[int, str]] = {}


def _line(tree: ast.Module, node: ast.AST) -> str:
    """The innermost statement (its head only) that holds a node, as text."""
    if id(tree) not in _STATEMENTS:
        table: dict[int, str] = {}
        for statement in ast.walk(tree):
            if isinstance(statement, ast.stmt | ast.match_case):
                text = ast.unparse(statement).split("\n")[0] if not isinstance(statement, ast.FunctionDef) else "def"
                for child in ast.walk(statement):
                    table[id(child)] = text[:90]
        _STATEMENTS[id(tree)] = table
    return _STATEMENTS[id(tree)].get(id(node), "")


def sites(node: ast.AST, function: str = "", where: str = "") -> Iterator[tuple[ast.AST, str, str]]:
    """Every node that may change, with its function; no texts, annotations, messages, log lines or decorators."""
    match node:
        case ast.FunctionDef(name=name, args=arguments, body=body):
            inner = name if not function else f"{function}.{name}"
            if not scope.mutated(inner):
                return
            for value in (*arguments.defaults, *(v for v in arguments.kw_defaults if v is not None)):
                yield from sites(value, inner, where or "default ")
            for child in body:
                yield from sites(child, inner, where)
        case ast.ClassDef(name=name, body=statements):
            inner = name if not function else f"{function}.{name}"
            for statement in statements:
                yield from sites(statement, inner, where if isinstance(statement, ast.FunctionDef) else "default ")
        case ast.AnnAssign(value=value):
            if value is not None:
                yield from sites(value, function, where)
        case ast.Raise() | ast.JoinedStr() | ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
            return
        case ast.Call(func=ast.Attribute(value=ast.Name(id="_log"))):
            return
        case _:
            yield node, function, where
            for part in ast.iter_child_nodes(node):
                yield from sites(part, function, where)


def variants(node: ast.AST) -> list[tuple[str, Callable[[], None]]]:  # noqa: PLR0911 - a table, one line a kind
    """The changes of one node: each in words, and as something that makes it in place."""
    match node:
        case ast.Constant(value=bool() | None | bytes()):
            return []
        case ast.Constant(value=int() | float() as value):
            return [(f"{value} -> {v}", _setter(node, "value", v)) for v in _numbers(value)]
        case ast.Call(func=ast.Name(id="Fraction"), args=[ast.Constant(value=str(text)) as constant]):
            if _NUMERAL.fullmatch(text):
                return [(f"{text} -> {text}0", _setter(constant, "value", f"{2 * float(text)!r}"))]
            return []
        case ast.BinOp(op=operator) | ast.AugAssign(op=operator) | ast.BoolOp(op=operator):
            return _operators(node, "op", operator)
        case ast.Compare(ops=operators):
            return [
                (f"{type(op).__name__} -> {new.__name__}", _item_setter(operators, i, new()))
                for i, op in enumerate(operators)
                for new in _OPERATORS.get(type(op), ())
            ]
        case ast.UnaryOp(op=ast.USub()):
            return [("USub -> UAdd", _setter(node, "op", ast.UAdd()))]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return [("drop not", _setter(node, "operand", ast.UnaryOp(ast.Not(), operand)))]
        case ast.Call(func=ast.Attribute(attr="sqrt" | "isqrt"), args=[argument]):
            return [("drop sqrt", _setter_call(node, argument))]
        case ast.Name(id=name, ctx=ast.Load()) if name in _DIRECTION:
            return [(f"{name} -> {_DIRECTION[name]}", _setter(node, "id", _DIRECTION[name]))]
        case ast.Attribute(attr=name, ctx=ast.Load()) if name in _DIRECTION:
            return [(f"{name} -> {_DIRECTION[name]}", _setter(node, "attr", _DIRECTION[name]))]
    return []


def _operators(node: ast.AST, field: str, operator: ast.AST) -> list[tuple[str, Callable[[], None]]]:
    return [
        (f"{type(operator).__name__} -> {new.__name__}", _setter(node, field, new()))
        for new in _OPERATORS.get(type(operator), ())
    ]


def _numbers(value: float) -> list[float]:
    """Double, half, one more, one less and the root, where these are other numbers of the same type."""
    if isinstance(value, int):
        found: list[float] = [2 * value, value + 1, value - 1]
        found += [value // 2] if value % 2 == 0 else []
        found += [math.isqrt(value)] if value > 0 and math.isqrt(value) ** 2 == value else []
    else:
        found = [2 * value, value / 2, value + 1, value - 1]
        found += [math.sqrt(value)] if value > 0 else []
    return [v for v in dict.fromkeys(found) if v != value]


def _setter(node: ast.AST, field: str, value: object) -> Callable[[], None]:
    return lambda: setattr(node, field, value)


def _item_setter(items: list[ast.cmpop], i: int, value: ast.AST) -> Callable[[], None]:
    def change() -> None:
        assert isinstance(value, ast.cmpop)
        items[i] = value

    return change


def _setter_call(node: ast.Call, argument: ast.expr) -> Callable[[], None]:
    """``sqrt(x)`` becomes ``x``: the call is kept, to the function that returns its argument."""

    def change() -> None:
        node.func = ast.Lambda(ast.arguments([], [ast.arg("_")], None, [], [], None, []), ast.Name("_", ast.Load()))
        node.args = [argument]

    return change
