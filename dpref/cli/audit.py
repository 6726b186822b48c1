"""The verb ``dpref audit``: verdicts as they come, and where they can be read again.

Exit codes: of one claim 0 holds, 1 refuted, 3 undecided; of several 1 if any is refuted, else 3 if any is undecided; of
the catalogue 0 if every verdict is the recorded one, else 1.  Bad usage: 2.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dpref.cli import completion, foreign, long
from dpref.cli.progress import console, cpus, progress
from dpref.errors import ClaimFileError, DprefError, InvalidArgumentError

if TYPE_CHECKING:
    from dpref.audit.claims import Claim
    from dpref.audit.many import Settings
    from dpref.audit.verdict import Verdict

OK: Final = 0
NO: Final = 1
UNDECIDED: Final = 3
QUICK_TRIALS: Final = 200

_HELP: Final = """Judge privacy claims: certified interval, empirical lower bound, verdict.

A CLAIM is a name (paper/item@form,adjacency), a leading part of one (paper, paper/item, paper/item@form),\
 or a JSON file of claims (its name ends in .json). Without any, the whole built-in catalogue is judged,\
 and with --quick the main claims of each paper.

A name with a colon, package.module:function, is a callable of your own, (data, rng) -> output. Runs refute what is\
 claimed of it, or say nothing: exit code 1 refuted, 3 not refuted, 2 error; never 0.

What is stopped goes on where it was: runs are kept in --store DIR, and those of claims otherwise in the user's cache\
 folder.

