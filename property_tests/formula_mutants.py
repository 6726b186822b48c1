"""Library formulas with one thing wrong: a sign, an operation, a constant, an exponent.

``python -m property_tests.formula_mutants`` runs every mutant of every formula that an obligation is about, and prints
the score: a mutant is killed when no obligation about the formula can be proved any more (the drift check alone, which
compares texts, sees every one of them).
"""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs.registry import Obligation, formula, reading, registry

# Formulas of which some mutants survive, with the reason; all others lose every mutant.
SURVIVE = {
    "dpref.audit.svrg_witness.output_event": "any event that breaks the claim is as good a witness",
    "dpref.audit.svrg_witness.linear_output_weights": "only the sum of the squared weights enters a bound",
}

LEAST = Fraction(95, 100)  # of all mutants, killed

_SWAP = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult}


@dataclass(frozen=True)
class Mutant:
    """One formula with one change."""

    name: str
    change: str
    function: Callable[..., Any]


def covered() -> list[str]:
    """The formulas that some obligation is about, in order."""
    return list(dict.fromkeys(name for o in registry().values() for name in o.about))


def obligations_about(name: str) -> list[Obligation]:
    """The obligations that are about a formula."""
    return [o for o in registry().values() if name in o.about]


def mutants(name: str) -> list[Mutant]:
    """Every mutant of a formula that still compiles; those that read as the formula itself are left out."""
    original = formula(name)
    tree = ast.parse(textwrap.dedent(inspect.getsource(original)))
    found, today = [], reading(name)
    for site in range(sum(1 for _ in ast.walk(tree))):
        for kind in ("swap", "negate", "constant", "inverse"):
            changed = copy.deepcopy(tree)
            node = list(ast.walk(changed))[site]
            if not _apply(node, kind, changed):
                continue
            ast.fix_missing_locations(changed)
            scope = dict(vars(sys.modules[original.__module__]))
            exec(compile(changed, "<mutant>", "exec"), scope)  # noqa: S102 - the library's own text, changed in one place
            mutant = Mutant(name, f"{kind} in {ast.unparse(node)}", scope[original.__name__])
            with planted(mutant):
                try:
                    same = reading(name) == today
                except Exception:  # noqa: BLE001 - a mutant may not evaluate at all
                    same = False
            if not same:
                found.append(mutant)
    return found


def _apply(node: ast.AST, kind: str, tree: ast.AST) -> bool:
    """Change one node in place; whether there was something to change."""
    match kind, node:
        case "swap", ast.BinOp(op=operation) if type(operation) in _SWAP:
            node.op = _SWAP[type(operation)]()
        case "inverse", ast.BinOp(op=ast.Pow(), right=exponent):
            node.right = ast.UnaryOp(ast.USub(), exponent)
        case "constant", ast.Constant(value=int(value)) if not _counts_terms(node, tree):
            node.value = value + 1
        case "negate", ast.Return(value=ast.expr() as returned) if not isinstance(
            returned, ast.List | ast.ListComp | ast.Subscript
        ):
            node.value = ast.UnaryOp(ast.USub(), returned)
        case _:
            return False
    return True


def _counts_terms(node: ast.AST, tree: ast.AST) -> bool:
    """Whether a number says how many terms there are, so that it is no constant of the formula."""
    return any(isinstance(c, ast.Call) and _is_range(c) and node in ast.walk(c) for c in ast.walk(tree))


def _is_range(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in ("range", "enumerate")


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """The mutant in place of the formula, in every module that holds it."""
    module, _, function = mutant.name.rpartition(".")
    original = getattr(importlib.import_module(module), function)
    places = [
        m
        for n, m in list(sys.modules.items())
        if n.startswith(("dpref", "proofs")) and vars(m).get(function) is original
    ]
    for m in places:
        setattr(m, function, mutant.function)
    try:
        yield
    finally:
        for m in places:
            setattr(m, function, original)


def killed(mutant: Mutant) -> bool:
    """Whether some obligation about the formula cannot be proved of the mutant."""
    with planted(mutant):
        return any(_fails(o) for o in obligations_about(mutant.name))


def _fails(o: Obligation) -> bool:
    try:
        o.prove()
    except Exception:  # noqa: BLE001 - whatever a wrong formula raises, it is not proved
        return True
    return False


def main() -> int:
    """Print the score, a formula a line, and the survivors; 1 if one is not explained or the score is below 95 %."""
    total = dead = unexplained = 0
    for name in covered():
        all_ = mutants(name)
        survivors = [m for m in all_ if not killed(m)]
        total, dead = total + len(all_), dead + len(all_) - len(survivors)
        sys.stdout.write(f"{len(all_) - len(survivors):3d} / {len(all_):3d}  {name}\n")
        if survivors:
            sys.stdout.write(f"           survivors: {SURVIVE.get(name, 'NOT EXPLAINED')}\n")
            unexplained += name not in SURVIVE
        for m in survivors:
            sys.stdout.write(f"           survivor: {m.change}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{len(covered())} formulas; score {dead} / {total} = {100 * dead / total:.1f} %\n")
    return int(unexplained > 0 or dead < LEAST * total)


if __name__ == "__main__":
    raise SystemExit(main())
