"""Numbers, bounds and the small formulas of prose as MathML, which browsers set and screen readers read."""

from __future__ import annotations

import re
from html import escape
from typing import Final

_SYMBOLS: Final = {"epsilon": "\u03b5", "delta": "\u03b4", "rho": "\u03c1", "inf": "\u221e"}
_SIGNS: Final = {"<=": "\u2264", ">=": "\u2265", "+-": "\u00b1", "...": "\u2026"}
_NAMES: Final = ("alpha", "beta", "gamma", "eta", "kappa", "lambda", "mu", "pi", "sigma", "tau", "theta", "zeta")
_GREEK: Final = {
    **dict(zip(_NAMES, "\u03b1\u03b2\u03b3\u03b7\u03ba\u03bb\u03bc\u03c0\u03c3\u03c4\u03b8\u03b6", strict=True)),
    **{name: sign for name, sign in _SYMBOLS.items() if name != "inf"},
    "Delta": "\u0394",
    "nabla": "\u2207",
}
# A Greek letter's name, or any letter with an index or a power.
_LETTER: Final = re.compile(
    rf"(?<![\w^@-])(?<![a-z]/)(?:(?P<greek>{'|'.join(_GREEK)})|(?P<latin>[A-Za-z])(?=[_^][A-Za-z0-9]))"
    r"(?:_(?P<below>[A-Za-z0-9]{1,3})(?![A-Za-z0-9]))?(?:\^(?P<above>[A-Za-z0-9]{1,2})(?![A-Za-z0-9.]))?(?![\w@^])"
)
# What stands above or below a base that is more than a letter, or that is more than a sign or two: 2^T, n^-2,
# (a + b)^2, x^{1/kappa}, ||x||_{q^+}.  A path of a name such as a/b has no power.
_SCRIPT: Final = (
    r"-?\d+(?:/\d+)?(?![.\d]*\w)|[A-Za-z]{1,3}(?!\w)|[+*](?!\w)"
    r"|\{[^{}]{1,24}\}|\((?:[^()]|\([^()]*\)){1,24}\)"
)
_BASE: Final = rf"(?:(?<![\w^@.-])(?:{'|'.join(_GREEK)}|[A-Za-z]{{1,2}}|\d+(?:\.\d+)?)|[)\]]|\|\|)"
_SCRIPTED: Final = re.compile(
    rf"(?P<base>{_BASE})(?:_(?P<under>[A-Za-z0-9]{{1,3}}(?![A-Za-z0-9])|\{{[^{{}}]{{1,24}}\}}))?\^(?P<over>{_SCRIPT})"
    rf"|(?P<alone>{_BASE})_(?P<index>\{{[^{{}}]{{1,24}}\}}|[+*](?!\w))"
)
# What stands below a root: a letter as above, a number, a name, or a sign, of which a parenthesis may have a power.
_INSIDE: Final = re.compile(
    rf"{_LETTER.pattern}|(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z]+)"
    r"|(?P<sign>\.{3}|[<>]=|\+-|[^\sA-Za-z0-9])(?:\^(?P<power>\d))?"
)
_ROOT: Final = "sqrt("
_TOUCHING: Final = re.compile(r"[(\[\u201c]*<math\b.*?</math>[)\],.;:?!\u201d]*", re.DOTALL)


def math(*words: str) -> str:
    """A formula of names, signs and decimal numbers.

    >>> math("rho", "<=", "0.5")
    '<math><mi>\u03c1</mi><mo>\u2264</mo><mn>0.5</mn></math>'
    >>> math("1e-5")
    '<math><msup><mn>10</mn><mn>\u22125</mn></msup></math>'
    """
    first, *others = map(_token, words)
    if first.startswith("<mo>"):  # no room before a sign that begins a formula
        first = first.replace("<mo>", '<mo lspace="0">', 1)
    return "<math>" + "".join([first, *others]) + "</math>"


def interval(text: str) -> str:
    """What `dpref.audit.terminal.interval_text` says: the end that decides, or both; words stay words.

    Both ends are two formulas, because browsers begin a new line only between formulas; the space between them is the
    comma's.

    >>> interval("1 .. inf")
    '<math><mo lspace="0">[</mo><mn>1</mn><mo rspace="0">,</mo></math> <math><mi>\u221e</mi><mo>]</mo></math>'
    >>> interval("nothing")
    'nothing'
    """
    low, between, high = text.partition(" .. ")
    if between:
        first = math("[", low, ",").replace("<mo>,", '<mo rspace="0">,')
        return f"{first} {math(high, ']')}"
    return math(*text.split()) if text.startswith(tuple(_SIGNS)) else escape(text)


def prose(text: str) -> str:
    """A sentence with its letters as letters, Greek by name, indices below and powers above, and its roots as roots.

    >>> prose("at most L_0")
    'at most <math alttext="L_0"><msub><mi>L</mi><mn>0</mn></msub></math>'
    >>> prose("is sqrt(2 T)")
    'is <math alttext="sqrt(2 T)"><msqrt><mn>2</mn><mi>T</mi></msqrt></math>'
    """
    before, root, after = text.partition(_ROOT)
    end = _closing(after)
    if not root:
        return _lettered(text)
    if end is None:
        return _lettered(before) + "\u221a(" + prose(after)
    inside = escape(f"{_ROOT}{after[:end]})", quote=True)
    return f'{_lettered(before)}<math alttext="{inside}">{_root(after[:end])}</math>{prose(after[end + 1 :])}'


