"""What Coq proves beside certificates: the theory, theorems of privacy, corollaries and negations, compiled anew."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from proofs.coq import axioms, compiler, privacy
from proofs.coq.corollaries import COROLLARIES
from proofs.registry import registry


@dataclass(frozen=True)
class Library:
    """What Coq says of everything beside the certificates.

    Attributes:
        compiled: How many of each kind Coq accepts.
        refused: What it refuses, and why.
    """

    compiled: Mapping[str, int] = field(default_factory=dict)
    refused: tuple[tuple[str, str], ...] = ()


def files() -> list[str]:
    """Return all files of the theory, each after what it needs."""
    every = sorted(path.relative_to(privacy.THEORY).with_suffix("") for path in privacy.THEORY.rglob("*.v"))
    return privacy.needed(path.as_posix() for path in every)


def build(work: Path, names: Sequence[str], jobs: int) -> None:
    """Compile files of the theory in a folder, up to ``jobs`` at once.

    Args:
        work: The folder.
        names: The files, each after what it needs.
        jobs: How many are compiled at once.

    Raises:
        NotChecked: If Coq is absent or refuses a file, or a source assumes something.
    """
    program = compiler.installed()
    if program is None:
        raise privacy.NotChecked(privacy.ABSENT)
    if wrong := axioms.written(privacy.THEORY, compiler.libraries(program)):
        raise privacy.NotChecked("; ".join(wrong))
    for name in names:
        (work / f"{name}.v").parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(privacy.THEORY / f"{name}.v", work / f"{name}.v")
    needs = {name: {*privacy.needed([name])} - {name} for name in names}
    todo, running = list(names), dict[Future[str], str]()
    with ThreadPoolExecutor(jobs) as pool:
        while todo or running:
            for name in [n for n in todo if not needs[n] & {*todo, *running.values()}]:
                running[pool.submit(privacy.coqc, work, name)] = name
                todo.remove(name)
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                del running[future]
                future.result()


def checked(work: Path, certificates: Path) -> Library:
    """Return what Coq says of theorems, corollaries and negations in a folder in which all files are compiled.

    Args:
        work: The folder.
        certificates: Where the theorems' statements are recorded.
    """
    compiled, refused = {"files of the theory": len(files())}, list[tuple[str, str]]()
    parts: dict[str, Callable[[Path, Path], dict[str, int]]] = {
        "theorems of privacy": _theorems, "negations": _negations
    }  # fmt: skip
    for name, part in parts.items():
        try:
            compiled |= part(work, certificates)
        except privacy.NotChecked as error:
            refused.append((name, str(error)))
    return Library(compiled, tuple(refused))


def _theorems(work: Path, certificates: Path) -> dict[str, int]:
    names, facts = privacy.named(registry().values()), privacy.of_certificates(certificates)
    every = [*names, *map(privacy.named_corollary, COROLLARIES)]
    opened = privacy.needed([name.partition(".")[0] for name in names])
    found = privacy.asked(work, every, opened, COROLLARIES, facts)
    recorded = json.loads((certificates / privacy.RECORD).read_text(encoding="utf-8"))["statements"]
    changed = [name for name, said in found.statements.items() if recorded.get(name) != said]
    if changed or recorded.keys() - found.statements.keys():
        wrong = ", ".join(changed) or ", ".join(recorded.keys() - found.statements.keys())
        raise privacy.NotChecked(f"{wrong}: not what is recorded; run: python -m proofs --theorems")
    return {
        "theorems of privacy": len(names), "corollaries": len(COROLLARIES), "facts that certificates take": len(facts)
    }  # fmt: skip


def _negations(work: Path, _: Path) -> dict[str, int]:
    from proofs import negations_in_coq  # noqa: PLC0415 - it reads all papers, and needs this package
    from proofs.negations import NEGATIONS  # noqa: PLC0415

    resting = negations_in_coq.axioms(work, negations_in_coq.theorems())
    if resting.problems:
        raise privacy.NotChecked("; ".join(resting.problems))
    return {"negations": len(NEGATIONS)}
