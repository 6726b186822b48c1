"""The accounting verbs: ``dpref certify`` and ``dpref calibrate``.

Exit codes: 0 an answer, 2 bad usage, 3 no finite certified bound.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from dpref.cli import completion
from dpref.cli.curves import CurveCommand, compute, write
from dpref.errors import (
    BudgetError,
    ExpressionError,
    InvalidArgumentError,
    OutOfTimeError,
    PoissonAccountingWarning,
    PrecisionError,
    UnsupportedEventError,
)

if TYPE_CHECKING:
    from dpref.privacy.events.ledger import Event
    from dpref.privacy.interval import Interval
    from dpref.privacy.shuffling import PoissonInstead

NO_BOUND: Final = 3
_DIGITS: Final = 10
_WIDE: Final = "the limit of time stopped the work; a larger --limit may give more"
_ASSUMED: Final = "{}: all of this holds if the pairs stated for them dominate these mechanisms"

EventArgument = Annotated[
    str,
    typer.Argument(metavar="EVENT", help="Such as 'compose(poisson(gaussian(1), rate=1/100), 1000)', or 'dpsgd(...)'."),
]
AdjacencyOption = Annotated[
    str, typer.Option(help="replace-one, add-or-remove-one or zero-out.", autocompletion=completion.adjacencies)
]
AccountantOption = Annotated[
    str,
    typer.Option(help="One accountant, or best: the intersection of all.", autocompletion=completion.accountants),
]
TimeOption = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Processor time after which the best that is proved so far is the answer, marked as wide: 10 for an "
        "interval, 30 for curves and searches.",
    ),
]
ProfileOption = Annotated[
    str | None,
    typer.Option(metavar="[EPSILONS]", help="Delta at epsilons: 0,1/2,1 or first:last:count, or chosen if left out."),
]
TradeoffOption = Annotated[
    str | None,
    typer.Option(metavar="[ALPHAS]", help="Least type II errors at type I errors, likewise."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command(cls=CurveCommand)(certify)
    app.command()(calibrate)


@contextmanager
def _no_bound_is_an_answer(report: Callable[[str], None]) -> Iterator[None]:
    """What no accountant supports or decides, or not in time, is said on standard error, with exit code 3."""
    try:
        yield
    except (UnsupportedEventError, PrecisionError, BudgetError, OutOfTimeError) as error:
        late = isinstance(error, OutOfTimeError)
        reason = f"{error}, before anything was certified: {_WIDE}" if late else str(error)
        report(reason)
        typer.echo(f"dpref: {reason}", err=True)
        raise typer.Exit(NO_BOUND) from None


# ------------------------------------------------------------------------------------ certify


def certify(
    event: EventArgument,
    *,
    adjacency: AdjacencyOption,
    delta: Annotated[str | None, typer.Option(help="Exact, such as 1e-6, or 0: asks for epsilon.")] = None,
    epsilon: Annotated[str | None, typer.Option(help="Exact, such as 1/2: asks for delta.")] = None,
    profile: ProfileOption = None,
    tradeoff: TradeoffOption = None,
    gdp: Annotated[bool, typer.Option("--gdp", help="The least mu for which it is mu-Gaussian-DP.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Write the curves as a picture, FILE.svg.")] = None,
    accountant: AccountantOption = "best",
    limit: TimeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Enclose what an event spends: epsilon at --delta, or delta at --epsilon, as a certified interval.

    Or whole curves, as certified bands: --profile is delta at many epsilons, --tradeoff the least type II error of a
    test at many type I errors, each for points that are given or chosen.

    Exit code: 0 for a finite bound, 3 if there is none, 2 for bad usage.
    """
    from dpref.privacy import accountants
    from dpref.privacy.events.expression import format_event
    from dpref.privacy.events.files import read_file
    from dpref.privacy.shuffling import poisson_instead
    from dpref.privacy.training_text import ledger_of
    from dpref.units import adjacency_named

    relation = adjacency_named(adjacency)
    with _of_the_event():
        ledger = ledger_of(event, relation, read=read_file)
    curves = profile is not None or tradeoff is not None or gdp
    if plot is not None and profile is None and tradeoff is None:
        raise InvalidArgumentError("--plot", str(plot), "draws curves: give --profile or --tradeoff too")
    if plot is not None and (plot.is_dir() or not plot.parent.is_dir()):
        raise InvalidArgumentError("--plot", str(plot), "must be a file in a folder that is there")
    given, asked = ({}, "") if curves and delta is None and epsilon is None else _given(delta, epsilon)
    if accountant != accountants.BEST:
        accountants.accountant_named(accountant)
        if curves:
            raise InvalidArgumentError("--accountant", accountant, "must be best for curves, which choose their own")
    described = {"event": format_event(ledger.event), "adjacency": adjacency, **_texts(given)}

    def refused(reason: str) -> None:
        if as_json:
            trivial = {"lower": "0", "upper": "inf" if asked == "epsilon" else "1"}
            answer = {asked: trivial} if asked else {}
            typer.echo(json.dumps({**answer, "method": None, **described, "reason": reason}, indent=2))

    with _no_bound_is_an_answer(refused), _limited("certify", limit, one=not curves):
        found = accountants.certify(ledger, accountant=accountant, **given) if asked else None
        whole = compute(ledger, profile=profile, tradeoff=tradeoff, gdp=gdp) if curves else None
        both = None if found is None else poisson_instead(ledger, found, **given)
        matrices = _sensitivities(ledger.event)
    if plot is not None and whole is not None:
        write(plot, whole.svg(f"{described['event']} under {adjacency}"))
    if as_json:
        answer = {} if found is None else _fields(found) | _warning(both)
        more = {"sensitivities": matrices} if matrices else {}
        typer.echo(json.dumps({**answer, **(whole.to_json() if whole else {}), **described, **more}, indent=2))
    else:
        if found is not None:
            _show(found, described)
            if both is not None:
                typer.echo(f"  {'warning':<10} {PoissonAccountingWarning.__name__}: {both}")
        for line in whole.lines() if whole else ():
            typer.echo(line)
        for known in matrices:
            typer.echo(f"  squared sensitivity {_in_words(known)}")
    if found is not None and not _says_something(found):
        raise typer.Exit(NO_BOUND)


