"""Mutants of certificates and of goals by the thousand; what the kernel accepts of them is evaluated in balls.

``python -m property_tests.certificate_mutants --count 20000`` changes a committed certificate, or a goal before its
tactic runs, in one to three places, and gives it to the kernel.  Each claim that comes out is evaluated at 200 rational
points of its box with an evaluator of its own (exact fractions, and FLINT's balls where a value is irrational), the
ends and their neighbourhoods among them.  A claim that is false or undefined at one of the points is a hole.
"""
# ruff: noqa: S311 - samples, not secrets

from __future__ import annotations

import argparse
import copy
import json
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from proofs import kernel as k
from proofs.check import path_of
from proofs.registry import Goal, registry
from proofs.terms import Claim, Rejected
from property_tests.ball_points import POINTS, Verdict, verdict

NUMBERS = ("0", "1", "-1", "2", "7", "1/2", "-1/3", "oo", "-oo", "pi", "-5/1/2", "1/0", "0/0", "2/4")
ENDS, RELATIONS = ("[]", "[)", "(]", "()"), ("==", ">", ">=", "not ==")
SECONDS = 10  # for one mutant

Path = tuple[Any, ...]


def facts() -> list[tuple[str, dict[str, Any]]]:
    """Every committed fact with its obligation's name."""
    found = []
    for o in registry().values():
        c = json.loads(path_of(o).read_text(encoding="utf-8"))
        found += [(f"{o.id}[{i}]", f) for i, f in enumerate(c["facts"])]
    return found


def leaves(node: Any, path: Path = ()) -> list[Path]:
    """The paths of everything that is neither a list nor an object."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else None
    return [path] if children is None else [p for key, child in children for p in leaves(child, (*path, key))]


def at(node: Any, path: Path) -> Any:
    """What stands at a path."""
    for key in path:
        node = node[key]
    return node


def terms(node: Any) -> list[Path]:
    """The paths of all terms, with their parts."""
    places = {p[:i] for p in leaves(node) for i in range(1, len(p))}
    return sorted(
        (p for p in places if isinstance(at(node, p), dict) and not {"fact", "interval"} & at(node, p).keys()), key=str
    )


def mutate(node: Any, rng: random.Random) -> Any:
    """A copy with one to three changes."""
    changed = copy.deepcopy(node)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if rng.random() < 0.2:
            _graft(changed, rng)
        else:
            _change(changed, rng)
    return changed


def _graft(node: Any, rng: random.Random) -> None:
    """One term in the place of another, or under a head."""
    places = terms(node)
    if not places:
        return
    path = rng.choice(places)
    symbol = {"symbol": rng.choice(_symbols(node))}
    new = copy.deepcopy(at(node, rng.choice(places)))
    zero, one = {"number": "0"}, {"number": "1"}
    wrapped = {
        "total": [new],
        "slope": [new, symbol],
        "limit": [new, symbol, zero, one],
        "Sum": [new, symbol, one, {"symbol": rng.choice(_symbols(node))}],
        "loop": [symbol, symbol, zero, new],
    }
    head = rng.choice((None, None, None, *wrapped))
    at(node, path[:-1])[path[-1]] = new if head is None else {head: wrapped[head]}


def _symbols(node: Any) -> list[str]:
    return sorted({at(node, p) for p in leaves(node) if p and p[-1] == "symbol"} | {"z"})


def _change(node: Any, rng: random.Random) -> None:
    """A number, a symbol, an end, a relation, a tree of boxes, a rule, or a missing or doubled part."""
    path = rng.choice([p for p in leaves(node) if p] or [()])
    if not path:
        return
    parent, key = at(node, path[:-1]), path[-1]
    old = parent[key]
    if rng.random() < 0.15 and isinstance(parent, list):
        rng.choice((parent.pop, lambda i: parent.append(parent[i])))(key)
    elif isinstance(old, bool):
        parent[key] = rng.choice((not old, int(old)))
    elif isinstance(old, int):
        parent[key] = rng.choice((old - 1, old + 1, True, float(old)))
    else:
        named = {"rule": sorted(set(k.RULES) - {"axiom"}), "number": NUMBERS, "symbol": _symbols(node)}
        alike = next((words for words in (ENDS, RELATIONS) if old in words), None)
        words = alike or ("0", "x0 0 0", "", str(old)[:-2], f"{old} 0", "hi", "lo", None)
        parent[key] = rng.choice(named.get(key, words) if isinstance(key, str) else words)
    if rng.random() < 0.1:
        for p in leaves(node):
            if p and p[-1] == "symbol" and rng.random() < 0.1:
                at(node, p[:-1])["symbol"] = "z"


# ------------------------------------------------------------------------------------ what the kernel says of them


class TooSlow(Exception):
    """A mutant that took longer than its time."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` in this thread after so many seconds, on systems that have timers."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise TooSlow

    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def accepted(original: dict[str, Any], rng: random.Random) -> k.Fact | None:
    """The fact that a mutant of a certificate proves, if it proves one that the certificate does not state."""
    mutant = mutate({"rule": original["rule"], "args": original["args"]}, rng)
    fact = k.decode({"fact": mutant})
    return fact if k.encode(tuple(fact.claim)) != original["claim"] else None


