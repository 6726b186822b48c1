"""What is run, and what a run released."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, final

import numpy as np

from dpref.checks import natural
from dpref.curator import LiveCurator, RecordingCurator
from dpref.errors import BudgetExceededError, InvalidArgumentError
from dpref.fitting.bounds import Classes
from dpref.fitting.exact import gridded_curator
from dpref.fitting.preview import Preview
from dpref.fitting.scaling import Scaling
from dpref.fitting.whole_files import writable, write_whole
from dpref.foreign.replay import Recording, Source
from dpref.foreign.replay.document import as_document
from dpref.foreign.replay.recording import written_down
from dpref.mechanisms.bits import GeneratorBits
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.filters import agrees
from dpref.privacy.interval import Interval
from dpref.problems.datasets import Dataset
from dpref.reals import FloatArray

SEEDED: Final = (
    "the noise was drawn from a seed: whoever knows the seed, or tries seeds until one fits, knows the noise, and"
    " between two answers of one seed it cancels; release nothing of this run"
)


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted:
    """What a run released, and what it spent.

    Attributes:
        weights: Of the linear predictor in the user's units, shape (d,).
        intercept: Its constant, in the user's units.
        answer: What the algorithm released, for mapped records.
        preview: What was said before the run.
        ledger: What the curator counted.
        epsilon: Certified at delta under the asked adjacency.  Where a run may stop early by what it has seen, it is
            the whole plan's: what was saved is no public knowledge.
        scaling: The map of records.
        seeded: Whether the noise was drawn from a seed: then epsilon is that of a run with fresh noise.
        transcript: The recorded run, if it was asked for: **it holds the data** and must not be published.
    """

    weights: FloatArray
    intercept: float
    answer: FloatArray
    preview: Preview
    ledger: Ledger[Any]
    epsilon: Interval
    scaling: Scaling
    seeded: bool = False
    transcript: Recording | None = None

    @property
    def plan(self) -> Any:
        """Every number of the run."""
        return self.preview.plan

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know of this run besides the preview's warnings."""
        return (SEEDED,) if self.seeded else ()

    def decision(self, features: object) -> FloatArray:
        """Predictions for records, shape (n,): for classes their sign is the class.

        Records are mapped as those of the run, so that what lies outside the bounds is moved to them.

        Args:
            features: Shape (n, d).
        """
        found = self.scaling.mapped(features) @ self.answer
        target = self.scaling.bounds.target
        if isinstance(target, Classes):
            return found
        middle, half = target.map()
        return middle + half * found

    def to_json(self) -> dict[str, Any]:
        """The result for a program, with the plan: exact numbers are text, doubles are numbers."""
        low, high = self.epsilon.as_decimal()
        names = self.scaling.bounds.names or [f"column {j}" for j in range(1, len(self.weights) + 1)]
        return {
            "plan": self.preview.to_json(),
            "epsilon": {"lower": low, "upper": high, "method": self.epsilon.method},
            "delta": str(self.preview.delta),
            "adjacency": self.preview.adjacency.name,
            "ledger": str(self.ledger),
            "weights": dict(zip(names, map(float, self.weights), strict=True)),
            "intercept": self.intercept,
            "answer": [float(value) for value in self.answer],
            "warnings": list(self.warnings),
        }

    def save_transcript(self, path: Path | str) -> None:
        """Write the recorded run by ``schemas/transcript.schema.json``; **the file holds the private data**.

        Nobody but its owner may read it.

        Args:
            path: Where to.

        Raises:
            InvalidArgumentError: If the run was not recorded, or no file can be there.
        """
        if self.transcript is None:
            raise InvalidArgumentError("transcript", None, "the run was not recorded: fit with recorded=True")
        writable("path", Path(path), {})
        write_whole(Path(path), json.dumps(as_document(self.transcript), indent=1) + "\n", mode=0o600)


class Prepared(NamedTuple):
    """Mapped data and a plan that is certified to keep to its budget: all that a run needs.

    Attributes:
        preview: What the run will do and spend.
        scaling: The map of records.
        data: The mapped records, private.
    """

    preview: Preview
    scaling: Scaling
    data: Dataset

    def run(self, *, seed: int | None = None, recorded: bool = False) -> Fitted:
        """Run the plan, once; a second run spends the budget a second time.

        Args:
            seed: Makes the run repeatable; None draws fresh entropy.
            recorded: Whether to keep the transcript, which holds the data.

        Raises:
            BudgetExceededError: If what the curator counted is not what the plan says; nothing is then released.
            InvalidArgumentError: If a run with exact noise is to be recorded.
        """
        if seed is not None:
            natural("seed", seed, least=0)
        algorithm, problem, plan = self.preview.algorithm, self.preview.problem, self.preview.plan
        curator = self._curator(seed, recorded=recorded)
        answer = np.asarray(algorithm.run(problem, plan, curator), dtype=np.float64)
        if not agrees(algorithm.spending, self.preview.ledger, curator.ledger):
            spent = f"spent {curator.ledger}, the plan says {self.preview.ledger}"
            raise BudgetExceededError(f"{algorithm.name} {spent}; nothing is released")
        transcript = None
        if recorded:
            source = Source(algorithm, problem, self.data, plan)
            # Without its source a recording is written without the tolerances of other implementations.
            transcript = replace(written_down(source, curator.transcript, answer, curator.sampled), source=None)
        weights, constant = self.scaling.weights(answer)
        return Fitted(
            weights=weights,
            intercept=constant,
            answer=answer,
            preview=self.preview,
            ledger=curator.ledger,
            epsilon=self.preview.epsilon,
            scaling=self.scaling,
            seeded=seed is not None,
            transcript=transcript,
        )

    def _curator(self, seed: int | None, *, recorded: bool) -> Any:
        """What answers, as the plan says."""
        data, adjacency, how = self.preview.problem.read(self.data), self.preview.adjacency, self.preview.exactly
        if how is not None:
            if recorded:
                raise InvalidArgumentError("recorded", recorded, "is for noise that is drawn as doubles alone")
            return gridded_curator(
                data, adjacency, how, None if seed is None else GeneratorBits(np.random.default_rng(seed))
            )
        kind: Any = RecordingCurator if recorded else LiveCurator
        return kind(data, adjacency, np.random.default_rng(seed))
