"""What the lines of a run say: how many mutants were noticed, and of a random sample, what that says of all."""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from dpref.audit.statistics import binomial_lower, binomial_upper
from property_tests.library_mutants import changes, scope, trial

LEAST: Final = 0.99  # of all mutants that are not equivalent; of those that decide privacy, all
_ERROR: Final = Fraction(1, 20)  # of the interval that a sample gives

Line = dict[str, Any]


def drawn(everything: Mapping[str, list[changes.Mutant]], count: int, seed: int) -> dict[str, list[changes.Mutant]]:
    """So many of the mutants, each set of them as likely as any other; all of them if the count is 0."""
    flat = [m for those in everything.values() for m in those]
    some = set(random.Random(seed).sample(flat, min(count, len(flat))) if count else flat)  # noqa: S311 - a sample, not a secret
    kept = {name: [m for m in those if m in some] for name, those in everything.items()}
    return {name: those for name, those in kept.items() if those}


def module(line: Line) -> str:
    """The module of a mutant that was judged."""
    return str(line["mutant"]).partition(":")[0]


def alive(line: Line) -> bool:
    """Whether nothing noticed a mutant: it survives, could not be planted, or the trial itself went wrong."""
    return line["how"] not in trial.DEAD


def kind(line: Line) -> str:
    """What killed a mutant, in one word."""
    return str(line["killer"]).partition(" ")[0] if line["how"] == "fails" else str(line["how"])


def whole(lines: Sequence[Line], everything: Mapping[str, Sequence[object]], *, narrow: bool) -> list[Line]:
    """The lines of the functions of which every mutant is judged, and if only some killers tried, is noticed."""
    found: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        found[line["mutant"]].append(line)
    done = (those for f, those in found.items() if len(those) == len(everything[f]))
    return [x for those in done if not (narrow and any(map(alive, those))) for x in those]


def summary(lines: Sequence[Line], seconds: float, of: Sequence[changes.Mutant] = ()) -> int:
    """Print the score, with its interval where the lines are a sample of some mutants; 1 if it is too low."""
    good = bool(lines)
    privacy = [x for x in lines if scope.decides_privacy(module(x))]
    drawn_from = len(of), sum(scope.decides_privacy(m.module) for m in of)
    for words, those, count, least in zip(
        ("all", "deciding privacy"), (lines, privacy), drawn_from, (LEAST, 1.0), strict=True
    ):
        real = [x for x in those if x["how"] != "equivalent"]
        dead = sum(not alive(x) for x in real)
        share = 100 * dead / max(len(real), 1)
        equivalents = len(those) - len(real)
        sys.stdout.write(f"{words}: {dead} of {len(real)} killed = {share:.2f} %, {equivalents} more are equivalent\n")
        if of and real:
            low, high = interval(dead, len(real))
            sys.stdout.write(f"  of {count} mutants: {100 * low:.2f} to {100 * high:.2f} % at 95 % confidence\n")
        good &= dead >= least * len(real)
    by = ", ".join(f"{n} {word}" for word, n in Counter(kind(x) for x in lines).most_common())
    spent = sum(x["seconds"] for x in lines)
    functions = len({x["mutant"] for x in lines})
    sys.stdout.write(f"{functions} functions; {by}\n{spent:.0f} s of processor time, {seconds:.0f} s in all\n")
    return int(not good)


def interval(dead: int, judged: int) -> tuple[float, float]:
    """Clopper and Pearson's exact 95 % interval of a share, of which the mutants judged are a random sample.

    >>> interval(300, 300)
    (0.987..., 1.0)
    """
    return binomial_lower(dead, judged, _ERROR / 2), binomial_upper(dead, judged, _ERROR / 2)
