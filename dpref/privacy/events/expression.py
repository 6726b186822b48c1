"""Event expressions: ``compose(poisson(gaussian(noise_multiplier=1), rate=1/100), 100000)`` read and written.

The grammar is small, nothing is evaluated, and every number is exact::

    event    = name "(" [ argument { "," argument } ] ")"
    argument = [ name "=" ] ( event | pair | number | list | file | word | "?" )
    pair     = ( "finite" | "gibbs" ) "(" list "," list [ "," "attained=true" ] ")"
    list     = "[" [ number { "," number } ] "]"
    number   = [ "+" | "-" ] decimal { ( "*" | "/" ) decimal }
    decimal  = digits [ "." digits ] [ "e" [ "+" | "-" ] digits ]

The names are those of the classes of `dpref.privacy.events.ledger` and the arguments their fields, in order or by name;
``compose(a, b, c)`` composes events, ``compose(a, 1000)`` composes one with itself, ``parallel(a, b)`` are events on
disjoint parts.  The pairs are those of
`dpref.privacy.events.custom`; ``custom("mine.json")`` stands for the event that a file describes, and a file's name in
quotation marks for a list of numbers, where a caller says how files are read (`dpref.privacy.events.files.read_file`).
At most one ``?`` stands for a number that calibration is to find.

What is written is a canonical form: equal neighbours are merged, nested compositions are flattened, numbers are in
lowest terms; reading it back gives the same event, and writing that gives the same text.  Sizes are limited, so that no
short text describes an astronomical computation.
"""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Final, TypeAlias

from dpref.checks import rational
from dpref.errors import DprefError, ExpressionError, InvalidArgumentError
from dpref.privacy.events import ledger
from dpref.privacy.events.custom import Custom, FinitePair, GibbsPair
from dpref.privacy.events.ledger import Compose, Event, Repeat
from dpref.privacy.events.parallel import Parallel
from dpref.privacy.events.syntax import Call, Hole, Quoted, Reader, Value
from dpref.privacy.events.walks import answers, normal_form
from dpref.reals import Exact

MOST_ANSWERS: Final = 10**15

FileReader: TypeAlias = Callable[[str], Custom | tuple[Fraction, ...]]

_PROBES: Final = (Fraction(1), Fraction(1, 2), Fraction(1000), Fraction(1, 1000))


# Where the readable name is not the class's own in lower case.
_NAMES: Final[Mapping[str, str]] = types.MappingProxyType(
    {"NonPrivate": "nonprivate", "Repeat": "compose", "Concentrated": "zcdp"}
)
_PAIRS: Final[Mapping[str, type[Any]]] = types.MappingProxyType({"finite": FinitePair, "gibbs": GibbsPair})


def event_name(kind: type[Event]) -> str:
    """How an event class is called in expressions.

    >>> event_name(ledger.Gaussian), event_name(Repeat)
    ('gaussian', 'compose')
    """
    return _NAMES.get(kind.__name__) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


@cache
def event_kinds() -> Mapping[str, type[Event]]:
    """The event classes by their names in expressions, except compositions and parts, which are read apart."""
    kinds = {event_name(kind): kind for kind in typing.get_args(Event) if kind not in {Compose, Repeat, Parallel}}
    return types.MappingProxyType(kinds)


@cache
def _field_table() -> dict[Any, Mapping[str, Any]]:
    table: dict[Any, Mapping[str, Any]] = {}
    for kind in (*typing.get_args(Event), *_PAIRS.values()):
        hints = {name: hint for name, hint in typing.get_type_hints(kind).items() if not _is_function(hint)}
        # What is defined below the union of events calls a field that holds one Any.
        hints = {name: Event if hint is Any else hint for name, hint in hints.items()}
        fields = (field.name for field in dataclasses.fields(kind) if field.init and field.name in hints)
        table[kind] = types.MappingProxyType({name: hints[name] for name in fields})
    return table


