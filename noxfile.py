"""The tasks of this repository; CONTRIBUTING.md says when which.

``nox`` runs the quick ones, ``nox -s all`` what the gate asks for, ``nox -s long`` what is too long for the gate.  With
``--no-venv`` a task runs in the environment that nox itself is in, and installs nothing.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tarfile
import tempfile
import tomllib
from pathlib import Path

import nox

nox.needs_version = ">=2024.10.9"
nox.options.sessions = ["lint", "types", "quick"]
nox.options.default_venv_backend = "venv"
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = False

ROOT = Path(__file__).parent
CLAIM = "dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one"
LONG = (
    "whole",
    "catalogue",
    "grid",
    "nightly",
    "certificate_mutants",
    "library_mutants",
    "from_nothing",
    "coq",
    "versions",
    "links",
    "peers_torch",
    "pyright",
    "pythons-3.12",
    "pythons-3.13",
    "pythons-3.14",
    "wheels-3.12",
    "wheels-3.13",
    "wheels-3.14",
)
# The fast tier: what reads annotations, compiles, prints, loads and replays, a file or two of each.
FAST = (
    "tests/algorithms/test_declaration.py",
    "tests/test_cli.py",
    "tests/test_cli_accounting.py",
    "tests/test_curator.py",
    "tests/test_doctests.py",
    "tests/test_expression.py",
    "tests/test_fast_pld.py",
    "tests/test_foreign_mechanism.py",
    "tests/test_kept_kernels.py",
    "tests/test_ledger.py",
    "tests/test_proofs.py",
    "tests/test_public_names.py",
    "tests/test_pytest_plugin.py",
    "tests/test_reals.py",
    "tests/test_samplers.py",
    "tests/test_sklearn.py",
    "tests/test_vectors.py",
    "property_tests/test_kernel_rules.py",
)
EVENT = ("compose(poisson(gaussian(2), rate=1/50), 100)", "--delta", "1e-5", "--adjacency", "add-or-remove-one")


def prepare(session: nox.Session, *groups: str, extras: str = "report") -> None:
    """Install the library with its extras and these groups, where the session has an environment of its own."""
    if session.virtualenv.is_sandboxed:
        session.install("--quiet", "--upgrade", "pip")
        session.install("--quiet", "--editable", f".[{extras}]", *(word for g in groups for word in ("--group", g)))


def cores() -> str:
    """How many processes a task may take."""
    return str(os.cpu_count() or 1)


# ------------------------------------------------------------------------------------ every day


@nox.session
def lint(session: nox.Session) -> None:
    """Ruff: the rules and the format."""
    if session.virtualenv.is_sandboxed:
        session.install("--quiet", "--upgrade", "pip")
        session.install("--quiet", "--group", "lint")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def types(session: nox.Session) -> None:
    """Mypy, strictly, on everything."""
    prepare(session, "dev", extras="report,crosscheck")
    session.run("mypy", "--strict")


@nox.session
def pyright(session: nox.Session) -> None:
    """Every public name has a type that pyright knows, and code that uses them passes its strictest rules."""
    session.install("--quiet", "--upgrade", "pip")
    # Not editable: pyright looks for files, and runs nothing.
    session.install("--quiet", ".[report,sklearn]", "pyright>=1.1.400")
    with tempfile.TemporaryDirectory() as folder, session.chdir(folder):  # outside the checkout, where a user is
        shutil.copy(ROOT / "tests" / "typing" / "accept" / "consumer.py", folder)
        session.run("pyright", "consumer.py")
        words = ("pyright", "--verifytypes", "dpref", "--ignoreexternal", "--outputjson")
        found = json.loads(str(session.run(*words, silent=True, success_codes=[0, 1])))
    symbols = [s for s in found["typeCompleteness"]["symbols"] if s["isExported"]]
    # scikit-learn has no types, so that no estimator's base class is known.
    unknown = [s["name"] for s in symbols if not s["isTypeKnown"] and not s["name"].startswith("dpref.sklearn.")]
    if unknown or not symbols:
        session.error(f"without a type that pyright knows, of {len(symbols)}: {', '.join(unknown)}")


@nox.session
def quick(session: nox.Session) -> None:
    """The tests that are not slow: about a minute on two cores."""
    prepare(session, "test")
    session.run("pytest", "-n", "auto", "-m", "not slow", *session.posargs)


@nox.session
def fast(session: nox.Session) -> None:
    """Run the tests that notice first when an interpreter or a dependency changes, in one process."""
    prepare(session, "test")
    session.run("python", "-W", "error", "-m", "doctest", "dpref/kernels/gradients.py")
    session.run("pytest", "-m", "not slow", *FAST, *session.posargs)


@nox.session
def test(session: nox.Session) -> None:
    """Run all tests that are not marked ``whole``: the README's test command."""
    prepare(session, "test")
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation, warnings as errors, into docs/_build/html or the folder that is named after ``--``."""
    prepare(session, "docs")
    for name in ("mathml", "python_names", "reference"):
        session.run("python", "-m", "doctest", f"docs/_ext/{name}.py", env={"PYTHONPATH": "docs/_ext"})
    target = session.posargs[0] if session.posargs else "docs/_build/html"
    # In one process: what several would hand each other takes as long as they save.
    session.run("sphinx-build", "-W", "--keep-going", "-n", "-q", "-b", "html", "docs", target)


# ------------------------------------------------------------------------------------ besides, in the gate


@nox.session
def crosscheck(session: nox.Session) -> None:
    """The tests against the real dp-accounting, which skip themselves where it is not installed."""
    prepare(session, "test", extras="crosscheck")
    session.run("python", "-c", "import dp_accounting")
    session.run(
        "pytest",
        "-n",
        "auto",
        "tests/test_interop.py",
        "tests/test_interop_enumerated.py",
        "tests/test_interop_matrices.py",
    )


@nox.session
def clusters(session: nox.Session) -> None:
    """Audits on joblib's processes and on a Dask cluster of two workers, which skip themselves elsewhere."""
    prepare(session, "test", "clusters")
    session.run("python", "-c", "import distributed, joblib")
    session.run("pytest", "tests/test_foreign_clusters.py")


