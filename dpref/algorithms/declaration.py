"""What is known of every algorithm: the entry that generic tests, audits and tables are written against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from dpref.algorithms.rounding import gradient_descent as rounding
from dpref.curator import Curator, Indices
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.filters import Spending
from dpref.reals import Array, FloatArray
from dpref.units import ADJACENCIES, Adjacency, PrivacyLoss, ReplaceOne, ZeroOut


class Kernel(Protocol):
    """How a compiled kernel is called on recorded noise."""

    def __call__(
        self, problem: Any, data: Any, plan: Any, noise: FloatArray, indices: Indices | None = None, /
    ) -> tuple[FloatArray, FloatArray]:
        """Run it.

        Args:
            problem: The public problem: what is known of the data, such as their number and bounds.
            data: The private records, of the kind that the problem reads.
            plan: What the algorithm's ``plan`` computed: steps, step sizes, noise.
            noise: Standard draws, as `dpref.curator.Transcript.noise` lays them out: (K, d) for K answers of d numbers.
            indices: The transcript's random indices, one after another; None where the algorithm draws none before
                its output.

        Returns:
            The point of each query and then the output, one a row, and exact queries.
        """
        ...


@dataclass(frozen=True)
class Algorithm:
    """A registered algorithm: its functions, its paper, and what it rests on.

    Attributes:
        name: Its name in claims and tables.
        paper: Short name of the paper.
        items: The paper's items that it implements.
        measure: In which the paper states its guarantee.
        paper_adjacency: The adjacency that the paper's definition reads as.
        oracle_cost: Gradient evaluations a run.
        evidence: Ids of the obligations that it rests on.
        plan: ``(problem, params) -> plan``.
        ledger: ``plan -> Ledger``.
        run: ``(problem, plan, curator) -> output``; the reference.
        kernel: The compiled twin on a tape of noise and indices.
        promise: ``plan -> loss`` that an accountant must certify, or None where a printed form promises too much.
        released: ``(plan, indices) -> row`` of the kernel's iterates that is the output.
        rounding: ``(problem, plan, iterates, queries, noise) -> bounds`` on the float64 errors, one a row.
        adjacencies: Those under which it can be planned.
        scales: ``plan -> scales`` of the noise of each answer.
        spending: How the observed ledger relates to the plan's: the same, some of its events, or within its budget
            (`dpref.privacy.filters.agrees`).
    """

    name: str
    paper: str
    items: tuple[str, ...]
    measure: str
    paper_adjacency: str
    oracle_cost: str
    evidence: tuple[str, ...]
    plan: Callable[[Any, Any], Any]
    ledger: Callable[[Any], Ledger[Any]]
    run: Callable[[Any, Any, Curator[Any, Any]], Array]
    kernel: Kernel
    promise: Callable[[Any], PrivacyLoss[Any, Any] | None]
    released: Callable[[Any, tuple[int, ...]], int] = lambda plan, _: int(plan.steps)
    rounding: Callable[[Any, Any, FloatArray, FloatArray, FloatArray], FloatArray] = rounding.forward_error_bound
    adjacencies: tuple[type[Adjacency], ...] = tuple(ADJACENCIES.values())
    scales: Callable[[Any], tuple[float, ...]] = lambda plan: tuple(plan.stds)
    spending: Spending = "fixed"

    @property
    def folder(self) -> str:
        """The package in which everything of it stands."""
        return "dpref.algorithms." + self.name.replace("-", "_")


# Those under which a public number of records makes sense for an algorithm that samples or streams them.
SAMPLED: Final = (ReplaceOne, ZeroOut)


def last(plan: Any, indices: tuple[int, ...]) -> int:
    """The released row of a kernel's iterates: the last, however many there are.

    Args:
        plan: Unused: the answer is the same for every plan.
        indices: Unused: the algorithm draws none.

    >>> last(None, ())
    -1
    """
    return -1