def _is_function(hint: Any) -> bool:
    return any(typing.get_origin(part) is Callable for part in (hint, *typing.get_args(hint)))


def event_fields(kind: type[Any]) -> Mapping[str, Any]:
    """The arguments of a class of events or of assumed pairs that a text can give, in order, with their types."""
    return _field_table()[kind]


def stated(event: Event) -> dict[str, Any]:
    """What an event says of itself: its arguments, but for those that only some state and that it does not.

    >>> list(stated(ledger.Poisson(ledger.Gaussian(Fraction(1)), Fraction(1, 10))))
    ['event', 'rate']
    """
    silent = {f.name for f in dataclasses.fields(event) if f.metadata.get("silent")}
    given = {name: getattr(event, name) for name in event_fields(type(event))}
    return {name: value for name, value in given.items() if value is not None or name not in silent}


@dataclass(frozen=True)
class Template:
    """An event with one number left open.

    Attributes:
        text: The expression.
        parameter: The name of the open argument: ``"noise_multiplier"``, ``"rate"``, ``"count"``, ...
        integral: Whether the open argument is an integer.

    >>> template = parse_template("compose(gaussian(noise_multiplier=?), 1000)")
    >>> template.parameter, str(template.fill(Fraction(5, 2)))
    ('noise_multiplier', 'compose(gaussian(noise_multiplier=5/2), 1000)')
    """

    text: str
    parameter: str
    integral: bool
    _call: Call = dataclasses.field(repr=False)
    _read: FileReader | None = dataclasses.field(repr=False, default=None)  # each file once (`parse_template`)

    def fill(self, value: Exact) -> Event:
        """The event with that value.

        Raises:
            ExpressionError: If the value is not allowed there.
            InvalidArgumentError: If it is a float, or negative.
        """
        return _checked(_Builder(self.text, rational("value", value), self._read).event(self._call), self.text)

    def largest_count(self) -> int:
        """The largest value of an open count with which the event describes no more answers than an event may.

        >>> parse_template("compose(compose(gaussian(1), ?), 1000)").largest_count()
        1000000000000
        """
        one, two = (answers(_Builder(self.text, Fraction(k), self._read).event(self._call)) for k in (1, 2))
        return MOST_ANSWERS if one == two else (MOST_ANSWERS - (2 * one - two)) // (two - one)