@nox.session
def peers(session: nox.Session) -> None:
    """Other people's code: the real optax on a tape, the real diffprivlib audited, as the documentation shows."""
    prepare(session, "peers")
    session.run("python", "-c", "import diffprivlib, jax, optax")
    session.run("pytest", "tests/peers", *session.posargs)


@nox.session
def peers_torch(session: nox.Session) -> None:
    """The same for torch and Opacus: gigabytes where pip finds torch for graphics cards only; name it another index."""
    prepare(session, "test")
    if session.virtualenv.is_sandboxed:
        session.install("--quiet", "torch>=2.6", "opacus>=1.5.4")
    session.run("python", "-c", "import opacus, torch")
    session.run("pytest", "tests/peers", *session.posargs)


def floors_of(requirements: list[str]) -> list[str]:
    """The lowest releases that the requirements let in."""
    found = [re.match(r"([A-Za-z0-9_-]+)>=([\d.]+)", line) for line in requirements]
    if None in found:
        raise ValueError("every dependency states its floor")
    return [f"{m[1]}=={m[2]}" for m in found if m]


def lowest() -> list[str]:
    """Return the lowest releases that pyproject.toml lets in, extras for reports and estimators included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [line for name in ("report", "sklearn") for line in project["optional-dependencies"][name]]
    return floors_of([*project["dependencies"], *extras])


@nox.session
def floors(session: nox.Session) -> None:
    """Run command line, account, audit, proof, kernel, estimator and the fast tier on the lowest releases."""
    session.install("--quiet", "--upgrade", "pip")
    session.install("--quiet", ".[report,sklearn]", "--group", "test", *lowest())
    session.run("dpref", "--help", silent=True)
    session.run("dpref", "certify", *EVENT)
    # Outside the checkout: nox's own temporary folder lies in it, and pytest would take the checkout for its root.
    with tempfile.TemporaryDirectory() as folder:
        session.run("dpref", "audit", CLAIM, "--trials", "200", "--html", str(Path(folder, "one.html")))
    session.run("python", "-m", "proofs", "zcdp/to-dp", "gaussian/delta-decreasing")
    session.run("python", "-m", "doctest", "dpref/kernels/gradients.py")
    session.run("python", "-m", "doctest", "dpref/sklearn/classifier.py")
    # The floors hold back what dpref names and not what these need in turn: old typer warns of the newest click.
    session.run("pytest", "-W", "ignore::DeprecationWarning", "-m", "not slow", *FAST)


@nox.session
def sdist(session: nox.Session) -> None:
    """The source distribution, unpacked outside the checkout, passes its own quick tests."""
    session.install("--quiet", "--upgrade", "pip")
    session.install("--quiet", "hatchling>=1.27")
    with tempfile.TemporaryDirectory() as folder:
        session.run("hatchling", "build", "--target", "sdist", "--directory", folder, silent=True)
        (archive,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        with session.chdir(next(p for p in Path(folder).iterdir() if p.is_dir())):
            session.install("--quiet", "--editable", ".[report]", "--group", "test")
            session.run("pytest", "-n", "auto", "-m", "not slow", *session.posargs)


@nox.session
def all(session: nox.Session) -> None:  # noqa: A001 - the name that people type
    """What the gate asks for."""
    for name in ("lint", "types", "test", "docs", "crosscheck", "clusters", "peers", "floors", "sdist"):
        session.notify(name)


# ------------------------------------------------------------------------------------ too long for the gate


@nox.session
def whole(session: nox.Session) -> None:
    """Run all tests with every case, and say at the end what each folder cost in processor seconds."""
    prepare(session, "test")
    session.run("pytest", "-n", "auto", *session.posargs, env={"DPREF_EFFORT": "full"})


@nox.session
def catalogue(session: nox.Session) -> None:
    """Every claim of the catalogue is as recorded."""
    prepare(session)
    session.run("dpref", "audit", "--no-store")


@nox.session
def grid(session: nox.Session) -> None:
    """All 140 composed Gaussians, by privacy loss distributions and by the fast path."""
    prepare(session, "test")
    session.run("pytest", "-n", "auto", "tests/test_gaussian_grid.py", env={"DPREF_GAUSSIAN_GRID": "full"})


@nox.session
def nightly(session: nox.Session) -> None:
    """The properties, with 2,000 examples each."""
    prepare(session, "test")
    session.run(
        "pytest", "-n", "auto", "property_tests", env={"DPREF_HYPOTHESIS_PROFILE": "nightly", "DPREF_EFFORT": "full"}
    )


@nox.session
def certificate_mutants(session: nox.Session) -> None:
    """20,000 changed certificates and goals: what the kernel accepts of them is true at 200 points."""
    prepare(session, "test")
    session.run("python", "-m", "property_tests.certificate_mutants", "--count", "20000", *session.posargs)


@nox.session
def library_mutants(session: nox.Session) -> None:
    """A sample of changes of what certifies (``-- --sample N --seed S``): no wrong answer goes unnoticed."""
    prepare(session, "test")
    session.run("python", "-m", "property_tests.library_mutants", "--jobs", cores(), *session.posargs)


@nox.session
def from_nothing(session: nox.Session) -> None:
    """The certificates searched for again, without a look at the committed ones, come out byte for byte."""
    prepare(session)
    for seed in ("0", "1"):  # of the hashes of text, which order sets
        session.run("dpref", "prove", "--from-nothing", env={"PYTHONHASHSEED": seed})


@nox.session
def coq(session: nox.Session) -> None:
    """Every certificate that is recorded as accepted, as a whole proof in Coq; needs Debian's packages of Coq."""
    prepare(session)
    session.run("dpref", "prove", "--coq", *session.posargs)


