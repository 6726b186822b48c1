"""The gate: everything that must be green, in fresh clones and environments; no network but pip's, git's and apt's.

It runs on every Python from 3.11 to 3.14 of this machine.  Its last lines say what was not checked and why;
``DPREF_GATE=strict`` makes each of them a failure.  ``DPREF_GATE_CACHE`` names the folder of the wheels and of the
digests that Coq has accepted, which later runs use again.
"""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

import pythons
import touched
from steps import Absent, FailedError, Runner, Step, Work, costs, not_checked, verdict

ROOT: Final = Path(__file__).resolve().parents[1]
CLAIM: Final = "dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one"
ASKED_VERSION: Final = "import sys; print('%d.%d' % sys.version_info[:2])"
RECORDED: Final = r"^\d+ claims: .*; all as recorded$"
COQ_SAMPLE: Final = 12
# The packages of Debian that steps need, each with a program that tells whether it is there.
DEBIAN: Final = {
    "coqc": ("coq", "libcoq-coquelicot", "libcoq-interval"),
    "chromedriver": ("chromium", "chromium-driver"),
}
# They build the library itself, and pip takes them from the same folder as everything else.
BUILDING: Final = ("pip", "hatchling>=1.27", "editables")


def readme_commands(root: Path = ROOT) -> list[str]:
    """Return the README's shell commands, word for word: what a newcomer types is what runs here."""
    return re.findall(
        r"^```sh\n(.*?)^```$", (root / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )


@dataclass(frozen=True)
class Gate:
    """A run: its folder, its interpreters by their versions, and the folder that outlives it."""

    work: Path
    interpreters: Mapping[str, Path]
    cache: Path

    @property
    def oldest(self) -> str:
        """Return the oldest version: the tasks and the README's tests run on it."""
        return next(iter(self.interpreters))

    @property
    def house(self) -> Path:
        """Return the folder of wheels."""
        return self.cache / "wheels"

    def clone(self, name: str) -> Path:
        """Return a clone of the repository; it is made when it is first asked for."""
        folder = self.work / name
        if not folder.exists():
            subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)  # noqa: S603, S607
        return folder

    def path(self, version: str) -> str:
        """Return a PATH on which ``python3`` is this version."""
        return f"{self.work / f'python-{version}'}{os.pathsep}{os.environ['PATH']}"

    def prepare(self) -> None:
        """Make the folders, and for each version a ``python3`` that leads to it.

        It is a script: from a link, Python would look for its library beside the link.
        """
        for folder in (self.house, self.work / "logs"):
            folder.mkdir(parents=True, exist_ok=True)
        for version, interpreter in self.interpreters.items():
            script = self.work / f"python-{version}" / "python3"
            script.parent.mkdir()
            script.write_text(f'#!/bin/sh\nexec "{interpreter}" "$@"\n', encoding="utf-8")
            script.chmod(0o755)

    def tasks_path(self, *before: Path) -> str:
        """Return a PATH that begins with these folders and the environment of the tasks."""
        folders = [*map(str, before), str(self.work / "environment" / "bin"), self.path(self.oldest)]
        return os.pathsep.join(folders)

    def wheels(self, work: Work, *wanted: str, version: str = "") -> None:
        """Put the newest wheels that these requirements need into the folder of wheels."""
        pip = self.work / "environment" / "bin" / "pip"
        other = ("--python", str(self.interpreters[version])) if version else ()
        words = (pip, *other, "wheel", "-qq", "--wheel-dir", self.house, *BUILDING, *wanted)
        work.run(words, self.clone("tasks"), PIP_NO_INDEX="0")

    # -------------------------------------------------------------------------------- steps

    def tools(self, work: Work) -> None:
        """Install Coq and Chromium where this is Debian and ours; say what is missing."""
        lacking = [name for name in DEBIAN if shutil.which(name) is None]
        if lacking and os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get"):
            packages = " ".join(word for name in lacking for word in DEBIAN[name])
            command = f"apt-get -qq update && apt-get -qq install --yes --no-install-recommends {packages}"
            try:
                work.run(command, self.work, DEBIAN_FRONTEND="noninteractive")
            except FailedError as error:
                work.say(str(error))
        for name in lacking:
            if shutil.which(name) is None:
                work.absent.append(Absent(f"what needs {name}", f"{name} is missing and could not be installed"))

    def environment(self, work: Work) -> None:
        """Make the environment of the tasks, from wheels that are fetched first."""
        folder = self.work / "environment"
        work.run([self.interpreters[self.oldest], "-m", "venv", folder], self.work)
        work.run([folder / "bin" / "pip", "install", "--quiet", "--upgrade", "pip"], self.work, PIP_NO_INDEX="0")
        groups = ("--group", "dev", "--group", "clusters")
        self.wheels(work, ".[report]", *groups)
        install = (folder / "bin" / "pip", "install", "--quiet", "--editable", ".[report]", *groups)
        work.run(install, self.clone("tasks"))

    def other_wheels(self, work: Work) -> None:
        """Fetch what the other environments need: the crosscheck, other people's code, the floors, further Pythons."""
        self.wheels(work, ".[crosscheck]", "--group", "test")
        self.wheels(work, ".[report]", "--group", "peers")
        python = self.work / "environment" / "bin" / "python"
        lowest = work.run([python, "-c", "import noxfile; print(*noxfile.lowest())"], self.clone("tasks")).split()
        self.wheels(work, ".[report,sklearn]", "--group", "test", *lowest)
        for version in [*self.interpreters][1:]:
            self.wheels(work, ".[report]", "--group", "test", version=version)

    def task(self, work: Work, *names: str, words: Sequence[str | Path] = (), own: bool = False) -> None:
        """Run tasks of noxfile.py, in the environment of the tasks or each in its own.

        Other steps run beside them: pytest takes one process.
        """
        more = ["--", *words] if words else []
        command = ["nox", *([] if own else ["--no-venv"]), "--session", *names, *more]
        work.run(command, self.clone("tasks"), PATH=self.tasks_path(), PYTEST_XDIST_AUTO_NUM_WORKERS="1")

    def tests(self, work: Work) -> None:
        """Run the README's test command."""
        work.run(readme_commands()[1], self.clone("tests"), says=r"\d+ passed", PATH=self.path(self.oldest))

    def commands(self, work: Work, version: str) -> None:
        """Run the README's other commands on one Python; the third must refute, and say so."""
        folder, path = self.clone(f"readme-{version}"), self.path(version)
        audit, _, mechanism, table = readme_commands()
        work.run(audit, folder, says=RECORDED, PATH=path)
        if not (folder / "report.html").stat().st_size:
            raise FailedError("report.html is empty")
        work.run([folder / ".venv" / "bin" / "python", "-c", ASKED_VERSION], folder, says=f"^{re.escape(version)}$")
        work.run(mechanism, folder, codes=(1,), says=r"^ *verdict +refuted", PATH=path)
        work.run(table, folder, says="^spent ", PATH=path)

    def fast(self, work: Work, version: str) -> None:
        """Run the fast tier on a further Python, in the environment that the README's command has made."""
        folder = self.clone(f"readme-{version}")
        work.run([folder / ".venv" / "bin" / "pip", "install", "--quiet", "--group", "test"], folder)
        path = self.tasks_path(folder / ".venv" / "bin")
        work.run(["nox", "--no-venv", "--session", "fast"], folder, says=r"\d+ passed", PATH=path)

    def catalogue(self, work: Work) -> None:
        """Judge every claim of the catalogue with few runs, and with the usual number those that few do not settle."""
        few = self.judged(work, "few", "--trials", "200")
        listed = {claim["id"] for claim in self.judged(work, "listed", "--list")}
        rest = [v["id"] for v in few if not settled(v)]
        found = {v["id"]: v for v in [*few, *(self.judged(work, "rest", *rest) if rest else [])]}
        wrong = [name for name, v in found.items() if v["verdict"] != v["expected"] or v["alarms"]]
        work.say(
            f"{len(found)} claims, {len(rest)} of them with the usual number of runs, {len(wrong)} not as recorded"
        )
        if wrong or found.keys() != listed:
            raise FailedError(f"not as recorded: {', '.join(wrong) or 'some claims have no verdict'}")

    def judged(self, work: Work, name: str, *words: str) -> list[dict[str, Any]]:
        """Return what ``dpref audit --json`` prints; its exit code may be that of any verdict."""
        folder, file = self.clone(f"readme-{self.oldest}"), self.work / f"{name}.json"
        store = () if "--list" in words else ("--no-store", "--jobs", "1")
        command = shlex.join([".venv/bin/dpref", "audit", "--json", *store, *words])
        work.run(f"{command} > {shlex.quote(str(file))}", folder, codes=(0, 1, 3))
        found = json.loads(file.read_text(encoding="utf-8"))
        return list(found["claims"] if isinstance(found, dict) else found)

    def coq(self, work: Work) -> None:
        """Let Coq compile what the change touches, and a sample of the other certificates."""
        if shutil.which("coqc") is None:
            return  # `tools` has said so
        folder, record = self.clone("tasks"), self.cache / "coq.json"
        accepted, seed = touched.read(record), random.SystemRandom().randrange(10**6)
        chosen = touched.choose(folder, touched.changed(folder), accepted, COQ_SAMPLE, seed)
        certificates, library = chosen.certificates, chosen.theory
        work.say(
            f"{chosen.touched} certificates and {len(library)} files of the library are touched; "
            f"{len(certificates) - chosen.touched} other certificates are drawn with seed {seed}"
        )
        work.run(["python", "-m", "proofs.coq", "--jobs", "1", *certificates], folder, PATH=self.tasks_path())
        theory = self.work / "theory"
        shutil.copytree(folder / touched.THEORY, theory)
        for file in touched.in_order(theory, library):
            work.run(["coqc", "-q", "-w", "none", "-Q", ".", "Dpref", file], theory)
        touched.write(record, accepted | {*certificates.values(), *library.values()})

    def wheel(self, work: Work) -> None:
        """Install the wheel into an empty environment and use it outside the clone."""
        folder, empty = self.work / "outside", self.work / "empty"
        folder.mkdir()
        work.run(["pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, "."], self.clone("tasks"),
                 PATH=self.tasks_path())  # fmt: skip
        work.run([self.interpreters[self.oldest], "-m", "venv", empty], self.work)
        (built,) = folder.glob("*.whl")
        work.run([empty / "bin" / "pip", "install", "--quiet", f"{built}[report]"], folder)
        dpref = empty / "bin" / "dpref"
        work.run([dpref, "audit", CLAIM, "--html", "one.html"], folder, says="; as recorded$")
        if not (folder / "one.html").stat().st_size:
            raise FailedError("one.html is empty")
        work.run([dpref, "prove"], folder, says=r"^\d+ obligations; ")
        work.run([dpref, "algorithms", "--json"], folder, says='"name"')

    def steps(self) -> list[Step]:
        """Return the steps, the dear ones first where there is a choice."""
        few = ("tests/test_repository.py", "tests/test_layers.py", "tests/test_proofs_contents.py")
        oldest, further = self.oldest, [*self.interpreters][1:]
        tasks, house, linted = "the environment of the tasks", "the wheels of the others", "lint and types"
        return [
            Step("Coq and Chromium", "other", self.tools, cores=0),
            Step(tasks, "pip", self.environment),
            Step(linted, "other", lambda w: self.task(w, "lint", "types"), after=(tasks,)),
            Step(house, "pip", self.other_wheels, after=(tasks,)),
            Step("the README's test command", "tests", self.tests, after=(linted, house, "Coq and Chromium"), cores=2),
            Step("documentation, warnings as errors", "docs", self.documentation, after=(linted,)),
            *(
                Step(f"the README's commands, {v}", "other", partial(self.commands, version=v), after=(house,))
                for v in self.interpreters
            ),
            Step("all claims of the catalogue", "other", self.catalogue, after=(f"the README's commands, {oldest}",)),
            *(
                Step(f"the fast tier, {v}", "tests", partial(self.fast, version=v),
                     after=(f"the README's commands, {v}",))
                for v in further
            ),
            Step("other people's code: optax, diffprivlib", "tests", lambda w: self.task(w, "peers", own=True),
                 after=(house,), covers=("tests/peers/",)),
            Step("Dask and joblib", "tests", lambda w: self.task(w, "clusters"), after=(tasks,),
                 covers=("tests/test_foreign_clusters.py",)),
            Step("certificates by a second checker", "Coq", self.coq, after=(tasks, "Coq and Chromium")),
            Step("against dp-accounting", "tests", lambda w: self.task(w, "crosscheck", own=True), after=(house,),
                 covers=("tests/test_interop",)),
            Step(f"the lowest releases, {oldest}", "tests", lambda w: self.task(w, "floors", own=True), after=(house,)),
            Step("the wheel, in an empty environment", "other", self.wheel, after=(house,)),
            # All of its quick tests are `nox -s sdist`; here those that could miss a file.
            Step("the source distribution", "other", lambda w: self.task(w, "sdist", words=few, own=True),
                 after=(house,)),
        ]  # fmt: skip

    def documentation(self, work: Work) -> None:
        """Build the documentation, once."""
        self.task(work, "docs", words=(self.work / "html",))


def settled(verdict_: Mapping[str, Any]) -> bool:
    """Return whether a verdict from few runs is the recorded one: more runs could still decide what is undecided."""
    return verdict_["verdict"] == verdict_["expected"] != "undecided" and not verdict_["alarms"]


def surroundings(house: Path) -> dict[str, str]:
    """Return the environment of all commands: pip takes wheels from one folder, and asks no index."""
    found = {
        **os.environ,
        "CI": os.environ.get("CI", "true"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
    }
    # As on anyone's machine, a module is compiled once: hundreds of processes are started.
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    # What is never imported need not be compiled; pip reads the variable of a negative option the other way round.
    found["PIP_NO_COMPILE"] = "0"
    found["PIP_NO_INDEX"] = "1"
    found["PIP_FIND_LINKS"] = f"{found.get('PIP_FIND_LINKS', '')} {house}".strip()
    return found


def main() -> int:
    """Run everything and return 0 if all is green."""
    interpreters, missing = pythons.find()
    if not interpreters:
        print("none of these is on this machine: Python", ", ".join(pythons.WANTED))  # noqa: T201
        return 1
    cache = Path(os.environ.get("DPREF_GATE_CACHE") or Path(tempfile.gettempdir()) / f"dpref-gate-{os.getuid()}")
    with tempfile.TemporaryDirectory(prefix="dpref-gate-run-", ignore_cleanup_errors=True) as temporary:
        gate = Gate(Path(temporary), interpreters, cache.resolve())
        gate.prepare()
        runner = Runner(gate.work / "logs", surroundings(gate.house), os.cpu_count() or 1, partial(print, flush=True))
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, _stopped)
        try:
            outcomes = runner.run(gate.steps())
        finally:
            runner.stop()
    absent = [Absent(f"Python {version}", why) for version, why in missing.items()] + not_checked(outcomes)
    lines, code = verdict(outcomes, absent, strict=os.environ.get("DPREF_GATE") == "strict")
    print("", *costs(outcomes), "", *lines, sep="\n", flush=True)  # noqa: T201
    return code


def _stopped(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