def _sensitivities(event: Event) -> list[dict[str, Any]]:
    """Of the matrix mechanisms in an event, in units of the clipping norm."""
    from dpref.privacy.sensitivities import sensitivities, sensitivity_to_json

    return [{"event": str(node), **sensitivity_to_json(known)} for node, known in sensitivities(event).items()]


def _in_words(known: dict[str, Any]) -> str:
    square = known["squared"]
    ends = square.get("exact") or f"in [{square['lower']}, {square['upper']}]"
    return f"{ends} ({known['rule']}; {'attained' if known['attained'] else 'not known to be attained'})"


@contextmanager
def _of_the_event() -> Iterator[None]:
    """A mistake in the expression is said to be one of the argument."""
    try:
        yield
    except ExpressionError as error:
        typer.echo(f"dpref: EVENT, {error}", err=True)
        raise typer.Exit(2) from None


@contextmanager
def _limited(verb: str, seconds: float | None, *, one: bool = False) -> Iterator[None]:
    """A limit of time, of one interval a shorter one, and on a terminal lines that say what is being computed."""
    from dpref.cli.progress import still_at_work
    from dpref.privacy.time_limit import ANSWER_LIMIT, DEFAULT_LIMIT, time_limit

    if seconds is None:
        seconds = ANSWER_LIMIT if one else DEFAULT_LIMIT
    check_limit(seconds)
    with time_limit(seconds) as limit, still_at_work(verb, lambda: limit.doing):
        yield


def _given(delta: str | None, epsilon: str | None) -> tuple[dict[str, Fraction], str]:
    from dpref.checks import half_open_unit
    from dpref.privacy.events.expression import parse_number

    if delta is not None and epsilon is None:
        return {"delta": half_open_unit("--delta", parse_number(delta, "--delta"))}, "epsilon"  # at 0 it is a supremum
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


def _warning(both: PoissonInstead | None) -> dict[str, Any]:
    """What is commonly assumed of shuffled batches, beside what is certified."""
    if both is None:
        return {}
    told = {"name": PoissonAccountingWarning.__name__, "poisson": _ends(both.poisson), "refuted": both.refuted}
    return {"warning": {**told, "message": str(both)}}


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
        typer.Argument(metavar="EVENT", help="With one open number: 'compose(gaussian(?), 1000)', or 'dpsgd(...)'."),
    ],
    *,
    epsilon: Annotated[str, typer.Option(help="Exact, positive.")],
    delta: Annotated[str, typer.Option(help="Exact, in [0, 1).")],
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
    from dpref.privacy.events.expression import parse_number
    from dpref.privacy.events.files import read_file
    from dpref.privacy.training_text import template_of
    from dpref.units import adjacency_named

    relation = adjacency_named(adjacency)
    with _of_the_event():
        template = template_of(event, relation, read=read_file)
    budget = {"epsilon": parse_number(epsilon, "--epsilon"), "delta": parse_number(delta, "--delta")}
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
