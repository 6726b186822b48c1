"""The verbs that compare: ``dpref crosscheck``, ``dpref bench accounting``, ``dpref bench algorithms``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from dpref.cli import bench
from dpref.cli.accounting import NO_BOUND, JsonOption, check_limit
from dpref.crosscheck.threads import ONE_THREAD
from dpref.errors import InvalidArgumentError

PeerOption = Annotated[
    list[str] | None, typer.Option(metavar="NAME=PYTHON", help="The interpreter in which a package is installed.")
]
LimitOption = Annotated[float, typer.Option(help="Seconds that a peer may take for one case.")]


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command()(crosscheck)
    benchmarks = typer.Typer(no_args_is_help=True, help="Benchmarks: everything that is compared, in one run.")
    benchmarks.command("accounting")(bench_accounting)
    benchmarks.command("algorithms")(bench_algorithms)
    benchmarks.command("audit")(bench.audit)
    app.add_typer(benchmarks, name="bench")


def crosscheck(
    *,
    peer: PeerOption = None,
    mine: Annotated[
        str | None,
        typer.Option(
            "--mine",
            "--my",
            metavar="MODULE:FUNCTION",
            help="Your own accountant: (rate, noise_multiplier, steps, delta) to an upper bound of epsilon, or to a"
            " dict of upper, estimate, lower. Others are asked only where --peer names them.",
        ),
    ] = None,
    direction: Annotated[
        str, typer.Option(help="spend, or calibrate: --mine takes (rate, steps, epsilon, delta) to a noise multiplier.")
    ] = "spend",
    grid: Annotated[str, typer.Option(help="quick, gaussian (140 cases), sampled or full.")] = "quick",
    limit: LimitOption = 60.0,
    as_json: JsonOption = False,
) -> None:
    """Ask other accountants, installed ones or your own, and say whose bound lies below the certified lower end.

    Each runs in a process of its own; --peer dp-accounting=/path/to/python names an interpreter that has it.

    Exit code with --mine: 1 if an upper bound lies below the certified lower end of any case, a lower bound above the
    upper end, or a noise multiplier spends more than it was asked for; 3 if it answers nothing; else 0.
    """
    from dpref.checks import one_of
    from dpref.crosscheck import calibrating, cases, compare
    from dpref.crosscheck.peers import installed, interpreter_options, own

    chosen = cases.grid(grid)
    check_limit(limit)
    one_of("--direction", direction, ("spend", "calibrate"))
    if direction == "calibrate" and mine is None:
        raise InvalidArgumentError("--direction", direction, "needs --mine package.module:function")
    interpreters = interpreter_options(peer or [])
    if mine is not None:
        typer.echo(f"dpref: {mine} is looked for in {os.getcwd()} first", err=True)  # noqa: PTH109 - a text
    asked = [] if mine is None else [own(mine)]
    if direction == "calibrate":
        with _steps(2 * len(chosen)) as advance:
            calibrated = calibrating.compare(chosen, asked[0], limit=limit, advance=advance)
        if as_json:
            typer.echo(json.dumps([calibrating.to_json(row) for row in calibrated], indent=2))
        else:
            _table(calibrating.HEADS, map(calibrating.texts, calibrated))
        raise typer.Exit(_exit_of([row.verdict for row in calibrated], refused=calibrating.refused(calibrated)))
    peers = (*asked, *installed(interpreters, others=mine is None))
    with _steps(len(chosen) * (1 + len(peers))) as advance:
        truths, rows = compare.compare(chosen, peers, limit=limit, advance=advance)
    if as_json:
        typer.echo(json.dumps(compare.to_json(truths, rows, peers), indent=2))
    else:
        _show_comparison(truths, rows, bool(peers))
    if mine is not None:
        own_rows = [row for row in rows if row.peer == asked[0][0].name]
        raise typer.Exit(_exit_of([row.verdict for row in own_rows], refused=compare.refused(own_rows)))


def _exit_of(verdicts: list[str], *, refused: bool) -> int:
    """1 if a bound is none, 3 if there was no answer at all, else 0."""
    from dpref.crosscheck.compare import NO_ANSWER

    return 1 if refused else NO_BOUND if set(verdicts) == {NO_ANSWER} else 0


def _show_comparison(truths: Any, rows: Any, asked: bool) -> None:
    from dpref.crosscheck import compare
    from dpref.reals import decimal_down

    _table(("case", "accountant", "epsilon", "verdict", "time"), compare.table(truths, rows))
    if not asked:
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
    practice: Annotated[bool, typer.Option("--practice", help="What practice asks alone, the last table.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Tables in Markdown, as documentation has them.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Time and epsilon of every accountant, ours and the installed ones of other packages, side by side."""
    from dpref.bench import accounting, questions
    from dpref.checks import natural
    from dpref.crosscheck.peers import PACKAGES, installed, interpreter_options
    from dpref.privacy.accountants import accountants

    natural("--repeat", repeat)
    check_limit(limit)
    peers = installed(interpreter_options(peer or []))
    missing = [package for package in PACKAGES if package not in {found.package for found, _, _ in peers}]
    parts = {"Gaussian, mu = 1": accounting.GAUSSIAN, "Poisson, rate 0.01, noise 1": accounting.SAMPLED}
    reports = []
    for title, chosen in ({} if practice else parts).items():
        with _steps(len(peers) + len(accountants()) + 1) as advance:
            lines = accounting.benchmark(chosen, peers, repeat=repeat, limit=limit, advance=advance)
        if as_json:
            reports.append({"title": title, **accounting.to_json(chosen, lines)})
            continue
        typer.echo(f"{title}; epsilon at delta = {accounting.DELTA:g}, median of {repeat}, add-or-remove-one")
        heads = [f"T = {case.steps}" for case in chosen]
        rows = ((line.name, "yes" if line.certified else "no", *accounting.texts(line)) for line in lines)
        _table(
            ("accountant", "certified", *(text for head in heads for text in (head, "time"))), rows, markdown=markdown
        )
    there = next((interpreter for peer, interpreter, _ in peers if peer.name == questions.PEER), None)
    with _steps(len(questions.QUESTIONS)) as advance:
        answers = questions.compare(questions.QUESTIONS, there, repeat=repeat, limit=limit, advance=advance)
    if as_json:
        reports.append({"title": "questions", "missing": missing, "questions": questions.to_json(answers)})
        typer.echo(json.dumps(reports, indent=2))
        return
    typer.echo(f"What practice asks, a process each, by turns; processor time, least of {repeat}; their time over ours")
    _table(questions.HEADS, map(questions.texts, answers), markdown=markdown)
    if missing:
        typer.echo(f"dpref: not installed, and left out: {', '.join(missing)}", err=True)


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


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], *, markdown: bool = False) -> None:
    """Aligned text: nothing is folded or cut, so that a number is never lost."""
    lines = [heads, *rows]
    if markdown:
        for line in (lines[0], ("---",) * len(heads), *lines[1:]):
            typer.echo(f"| {' | '.join(line)} |")
        typer.echo()
        return
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