def _lettered(text: str) -> str:
    """What has no root."""
    parts, end = [], 0
    for found in _SCRIPTED.finditer(text):
        parts += [_plainly(text[end : found.start()]), _scripted(found)]
        end = found.end()
    return "".join([*parts, _plainly(text[end:])])


def _scripted(found: re.Match[str]) -> str:
    """A base with what stands above and below it.

    >>> prose("c Tm/n^2")
    'c Tm/<math alttext="n^2"><msup><mi>n</mi><mn>2</mn></msup></math>'
    >>> prose("2^(T+1)")
    '<math alttext="2^(T+1)"><msup><mn>2</mn><mrow><mi>T</mi><mo>+</mo><mn>1</mn></mrow></msup></math>'
    """
    base = found["base"] or found["alone"]
    under, over = found["under"] or found["index"], found["over"]
    inside = f"<mi>{_GREEK[base]}</mi>" if base in _GREEK else _script(base)
    kind = "m" + ("sub" if under else "") + ("sup" if over else "")
    inside += "".join(_script(text) for text in (under, over) if text)
    return f'<math alttext="{escape(found[0], quote=True)}"><{kind}>{inside}</{kind}></math>'


def _script(text: str) -> str:
    """One element: a number, a letter, a sign, or a row of them; a number alone in parentheses keeps them."""
    if text[0] == "{" or (text[0] == "(" and len(text) > 3):
        text = text[1:-1]
    parts, end = [], 0
    for found in _SCRIPTED.finditer(text):
        parts += [_row(text[end : found.start()]), re.sub("</?math[^>]*>", "", _scripted(found))]
        end = found.end()
    made = "".join([*parts, _row(text[end:].replace("-", "\u2212"))]) if text != "||" else "<mo>\u2016</mo>"
    return made if made.count("</m") == 1 else f"<mrow>{made}</mrow>"


def _plainly(text: str) -> str:
    """What has neither a root nor a power that is more than a letter's."""
    parts, end = [], 0
    for found in _LETTER.finditer(text):
        parts += [escape(signs(text[end : found.start()])), f'<math alttext="{found.group()}">{_letter(found)}</math>']
        end = found.end()
    return "".join([*parts, escape(signs(text[end:]))])


def _closing(text: str) -> int | None:
    """Where the parenthesis closes that was opened before a text; None if nowhere."""
    depth = 1
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place
    return None


def _root(text: str) -> str:
    """The root of a formula, roots of which may stand below it."""
    before, root, after = text.partition(_ROOT)
    end = _closing(after) if root else None
    if end is None:
        return f"<msqrt>{_row(text)}</msqrt>"
    return f"<msqrt>{_row(before)}{_root(after[:end])}{_row(after[end + 1 :])}</msqrt>"


def _row(formula: str) -> str:
    """The elements of a formula, one beside the other."""
    return "".join(map(_element, _INSIDE.finditer(formula)))


def _element(found: re.Match[str]) -> str:
    if found["greek"] or found["latin"]:
        return _letter(found)
    if found["number"]:
        return f"<mn>{found['number']}</mn>"
    if found["name"]:  # browsers set no room before the name of a function
        is_letter = len(found["name"]) == 1
        return f"<mi>{found['name']}</mi>" if is_letter else f'<mo lspace="0.17em" rspace="0">{found["name"]}</mo>'
    sign = f"<mo>{escape(signs(found['sign']))}</mo>"
    return f"<msup>{sign}<mn>{found['power']}</mn></msup>" if found["power"] else sign


def together(page: str) -> str:
    """HTML whose formulas stay on one line with the signs that touch them: browsers would begin a line with a comma.

    >>> together("is (<math></math>, 1)-DP of <math></math> or")
    'is <span class="together">(<math></math>,</span> 1)-DP of <math></math> or'
    """
    return _TOUCHING.sub(lambda found: _kept(found[0]), page)


def _kept(formula: str) -> str:
    alone = formula.startswith("<math") and formula.endswith("</math>")
    return formula if alone else f'<span class="together">{formula}</span>'


def signs(text: str) -> str:
    """The text with its relations as one character each.

    >>> signs("<= 2")
    '\u2264 2'
    """
    for sign, shown in _SIGNS.items():
        text = text.replace(sign, shown)
    return text


def _letter(found: re.Match[str]) -> str:
    greek, latin, below, above = found.group("greek", "latin", "below", "above")
    kind = "m" + ("sub" if below else "") + ("sup" if above else "")
    inside = "".join(f"<{_of(x)}>{x}</{_of(x)}>" for x in (_GREEK.get(greek or "", latin), below, above) if x)
    return inside if kind == "m" else f"<{kind}>{inside}</{kind}>"


def _of(text: str) -> str:
    return "mn" if text.isdecimal() else "mi"


def _token(word: str) -> str:
    """A name, a number, or a sign."""
    if word in _SYMBOLS:
        return f"<mi>{_SYMBOLS[word]}</mi>"
    if not word[-1].isdigit():
        return f"<mo>{escape(_SIGNS.get(word, word))}</mo>"
    mantissa, _, exponent = word.lower().partition("e")
    factor = f"<mn>{escape(mantissa)}</mn>"
    if not exponent:
        return factor
    power = f"<msup><mn>10</mn><mn>{int(exponent)}</mn></msup>".replace("-", "\u2212")
    return power if mantissa == "1" else f"{factor}<mo>\u00b7</mo>{power}"
