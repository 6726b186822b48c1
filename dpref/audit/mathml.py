"""Numbers and bounds of a report as MathML, which browsers set and screen readers read."""

from __future__ import annotations

from html import escape
from typing import Final

_SYMBOLS: Final = {"epsilon": "\u03b5", "delta": "\u03b4", "rho": "\u03c1", "inf": "\u221e"}
_SIGNS: Final = {"<=": "\u2264", ">=": "\u2265"}


def math(*words: str) -> str:
    """A formula of names, signs and decimal numbers.

    >>> math("rho", "<=", "0.5")
    '<math><mi>\u03c1</mi><mo>\u2264</mo><mn>0.5</mn></math>'
    >>> math("1e-5")
    '<math><mn>1</mn><mo>\u00b7</mo><msup><mn>10</mn><mn>\u22125</mn></msup></math>'
    """
    return f"<math>{''.join(map(_token, words))}</math>"


def interval(text: str) -> str:
    """What `dpref.audit.terminal.interval_text` says: the end that decides, or both; words stay words.

    >>> interval("1 .. inf")
    '<math><mo>[</mo><mn>1</mn><mo>,</mo><mi>\u221e</mi><mo>]</mo></math>'
    >>> interval("nothing")
    'nothing'
    """
    low, between, high = text.partition(" .. ")
    if between:
        return math("[", low, ",", high, "]")
    return math(*text.split()) if text.startswith(tuple(_SIGNS)) else escape(text)


def _token(word: str) -> str:
    """A name, a number, or a sign."""
    if word in _SYMBOLS:
        return f"<mi>{_SYMBOLS[word]}</mi>"
    if not word[-1].isdigit():
        return f"<mo>{escape(_SIGNS.get(word, word))}</mo>"
    mantissa, _, exponent = word.lower().partition("e")
    power = f"<msup><mn>10</mn><mn>{int(exponent)}</mn></msup>".replace("-", "\u2212") if exponent else ""
    return f"<mn>{escape(mantissa)}</mn>" + (f"<mo>\u00b7</mo>{power}" if power else "")
