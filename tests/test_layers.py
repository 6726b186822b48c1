"""The architecture's arrows: a module imports what lies below it, and nothing else (read from the syntax trees)."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]

# From the bottom up.  A new file or folder of dpref finds its place here before it finds its way in.
LAYERS = (
    "version",
    "errors",
    "reals",
    "terms",
    "checks",
    "documents",
    "units",
    "privacy",
    "geometry",
    "mechanisms",
    "transcript",
    "curator",
    "problems",
    "algorithms",
    "running",
    "enclosures",
    "figures",
    "audit",
    "foreign",
    "fitting",
    "sklearn",
    "experiments",
    "interop",
    "crosscheck",
    "vectors",
    "testing",
    "pytest_plugin",
    "bench",
    "museum",
    "cli",
    "__main__",
)
# Audits, fits, experiments and vectors seed their runs; mechanisms and the curator draw noise, problems make instances.
SEEDED = ("audit", "foreign", "fitting", "experiments", "vectors", "pytest_plugin", "museum")
RANDOMNESS = ("mechanisms", "curator", "bench", "problems", *SEEDED)
SLOW_TO_LOAD = ("sympy", "numba", "matplotlib", "jsonschema", "scipy", "rich", "typer", "jinja2", "mpmath")
LONGEST = 400
# Within dpref/privacy, from the bottom up: subpackages by kind of accountant, then what asks them.
PRIVACY = (
    "decimal_places", "searches", "time_limit", "interval", "composed", "events", "closed_forms", "pld", "renyi",
    "fast", "calibration", "examples", "filters", "refusals", "accountant", "supremum", "batched", "loaded_later",
    "accountants", "smoothing", "rounds", "sensitivities", "narrowing", "directions", "curves", "gaussian_dp",
    "event_calibration", "shuffling", "training", "training_text",
)  # fmt: skip
# The front door asks two accountants that ask it in turn: they are imported in functions, when it is loaded.
LATE = "dpref.privacy.loaded_later"
ASKED_IN_TURN = frozenset({(LATE, "dpref.privacy.smoothing"), (LATE, "dpref.privacy.rounds")})


@cache
def modules(folder: str) -> dict[str, str]:
    """The source of every module below a folder of the repository, by dotted name."""
    found = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text(encoding="utf-8")
    return found


walked = cache(lambda source: tuple(ast.walk(ast.parse(source))))  # read once for all checks


def nodes(source: str, *kinds: type[Any]) -> tuple[Any, ...]:
    """The nodes of these kinds in a source, in the order of a walk."""
    return tuple(node for node in walked(source) if isinstance(node, kinds))


def imported(module: str, source: str, known: Mapping[str, str]) -> Iterator[str]:
    """The absolute names of everything that a module imports, also inside functions."""
    for node in nodes(source, ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            assert node.level == 0, f"{module}: relative imports hide the arrows"
            assert node.module is not None
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else node.module


def layer(module: str) -> str:
    """The first part of a module's name below ``dpref`` (``""`` for the package itself)."""
    return [*module.split("."), ""][1]


def breaches_of_order(sources: Mapping[str, str]) -> list[str]:
    """Imports of dpref's modules that point upward, and modules without a place."""
    breaches = []
    for module, source in sources.items():
        here = layer(module)
        if here in {"", "kernels"}:
            continue
        if here not in LAYERS:
            breaches.append(f"{module} has no place among the layers")
            continue
        for target in imported(module, source, sources):
            if target == "proofs" or target.startswith("proofs."):
                if here != "cli":
                    breaches.append(f"{module} imports {target}")
            elif target.split(".")[0] == "dpref":
                there = layer(target)
                above = there in LAYERS and LAYERS.index(there) > LAYERS.index(here)
                kernel_too_low = there == "kernels" and LAYERS.index(here) < LAYERS.index("privacy")
                # The package itself re-exports what stands above: only its version may be read from below.
                if above or kernel_too_low or there == "":
                    breaches.append(f"{module} imports {target}")
    return breaches


def is_kernel(module: str) -> bool:
    """Whether a module's functions are compiled: the shared ones, and one module an algorithm."""
    return layer(module) == "kernels" or (layer(module) == "algorithms" and module.endswith(".kernel"))


