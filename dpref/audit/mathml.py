"""Numbers, bounds and the small formulas of prose as MathML, which browsers set and screen readers read."""

from __future__ import annotations

import re
from html import escape
from typing import Final

_SYMBOLS: Final = {"epsilon": "\u03b5", "delta": "\u03b4", "rho": "\u03c1", "inf": "\u221e"}
_SIGNS: Final = {"<=": "\u2264", ">=": "\u2265"}
_NAMES: Final = ("alpha", "beta", "gamma", "eta", "kappa", "lambda", "mu", "pi", "sigma", "tau", "theta", "zeta")
_GREEK: Final = {
    **dict(zip(_NAMES, "\u03b1\u03b2\u03b3\u03b7\u03ba\u03bb\u03bc\u03c0\u03c3\u03c4\u03b8\u03b6", strict=True)),
    **{name: sign for name, sign in _SYMBOLS.items() if name != "inf"},
}
# A Greek letter's name, or any letter with an index or a power.
_LETTER: Final = re.compile(
    rf"(?<![\w^@-])(?<![a-z]/)(?:({'|'.join(_GREEK)})|([A-Za-z])(?=[_^][A-Za-z0-9]))"
    r"(?:_([A-Za-z0-9]{1,3})(?![A-Za-z0-9]))?(?:\^([A-Za-z0-9]{1,2})(?![A-Za-z0-9.]))?(?![\w@^])"
)


def math(*words: str) -> str:
    """A formula of names, signs and decimal numbers.

    >>> math("rho", "<=", "0.5")
    '<math><mi>\u03c1</mi><mo>\u2264</mo><mn>0.5</mn></math>'
    >>> math("1e-5")
    '<math><mn>1</mn><mo>\u00b7</mo><msup><mn>10</mn><mn>\u22125</mn></msup></math>'
    """
    first, *others = map(_token, words)
    first = first.replace("<mo>", '<mo lspace="0">')  # no room before a sign that begins a formula
    return "<math>" + "".join([first, *others]) + "</math>"


def interval(text: str) -> str:
    """What `dpref.audit.terminal.interval_text` says: the end that decides, or both; words stay words.

    >>> interval("1 .. inf")
    '<math><mo lspace="0">[</mo><mn>1</mn><mo>,</mo><mi>\u221e</mi><mo>]</mo></math>'
    >>> interval("nothing")
    'nothing'
    """
    low, between, high = text.partition(" .. ")
    if between:
        return math("[", low, ",", high, "]")
    return math(*text.split()) if text.startswith(tuple(_SIGNS)) else escape(text)


def prose(text: str) -> str:
    """A sentence with its letters set as letters: Greek by name, indices below and powers above.

    >>> prose("at most L_0")
    'at most <math alttext="L_0"><msub><mi>L</mi><mn>0</mn></msub></math>'
    """
    parts, end = [], 0
    for found in _LETTER.finditer(text):
        parts += [escape(text[end : found.start()]), _letter(found)]
        end = found.end()
    return "".join([*parts, escape(text[end:])])


def _letter(found: re.Match[str]) -> str:
    greek, latin, below, above = found.groups()
    kind = "m" + ("sub" if below else "") + ("sup" if above else "")
    inside = "".join(f"<{_of(x)}>{x}</{_of(x)}>" for x in (_GREEK.get(greek or "", latin), below, above) if x)
    return f'<math alttext="{found.group()}">' + (inside if kind == "m" else f"<{kind}>{inside}</{kind}>") + "</math>"


def _of(text: str) -> str:
    return "mn" if text.isdecimal() else "mi"


def _token(word: str) -> str:
    """A name, a number, or a sign."""
    if word in _SYMBOLS:
        return f"<mi>{_SYMBOLS[word]}</mi>"
    if not word[-1].isdigit():
        return f"<mo>{escape(_SIGNS.get(word, word))}</mo>"
    mantissa, _, exponent = word.lower().partition("e")
    power = f"<msup><mn>10</mn><mn>{int(exponent)}</mn></msup>".replace("-", "\u2212") if exponent else ""
    return f"<mn>{escape(mantissa)}</mn>" + (f"<mo>\u00b7</mo>{power}" if power else "")