Exit code of one claim: 0 holds, 1 refuted, 3 undecided. Of several: 1 if any is refuted, else 3 if any is undecided.\
 Of the catalogue, or with --quick: 0 if every verdict is the recorded one, else 1. Bad usage: 2."""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(audit)


def audit(
    ctx: typer.Context,
    claims: Annotated[
        list[str] | None, typer.Argument(metavar="CLAIM", help="What to judge.", autocompletion=completion.claims)
    ] = None,
    *,
    quick: Annotated[
        bool, typer.Option("--quick", help=f"The main claims of each paper, {QUICK_TRIALS} runs each: half a minute.")
    ] = False,
    trials: Annotated[
        int | None,
        typer.Option(
            help="Runs on each of two data sets; by default 2000 or what a claim needs. At confidence 0.999 runs can"
            " refute a claim of a large epsilon only from about 17.4 exp(epsilon) of them: the output says how many."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Makes the runs reproducible, whatever the number of jobs.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(help="How many work at once; by default one a CPU, of a callable one.")
    ] = None,
    confidence: Annotated[str, typer.Option(help="Of each claim's empirical bounds, jointly; exact.")] = "0.999",
    as_json: Annotated[bool, typer.Option("--json", help="Verdicts as a JSON array on standard output.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a self-contained page with plots.")] = None,
    docs: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where the documentation lies: the page of --html then links to its pages."),
    ] = None,
    names_only: Annotated[bool, typer.Option("--list", help="List the claims instead of judging them.")] = False,
    store: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the runs there, and take those that are there already.")
    ] = None,
    no_store: Annotated[bool, typer.Option("--no-store", help="Draw every run anew, and keep none.")] = False,
    pair: foreign.PairOption = None,
    epsilon: foreign.EpsilonOption = None,
    delta: foreign.DeltaOption = None,
    rho: foreign.RhoOption = None,
    mu: foreign.MuOption = None,
    adjacency: foreign.AdjacencyOption = None,
    error: foreign.ErrorOption = None,
    bits: foreign.BitsOption = False,
    batched: foreign.BatchedOption = False,
    score: foreign.ScoreOption = None,
    ledger: foreign.LedgerOption = None,
    learn: foreign.LearnOption = True,
    exceptions: foreign.ExceptionsOption = "stop",
    seeding: foreign.SeedingOption = "argument",
    limit: foreign.LimitOption = 10.0,
    isolate: foreign.IsolateOption = "none",
    accept: foreign.AcceptOption = False,
    resume: long.ResumeOption = False,
    executor: long.ExecutorOption = None,
    code_version: long.CodeVersionOption = None,
) -> None:
    """Judge claims, print the verdicts, and exit with what they say."""
    of_callable = foreign.is_callable(claims)
    foreign.refuse_options(ctx, of_callable=of_callable)
    if no_store and store is not None:
        raise InvalidArgumentError("--no-store", str(store), "contradicts --store: leave out either")
    if of_callable:
        raise typer.Exit(foreign.audit_callable(ctx.params))
    from dpref.audit.catalogue import catalogue, headline
    from dpref.audit.claim_files import claim_to_json, exact_number
    from dpref.audit.kept_runs import KeptRuns, cache_folder, kernel_folder
    from dpref.audit.many import Settings
    from dpref.audit.verdict import check
    from dpref.audit.verdict_json import verdict_to_json

    if quick and claims:
        raise InvalidArgumentError("--quick", claims[0], "chooses the claims by itself: leave out either")
    if docs is not None and html is None:
        raise InvalidArgumentError("--docs", docs, "is for the links of --html PAGE: give that too")
    chosen = _chosen(claims) if claims else headline() if quick else catalogue()
    if names_only:
        entries = [claim_to_json(claim) for claim in chosen]
        typer.echo(json.dumps({"claims": entries}, indent=2) if as_json else "\n".join(claim.id for claim in chosen))
        return
    working = cpus() if jobs is None else jobs
    settings = Settings(
        trials=QUICK_TRIALS if quick and trials is None else trials,
        seed=seed,
        confidence=exact_number(confidence, "confidence"),
        kept=None if no_store else KeptRuns(store or cache_folder(), required=store is not None),
        kernels=None if no_store else kernel_folder(),
    )
    check(trials=settings.trials, seed=seed, jobs=working, confidence=settings.confidence)
    with _page(html, docs) as write_page:
        found = {v.claim.id: v for v in _judged(chosen, settings, working, said=not as_json)}
        verdicts = [found[claim.id] for claim in chosen]
        write_page(verdicts)
    if as_json:
        typer.echo(json.dumps([verdict_to_json(v) for v in verdicts], indent=2))
    else:
        _say(verdicts, quick=quick, html=html)
    for v in verdicts:
        for alarm in v.alarms:
            typer.echo(f"dpref: ALARM: {v.claim.id}: {alarm}", err=True)
    raise typer.Exit(exit_code(verdicts, as_recorded=not claims))


def exit_code(verdicts: Sequence[Verdict], *, as_recorded: bool) -> int:
    """What the verdicts say to a shell.

    Args:
        verdicts: At least one.
        as_recorded: Whether the question was if they are the recorded ones.
    """
    if as_recorded:
        return OK if all(v.as_recorded for v in verdicts) else NO
    outcomes = {v.outcome for v in verdicts}
    return NO if "refuted" in outcomes else UNDECIDED if "undecided" in outcomes else OK


def _say(verdicts: Sequence[Verdict], *, quick: bool, html: Path | None) -> None:
    from dpref.audit.catalogue import catalogue
    from dpref.audit.terminal import show, summary

    if quick:
        console().print(summary(verdicts))
        left = len(catalogue()) - len(verdicts)
        typer.echo(f"Not judged: {left} other claims, and more than {QUICK_TRIALS} runs each: `dpref audit` does both.")
    else:
        show(verdicts, console())
    if html is not None:
        typer.echo(f"The report: {html}")


def _chosen(names: Sequence[str]) -> tuple[Claim, ...]:
    """Claims of files and of the catalogue, in the order of the arguments, each once."""
    from dpref.audit.catalogue import catalogue, select
    from dpref.audit.claim_files import read_claims

    chosen: dict[str, Claim] = {}
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        for name in names:
            found = read_claims(Path(name)) if name.endswith(".json") else select([name], catalogue())
            if name.endswith(".json"):
                _check_references(name, found)
            for claim in found:
                if chosen.setdefault(claim.id, claim) != claim:
                    raise InvalidArgumentError("CLAIM", name, f"has another claim named {claim.id}")
    for note in notes:  # an old name of a claim
        typer.echo(f"dpref: note: {note.message}", err=True)
    return tuple(chosen.values())


def _check_references(file: str, claims: Sequence[Claim]) -> None:
    """Refuse a file whose claims refer to a claim or to an obligation that is nowhere."""
    from dpref.audit.catalogue import catalogue

    names, obligations = {claim.id for claim in (*claims, *catalogue())}, set[str]()
    if any(claim.obligations for claim in claims):  # whose modules are slow to load
        from proofs.registry import registry

        obligations = set(registry())
    for i, claim in enumerate(claims):
        if claim.charitable is not None and claim.charitable not in names:
            rule = f"{claim.charitable!r} must be the name of a claim of this file or of dpref audit --list"
            raise ClaimFileError(f"{file}: claims[{i}].charitable: {rule}")
        for j, obligation in enumerate(claim.obligations):
            if obligation not in obligations:
                rule = f"{obligation!r} must be an obligation, see dpref prove"
                raise ClaimFileError(f"{file}: claims[{i}].obligations[{j}]: {rule}")


def _judged(claims: Sequence[Claim], settings: Settings, jobs: int, *, said: bool) -> Iterator[Verdict]:
    """The verdicts as they come; of several each is said at once."""
    from dpref.audit import many, verdict
    from dpref.audit.catalogue import catalogue, headline
    from dpref.audit.terminal import line, opening, reach_lines

    out = console()
    if said and (claims == headline() or claims == catalogue()):
        for text in opening(claims):
            out.print(text, soft_wrap=True)
    if sys.stderr.isatty():  # before the work, for who watches it; the report says it again
        for said_of in reach_lines([(c, verdict.runs(c, settings.trials)) for c in claims], settings.confidence):
            typer.echo(said_of, err=True)
    for claim in claims:
        _check_built(claim)
    if len(claims) == 1:
        with progress(2 * verdict.runs(claims[0], settings.trials)) as bar:
            yield many.judge_one(claims[0], settings, jobs, bar(claims[0].id))
        return
    with progress(sum(verdict.runs(claim, settings.trials) for claim in claims)) as bar:
        for found in many.judged(claims, settings, jobs):
            if said:
                out.print(line(found), soft_wrap=True)
            bar(found.claim.id)(found.empirical.trials)
            yield found


def _check_built(claim: Claim) -> None:
    """A claim of a file is built before any is run, so that a mistake costs no work."""
    from dpref.audit.builders import build
    from dpref.audit.catalogue import catalogue

    if claim not in catalogue():
        try:
            build(claim)
        except DprefError as error:
            raise ClaimFileError(f"{claim.id}: {error}") from None


def _page(path: Path | None, docs: str | None) -> AbstractContextManager[Callable[[Sequence[Verdict]], None]]:
    """The HTML page: refused before the work if it cannot be written, and renamed into place after it."""
    if path is None:
        return nullcontext(lambda _: None)
    from dpref.audit.report import page

    return page(path, docs)