def breaches_within_privacy(sources: Mapping[str, str]) -> list[str]:
    """Imports between the parts of dpref.privacy that point upward, and parts without a place."""
    breaches = []
    for module, source in sources.items():
        if not module.startswith("dpref.privacy."):
            continue
        here = module.split(".")[2]
        if here not in PRIVACY:
            breaches.append(f"{module} has no place within privacy")
            continue
        for target in imported(module, source, sources):
            there = [*target.split("."), "", ""][2] if target.startswith("dpref.privacy.") else ""
            above = there in PRIVACY and PRIVACY.index(there) > PRIVACY.index(here)
            if above and (module, target) not in ASKED_IN_TURN:
                breaches.append(f"{module} imports {target}")
    return breaches


def private_borrowings(sources: Mapping[str, str]) -> list[str]:
    """Names that begin with an underscore and are taken from another module, by import or through the module."""
    borrowed = []
    for module, source in sources.items():
        called: set[str] = set()
        for node in nodes(source, ast.Import, ast.ImportFrom):
            if isinstance(node, ast.ImportFrom):
                private = (a.name for a in node.names if is_private(a.name) and node.module in sources)
                borrowed += [f"{module} imports {name} of {node.module}" for name in private]
                called |= {a.asname or a.name for a in node.names if f"{node.module}.{a.name}" in sources}
            else:
                called |= {a.asname or a.name for a in node.names if a.name in sources}
        borrowed += [
            f"{module} takes {ast.unparse(node)}"
            for node in nodes(source, ast.Attribute)
            if is_private(node.attr) and ast.unparse(node.value) in called
        ]
    return borrowed


def is_private(name: str) -> bool:
    """Whether a name begins with an underscore and is none of Python's own."""
    return name.startswith("_") and not name.startswith("__")


def breaches_of_kernels(sources: Mapping[str, str]) -> list[str]:
    """What kernels must not do: import anything but numpy and numba, cache, or reorder sums."""
    breaches = []
    for module, source in sources.items():
        if not is_kernel(module):
            continue
        for target in imported(module, source, sources):
            top = target.split(".")[0]
            allowed = top in {"numpy", "numba"} or (top in sys.stdlib_module_names and top not in {"random", "secrets"})
            if not allowed and not is_kernel(target):
                breaches.append(f"{module} imports {target}")
        for node in nodes(source, ast.keyword):
            if node.arg in {"cache", "fastmath", "parallel"}:
                harmless = isinstance(node.value, ast.Constant) and node.value.value is False
                if not harmless:
                    breaches.append(f"{module} sets {node.arg}")
    return breaches


def declared(sources: Mapping[str, str], word: str) -> dict[str, set[str]]:
    """The folder of each algorithm, with the folders of those that its declaration names under a keyword."""
    found = {}
    for module, source in sources.items():
        if f"{module}.algorithm" in sources and layer(module) == "algorithms":
            given = [ast.literal_eval(node.value) for node in nodes(source, ast.keyword) if node.arg == word]
            names = [name for value in given for name in ([value] if isinstance(value, str) else value)]
            found[module.split(".")[2]] = {name.replace("-", "_") for name in names}
    return found


def breaches_of_folders(sources: Mapping[str, str]) -> list[str]:
    """Imports of an algorithm by another that does not say that it varies or runs it."""
    breaches, variants, calls = [], declared(sources, "variant_of"), declared(sources, "calls")
    for module, source in sources.items():
        here = module.split(".")[2] if layer(module) == "algorithms" and module.count(".") > 1 else ""
        if here not in variants:
            continue
        for target in imported(module, source, sources):
            there = target.split(".")[2] if layer(target) == "algorithms" and target.count(".") > 1 else here
            if there in variants and there not in {here, *variants[here], *calls[here]}:
                breaches.append(f"{module} imports {target}")
    return breaches


def breaches_of_privacy(sources: Mapping[str, str]) -> list[str]:
    """Imports of a name that another module keeps to itself."""
    return [
        f"{module} imports {node.module}.{alias.name}"
        for module, source in sources.items()
        for node in nodes(source, ast.ImportFrom)
        for alias in node.names
        if alias.name.startswith("_") and alias.name != "__version__"
    ]