def accepted_goal(goal: Goal, rng: random.Random) -> k.Fact | None:
    """The fact that the goal's tactic proves of a mutant of the goal, if it is about the mutant."""
    claim = Claim(*k.decode(mutate(k.encode(tuple(goal.claim)), rng)))
    if claim == goal.claim:
        return None
    fact = goal.tactic(claim)
    return fact if fact.claim == claim else None


def judge(make: Callable[[], k.Fact | None], rng: random.Random, points: int = POINTS) -> tuple[str, str]:
    """What became of one mutant: rejected, unchanged, too slow, or accepted with the verdict of the points."""
    try:
        with limited(SECONDS):
            fact = make()
    except TooSlow:
        return "too slow", ""
    except Rejected:
        return "rejected", ""
    except Exception as error:  # noqa: BLE001 - a rule called with nonsense may raise anything; replay makes it Rejected
        return "rejected", repr(error)
    if fact is None:
        return "unchanged", ""
    if "axiom" in fact.rules():
        return "accepted, rests on an axiom", ""
    try:
        with limited(SECONDS):
            found = verdict(fact, rng, points)
    except TooSlow:
        found = Verdict("too slow to evaluate", "")
    return f"accepted, {found.kind}", found.why and f"{fact.rule}: {fact.claim} {found.why}"


def campaign(count: int, seed: int, points: int = POINTS, *, log: Callable[[str], object] = print) -> Counter[str]:
    """So many mutants, two certificates for each goal; holes are written out as they are found."""
    rng = random.Random(seed)
    certificates = [f for _, f in facts() if f["rule"] != "axiom"]
    goals: Sequence[Goal] = [g for o in registry().values() for g in o.goals()]
    counts = Counter[str]()
    start = time.process_time()
    for i in range(count):
        if i % 3 < 2:
            original = rng.choice(certificates)
            kind, why = judge(lambda c=original: accepted(c, rng), rng, points)  # type: ignore[misc]
        else:
            goal = rng.choice(goals)
            kind, why = judge(lambda g=goal: accepted_goal(g, rng), rng, points)  # type: ignore[misc]
        counts[kind] += 1
        if "false" in kind or "undefined" in kind:
            log(f"HOLE in mutant {i}: {why}")
        if (i + 1) % 500 == 0:
            log(f"{i + 1} mutants in {time.process_time() - start:.0f} s: {dict(sorted(counts.items()))}")
    return counts


def main() -> int:
    """Print the figures; 1 if an accepted claim is false or undefined at a point of its box."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--points", type=int, default=POINTS)
    arguments = parser.parse_args()
    counts = campaign(
        arguments.count,
        arguments.seed,
        arguments.points,
        log=lambda s: sys.stdout.write(s + "\n") and sys.stdout.flush(),
    )
    for kind, n in sorted(counts.items()):
        sys.stdout.write(f"{n:7d}  {kind}\n")
    holes = sum(n for kind, n in counts.items() if "false" in kind or "undefined" in kind)
    taken = sum(n for kind, n in counts.items() if kind.startswith("accepted"))
    sys.stdout.write(
        f"{counts.total()} mutants, {taken} accepted, {counts['accepted, true']} evaluated, {holes} false\n"
    )
    return int(holes > 0)


if __name__ == "__main__":
    raise SystemExit(main())
