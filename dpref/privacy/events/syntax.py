"""The syntax of event expressions (`dpref.privacy.events.expression`): text to a tree that knows its positions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from dpref.errors import ExpressionError, InvalidArgumentError

LONGEST_TEXT: Final = 1_000_000
LONGEST_NUMBER: Final = 4_000  # characters; the exact value of any double has fewer
LARGEST_EXPONENT: Final = 1_200
DEEPEST: Final = 60
MOST_FACTORS: Final = 8
_TOKEN: Final = re.compile(
    r"(?P<space>\s+)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_-]*)|(?P<mark>[()\[\],=*/?+-])"
    r"|(?P<text>\"[^\"\n]*\")",
    re.ASCII,
)


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


@dataclass(frozen=True)
class Call:
    """``name(argument, keyword=argument)``."""

    name: str
    arguments: tuple[tuple[str | None, Value], ...]
    position: int


@dataclass(frozen=True)
class Literal:
    """A number, a bare word, or a list of numbers."""

    value: Fraction | str | tuple[Fraction, ...]
    position: int


@dataclass(frozen=True)
class Hole:
    """The ``?`` that stands for a number."""

    position: int


@dataclass(frozen=True)
class Quoted:
    """The name of a file, in quotation marks."""

    text: str
    position: int


Value: TypeAlias = Call | Literal | Hole | Quoted


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ExpressionError(text, position, "must be a name, a number or one of ( ) [ ] , = * / ?")
        kind = match.lastgroup or ""
        if kind != "space":
            yield _Token(kind, match.group(), position)
        position = match.end()
    yield _Token("end", "", len(text))


class Reader:
    """Recursive descent over the tokens of one text; the depth is bounded, so it cannot overflow the stack."""

    def __init__(self, text: str, *, holes: int) -> None:
        if not isinstance(text, str):
            raise InvalidArgumentError("event", text, "must be text")
        if len(text) > LONGEST_TEXT:
            raise ExpressionError(text, LONGEST_TEXT, f"must not be longer than {LONGEST_TEXT} characters")
        self.text = text
        self.holes: int = holes
        self._tokens = list(_tokens(text))
        self._next = 0

    def fail(self, position: int, rule: str) -> ExpressionError:
        """The error of this text at a position."""
        return ExpressionError(self.text, position, rule)

    @property
    def here(self) -> _Token:
        """The next token, not yet taken."""
        return self._tokens[self._next]

    def take(self) -> _Token:
        """The next token."""
        token = self.here
        self._next += 1
        return token

    def skip(self, mark: str) -> bool:
        """Whether the next token is that mark; if so it is taken."""
        found = self.here.kind == "mark" and self.here.text == mark
        self._next += found
        return found

    def expect(self, mark: str, rule: str) -> None:
        """Takes a mark that must be there."""
        if not self.skip(mark):
            raise self.fail(self.here.position, rule)

    def end(self) -> None:
        """Refuses anything that is left."""
        if self.here.kind != "end":
            raise self.fail(self.here.position, "nothing may follow the end")

    def call(self, depth: int) -> Call:
        """``name(...)``, with its arguments."""
        name = self.take()
        if name.kind != "name":
            raise self.fail(name.position, "must be an event, such as gaussian(noise_multiplier=1)")
        if depth > DEEPEST:
            raise self.fail(name.position, f"must not be nested deeper than {DEEPEST}")
        self.expect("(", f"must be '(' with the arguments of {name.text}")
        arguments: list[tuple[str | None, Value]] = []
        while not self.skip(")"):
            if arguments:
                self.expect(",", "must be ',' or ')'")
            keyword = None
            if self.here.kind == "name" and self._tokens[self._next + 1].text == "=":
                keyword = self.take().text
                self.take()
            arguments.append((keyword, self.value(depth)))
        return Call(name.text, tuple(arguments), name.position)

    def value(self, depth: int) -> Value:
        """One argument without its name."""
        position = self.here.position
        if self.skip("?"):
            self.holes -= 1
            if self.holes < 0:
                raise self.fail(position, "one '?' may stand for a number, and only in a calibration")
            return Hole(position)
        if self.skip("["):
            numbers: list[Fraction] = []
            while not self.skip("]"):
                if numbers:
                    self.expect(",", "must be ',' or ']'")
                numbers.append(self.number())
            return Literal(tuple(numbers), position)
        if self.here.kind == "text":
            return Quoted(self.take().text[1:-1], position)
        if self.here.kind == "name":
            if self._tokens[self._next + 1].text == "(":
                return self.call(depth + 1)
            return Literal(self.take().text, position)
        return Literal(self.number(), position)

    def number(self) -> Fraction:
        """A signed decimal, or products and quotients of decimals from left to right."""
        position = self.here.position
        negative = self.skip("-")
        if not negative:
            self.skip("+")
        value, factors = self.decimal(), 1
        while self.here.kind == "mark" and self.here.text in {"*", "/"}:
            divides, place = self.take().text == "/", self.here.position
            factor = self.decimal()
            if divides and factor == 0:
                raise self.fail(place, "must not divide by zero")
            value, factors = value / factor if divides else value * factor, factors + 1
            if factors > MOST_FACTORS:
                raise self.fail(place, f"must not have more than {MOST_FACTORS} factors")
        self.check_length(value, position)
        return -value if negative else value

    def check_length(self, value: Fraction, position: int) -> None:
        """Refuses numbers that would make every later step slow."""
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > 4 * LONGEST_NUMBER:
            raise self.fail(position, f"must not have more than about {LONGEST_NUMBER} digits")

    def decimal(self) -> Fraction:
        """Digits with an optional point and exponent, exactly."""
        token = self.take()
        if token.kind != "number":
            raise self.fail(token.position, "must be an exact number, such as 100, 1/100, 0.01 or 1e-10")
        if len(token.text) > LONGEST_NUMBER:
            raise self.fail(token.position, f"must not have more than {LONGEST_NUMBER} characters")
        exponent = re.split("[eE]", token.text)[1:]
        if exponent and not -LARGEST_EXPONENT <= int(exponent[0]) <= LARGEST_EXPONENT:
            raise self.fail(token.position, f"must have an exponent between -{LARGEST_EXPONENT} and {LARGEST_EXPONENT}")
        return Fraction(token.text)