def breaches_of_randomness(sources: Mapping[str, str]) -> list[str]:
    """Modules that could draw random numbers although they must ask the curator (or receive the noise)."""
    breaches = []
    for module, source in sources.items():
        if layer(module) in RANDOMNESS:
            continue
        breaches += [
            f"{module} imports {target}"
            for target in imported(module, source, sources)
            if target.split(".")[0] in {"random", "secrets"} or target.startswith("numpy.random")
        ]
        for node in nodes(source, ast.Attribute):
            if node.attr == "urandom" or (node.attr == "random" and ast.unparse(node.value) in {"np", "numpy"}):
                breaches.append(f"{module} uses {ast.unparse(node)}")
    return breaches


def cycles(sources: Mapping[str, str]) -> list[str]:
    """Modules that import themselves by way of others."""
    edges = {
        m: {t for t in imported(m, s, sources) if t in sources and t != m and (m, t) not in ASKED_IN_TURN}
        for m, s in sources.items()
    }
    found: list[str] = []
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        if module in path:
            found.append(" -> ".join((*path[path.index(module) :], module)))
            return
        if module in done:
            return
        for target in sorted(edges[module]):
            visit(target, (*path, module))
        done.add(module)

    for module in sorted(edges):
        visit(module, ())
    return found


def test_the_library_imports_downward_only() -> None:
    assert breaches_of_order(modules("dpref")) == []


def test_the_accountants_import_downward_only() -> None:
    assert breaches_within_privacy(modules("dpref")) == []


def test_no_private_name_is_taken_from_another_module() -> None:
    assert private_borrowings(modules("dpref") | modules("proofs")) == []


def test_kernels_import_numpy_and_numba_only_and_never_reorder() -> None:
    assert breaches_of_kernels(modules("dpref")) == []


def test_an_algorithm_imports_no_other_but_those_that_it_varies_or_runs() -> None:
    variants, calls = (declared(modules("dpref"), word) for word in ("variant_of", "calls"))
    assert {here: next(iter(there)) for here, there in variants.items() if there} == {
        "svrg_plus_plus": "svrg",
        "bias_reduced_mirror_descent": "mirror_descent",
        "anytime_mirror_descent": "mirror_descent",
        "boosted_mirror_descent": "mirror_descent",
        "dynamic_sgd": "dynamic_gradient_descent",
        "proximal_point": "noisy_gradient_descent",
        "stationary_point": "adaptive_gradient_descent",
        "dynamic_boosting": "dynamic_gradient_descent",
        "noisy_frank_wolfe": "online_frank_wolfe",
        "high_dimensional_bandit": "polyhedral_frank_wolfe",
    }
    assert {name for there in calls.values() for name in there} == {
        "bias_reduced_mirror_descent",
        "anytime_mirror_descent",
        "variance_reduced_frank_wolfe",
    }
    assert breaches_of_folders(modules("dpref")) == []


@pytest.mark.parametrize("folder", ["dpref", "proofs"])
def test_no_module_imports_a_private_name(folder: str) -> None:
    assert breaches_of_privacy(modules(folder)) == []


def test_algorithms_and_formulas_never_draw() -> None:
    assert breaches_of_randomness(modules("dpref")) == []


@pytest.mark.parametrize("folder", ["dpref", "proofs"])
def test_no_module_imports_itself_by_way_of_others(folder: str) -> None:
    assert cycles(modules(folder)) == []


def test_the_trusted_part_of_the_proofs_stands_alone() -> None:
    sources = modules("proofs")
    trusted = {f"proofs.{name}" for name in ("kernel", "terms", "algebra", "balls", "induction")}
    for module in sorted(trusted):
        targets = set(imported(module, sources[module], sources))
        ours = {target for target in targets if target.split(".")[0] in {"dpref", "proofs"}}
        assert ours <= trusted | {"dpref.reals", "dpref.errors"}, module


