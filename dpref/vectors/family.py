"""What a family of vectors is: questions that a declaration gives, answers that are computed, a judge of answers.

A *question* is all that an implementation is told; its digest is its meaning, and its number (``tcId``) belongs to that
meaning for ever.  An *answer* is computed from the question alone, so that a file can be computed again from itself.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias, final

from dpref.errors import InvalidArgumentError
from dpref.reals import decimal_down, decimal_up

Result: TypeAlias = Literal["valid", "invalid", "acceptable"]
Outcome: TypeAlias = Literal["passes", "fails", "loose", "not answered"]

DIGITS: Final = 12  # of an interval's ends: more than an honest double keeps, so that none is caught between them
_MEANING: Final = 32  # hexadecimal digits of a digest


@final
@dataclass(frozen=True, kw_only=True)
class Question:
    """One test before it is answered.

    Attributes:
        topic: The group that it stands in.
        comment: What it is about, for a reader.
        flags: What kind of bug a failing test reveals; each has a note (`dpref.vectors.notes`).
        given: All that an implementation is told, as JSON; every number is an integer or text.
        result: ``"valid"``, the answer is right within its interval; ``"invalid"``, what is given must be refused;
            ``"acceptable"``, no lower end is known, so that an answer can be loose but not wrong.
    """

    topic: str
    comment: str
    flags: tuple[str, ...]
    given: Mapping[str, Any]
    result: Result = "valid"


@final
@dataclass(frozen=True)
class Judged:
    """What is said of an implementation's answer to one test.

    Attributes:
        outcome: A ``"loose"`` answer is correct, and more could be proved.
        why: In words; empty where it simply passes.
    """

    outcome: Outcome
    why: str = ""


PASSES: Final = Judged("passes")


def must_be_refused(test: Mapping[str, Any]) -> bool:
    """Whether a test's input is out of its domain, so that raising an error is right.

    Args:
        test: Of a file.

    >>> must_be_refused({"result": "invalid"}), must_be_refused({"result": "invalid", "claimed": "1"})
    (True, False)
    """
    return test["result"] == "invalid" and not {"claimed", "declared"} & set(test)


@final
@dataclass(frozen=True, kw_only=True)
class Family:
    """One kind of vectors.

    Attributes:
        name: Of its file, too.
        kind: What its groups call the type of their tests.
        header: How its tests are to be read, for a reader without this library.
        questions: Everything that is asked, in the order of the numbers that are given to new ones.
        answer: From what is given, and the kind of result, to the answers by name.
        judge: From a test and what an implementation says, no exception and not None, to what is said of it.
        given: The JSON Schema of what can be given, by name.
        required: What always is.
        answers: The JSON Schema of the answers, by name.
    """

    name: str
    kind: str
    header: tuple[str, ...]
    questions: Callable[[], Iterable[Question]]
    answer: Callable[[Mapping[str, Any], Result], dict[str, Any]]
    judge: Callable[[Mapping[str, Any], Any], Judged]
    given: Mapping[str, Any] = field(repr=False)
    required: tuple[str, ...]
    answers: Mapping[str, Any] = field(repr=False)

    def asked(self, test: Mapping[str, Any]) -> dict[str, Any]:
        """What a test of a file gives, without its number, its words and its answers."""
        return {name: value for name, value in test.items() if name in self.given}

    def meaning(self, given: Mapping[str, Any], result: Result) -> str:
        """The digest of a question: the same for the same question, whatever is written about it.

        Args:
            given: What an implementation is told.
            result: Which relation its answer has to satisfy.
        """
        text = json.dumps([self.name, given, result], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:_MEANING]


# ------------------------------------------------------------------------------------ text


def paragraphs(text: str) -> tuple[str, ...]:
    r"""The paragraphs of a text, each on one line.

    >>> paragraphs("one\nline\n\nanother")
    ('one line', 'another')
    """
    return tuple(" ".join(part.split()) for part in text.strip().split("\n\n"))


def exact_text(x: Fraction | float) -> str:
    """An exact number as text: decimal where it has finitely many places, else a fraction.

    >>> exact_text(Fraction(1, 128)), exact_text(Fraction(1, 3)), exact_text(Fraction(2))
    ('0.0078125', '1/3', '2')
    """
    q = Fraction(x)
    rest, places = q.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    if rest != 1:
        return str(q)
    digits = str(abs(q.numerator) * 10**places // q.denominator).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return "-" + text if q < 0 else text


def ends(low: float | Fraction, high: float | Fraction, digits: int = DIGITS) -> dict[str, str]:
    """An interval as decimal text, rounded outward.

    >>> ends(1 / 3, 2 / 3, 3)
    {'lower': '0.333', 'upper': '0.667'}
    """
    return {"lower": decimal_down(low, digits), "upper": decimal_up(high, digits)}


def number(text: str) -> Fraction | float:
    """A number of a file: exact, or an infinite one as a double.

    >>> number("0.5"), number("inf")
    (Fraction(1, 2), inf)
    """
    return float(text) if "inf" in text else Fraction(text)


def said(answer: Any, name: str = "answer") -> Fraction | float:
    """A number that an implementation says, exactly as it is; an infinite one stays a double.

    Args:
        answer: A number of Python, of numpy, or text.
        name: What an error calls it.

    Raises:
        InvalidArgumentError: If it is none, or not a number.

    >>> said(0.5)
    Fraction(1, 2)
    """
    try:
        if isinstance(answer, bool):
            raise TypeError  # noqa: TRY301 - no number, although Python takes it for one
        found = Fraction(answer) if isinstance(answer, int | Fraction | str) else float(answer)
    except (TypeError, ValueError, ZeroDivisionError):
        raise InvalidArgumentError(name, answer, "must be a number") from None
    if isinstance(found, float) and math.isfinite(found):
        return Fraction(found)
    if math.isnan(found):
        raise InvalidArgumentError(name, answer, "must not be NaN")
    return found
