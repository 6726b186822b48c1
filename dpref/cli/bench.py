"""The verb ``dpref bench audit``: audit runs of DP-GD beside batched BLAS."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import Annotated

import typer

from dpref.crosscheck.threads import ONE_THREAD


def audit(
    *,
    runs: Annotated[int, typer.Option(help="Runs to draw besides, by the clock, noise included; 0 for none.")] = 0,
    jobs: Annotated[int, typer.Option(help="Threads that draw them.")] = 2,
    repeat: Annotated[int, typer.Option(help="Repetitions; the median is shown.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Time audit runs of DP-GD, 569 x 30, 50 steps, beside batched BLAS with a link function (one core, in turn)."""
    os.environ.update(ONE_THREAD)  # before anything loads numpy

    from dpref.bench import audit_runs
    from dpref.checks import natural
    from dpref.crosscheck.compare import duration

    natural("--runs", runs, least=0)
    natural("--jobs", jobs)
    natural("--repeat", repeat)
    line = audit_runs.measure(repeat)
    seconds = audit_runs.drawn(runs, jobs) if runs else None
    if as_json:
        report = {**asdict(line), "over_baseline": line.over_baseline, "runs": runs, "jobs": jobs, "seconds": seconds}
        typer.echo(json.dumps(report, indent=2))
        return
    typer.echo(f"{audit_runs.AT_ONCE} runs at once, one core, one thread; a run, median of at most {repeat}, in turn")
    for name, text in zip(audit_runs.HEADS, audit_runs.texts(line), strict=True):
        typer.echo(f"{name:18}  {text}")
    if seconds is not None:
        typer.echo(f"{runs} runs, noise included, in {jobs} threads: {duration(seconds)}")
