"""A mechanism of the user's own from a JSON file (``schemas/custom.schema.json``): ``custom("mine.json")`` reads it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from dpref.documents import parse_document, read_text
from dpref.errors import DocumentError, InvalidArgumentError
from dpref.privacy.events.custom import Custom, FinitePair, GibbsPair, field_of
from dpref.privacy.events.expression import parse_number
from dpref.units import ADJACENCIES

_MOST_BYTES: Final = 1_000_000


def read_custom(path: str) -> Custom:
    """The event that a file describes.

    Args:
        path: A JSON file: ``name``, and for at least one adjacency ``probabilities`` or ``log-weights`` (two lists of
            exact numbers, P and Q), and ``attained`` where that is assumed too.

    Raises:
        InvalidArgumentError: If the file cannot be read, breaks the schema, or describes no distributions; the place in
            the file is named.
    """
    try:
        document = parse_document(read_text(Path(path), _MOST_BYTES), "custom.schema.json")
        given = ((name, kind) for name, kind in ADJACENCIES.items() if name in document)
        pairs: dict[str, Any] = {field_of(kind): _pair(name, document[name]) for name, kind in given}
        return Custom(document["name"], **pairs)
    except (DocumentError, InvalidArgumentError) as error:
        raise InvalidArgumentError("file", path, str(error)) from None


def _pair(adjacency: str, given: dict[str, Any]) -> FinitePair | GibbsPair:
    form = "probabilities" if "probabilities" in given else "log-weights"
    kind = FinitePair if form == "probabilities" else GibbsPair
    first, second = (_numbers(f"{adjacency}.{form}[{side}]", given[form][side]) for side in range(2))
    try:
        return kind(first, second, attained=given.get("attained", False))
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{adjacency}.{form}", given[form], str(error)) from None


def _numbers(place: str, texts: list[str | int]) -> tuple[Fraction, ...]:
    return tuple(parse_number(str(text), f"{place}[{i}]") for i, text in enumerate(texts))
