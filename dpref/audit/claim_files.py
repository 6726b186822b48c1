"""Claims as JSON: read, checked against the published schema, and written.

Numbers are exact: an integer, or text such as ``"1/100"``, ``"0.01"`` or ``"1e-10"``.  A JSON number with a point is
refused, because it would be rounded before anyone could see it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from dpref.audit.claims import Claim, Parameter
from dpref.audit.renamed import current_name
from dpref.errors import ClaimFileError, InvalidArgumentError
from dpref.units import ZCDP, ApproximateDP, PrivacyLoss, adjacency_named

CLAIMS_SCHEMA: Final = "claims.schema.json"
VERDICT_SCHEMA: Final = "verdict.schema.json"

_MOST_BYTES: Final = 10_000_000
_MOST_ERRORS: Final = 5


class _NotExact:
    """A JSON number with a point or an exponent: kept as its text, accepted by no type of the schema."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


@cache
def schema(name: str) -> Mapping[str, Any]:
    """A schema that ships with the package: ``claims.schema.json`` or ``verdict.schema.json``."""
    loaded: Mapping[str, Any] = json.loads(files("dpref").joinpath("schemas", name).read_text("utf-8"))
    return loaded


# ------------------------------------------------------------------------------------ reading


def read_claims(path: Path) -> tuple[Claim, ...]:
    """The claims of a JSON file.

    Raises:
        ClaimFileError: If the file cannot be read, is not JSON, or breaks the schema; the message names the place in
            the file and the rule.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ClaimFileError(f"{path}: cannot be read: {error.strerror or error}") from None
    if len(raw) > _MOST_BYTES:
        raise ClaimFileError(f"{path}: is larger than {_MOST_BYTES} bytes")
    try:
        return parse_claims(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ClaimFileError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    except ClaimFileError as error:
        raise ClaimFileError(f"{path}: {error}") from None


def parse_claims(text: str) -> tuple[Claim, ...]:
    """The claims of a JSON text.

    Raises:
        ClaimFileError: If the text is not JSON or breaks the schema.

    >>> parse_claims('{"claims": []}')
    Traceback (most recent call last):
    dpref.errors.ClaimFileError: claims: must be a list of 1 to 1000 claims
    """
    try:
        document = json.loads(
            text, parse_float=_NotExact, parse_constant=_refuse_constant, object_pairs_hook=_refuse_duplicates
        )
    except json.JSONDecodeError as error:
        raise ClaimFileError(
            f"line {error.lineno}, column {error.colno}: is not JSON: {error.msg[:1].lower() + error.msg[1:]}"
        ) from None
    except RecursionError:
        raise ClaimFileError("is nested too deeply") from None
    except ClaimFileError:
        raise
    except ValueError as error:
        raise ClaimFileError(f"is not JSON: {error}") from None
    broken = list(violations(document, CLAIMS_SCHEMA))
    if broken:
        more = len(broken) - _MOST_ERRORS
        raise ClaimFileError("\n".join(broken[:_MOST_ERRORS] + ([f"... and {more} more"] if more > 0 else [])))
    claims = tuple(_claim(entry, f"claims[{i}]") for i, entry in enumerate(document["claims"]))
    seen: set[str] = set()
    for i, claim in enumerate(claims):
        if claim.id in seen:
            raise ClaimFileError(f"claims[{i}]: must not repeat the name {claim.id}")
        seen.add(claim.id)
    return claims


def violations(document: object, name: str) -> Iterator[str]:
    """How a document breaks a schema, one line a violation: the place, and the rule."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    found = Draft202012Validator(schema(name)).iter_errors(document)
    for error in sorted(found, key=lambda e: [str(part) for part in e.absolute_path]):
        rule = error.message
        if error.validator not in {"required", "additionalProperties"} and "description" in error.schema:
            rule = f"must be {error.schema['description']}"
        elif len(rule) > 300:
            rule = rule[:297] + "..."
        yield f"{_place(error.absolute_path)}: {rule}"


def _place(parts: Iterable[str | int]) -> str:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return place.lstrip(".") or "the file"


def _refuse_constant(text: str) -> object:
    raise ClaimFileError(f"{text} is not a number that JSON knows")


def _refuse_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ClaimFileError(f"the key {twice!r} stands twice in one object")
    return document


