"""The accounting verbs: ``dpref certify``, ``dpref calibrate``, ``dpref crosscheck``, ``dpref bench accounting``.

Exit codes: 0 an answer, 2 bad usage, 3 no finite certified bound.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from dpref.errors import BudgetError, InvalidArgumentError, PrecisionError, UnsupportedEventError

if TYPE_CHECKING:
    from dpref.privacy.interval import Interval

NO_BOUND: Final = 3
_DIGITS: Final = 10

EventArgument = Annotated[
    str, typer.Argument(metavar="EVENT", help="Such as 'compose(poisson(gaussian(1), rate=1/100), 1000)'.")
]
AdjacencyOption = Annotated[str, typer.Option(help="replace-one, add-or-remove-one or zero-out.")]
AccountantOption = Annotated[str, typer.Option(help="One accountant, or best: the intersection of all.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command()(certify)
    app.command()(calibrate)


@contextmanager
def _no_bound_is_an_answer(report: Callable[[str], None]) -> Iterator[None]:
    """What no accountant supports or decides is said on standard error, with exit code 3."""
    try:
        yield
    except (UnsupportedEventError, PrecisionError, BudgetError) as error:
        report(str(error))
        typer.echo(f"dpref: {error}", err=True)
        raise typer.Exit(NO_BOUND) from None


# ------------------------------------------------------------------------------------ certify


def certify(
    event: EventArgument,
    *,
    adjacency: AdjacencyOption,
    delta: Annotated[str | None, typer.Option(help="Exact, such as 1e-6: asks for epsilon.")] = None,
    epsilon: Annotated[str | None, typer.Option(help="Exact, such as 1/2: asks for delta.")] = None,
    accountant: AccountantOption = "best",
    as_json: JsonOption = False,
) -> None:
    """Enclose what an event spends: epsilon at --delta, or delta at --epsilon, as a certified interval.

    Exit code: 0 for a finite bound, 3 if there is none, 2 for bad usage.
    """
    from dpref.privacy import accountants
    from dpref.privacy.expression import format_event, parse_event
    from dpref.privacy.ledger import Ledger
    from dpref.units import adjacency_named

    ledger = Ledger(parse_event(event), adjacency_named(adjacency))
    given, asked = _given(delta, epsilon)
    if accountant != accountants.BEST:
        accountants.accountant_named(accountant)
    described = {"event": format_event(ledger.event), "adjacency": adjacency, **_texts(given)}

    def refused(reason: str) -> None:
        if as_json:
            trivial = {"lower": "0", "upper": "inf" if asked == "epsilon" else "1"}
            typer.echo(json.dumps({asked: trivial, "method": None, **described, "reason": reason}, indent=2))

    with _no_bound_is_an_answer(refused):
        found = accountants.certify(ledger, accountant=accountant, **given)
    if as_json:
        typer.echo(json.dumps({**_fields(found), **described}, indent=2))
    else:
        _show(found, described)
    if not _says_something(found):
        raise typer.Exit(NO_BOUND)


def _given(delta: str | None, epsilon: str | None) -> tuple[dict[str, Fraction], str]:
    from dpref.privacy.expression import parse_number

    if delta is not None and epsilon is None:
        return {"delta": parse_number(delta, "--delta")}, "epsilon"
    if epsilon is not None and delta is None:
        return {"epsilon": parse_number(epsilon, "--epsilon")}, "delta"
    raise InvalidArgumentError("--delta", delta, "exactly one of --delta and --epsilon must be given")


def _texts(numbers: dict[str, Fraction]) -> dict[str, str]:
    return {name: str(value) for name, value in numbers.items()}


def _says_something(interval: Interval) -> bool:
    """A finite epsilon, or a delta below one: what holds of every mechanism is no bound."""
    return interval.upper < (1.0 if interval.quantity == "delta" else math.inf)


def _ends(interval: Interval) -> dict[str, str]:
    low, high = interval.as_decimal()
    return {"lower": low, "upper": high}


def _fields(interval: Interval) -> dict[str, Any]:
    from dpref.reals import decimal_up

    return {
        interval.quantity: _ends(interval),
        "method": interval.method,
        "precision": interval.precision,
        "slack": decimal_up(interval.slack),
    }


def _show(interval: Interval, described: dict[str, str]) -> None:
    from dpref.reals import decimal_up

    low, high = interval.as_decimal(_DIGITS)
    typer.echo(f"{interval.quantity} in [{low}, {high}]")
    rows = {
        **described,
        "method": interval.method,
        "precision": f"{interval.precision} bits",
        "slack": decimal_up(interval.slack, 3),
    }
    for name, value in rows.items():
        typer.echo(f"  {name:<10} {value}")


# ------------------------------------------------------------------------------------ calibrate


def calibrate(
    event: Annotated[
        str,
        typer.Argument(metavar="EVENT", help="With one open number: 'compose(gaussian(noise_multiplier=?), 1000)'."),
    ],
    *,
    epsilon: Annotated[str, typer.Option(help="Exact, positive.")],
    delta: Annotated[str, typer.Option(help="Exact, in (0, 1).")],
    adjacency: AdjacencyOption,
    accountant: AccountantOption = "best",
    digits: Annotated[
        int | None, typer.Option(help="Significant digits; by default what the intervals decide, at most 6.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find the least noise, the most steps or the largest rate within a budget.

    The value printed provably meets the budget; one unit of its last place beyond provably does not.

    Exit code: 0 for a value, 3 if none can be certified, 2 for bad usage.
    """
    from dpref.privacy import accountants, event_calibration
    from dpref.privacy.expression import parse_number, parse_template
    from dpref.units import adjacency_named

    template = parse_template(event)
    budget = {"epsilon": parse_number(epsilon, "--epsilon"), "delta": parse_number(delta, "--delta")}
    relation = adjacency_named(adjacency)
    if accountant != accountants.BEST:
        accountants.accountant_named(accountant)
    described = {"event": template.text.strip(), "parameter": template.parameter, "adjacency": adjacency}
    described |= _texts(budget)

    def refused(reason: str) -> None:
        if as_json:
            typer.echo(json.dumps({"value": None, "beyond": None, **described, "reason": reason}, indent=2))

    with _no_bound_is_an_answer(refused):
        found = event_calibration.calibrate(
            template, **budget, adjacency=relation, accountant=accountant, digits=digits
        )
    value = found.decimal(found.value)
    beyond = None if found.beyond is None else found.decimal(found.beyond)
    if as_json:
        report = {"value": value, "beyond": beyond, **described, "spent": _fields(found.spent)}
        report["overspent"] = None if found.overspent is None else _fields(found.overspent)
        typer.echo(json.dumps(report, indent=2))
        return
    typer.echo(f"{template.parameter} = {value}")
    typer.echo(f"  {value} spends {found.spent}: within {budget['epsilon']} at delta = {budget['delta']}")
    if found.overspent is not None:
        typer.echo(f"  {beyond} spends {found.overspent}: too much")
    typer.echo(f"  adjacency  {adjacency}\n  method     {found.spent.method}")
