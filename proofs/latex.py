r"""Terms and claims of the kernel as LaTeX, for people: what is shown here is checked nowhere, and checks nothing.

>>> import sympy as sp
>>> x, rho = sp.symbols("x rho")
>>> formula(sp.sqrt(x) / rho)
'\\frac{\\sqrt{x}}{\\rho}'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import sympy as sp
from sympy.printing.latex import LatexPrinter

from proofs.algebra import Domain, Interval
from proofs.terms import Sum, limit_of, loop_of, slope, total

SIGNS: Final[Mapping[str, str]] = {"==": "=", ">": ">", ">=": r"\ge"}
_LOWER: Final = "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
_UPPER: Final = "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
_GREEK: Final = frozenset(f"{_LOWER} {_UPPER}".split())
_VARIANTS: Final[Mapping[str, str]] = {"epsilon": r"\varepsilon", "phi": r"\varphi", "Lambda": r"\Lambda"}


class _Printer(LatexPrinter):  # type: ignore[misc]  # sympy has no types
    """sympy's own, with the field's letters and with words for the heads of the kernel."""

    def _print_Symbol(self, expr: sp.Symbol, style: str = "plain") -> str:
        return letter(expr.name)

    def _print_Function(self, expr: sp.Expr, exp: str | None = None) -> str:
        shown = _HEADS.get(expr.func)
        if shown is None:
            return str(super()._print_Function(expr, exp))
        text = shown(self, expr.args)
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"


def _series(p: _Printer, a: Sequence[Any]) -> str:
    term, index, first, last = a
    inner = p.doprint(term)
    inner = rf"\left({inner}\right)" if term.is_Add else inner
    return rf"\sum_{{{p.doprint(index)}={p.doprint(first)}}}^{{{p.doprint(last)}}}{inner}"


def _added(p: _Printer, a: Sequence[Any]) -> str:
    return rf"\sum_j\left[{p.doprint(a[0])}\right]_j"


def _rate(p: _Printer, a: Sequence[Any]) -> str:
    return rf"\frac{{\partial}}{{\partial {p.doprint(a[1])}}}\left[{p.doprint(a[0])}\right]"


def _limit(p: _Printer, a: Sequence[Any]) -> str:
    side = "+" if a[3] == 1 else "-"
    return rf"\lim_{{{p.doprint(a[1])}\to {p.doprint(a[2])}^{{{side}}}}}\left[{p.doprint(a[0])}\right]"


def _loop(p: _Printer, a: Sequence[Any]) -> str:
    return rf"\left[{p.doprint(a[0])}\right]_{{\text{{after any number of steps}}}}"


_HEADS: Final[Mapping[Any, Callable[[_Printer, Sequence[Any]], str]]] = {
    Sum: _series, total: _added, slope: _rate, limit_of: _limit, loop_of: _loop,
}  # fmt: skip
_PRINTER: Final = _Printer({"ln_notation": True, "mul_symbol": None, "fold_short_frac": False, "long_frac_ratio": 2})


def letter(name: str) -> str:
    r"""A symbol's name as a letter with its index; words stand upright.

    >>> letter("eta_0"), letter("x"), letter("gap"), letter("c1")
    ('\\eta_{0}', 'x', '\\mathrm{gap}', 'c_{1}')
    """
    found = re.fullmatch(r"([A-Za-z]+?)_?(\d+|_[A-Za-z0-9_]+)?", name)
    base, index = (found[1], (found[2] or "").lstrip("_")) if found else (name.replace("_", " "), "")
    if base in _GREEK:
        base = _VARIANTS.get(base, "\\" + base)
    elif base == "ell":
        base = r"\ell"
    elif len(base) > 1:
        base = rf"\mathrm{{{base}}}"
    shown = _VARIANTS.get(index, "\\" + index) if index in _GREEK else index.replace("_", r"\,")
    shown = shown if len(index) < 2 or index in _GREEK or index.isdigit() else rf"\mathrm{{{shown}}}"
    return f"{base}_{{{shown}}}" if index else base


def formula(term: sp.Expr) -> str:
    """A term, as sympy orders it."""
    return str(_PRINTER.doprint(term))


def sides(term: sp.Expr, relation: str) -> str:
    r"""``term relation 0`` with what is subtracted on the right, so that no formula ends in a zero for nothing.

    >>> x, y = sp.symbols("x y")
    >>> sides(x - y, ">=")
    'x\\ge y'
    """
    plus, minus = list[sp.Expr](), list[sp.Expr]()
    for part in sp.Add.make_args(term):
        (minus if part.could_extract_minus_sign() else plus).append(part)
    if not plus:  # only negative terms: read the other way round
        return formula(-term) + {"==": "=0", ">": "<0", ">=": r"\le0"}[relation]
    right = formula(sp.Add(*(-part for part in minus))) if minus else "0"
    sign = SIGNS[relation]
    return f"{formula(sp.Add(*plus))}{sign}{' ' if sign.startswith(chr(92)) and right[:1].isalpha() else ''}{right}"


def box(domain: Domain) -> list[str]:
    r"""Where each symbol lies, a formula an interval; nothing of those that may be any real number.

    >>> n, q = sp.symbols("n q")
    >>> box((Interval(n, sp.S.One, sp.oo, "[)", True), Interval(q, sp.S.Zero, sp.S.One, "()")))
    ['n\\in\\{1,2,\\dots\\}', '0<q<1']
    """
    return [shown for d in domain if (shown := _within(d))]


def _within(d: Interval) -> str:
    s, lo, hi = letter(d.symbol.name), formula(d.lo), formula(d.hi)
    if d.integer:
        return rf"{s}\in\{{{lo},{formula(d.lo + 1)},\dots\}}"
    below = f"{lo}{'<' if d.ends[0] == '(' else chr(92) + 'le '}" if d.lo.is_finite else ""
    above = f"{'<' if d.ends[1] == ')' else chr(92) + 'le '}{hi}" if d.hi.is_finite else ""
    if below and above:
        return f"{below}{s}{above}"
    if below:
        return f"{s}{'>' if d.ends[0] == '(' else chr(92) + 'ge '}{lo}"
    return f"{s}{above}" if above else ""