class _Builder:
    """Turns syntax into events, and says where an argument breaks a rule."""

    def __init__(self, text: str, filling: Fraction | None, read: FileReader | None) -> None:
        self.text = text
        self.filling = filling
        self.read = read
        self.hole: tuple[str, bool] | None = None

    def fail(self, position: int, rule: str) -> ExpressionError:
        return ExpressionError(self.text, position, rule)

    def event(self, call: Call) -> Event:
        if call.name == "compose":
            return self._composition(call)
        if call.name == "parallel":
            return self._parts(call)
        kind = event_kinds().get(call.name)
        if kind is None:
            raise self.fail(
                call.position, "must be one of " + ", ".join(sorted([*event_kinds(), "compose", "parallel"]))
            )
        file = call.arguments[0][1] if len(call.arguments) == 1 else None
        if kind is Custom and isinstance(file, Quoted):
            return self._custom(file)
        made: Event = self._record(kind, call)
        return made

    def _custom(self, file: Quoted) -> Custom:
        found = self._from_file(file, "write custom(name, replace_one=finite([...], [...]))")
        if not isinstance(found, Custom):
            raise self.fail(file.position, "must be a JSON file that describes a mechanism")
        return found

    def _from_file(self, file: Quoted, instead: str) -> Custom | tuple[Fraction, ...]:
        if self.read is None:
            raise self.fail(file.position, f"no file is read here; {instead}")
        try:
            return self.read(file.text)
        except DprefError as error:
            raise self.fail(file.position, str(error)) from None

    def _record(self, kind: type[Any], call: Call) -> Any:
        hints = event_fields(kind)
        values: dict[str, Any] = {}
        unnamed = iter(hints)
        for keyword, argument in call.arguments:
            field = next(unnamed, "") if keyword is None else keyword
            if field not in hints:
                raise self.fail(argument.position, f"{call.name} takes " + (", ".join(hints) or "no arguments"))
            if field in values:
                raise self.fail(argument.position, f"{field} is given twice")
            values[field] = self._argument(field, hints[field], argument)
        return self._made(kind, values, call)

    def _parts(self, call: Call) -> Event:
        parts = [value for keyword, value in call.arguments if keyword is None and isinstance(value, Call)]
        if len(parts) < max(2, len(call.arguments)):
            raise self.fail(call.position, "parallel takes events, at least two")
        return Parallel(tuple(map(self.event, parts)))

    def _composition(self, call: Call) -> Event:
        parts = [value for keyword, value in call.arguments if keyword is None and isinstance(value, Call)]
        if len(parts) == len(call.arguments):
            return Compose(tuple(self.event(part) for part in parts))
        first = call.arguments[0][1]
        keyword, count = call.arguments[-1]
        if len(call.arguments) != 2 or first not in parts or keyword not in {None, "count"}:
            raise self.fail(count.position, "compose takes events, or one event and a count")
        values = {"event": self.event(parts[0]), "count": self._argument("count", int, count)}
        made: Event = self._made(Repeat, values, call)
        return made

    def _made(self, kind: type[Any], values: dict[str, Any], call: Call) -> Any:
        required = {
            f.name
            for f in dataclasses.fields(kind)
            if f.init and f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
        }
        missing = [name for name in event_fields(kind) if name in required and name not in values]
        if missing:
            raise self.fail(call.position, f"{call.name} needs " + ", ".join(missing))
        try:
            return kind(**values)
        except DprefError as error:
            raise self.fail(call.position, str(error)) from None

    def _argument(self, field: str, hint: Any, argument: Value) -> Any:
        wanted = typing.get_args(hint) if typing.get_origin(hint) in {typing.Union, types.UnionType} else (hint,)
        if isinstance(argument, Call):
            if _PAIRS.get(argument.name) in wanted:
                return self._record(_PAIRS[argument.name], argument)
            if ledger.Gaussian not in wanted:
                raise self.fail(argument.position, f"{field} is not an event")
            return self.event(argument)
        if isinstance(argument, Quoted):
            if not any(typing.get_origin(hint) is tuple for hint in wanted):
                raise self.fail(argument.position, f"{field} is no file; a file alone stands for a custom event")
            found = self._from_file(argument, "write the numbers, such as [1, 1/2]")
            if isinstance(found, Custom):
                raise self.fail(argument.position, f"{field} must be a text file of numbers")
            return found
        if isinstance(argument, Hole):
            if not {int, Fraction} & set(wanted):
                raise self.fail(argument.position, f"{field} is not a number")
            self.hole = (field, Fraction not in wanted)
            value: Any = Fraction(1) if self.filling is None else self.filling
        else:
            value = argument.value
        return self._converted(field, wanted, value, argument.position)

    def _converted(self, field: str, wanted: tuple[Any, ...], value: Any, position: int) -> Any:
        if isinstance(value, Fraction) and Fraction in wanted:
            return value
        if isinstance(value, Fraction) and int in wanted:
            if value.denominator != 1:
                raise self.fail(position, f"{field} must be an integer")
            return value.numerator
        if isinstance(value, tuple) and any(typing.get_origin(hint) is tuple for hint in wanted):
            return value
        if isinstance(value, str):
            if value in {"true", "false"} and bool in wanted:
                return value == "true"
            if value == "none" and type(None) in wanted:
                return None
            words = [word for hint in wanted for word in typing.get_args(hint) if isinstance(word, str)]
            if value in words or str in wanted:
                return value
            if words:
                raise self.fail(position, f"{field} must be one of " + ", ".join(words))
        raise self.fail(position, f"{field} must be " + _description(wanted))


