"""The accounting verbs: ``dpref certify`` and ``dpref calibrate``.

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

from dpref import cli_complete
from dpref.errors import BudgetError, ExpressionError, InvalidArgumentError, PrecisionError, UnsupportedEventError

if TYPE_CHECKING:
    from dpref.privacy.interval import Interval

NO_BOUND: Final = 3
_DIGITS: Final = 10
_WIDE: Final = "the limit of time stopped the work; a larger --limit may give more"
_ASSUMED: Final = "{}: all of this holds if the pairs stated for them dominate these mechanisms"

EventArgument = Annotated[
    str,
    typer.Argument(metavar="EVENT", help="Such as 'compose(poisson(gaussian(1), rate=1/100), 1000)', or 'dpsgd(...)'."),
]
AdjacencyOption = Annotated[
    str, typer.Option(help="replace-one, add-or-remove-one or zero-out.", autocompletion=cli_complete.adjacencies)
]
AccountantOption = Annotated[
    str,
    typer.Option(help="One accountant, or best: the intersection of all.", autocompletion=cli_complete.accountants),
]
TimeOption = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Processor time, 30 by default, after which the best that is proved so far is the answer, marked as wide.",
    ),
]
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
    limit: TimeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Enclose what an event spends: epsilon at --delta, or delta at --epsilon, as a certified interval.

    Exit code: 0 for a finite bound, 3 if there is none, 2 for bad usage.
    """
    from dpref.privacy import accountants
    from dpref.privacy.events.custom_file import read_custom
    from dpref.privacy.events.expression import format_event
    from dpref.privacy.training import ledger_of
    from dpref.units import adjacency_named

    relation = adjacency_named(adjacency)
    with _of_the_event():
        ledger = ledger_of(event, relation, read=read_custom)
    given, asked = _given(delta, epsilon)
    if accountant != accountants.BEST:
        accountants.accountant_named(accountant)
    described = {"event": format_event(ledger.event), "adjacency": adjacency, **_texts(given)}

    def refused(reason: str) -> None:
        if as_json:
            trivial = {"lower": "0", "upper": "inf" if asked == "epsilon" else "1"}
            typer.echo(json.dumps({asked: trivial, "method": None, **described, "reason": reason}, indent=2))

    with _no_bound_is_an_answer(refused), _limited("certify", limit):
        found = accountants.certify(ledger, accountant=accountant, **given)
    if as_json:
        typer.echo(json.dumps({**_fields(found), **described}, indent=2))
    else:
        _show(found, described)
    if not _says_something(found):
        raise typer.Exit(NO_BOUND)


@contextmanager
def _of_the_event() -> Iterator[None]:
    """A mistake in the expression is said to be one of the argument."""
    try:
        yield
    except ExpressionError as error:
        typer.echo(f"dpref: EVENT, {error}", err=True)
        raise typer.Exit(2) from None


@contextmanager
def _limited(verb: str, seconds: float | None) -> Iterator[None]:
    """A limit of time, and on a terminal lines that say what is being computed."""
    from dpref.cli_progress import still_at_work
    from dpref.privacy.time_limit import DEFAULT_LIMIT, time_limit

    if seconds is not None:
        check_limit(seconds)
    with time_limit(DEFAULT_LIMIT if seconds is None else seconds) as limit, still_at_work(verb, lambda: limit.doing):
        yield


def _given(delta: str | None, epsilon: str | None) -> tuple[dict[str, Fraction], str]:
    from dpref.privacy.events.expression import parse_number

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
        "wide": interval.wide,
        **({"assumed": list(interval.assumed)} if interval.assumed else {}),
    }


def _show(interval: Interval, described: dict[str, str]) -> None:
    from dpref.reals import decimal_up

    low, high = interval.as_decimal(_DIGITS)
    typer.echo(f"{interval.quantity} in [{low}, {high}]" + " (wide)" * interval.wide + interval.marked())
    rows = {
        **described,
        "method": interval.method,
        "precision": f"{interval.precision} bits",
        "slack": decimal_up(interval.slack, 3),
    }
    if interval.wide:
        rows["wide"] = _WIDE
    if interval.assumed:
        rows["assumed"] = _ASSUMED.format(", ".join(interval.assumed))
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
    limit: TimeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the least noise, the most steps or the largest rate within a budget.

    The value printed provably meets the budget; one unit of its last place beyond provably does not. Where values
    between could not be decided, the limit of time stopped the search (wide), or no value beyond is known to spend
    too much (not decided), the answer says so.

    Exit code: 0 for a value, 3 if none can be certified, 2 for bad usage.
    """
    from dpref.privacy import accountants, event_calibration
    from dpref.privacy.events.custom_file import read_custom
    from dpref.privacy.events.expression import parse_number, parse_template
    from dpref.units import adjacency_named

    with _of_the_event():
        template = parse_template(event, read=read_custom)
    budget = {"epsilon": parse_number(epsilon, "--epsilon"), "delta": parse_number(delta, "--delta")}
    relation = adjacency_named(adjacency)
    if accountant != accountants.BEST:
        accountants.accountant_named(accountant)
    described = {"event": template.text.strip(), "parameter": template.parameter, "adjacency": adjacency}
    described |= _texts(budget)

    def refused(reason: str) -> None:
        if as_json:
            typer.echo(json.dumps({"value": None, "beyond": None, **described, "reason": reason}, indent=2))

    with _no_bound_is_an_answer(refused), _limited("calibrate", limit):
        found = event_calibration.calibrate(
            template, **budget, adjacency=relation, accountant=accountant, digits=digits
        )
    value = found.decimal(found.value)
    beyond = None if found.beyond is None else found.decimal(found.beyond)
    if as_json:
        report: dict[str, Any] = {"value": value, "beyond": beyond, **described, "spent": _fields(found.spent)}
        report |= {"undecided": found.undecided, "wide": found.wide, "decided": found.decided}
        report["overspent"] = None if found.overspent is None else _fields(found.overspent)
        typer.echo(json.dumps(report, indent=2))
        return
    mark = " (wide)" if found.wide else "" if found.decided else " (not decided)"
    typer.echo(f"{template.parameter} = {value}{mark}")
    typer.echo(f"  {value} spends {found.spent}: within {budget['epsilon']} at delta = {budget['delta']}")
    if found.overspent is not None:
        typer.echo(f"  {beyond} spends {found.overspent}: too much")
    if found.undecided:
        between = "value between" if found.undecided == 1 else "values between"
        typer.echo(f"  {found.undecided} {between} could not be decided")
    if not found.decided:
        typer.echo("  no value beyond is known to spend too much: a better one may meet the budget too")
    typer.echo(f"  adjacency  {adjacency}\n  method     {found.spent.method}")
    if found.wide:
        typer.echo(f"  wide       {_WIDE}")
    if found.spent.assumed:
        typer.echo(f"  assumed    {_ASSUMED.format(', '.join(found.spent.assumed))}")


def check_limit(limit: float) -> None:
    """Refuse a limit of time that is none.

    Args:
        limit: In seconds.

    Raises:
        InvalidArgumentError: If it is not positive and finite.
    """
    if not 0 < limit < math.inf:
        raise InvalidArgumentError("--limit", limit, "must be positive and finite")