@nox.session
def versions(session: nox.Session) -> None:
    """The documentation of every tagged version and of this checkout, side by side, with a page that leads to each.

    Each version is built by its own sources and configuration into docs/_build/versions/VERSION.
    """
    site = ROOT / "docs" / "_build" / "versions"
    tags = session.run("git", "tag", "--list", "v*", "--sort=-version:refname", external=True, silent=True) or ""
    built = ["latest", *(tag.removeprefix("v") for tag in tags.split())]
    for version in built:
        with tempfile.TemporaryDirectory() as folder:
            reference = "HEAD" if version == "latest" else f"v{version}"
            session.run("git", "worktree", "add", "--detach", folder, reference, external=True, silent=True)
            try:
                with session.chdir(folder):
                    if session.virtualenv.is_sandboxed:
                        session.install("--quiet", "--upgrade", "pip")
                        session.install("--quiet", ".[report]", "--group", "docs")
                    session.run("sphinx-build", "-q", "-b", "html", "docs", str(site / version))
            finally:
                session.run("git", "worktree", "remove", "--force", folder, external=True, silent=True)
    links = "".join(f'<li><a href="{version}/index.html">{version}</a></li>' for version in built)
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>dpref: all versions</title><h1>dpref</h1>'
    (site / "index.html").write_text(f"{head}<ul>{links}</ul></html>\n", encoding="utf-8")


@nox.session
def links(session: nox.Session) -> None:
    """Every link of the documentation leads somewhere; this one needs the network."""
    prepare(session, "docs")
    session.run("sphinx-build", "-q", "-b", "linkcheck", "docs", "docs/_build/links")


@nox.session(python=["3.12", "3.13", "3.14"])
def pythons(session: nox.Session) -> None:
    """All tests with the other versions of Python, where there are interpreters."""
    prepare(session, "test")
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def wheels(session: nox.Session) -> None:
    """The wheel alone, outside the checkout: the command line, an account, an audit, the proofs, a kernel."""
    session.install("--quiet", "--upgrade", "pip")
    session.install("--quiet", "hatchling>=1.27")
    with tempfile.TemporaryDirectory() as folder:
        session.run("hatchling", "build", "--target", "wheel", "--directory", folder, silent=True)
        (wheel,) = Path(folder).glob("*.whl")
        session.install("--quiet", "--force-reinstall", str(wheel))
        with session.chdir(folder):
            session.run("dpref", "--version")
            session.run("dpref", "certify", *EVENT)
            session.run("dpref", "audit", CLAIM, "--trials", "200", "--no-store")
            session.run("dpref", "prove", silent=True)
            session.run("dpref", "findings", silent=True)
            session.run("python", "-W", "error", "-m", "doctest", str(ROOT / "dpref" / "kernels" / "gradients.py"))


@nox.session
def long(session: nox.Session) -> None:
    """Everything that is too long for the gate: hours."""
    for name in LONG:
        session.notify(name)