def _description(wanted: tuple[Any, ...]) -> str:
    if ledger.Gaussian in wanted:
        return "an event"
    if FinitePair in wanted:
        return "a pair, such as finite([3/4, 1/4], [1/4, 3/4])"
    if Fraction in wanted or int in wanted:
        return "an exact number"
    return "a list of exact numbers" if any(typing.get_origin(hint) is tuple for hint in wanted) else "a word"


def parse_number(text: str, argument: str = "number") -> Fraction:
    """An exact number from its text.

    Args:
        text: Such as ``"1/100"``, ``"0.01"``, ``"1e-10"``.
        argument: What an error calls it.

    Raises:
        InvalidArgumentError: If the text is no number; the position is in the message.

    >>> parse_number("1e-2") == parse_number("0.01") == parse_number("1/100") == Fraction(1, 100)
    True
    """
    try:
        reader = Reader(text, holes=0)
        value = reader.number()
        reader.end()
    except ExpressionError as error:
        raise InvalidArgumentError(argument, text, error.rule) from None
    return value


def parse_event(text: str, *, read: FileReader | None = None) -> Event:
    """The event that an expression describes.

    Args:
        text: The expression.
        read: How ``custom("...")`` finds its event; by default no file is read.

    Raises:
        ExpressionError: If the text is not an expression; it names the position and the rule.

    >>> print(parse_event("compose(gaussian(noise_multiplier=0.5), 3)"))
    compose(gaussian(noise_multiplier=1/2), 3)
    """
    reader = Reader(text, holes=0)
    call = reader.call(1)
    reader.end()
    return _checked(_Builder(text, None, read).event(call), text)


def parse_template(text: str, *, read: FileReader | None = None) -> Template:
    """An expression with exactly one ``?``.

    Args:
        text: The expression.
        read: As of `parse_event`; called once for each file, whose event is the template's for good.

    Raises:
        ExpressionError: If the text is not an expression, or has no ``?``.
    """
    reader = Reader(text, holes=1)
    call = reader.call(1)
    reader.end()
    read = cache(read) if read is not None else None  # a file that is saved again must not change a search under way
    if reader.holes == 1:
        raise ExpressionError(text, len(text), "one number must be '?'")
    refusal: ExpressionError | None = None
    for probe in _PROBES:  # what is wrong at each of them is wrong outside the hole
        builder = _Builder(text, probe, read)
        try:
            _checked(builder.event(call), text)
        except ExpressionError as error:
            refusal = refusal or error
            continue
        if builder.hole is not None:
            return Template(text, *builder.hole, call, read)
    raise refusal or ExpressionError(text, 0, "must have its '?' inside an event")


def _checked(event: Event, text: str) -> Event:
    if answers(event) > MOST_ANSWERS:
        raise ExpressionError(text, 0, f"must not describe more than {MOST_ANSWERS} answers")
    return event


def format_event(event: Event) -> str:
    """The canonical text of an event: `parse_event` reads it back as ``normal_form(event)``.

    >>> format_event(Compose((ledger.Gaussian(Fraction(1, 2)), ledger.Gaussian(Fraction(1, 2)))))
    'compose(gaussian(noise_multiplier=1/2), 2)'
    """
    return _written(normal_form(event))


def _written(event: Event) -> str:
    if isinstance(event, Repeat):
        return f"compose({_written(event.event)}, {event.count})"
    if isinstance(event, Compose):
        return "compose(" + ", ".join(map(_written, event.events)) + ")"
    if isinstance(event, Parallel):
        return "parallel(" + ", ".join(map(_written, event.events)) + ")"
    if isinstance(event, Custom):
        return str(event)
    arguments = []
    for name, value in stated(event).items():
        if isinstance(value, typing.get_args(Event)):
            arguments.append(_written(value))
        else:
            arguments.append(f"{name}={_word(value)}")
    return f"{event_name(type(event))}({', '.join(arguments)})"


def _word(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_word, value)) + "]"
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return str(value)
