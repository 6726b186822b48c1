"""The changes of a module's syntax tree: a number, a comparison, a rounding, an argument, an adjacency, a direction, a
statement or a call at a time."""

from __future__ import annotations

import ast
import copy
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
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
_SWAPPED: Final = (
    ("remove", "add"),
    ("removed", "added"),
    ("above", "below"),
    ("REMOVED", "ADDED"),
    ("raised", "lowered"),
)
_ADJACENCIES: Final = ("ReplaceOne", "AddOrRemoveOne", "ZeroOut")
_DROPPED: Final = {
    *(name for pair in _PAIRS[:3] for name in pair),
    "abs",
    "ceil",
    "floor",
    "exp",
    "expm1",
    "log",
    "log1p",
    "sqrt",
    "isqrt",
    "tanh",
    "erfc",
    "exact",
    "ball",
}
_SYMMETRIC: Final = {"max", "min", "maximum", "minimum", "isinstance", "zip", "range", "Interval", "gcd", "isclose"}
_DIRECTION: Final = {a: b for pair in (*_PAIRS, *_SWAPPED) for a, b in (pair, pair[::-1])}
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
    def key(self) -> str:
        """The mutant under a name that outlives a move of its module: the function and the changed text."""
        return f"{self.function}: {self.change}"

    def reaches(self, executed: str) -> bool:
        """Whether an executed function shows the change: of what runs at import, any of its module does."""
        module, _, function = executed.partition(":")
        at_import = self.function == "<module>" or self.change.startswith("default ")
        return module == self.module and (at_import or function.startswith(self.function))


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
    bound = {a.asname or a.name for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names}
    bound |= {getattr(n, "name", "") for n in tree.body}
    for home, names in _HOMES.items():  # the opposite direction or another adjacency need not be imported
        new = [ast.alias(n) for n in names if n not in bound and f"-> {n} " in mutant.change + " "]
        if new and mutant.module != home:
            future = next(i for i, n in enumerate(tree.body) if not isinstance(n, ast.Expr)) + 1
            tree.body.insert(future, ast.ImportFrom(home, new, 0))
    return ast.fix_missing_locations(tree)


_HOMES: Final = {
    "dpref.units": _ADJACENCIES,
    "dpref.reals": ("upper", "lower", "float_up", "float_down", "decimal_up", "decimal_down"),
}


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
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="_log")))):
            return
        case _:
            yield node, function, where
            for part in ast.iter_child_nodes(node):
                yield from sites(part, function, where)


def variants(node: ast.AST) -> list[tuple[str, Callable[[], None]]]:  # noqa: PLR0911, PLR0912 - a table, one line a kind
    """The changes of one node: each in words, and as something that makes it in place."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return [(f"{value} -> {v}", _setter(node, "value", v)) for v in _numbers(value)]
        case ast.Call(func=ast.Name(id="Fraction"), args=[ast.Constant(value=str(text)) as constant]):
            if _NUMERAL.fullmatch(text):
                return [(f"{text} -> {text}0", _setter(constant, "value", f"{2 * float(text)!r}"))]
            return []
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
        case ast.Call(args=[_, *_]):
            return _calls(node)
        case ast.Expr(value=ast.Call()):
            return [("drop statement", _setter(node, "value", ast.Constant(None)))]
        case ast.AugAssign(op=operator, target=ast.Name(id=name)):
            kept = ast.Assign([ast.Name(name, ast.Store())], ast.Name(name, ast.Load()))
            return [*_operators(node, "op", operator), ("drop statement", _replaced(node, kept))]
        case ast.BinOp(op=operator) | ast.BoolOp(op=operator):
            return _operators(node, "op", operator)
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _reads(value, name):
            return [("drop statement", _setter(node, "value", ast.Name(name, ast.Load())))]
        case ast.If(orelse=[]):
            return [("drop guard", _setter(node, "test", ast.Constant(False)))]
        case ast.IfExp(body=body, orelse=other):
            return [("swap branches", _both(node, "body", other, "orelse", body))]
        case ast.Return(value=ast.Tuple(elts=[first, second]) as results):
            return [("swap results", _setter(results, "elts", [second, first]))]
        case ast.Name(id=name, ctx=ast.Load()) if name in _ADJACENCIES:
            return [(f"{name} -> {new}", _setter(node, "id", new)) for new in _ADJACENCIES if new != name]
        case ast.Constant(value=str(text)) if text in _DIRECTION:
            return [(f"{text!r} -> {_DIRECTION[text]!r}", _setter(node, "value", _DIRECTION[text]))]
        case ast.Constant(value=bool(value)):
            return [(f"{value} -> {not value}", _setter(node, "value", not value))]
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


def _both(node: ast.AST, field: str, value: object, other: str, instead: object) -> Callable[[], None]:
    def change() -> None:
        setattr(node, field, value)
        setattr(node, other, instead)

    return change


def _replaced(node: ast.AST, other: ast.AST) -> Callable[[], None]:
    """A node becomes one of another kind in its place."""

    def change() -> None:
        node.__class__ = other.__class__
        vars(node).update(vars(other))

    return change


def _reads(value: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(value))


def _calls(node: ast.Call) -> list[tuple[str, Callable[[], None]]]:
    """A call is dropped for its argument, or for each of two that it compares; neighbouring arguments are swapped."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    found: list[tuple[str, Callable[[], None]]] = []
    if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        return found
    if name in _DROPPED and len(node.args) == 1:
        found.append((f"drop {name}", _replaced(node, node.args[0])))
    if name in {"max", "min"} and len(node.args) == 2:
        found += [(f"drop {name} for {ast.unparse(a)[:30]}", _replaced(node, a)) for a in node.args]
    if name not in _SYMMETRIC:
        for i, (a, b) in enumerate(pairwise(node.args)):
            if ast.dump(a) != ast.dump(b) and ast.unparse(a) not in ("BALL", "FLOAT", "o"):
                words = f"swap {ast.unparse(a)[:25]} and {ast.unparse(b)[:25]} of {name}"
                found.append((words, _setter(node, "args", [*node.args[:i], b, a, *node.args[i + 2 :]])))
    return found
