"""Claims as JSON: read, checked against the published schema, and written.

Numbers are exact: an integer, or text such as ``"1/100"``, ``"0.01"`` or ``"1e-10"``.  A JSON number with a point is
refused, because it would be rounded before anyone could see it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from dpref.audit.claims import Claim, Parameter
from dpref.audit.renamed import current_name
from dpref.documents import parse_document, read_text, schema
from dpref.errors import ClaimFileError, DocumentError, InvalidArgumentError
from dpref.units import ZCDP, ApproximateDP, PrivacyLoss, adjacency_named

CLAIMS_SCHEMA: Final = "claims.schema.json"
VERDICT_SCHEMA: Final = "verdict.schema.json"

_MOST_BYTES: Final = 10_000_000


class _NotExact:
    """A JSON number with a point or an exponent: kept as its text, accepted by no type of the schema."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


# ------------------------------------------------------------------------------------ reading


def read_claims(path: Path) -> tuple[Claim, ...]:
    """The claims of a JSON file.

    Raises:
        ClaimFileError: If the file cannot be read, is not JSON, or breaks the schema; the message names the place in
            the file and the rule.
    """
    try:
        return parse_claims(read_text(path, _MOST_BYTES))
    except (ClaimFileError, DocumentError) as error:
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
        document = parse_document(text, CLAIMS_SCHEMA, decimal=_NotExact)
    except DocumentError as error:
        raise ClaimFileError(str(error)) from None
    claims = tuple(_claim(entry, f"claims[{i}]") for i, entry in enumerate(document["claims"]))
    seen: set[str] = set()
    for i, claim in enumerate(claims):
        if claim.id in seen:
            raise ClaimFileError(f"claims[{i}]: must not repeat the name {claim.id}")
        seen.add(claim.id)
    return claims


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
            for name in ("release", "expected", "quote", "place", "statement", "reading", "trials")
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
        InvalidArgumentError: If the text is not one, is negative, or divides by zero.

    >>> exact_number("1e-2") == exact_number("1/100")
    True
    """
    if isinstance(value, str) and value.startswith("-") and re.search(_exact_pattern(), value[1:]):
        raise InvalidArgumentError(argument, value, "must not be negative")
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


def named(claim: Claim) -> dict[str, Any]:
    """The fields that say which claim it is."""
    return {
        "id": claim.id,
        "paper": claim.paper,
        "item": claim.item,
        "form": claim.form,
        "adjacency": claim.adjacency.name,
        "algorithm": claim.algorithm,
    }


def claimed_loss(claim: Claim, text: Callable[[Fraction], int | str]) -> dict[str, int | str]:
    """The loss that is claimed, its numbers as texts.

    Args:
        claim: Whose loss it is.
        text: Writes a number.
    """
    loss = claim.claimed
    numbers = {"rho": loss.value} if claim.is_zcdp else {"epsilon": loss.value, "delta": loss.delta}
    return {"measure": loss.measure.name, **{name: text(value) for name, value in numbers.items()}}


def claim_to_json(claim: Claim) -> dict[str, Any]:
    """The entry that `parse_claims` reads back as the same claim."""
    entry: dict[str, Any] = {
        **named(claim),
        "parameters": {name: number_text(value) for name, value in claim.parameters.items()},
        "claimed": claimed_loss(claim, number_text),
        "release": claim.release,
        "delta": number_text(claim.delta),
        "obligations": list(claim.obligations),
        "statement": claim.statement,
        "reading": claim.reading,
    }
    if claim.expected is not None:
        entry["expected"] = claim.expected
    if claim.quote:
        entry |= {"quote": claim.quote, "place": claim.place}
    if claim.charitable is not None:
        entry["charitable"] = claim.charitable
    if claim.trials is not None:
        entry["trials"] = claim.trials
    return entry
