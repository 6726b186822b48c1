"""What stands on a drawn command line: values that are right, wrong or absurd for a parameter, and whole runs."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Final

from dpref.algorithms.registry import ALGORITHMS
from dpref.audit.catalogue import catalogue
from dpref.fitting import runnable_algorithms
from dpref.fitting.parameters import COUNTS

NUMBERS: Final = (
    "1", "0", "-1", "0.5", "1/2", "1e-5", "1e-6", "3", "1e400", "1e-400", "-0", "nan", "inf", "-inf", "1/0", "0/0",
    "1_0", "9" * 30, "1" * 5000, "1e99999999", "0x10", "1,5", " 1", "1 ", "", "x", "½", "٣", "--", "-", "?", "1e-5.5",
    "None", "true",
)  # fmt: skip
TEXTS: Final = (
    "", " ", "x", "nothing", "a:b", ":", "a:", ":b", "mine:count", "mine:pair", "mine:nothing", "os:sep", "é",
    "\udcff", "\x1b[31m", "a\nb", "%s{}[bold]", "[/]", "../..", "-", "--", "x" * 3000, "mine:count:x", "a.b.c:d.e",
)  # fmt: skip
PATHS: Final = (
    "missing.json", "empty.json", "binary.json", "folder.json", "number.json", "list.json", "deep.json", "huge.json",
    "claims.json", "half.json", "twice.json", "folder", "full", "claims.json/below", "/proc/nowhere/at/all", "", ".",
    "empty.csv", "binary.csv", "ragged.csv", "people.csv", "nothing.parquet", "..", "x" * 300,
    "new", "é.json", "\udcff.json",
)  # fmt: skip
EVENTS: Final = (
    "gaussian(1)", "compose(gaussian(100), 10000)", "laplace(1)", "compose(gaussian(1), laplace(2))", "gaussian(?)",
    "compose(gaussian(?), 100)", "compose(gaussian(20), ?)", "poisson(laplace(1), rate=1/100)", "gaussian()",
    "gaussian(0)", "gaussian(-1)", "gaussian(nan)", "gaussian(1e400)", "gaussian(1", "compose()",
    "compose(gaussian(1), 0)", "nothing(1)", "compose(gaussian(1), 1e30)", "poisson(gaussian(1), rate=2)",
    'custom("missing.json")', 'custom("number.json")', 'custom("deep.json")', "gaussian(1)(", "(" * 2000,
    "compose(" * 500 + "gaussian(1)" + ", 2)" * 500, "gaussian(½)",
    "custom(mine, replace_one=finite([3/4, 1/4], [1/4, 3/4]))", "custom(mine, replace_one=finite([1], [2]))",
    "randomized_response(2, 1)", "nonprivate()", "gaussian(?) ?", "compose(gaussian(?), ?)",
    "sample_without_replacement(gaussian(1), batch=2, records=1)",
)  # fmt: skip
NAMES: Final = {
    "adjacency": ("replace-one", "add-or-remove-one", "zero-out", "replace_one", "REPLACE-ONE", "replace"),
    "accountant": ("best", "gaussian", "zcdp", "renyi", "curve", "nobody"),
    "names": ("spider", "svrg", "gradient-descent", "spid", "nobody"),
    "name": ("dynamic-privacy-budget/table-1", "dp-erm-revisited/appendix-a", "nobody/table-1"),
    "paper": ("gaussian", "kl-condition", "nobody"),
    "status": ("proved", "proved-in-part", "refuted", "true"),
    "grid": ("quick", "gaussian", "sampled", "full", "other"),
    "direction": ("spend", "calibrate", "other"),
    "auditor": ("dpref", "unlearned", "proof", "mean", "mine:count", "nobody"),
    "family": ("accountant", "calibration", "transcript", "sensitivity", "sampler", "claims", "other"),
    "peer": ("dp-accounting=/bin/true", "dp-accounting=missing", "nobody=/bin/true", "dp-accounting", "="),
    "executor": ("threads", "processes", "nothing", "mine:count"),
    "exceptions": ("stop", "output", "other"),
    "seeding": ("argument", "seed", "own", "other"),
    "isolate": ("none", "process", "other"),
}
RIGHT: Final = {
    "delta": ("1e-5", "1/100"),
    "epsilon": ("1", "1/2", "2", "8", "1e-9", "1e9"),
    "confidence": ("0.99",),
    "error": ("0.01",),
    "pair": ("mine:pair",),
    "score": ("mine:count",),
    "ledger": ("mine:ledger",),
    "mine": ("mine:count",),
    "algorithm": ("gradient-descent", *runnable_algorithms()) * 2,
    "data": ("people.csv",),
    "target": ("bought",),
    "bounds": ("bounds.json",),
    "radius": ("1", "10", "5", "1e-99", "1e99"),
    "clip": ("1", "1/2", "1e-99", "1e99"),
    "regularisation": ("0.01", "0.01", "0.1", "0", "1e-99", "1e99"),
    "settings": ("steps=10", "epochs=2", "batch=5"),
    "ignore": ("age",),
}
# Of a parameter of an algorithm: right, huge, tiny, wrong, or beyond what a double or a computer holds.
SIZES: Final = (
    "1", "2", "10", "1/2", "1e7", "10000001", "1e30", "1e99", "1e100", "1e101", "1e300", "1e308", "1e309", "1e-30",
    "1e-99", "1e-300", "1e-400", "0", "-1", "9" * 50, "1" * 4400, "2" * 3000, "1e4299", "none", "true", "uniform",
    "exact", "accountant",
)  # fmt: skip
OWN: Final = ("", "=", "steps", "steps=", "=1", "nothing=1", "epsilon=1", "steps=x", "steps=1=2", " steps=1", "n=3")


def settings() -> Sequence[str]:
    """The names of all parameters of the algorithms that run on a table, each once."""
    found = [field.name for name in runnable_algorithms() for field in fields(ALGORITHMS[name].params)]
    return tuple(dict.fromkeys(found))


def setting(rng: random.Random) -> str:
    """A value of --set: a parameter of some algorithm, with a number of any size, and now and then nonsense."""
    if rng.random() < 0.1:
        return rng.choice(OWN)
    return f"{rng.choice(('steps', rng.choice(SETTINGS)))}={rng.choice(rng.choice((SIZES, SIZES, NUMBERS)))}"


def values(parameter: Any, rng: random.Random) -> str:
    """A value for a parameter: a right one mostly, sometimes a wrong one of its kind, and any other now and then."""
    if parameter.name == "settings":
        return setting(rng)
    # click says `type`, and typer, which brings its own since 0.26, `type_descriptor`.
    kind = f"{getattr(parameter, 'type', '')} {getattr(parameter, 'type_descriptor', '')}".lower()
    numeric = re.search(r"\b(int|float)\b", kind) is not None
    own: Sequence[str] = NAMES.get(parameter.name, ())
    right = own[: len(own) // 2 + 1]
    if parameter.name == "event":
        own, right = EVENTS, EVENTS[:8]
    elif parameter.name == "claims":
        claim = rng.choice(catalogue()).id
        right = (claim, claim.partition("@")[0], "claims.json", "mine:count")
        own = (*right, claim[:-1], "", *(path for path in PATHS if path.endswith(".json")), "a:b")
    elif parameter.name in {"limit", "runs"}:
        own, right = ("0.1", "0", "-1", "nan", "inf", "x", ""), ("0.1", "1")
    elif parameter.name == "seed":
        own, right = NUMBERS, ("0", "1", "7")
    elif not own:
        own = PATHS if "path" in kind else NUMBERS if numeric else (*NUMBERS, *TEXTS)
        right = RIGHT.get(parameter.name, ("claims.json", "new") if "path" in kind else ("1", "200"))
    luck = rng.random()
    if luck < 0.7:
        return rng.choice(right)
    if luck < 0.9 or parameter.name in {"limit", "runs"}:  # a limit of any other kind might be none
        return rng.choice(own)
    return rng.choice(rng.choice((NUMBERS, TEXTS, PATHS)))


def planned_line(rng: random.Random) -> tuple[str, ...]:
    """A run that is right but for the sizes of its numbers: of lines drawn blindly hardly one comes to be planned."""
    name = rng.choice(("gradient-descent", *runnable_algorithms()))
    declared = ALGORITHMS[name]
    line = ["run", name, "--data=people.csv", "--target=bought", "--bounds=bounds.json", "--delta=1e-5"]
    line += [f"--adjacency={rng.choice(declared.adjacencies).name}"]
    line += [f"--epsilon={rng.choice(SIZES if rng.random() < 0.2 else ('1', '1/2', '8'))}"]
    for option, right in (("regularisation", "0.01"), ("radius", "1"), ("radius", "5"), ("clip", "1")):
        if rng.random() < 0.5 and not any(word.startswith(f"--{option}=") for word in line):
            line.append(f"--{option}={rng.choice(SIZES) if rng.random() < 0.2 else right}")
    own = [field.name for field in fields(declared.params)]
    counts = [found for found in COUNTS if found in own] or own
    named = dict.fromkeys(rng.choice(rng.choice((counts, own))) for _ in range(rng.randrange(3)))
    line += [f"--set={parameter}={rng.choice(SIZES)}" for parameter in named]
    line += [flag for flag in ("--plan-only", "--json", "--no-intercept", "--form=as-printed") if rng.random() < 0.2]
    return tuple(line)


SETTINGS: Final = settings()
