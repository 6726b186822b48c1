"""The accounting verbs: ``dpref certify``, ``dpref calibrate``, ``dpref crosscheck``, ``dpref bench accounting``.

Exit codes: 0 an answer, 2 bad usage, 3 no finite certified bound.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from dpref import cli_bench
from dpref.crosscheck.threads import ONE_THREAD
from dpref.errors import BudgetError, InvalidArgumentError, PrecisionError, UnsupportedEventError

if TYPE_CHECKING:
    from dpref.privacy.interval import Interval

NO_BOUND: Final = 3
_DIGITS: Final = 10
_WIDE: Final = "the limit of time stopped the work; a larger --limit may give more"
_ASSUMED: Final = "{}: all of this holds if the pairs stated for them dominate these mechanisms"

EventArgument = Annotated[
    str, typer.Argument(metavar="EVENT", help="Such as 'compose(poisson(gaussian(1), rate=1/100), 1000)'.")
]
AdjacencyOption = Annotated[str, typer.Option(help="replace-one, add-or-remove-one or zero-out.")]
AccountantOption = Annotated[str, typer.Option(help="One accountant, or best: the intersection of all.")]
PeerOption = Annotated[
    list[str] | None, typer.Option(metavar="NAME=PYTHON", help="The interpreter in which a package is installed.")
]
LimitOption = Annotated[float, typer.Option(help="Seconds that a peer may take for one case.")]
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
    app.command()(crosscheck)
    benchmarks = typer.Typer(no_args_is_help=True, help="Benchmarks: everything that is compared, in one run.")
    benchmarks.command("accounting")(bench_accounting)
    benchmarks.command("algorithms")(bench_algorithms)
    benchmarks.command("audit")(cli_bench.audit)
    app.add_typer(benchmarks, name="bench")


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
    from dpref.privacy.events.expression import format_event, parse_event
    from dpref.privacy.events.ledger import Ledger
    from dpref.units import adjacency_named

    ledger = Ledger(parse_event(event, read=read_custom), adjacency_named(adjacency))
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
def _limited(verb: str, seconds: float | None) -> Iterator[None]:
    """A limit of time, and on a terminal lines that say what is being computed."""
    from dpref.cli_progress import still_at_work
    from dpref.privacy.time_limit import DEFAULT_LIMIT, time_limit

    if seconds is not None:
        _check_limit(seconds)
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


# ------------------------------------------------------------------------------------ other accountants


def crosscheck(
    *,
    peer: PeerOption = None,
    grid: Annotated[str, typer.Option(help="quick, gaussian (140 cases), sampled or full.")] = "quick",
    limit: LimitOption = 60.0,
    as_json: JsonOption = False,
) -> None:
    """Ask the installed accountants of other packages, and say whose bound lies below the certified lower end.

    Each runs in a process of its own; --peer dp-accounting=/path/to/python names an interpreter that has it.
    """
    from dpref.crosscheck import cases, compare
    from dpref.crosscheck.peers import installed, interpreter_options
    from dpref.reals import decimal_down

    chosen = cases.grid(grid)
    _check_limit(limit)
    peers = installed(interpreter_options(peer or []))
    with _steps(len(chosen) * (1 + len(peers))) as advance:
        truths, rows = compare.compare(chosen, peers, limit=limit, advance=advance)
    if as_json:
        typer.echo(json.dumps(compare.to_json(truths, rows, peers), indent=2))
        return
    _table(("case", "accountant", "epsilon", "verdict", "time"), compare.table(truths, rows))
    if not peers:
        typer.echo("dpref: no other accountant is installed; see dpref crosscheck --help", err=True)
        return
    lines = (
        (name, str(judged), str(below), decimal_down(shortfall, 3) if below else "-", compare.duration(seconds))
        for name, judged, below, shortfall, seconds in compare.summary(rows)
    )
    _table(("accountant", "judged", "below the truth", "largest shortfall", "median time"), lines)


def bench_accounting(
    *,
    peer: PeerOption = None,
    repeat: Annotated[int, typer.Option(help="Repetitions; the median is shown.")] = 3,
    limit: LimitOption = 60.0,
    as_json: JsonOption = False,
) -> None:
    """Time and epsilon of every accountant, ours and the installed ones of other packages, side by side."""
    from dpref.bench import accounting
    from dpref.checks import natural
    from dpref.crosscheck.peers import installed, interpreter_options
    from dpref.privacy.accountants import accountants

    natural("--repeat", repeat)
    _check_limit(limit)
    peers = installed(interpreter_options(peer or []))
    parts = {"Gaussian, mu = 1": accounting.GAUSSIAN, "Poisson, rate 0.01, noise 1": accounting.SAMPLED}
    reports = []
    for title, chosen in parts.items():
        with _steps(len(peers) + len(accountants()) + 1) as advance:
            lines = accounting.benchmark(chosen, peers, repeat=repeat, limit=limit, advance=advance)
        if as_json:
            reports.append({"title": title, **accounting.to_json(chosen, lines)})
            continue
        typer.echo(f"{title}; epsilon at delta = {accounting.DELTA:g}, median of {repeat}, add-or-remove-one")
        heads = [f"T = {case.steps}" for case in chosen]
        rows = ((line.name, "yes" if line.certified else "no", *accounting.texts(line)) for line in lines)
        _table(("accountant", "certified", *(text for head in heads for text in (head, "time"))), rows)
    if as_json:
        typer.echo(json.dumps(reports, indent=2))


def bench_algorithms(
    *,
    records: Annotated[
        int | None, typer.Option(help="Records n; by default as many as fit into 160 MB, at most a million.")
    ] = None,
    dimension: Annotated[
        list[int] | None, typer.Option(help="Dimension d, or several in turn; by default 10, 100 and 1000.")
    ] = None,
    repeat: Annotated[int, typer.Option(help="Repetitions; the median is shown.")] = 5,
    as_json: JsonOption = False,
) -> None:
    """Time every algorithm's kernel beside its reference loop, a memory pass, BLAS and a blocked loop (one core)."""
    os.environ.update(ONE_THREAD)  # before anything loads numpy

    from dpref.algorithms.registry import ALGORITHMS
    from dpref.bench import algorithms, instances
    from dpref.checks import natural

    dimensions = dimension or algorithms.DIMENSIONS
    if records is not None:
        natural("--records", records, least=instances.LEAST)
    for d in dimensions:
        natural("--dimension", d)
    natural("--repeat", repeat)
    reports = []
    with _steps(len(ALGORITHMS) * len(dimensions)) as advance:
        for d in dimensions:
            lines = algorithms.benchmark(records, d, repeat, advance)
            reports += algorithms.to_json(lines)
            if not as_json:
                typer.echo(f"d = {d}, one core, one thread; all but the reference: median of at most {repeat}, in turn")
                _table(algorithms.HEADS, map(algorithms.texts, lines))
    if as_json:
        typer.echo(json.dumps(reports, indent=2))


def _check_limit(limit: float) -> None:
    if not 0 < limit < math.inf:
        raise InvalidArgumentError("--limit", limit, "must be positive and finite")


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Aligned text: nothing is folded or cut, so that a number is never lost."""
    lines = [heads, *rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(heads))]
    for line in lines:
        typer.echo("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
    typer.echo()


@contextmanager
def _steps(total: int) -> Iterator[Callable[[str], None]]:
    """A progress bar on standard error, on a terminal only."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=total)

        def advance(name: str) -> None:
            progress.update(task, advance=1, description=name)

        yield advance