@pytest.mark.parametrize(
    ("module", "source", "check"),
    [
        ("dpref.privacy.planted", "from dpref.algorithms.erm import dp_gd", breaches_of_order),
        ("dpref.privacy.planted", "def f():\n    import dpref.audit", breaches_of_order),
        ("dpref.audit.planted", "from proofs.registry import OBLIGATIONS", breaches_of_order),
        ("dpref.units.planted", "import dpref.kernels.erm", breaches_of_order),
        ("dpref.units.planted", "from dpref import cli", breaches_of_order),
        ("dpref.audit.planted", "from dpref import Ledger, __version__", breaches_of_order),
        ("dpref.utils", "", breaches_of_order),
        ("dpref.privacy.events.planted", "from dpref.privacy.pld.pairs import pairs", breaches_within_privacy),
        ("dpref.privacy.closed_forms.planted", "from dpref.privacy import renyi", breaches_within_privacy),
        ("dpref.privacy.pld.planted", "def f():\n    from dpref.privacy.fast import cells", breaches_within_privacy),
        ("dpref.privacy.fast.planted", "import dpref.privacy.accountants", breaches_within_privacy),
        ("dpref.privacy.planted", "", breaches_within_privacy),
        ("dpref.audit.planted", "from dpref.privacy.pld.pairs import _plain", private_borrowings),
        ("dpref.audit.planted", "from dpref.privacy.pld import pairs as p\np._plain", private_borrowings),
        ("dpref.audit.planted", "import dpref.privacy.pld.pairs\ndpref.privacy.pld.pairs._plain", private_borrowings),
        ("dpref.kernels.planted", "from dpref.reals import FLOAT", breaches_of_kernels),
        ("dpref.kernels.planted", "import scipy", breaches_of_kernels),
        ("dpref.kernels.planted", "@njit(cache=True)\ndef f(): ...", breaches_of_kernels),
        ("dpref.algorithms.planted.kernel", "@njit(cache=True)\ndef f(): ...", breaches_of_kernels),
        ("dpref.algorithms.planted.kernel", "from dpref.algorithms.svrg.plan import Plan", breaches_of_kernels),
        ("dpref.kernels.planted", "@njit(fastmath={'nnan'})\ndef f(): ...", breaches_of_kernels),
        ("dpref.algorithms.spider.planted", "from dpref.algorithms.svrg.plan import Plan", breaches_of_folders),
        ("dpref.algorithms.svrg.planted", "from dpref.algorithms import svrg_plus_plus", breaches_of_folders),
        ("dpref.algorithms.svrg_plus_plus.planted", "import dpref.algorithms.spider.kernel", breaches_of_folders),
        ("dpref.audit.planted", "from dpref.reals import _ball", breaches_of_privacy),
        ("dpref.algorithms.planted", "import random", breaches_of_randomness),
        ("dpref.algorithms.planted", "from numpy.random import default_rng", breaches_of_randomness),
        ("dpref.algorithms.planted", "import numpy as np\nx = np.random.default_rng(0)", breaches_of_randomness),
        ("dpref.kernels.planted", "import numpy as np\nx = np.random.normal()", breaches_of_randomness),
    ],
)
def test_planted_bug_each_wrong_arrow_is_seen(module: str, source: str, check: object) -> None:
    assert callable(check)
    sources = {**modules("dpref"), module: source}
    assert any(breach.startswith(module) for breach in check(sources))


def test_planted_bug_a_cycle_is_seen() -> None:
    assert cycles({"a": "import b", "b": "def f():\n    from c import x", "c": "import a"}) == ["a -> b -> c -> a"]


def test_files_are_short_and_none_is_a_drawer() -> None:
    for folder in ("dpref", "proofs", "tests", "property_tests", "docs"):
        for path in (ROOT / folder).rglob("*.py"):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            assert lines <= LONGEST, f"{path.relative_to(ROOT)} has {lines} lines"
            assert path.stem not in {"utils", "util", "helpers", "misc", "common"}, path


IMPORT = """
import sys
import {module}
print(*sorted({{name.split(".")[0] for name in sys.modules}}))
"""


CORE = ("", ".curator", ".privacy.events.ledger", ".mechanisms.gaussian", ".kernels.records", ".running")


@pytest.mark.parametrize("module", [f"dpref{part}" for part in (*CORE, ".algorithms.registry")])
def test_the_core_loads_nothing_heavy(module: str) -> None:
    command = [sys.executable, "-c", IMPORT.format(module=module)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert not set(SLOW_TO_LOAD) & set(result.stdout.split())