def _claim(entry: Mapping[str, Any], place: str) -> Claim:
    try:
        adjacency = adjacency_named(entry["adjacency"])
        loss = entry["claimed"]
        if loss["measure"] == "zcdp":
            claimed: PrivacyLoss[Any, Any] = PrivacyLoss(exact_number(loss["rho"], "claimed.rho"), ZCDP, adjacency)
        else:
            delta = exact_number(loss["delta"], "claimed.delta")
            epsilon = exact_number(loss["epsilon"], "claimed.epsilon")
            claimed = PrivacyLoss(epsilon, ApproximateDP, adjacency, delta)
        optional: dict[str, Any] = {
            name: entry[name]
            for name in ("release", "expected", "kind", "quote", "place", "statement", "reading", "trials")
            if name in entry
        }
        if "charitable" in entry:
            optional["charitable"] = current_name(entry["charitable"])
        if "delta" in entry:
            optional["delta"] = exact_number(entry["delta"], "delta")
        claim = Claim(
            paper=entry["paper"],
            item=entry["item"],
            form=entry["form"],
            adjacency=adjacency,
            algorithm=entry["algorithm"],
            parameters={name: _parameter(name, value) for name, value in entry.get("parameters", {}).items()},
            claimed=claimed,
            obligations=tuple(entry.get("obligations", ())),
            **optional,
        )
    except InvalidArgumentError as error:
        raise ClaimFileError(f"{place}: {error}") from None
    if entry.get("id", claim.id) != claim.id:
        raise ClaimFileError(f"{place}.id: must be {claim.id}, as the fields say")
    if optional.get("delta", claim.delta) != claim.delta:
        raise ClaimFileError(f"{place}.delta: must be {claim.delta}, which is the claimed loss's own")
    return claim


def exact_number(value: int | str, argument: str = "number") -> Fraction:
    """An exact number of a claims file.

    Raises:
        InvalidArgumentError: If the text is not one, or divides by zero.

    >>> exact_number("1e-2") == exact_number("1/100")
    True
    """
    if isinstance(value, str) and not re.search(_exact_pattern(), value):
        raise InvalidArgumentError(argument, value, 'must be an exact number such as "1/100", "0.01" or "1e-10"')
    try:
        return Fraction(value)
    except ZeroDivisionError:
        raise InvalidArgumentError(argument, value, "must not divide by zero") from None


def _exact_pattern() -> str:
    pattern: str = schema(CLAIMS_SCHEMA)["$defs"]["exact"]["pattern"]
    return pattern


def _parameter(name: str, value: int | str) -> Parameter:
    """An exact number where the text is one, else the text itself, which the algorithm's builder judges."""
    if isinstance(value, str) and re.search(_exact_pattern(), value):
        return exact_number(value, f"parameters.{name}")
    return value


# ------------------------------------------------------------------------------------ writing


def number_text(value: Parameter) -> int | str:
    """An exact number as a claims file writes it: an integer, a fraction, or (for a word) the word itself.

    >>> number_text(Fraction(1, 100))
    '1/100'
    """
    if isinstance(value, Fraction):
        return str(value)
    return value


def claim_to_json(claim: Claim) -> dict[str, Any]:
    """The entry that `parse_claims` reads back as the same claim."""
    claimed: dict[str, Any] = {"measure": claim.claimed.measure.name}
    if claim.is_zcdp:
        claimed["rho"] = number_text(claim.claimed.value)
    else:
        claimed |= {"epsilon": number_text(claim.claimed.value), "delta": number_text(claim.claimed.delta)}
    entry: dict[str, Any] = {
        "id": claim.id,
        "paper": claim.paper,
        "item": claim.item,
        "form": claim.form,
        "adjacency": claim.adjacency.name,
        "algorithm": claim.algorithm,
        "parameters": {name: number_text(value) for name, value in claim.parameters.items()},
        "claimed": claimed,
        "release": claim.release,
        "delta": number_text(claim.delta),
        "obligations": list(claim.obligations),
        "statement": claim.statement,
        "reading": claim.reading,
    }
    if claim.expected is not None:
        entry["expected"] = claim.expected
    if claim.kind is not None:
        entry["kind"] = claim.kind
    if claim.quote:
        entry |= {"quote": claim.quote, "place": claim.place}
    if claim.charitable is not None:
        entry["charitable"] = claim.charitable
    if claim.trials is not None:
        entry["trials"] = claim.trials
    return entry
