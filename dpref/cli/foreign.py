"""``dpref audit package.module:function``: the verb `audit` of a callable, its options and what it prints."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from dpref.cli import completion, long
from dpref.errors import InvalidArgumentError

if TYPE_CHECKING:
    from fractions import Fraction

    from dpref.foreign.claims import Claim
    from dpref.foreign.report import Judgement

REFUTED: Final = 1
NOT_REFUTED: Final = 3
_EXITS: Final = {"refuted": REFUTED, "error": 2, "not refuted": NOT_REFUTED}
PANEL: Final = "Of a callable (package.module:function)"
OF_CLAIMS: Final = frozenset({"quick", "confidence", "html", "docs", "names_only"})


def _option(text: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=PANEL, **more)


PairOption: TypeAlias = Annotated[
    str | None, _option("package.module:name of two neighbouring data sets (a 2-tuple), or of what yields pairs.")
]
EpsilonOption: TypeAlias = Annotated[str | None, _option("Claimed epsilon, exact.")]
DeltaOption: TypeAlias = Annotated[str | None, _option("Claimed delta, exact; 0 if not given.")]
RhoOption: TypeAlias = Annotated[str | None, _option("Claimed rho of zCDP, exact.")]
MuOption: TypeAlias = Annotated[str | None, _option("Claimed mu of GDP, exact.")]
AdjacencyOption: TypeAlias = Annotated[
    str | None, _option("replace-one, add-or-remove-one or zero-out.", autocompletion=completion.adjacencies)
]
ErrorOption: TypeAlias = Annotated[
    str | None, _option("Probability with which a correct callable is refuted, at most; exact; 0.001 if not given.")
]
BitsOption: TypeAlias = Annotated[bool, _option("Let what the low-order bits show refute as well.", "--bits")]
BatchedOption: TypeAlias = Annotated[bool, _option("The callable is f(data, rng, n) and returns n outputs.")]
ScoreOption: TypeAlias = Annotated[str | None, _option("package.module:name of a score of outputs.")]
LedgerOption: TypeAlias = Annotated[
    str | None, _option("package.module:name of a ledger; shown as declared, not checked.")
]
LearnOption: TypeAlias = Annotated[
    bool, _option("Fit a classifier, if scikit-learn is installed.", "--learn/--no-learn")
]
ExceptionsOption: TypeAlias = Annotated[str, _option("stop: an exception is an error; output: it is an output.")]
SeedingOption: TypeAlias = Annotated[str, _option("argument: f(data, rng); seed: f(data, int); own: f(data).")]
LimitOption: TypeAlias = Annotated[float, _option("Seconds that one run may last.")]
IsolateOption: TypeAlias = Annotated[str, _option("process: each chunk of runs in a fresh interpreter.")]
AcceptOption: TypeAlias = Annotated[
    bool, _option("Exit with 0 if the claim is not refuted; the last line says so.", "--accept-not-refuted")
]


@dataclass(frozen=True, kw_only=True)
class _Request:
    """The options of the command line."""

    claims: list[str]
    pair: str | None
    epsilon: str | None
    delta: str | None
    rho: str | None
    mu: str | None
    adjacency: str | None
    trials: int | None
    error: str | None
    bits: bool
    batched: bool
    score: str | None
    ledger: str | None
    learn: bool
    exceptions: Any
    seeding: Any
    limit: float
    isolate: Any
    seed: int
    as_json: bool
    accept: bool

    @property
    def target(self) -> str:
        return self.claims[0]


def is_callable(claims: Sequence[str] | None) -> bool:
    """Whether the arguments of ``dpref audit`` name a callable: a colon tells it from a claim's name.

    Args:
        claims: The arguments.
    """
    named = [name for name in claims or () if ":" in name and not name.endswith(".json")]
    if named and len(claims or ()) > 1:
        raise InvalidArgumentError("CLAIM", named[0], "is a callable: it must be the only argument")
    return bool(named)


def refuse_options(ctx: typer.Context, *, of_callable: bool) -> None:
    """Refuse what was said of a callable where there is none, or of claims where there is one.

    Args:
        ctx: Of the command line.
        of_callable: Whether a callable is judged.
    """
    for parameter in ctx.command.params:
        said = getattr(ctx.get_parameter_source(parameter.name or ""), "name", "DEFAULT")
        is_of_callable = getattr(parameter, "rich_help_panel", None) in {PANEL, long.PANEL}
        is_of_claims = parameter.name in OF_CLAIMS
        if said == "DEFAULT" or not (is_of_claims if of_callable else is_of_callable):
            continue
        rule = "is about claims of papers" if of_callable else "is about a callable, package.module:function"
        raise InvalidArgumentError(parameter.opts[0], str(ctx.params[parameter.name or ""]), rule)


def audit_callable(options: Mapping[str, Any]) -> int:
    """Audit the callable and print the verdict.

    Args:
        options: Of the command line.

    Returns:
        The exit code.
    """
    from dpref.cli.progress import progress
    from dpref.foreign.chunks import load
    from dpref.foreign.mechanism import DEFAULT_ERROR, DEFAULT_TRIALS, audit_mechanism, check_game
    from dpref.foreign.report import each_error
    from dpref.units import adjacency_named

    request = _Request(**{field.name: options[field.name] for field in fields(_Request)})
    claim = _claim({name: options[name] for name in ("epsilon", "delta", "rho", "mu")})
    if request.adjacency is None:
        raise InvalidArgumentError("--adjacency", None, "must be given: the same noise buys different budgets")
    if request.pair is None:
        raise InvalidArgumentError("--pair", None, "must be given: package.module:name of two neighbouring data sets")
    error = DEFAULT_ERROR if request.error is None else _exact(request.error, "error")
    trials = DEFAULT_TRIALS if request.trials is None else request.trials
    check_game(trials, error)
    adjacency = adjacency_named(request.adjacency)
    pair = load(request.pair, "pair")
    load(request.target, "target")
    with long.place(options) as where:
        typer.echo(f"dpref: {Path.cwd()} is searched for modules", err=True)
        each = each_error(error, "refute" if request.bits else "report")
        _announce(claim, trials, each, given=request.trials is not None)
        with progress(trials) as bar:
            found = audit_mechanism(
                request.target,
                pair,
                claim,
                adjacency=adjacency,
                trials=trials,
                error=error,
                batched=request.batched,
                score=request.score,
                learn="auto" if request.learn else False,
                bits="refute" if request.bits else "report",
                exceptions=request.exceptions,
                seeding=request.seeding,
                ledger=_ledger(request.ledger),
                limit=request.limit,
                isolate=request.isolate,
                seed=request.seed,
                progress=bar(request.target),
                **where,
            )
    return _say(found, request)


def _say(found: Judgement, request: _Request) -> int:
    if request.as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
    elif found.outcome != "error" or found.statements:
        typer.echo("\n".join(found.lines()))
    if found.outcome == "error":
        typer.echo(f"dpref: {found.reason}", err=True)
    if found.outcome == "not refuted" and request.accept:
        typer.echo("dpref: not refuted, which --accept-not-refuted takes for enough; it shows nothing", err=True)
        return 0
    return _EXITS[found.outcome]


def _exact(text: str, name: str) -> Fraction:
    from dpref.audit.claim_files import exact_number

    return exact_number(text, name)


def _claim(claimed: dict[str, str | None]) -> Claim:
    """The claim of the options; there must be one."""
    from dpref.foreign.claims import DPClaim, GDPClaim, ZCDPClaim

    given = {name: _exact(text, name) for name, text in claimed.items() if text is not None}
    kinds = [name for name in ("epsilon", "rho", "mu") if name in given]
    if len(kinds) != 1:
        rule = "must be given by exactly one of --epsilon, --rho and --mu"
        raise InvalidArgumentError("claim", ", ".join(kinds) or None, rule)
    if "delta" in given and kinds != ["epsilon"]:
        raise InvalidArgumentError("delta", str(given["delta"]), f"must not be given with --{kinds[0]}")
    if kinds == ["epsilon"]:
        return DPClaim(**given)
    return ZCDPClaim(given["rho"]) if kinds == ["rho"] else GDPClaim(given["mu"])


def _ledger(place: str | None) -> Any:
    from dpref.foreign.chunks import load
    from dpref.privacy.events.ledger import Ledger

    if place is None:
        return None
    found = load(place, "ledger")
    return found if isinstance(found, Ledger) or not callable(found) else found()


def _announce(claim: Claim, trials: int, error: Fraction, *, given: bool) -> None:
    """Before the first run: what these runs can show, and whether that is enough."""
    from dpref.foreign.digits import down
    from dpref.foreign.limits import ceiling, trials_needed

    most, needed = ceiling(claim, trials, error), trials_needed(claim, error)
    name, value = claim.parameter, float(claim.value)
    typer.echo(
        f"dpref: {trials} pairs of runs, error {float(error):g}: the largest {name} that can be shown is"
        f" {down(most, 2)}; the claim is {value:g}",
        err=True,
    )
    if value >= most and not given:
        rule = f"cannot be refuted by {trials} pairs of runs: ask for --trials {needed} at the least"
        rule = "cannot be refuted by any number of runs" if needed is None else rule
        raise InvalidArgumentError(name, value, rule)
