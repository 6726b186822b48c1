"""One declaration an algorithm: all that claims, audits, timings, tables and generic tests are written against."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar, cast, get_origin, get_type_hints

import numpy as np

from dpref.algorithms.forms import Form
from dpref.curator import Curator, Indices
from dpref.kernels.records import ELEMENT_TYPES, Tape, Trace
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.filters import Spending
from dpref.problems.protocol import Problem
from dpref.reals import Array, FloatArray, precision
from dpref.units import ADJACENCIES, A, Adjacency, M, N, PrivacyLoss, ReplaceOne, Sensitivity, ZeroOut

_log: Final = logging.getLogger(__name__)
# Those under which a public number of records makes sense for an algorithm that samples or streams them.
PLANNING_BITS: Final = 53  # of balls while a plan is made: a plan is a function of its arguments alone
SAMPLED: Final = (ReplaceOne, ZeroOut)


class Move(NamedTuple):
    """How far a pair of neighbours in the paper's class of losses moves some answers, whatever the iterates.

    Attributes:
        shift: Of each of these answers, exact.
        std: Of their noise.
        times: How many they are.
        weight: With which each enters the output; None where the output is bent.
    """

    shift: Fraction
    std: float
    times: int = 1
    weight: Fraction | None = None


@dataclass(frozen=True, kw_only=True)
class Planned(Generic[N, M, A]):
    """What every plan has, and what accountants, kernels and audits ask of it; the answers here are those of most.

    A plan has ``steps`` as well: the most answers (of an algorithm that chooses vertices: iterations).

    Attributes:
        form: As printed or repaired.
        sensitivity: The true sensitivity of a query, with the adjacency in which it is stated.
        claimed: The loss that the noise was computed for.
    """

    form: Form
    sensitivity: Sensitivity[N, A]
    claimed: PrivacyLoss[M, A]

    @property
    def promise(self) -> PrivacyLoss[M, A] | None:
        """The loss that an accountant must certify; None of a printed form, whose claims are judged instead."""
        return self.claimed if self.form is Form.REPAIRED else None

    @property
    def numbers(self) -> Mapping[str, Any]:
        """What the kernel's ``Numbers`` have that is no attribute of the plan, by name."""
        return {}

    def moves(self, problem: Any) -> tuple[Move, ...]:
        """How far one record can move each answer, for the Gaussian witnesses.

        Args:
            problem: The public side.
        """
        return ()

    def released(self, indices: tuple[int, ...]) -> int:
        """The row of the kernel's points that is the output.

        Args:
            indices: The random indices of the run.
        """
        return -1


B = TypeVar("B", bound=Problem)
C_contra = TypeVar("C_contra", bound=Problem, contravariant=True)
D = TypeVar("D")
P = TypeVar("P")
Q = TypeVar("Q", bound=Planned[Any, Any, Any])


class Planning(Protocol[C_contra, P, Q]):
    """The functions of an algorithm's module ``plan``."""

    def plan(self, problem: C_contra, params: P) -> Q:
        """Every number of a run, from public information alone."""

    def ledger(self, plan: Q) -> Ledger[Any]:
        """What the run will spend."""

    def examples(self, problem: C_contra, adjacency: type[Adjacency]) -> tuple[P, ...]:
        """Parameters that suit a problem: the first are timed, all are varied by property tests."""


class Kernel(Protocol):
    """An algorithm's module ``kernel``: its compiled twin, which reads a tape."""

    __name__: str

    @property
    def Numbers(self) -> type[NamedTuple]:
        """The numbers of a plan that the kernel reads, in order, each with its type."""

    @property
    def run(self) -> Callable[[Any, Any, Tape], Trace]:
        """The function of the records, the numbers and the tape."""


@dataclass(frozen=True, kw_only=True)
class Algorithm(Generic[B, D, P, Q]):
    """A registered algorithm: its functions, its paper, and what it rests on; everything else is derived.

    Attributes:
        name: Its name in claims and tables; its folder has the same, with underscores.
        paper: Short name of the paper.
        items: The paper's items that it implements.
        measure: In which the paper states its guarantee.
        oracle_cost: Gradient evaluations a run.
        evidence: Ids of the obligations that it rests on.
        planning: The module ``plan`` of its folder.
        run: ``(problem, plan, curator) -> output``; the reference.
        paper_adjacency: The adjacency that the paper's definition reads as.
        adjacencies: Those under which it can be planned.
        spending: How the observed ledger relates to the plan's: the same, some of its events, or within its budget
            (`dpref.privacy.filters.agrees`).
        variant_of: The algorithm that it varies, which it may import.
        calls: Others that it runs as they are, which it may import too.
    """

    name: str
    paper: str
    items: tuple[str, ...]
    measure: str
    oracle_cost: str
    evidence: tuple[str, ...]
    planning: Planning[B, P, Q]
    run: Callable[[B, Q, Curator[Any, Any]], Array]
    paper_adjacency: str = "replace-one"
    adjacencies: tuple[type[Adjacency], ...] = tuple(ADJACENCIES.values())
    spending: Spending = "fixed"
    variant_of: str = ""
    calls: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """The package in which everything of it stands."""
        return "dpref.algorithms." + self.name.replace("-", "_")

    @property
    def kind(self) -> type[B]:
        """The kind of problem that it is for, as its functions are annotated."""
        found: type[B] = get_type_hints(self.planning.examples)["problem"]
        return found

    @property
    def params(self) -> type[P]:
        """What the user chooses, as the planning function is annotated: claims and strategies read its fields."""
        hint: Any = _hints(self.planning.plan)["params"]
        found: type[P] = get_origin(hint) or hint
        return found

    @property
    def kernel(self) -> Kernel:
        """The compiled twin's module, beside the declaration; numba is loaded when it is first asked for."""
        module = self.folder + ".kernel"
        if module not in sys.modules:
            _log.info("%s: its kernel is compiled when it first runs, which takes some seconds", self.name)
        return cast(Kernel, import_module(module))  # tests/typing/accept/kernels.py has mypy check each module

    def plan(self, problem: B, params: P) -> Q:
        """Every number of a run, from public information alone, whatever precision balls happen to have around it."""
        with precision(PLANNING_BITS):
            return self.planning.plan(problem, params)

    def ledger(self, plan: Q) -> Ledger[Any]:
        """What a run will spend."""
        return self.planning.ledger(plan)

    def examples(self, problem: B, adjacency: type[Adjacency]) -> tuple[P, ...]:
        """Parameters that suit a problem."""
        return self.planning.examples(problem, adjacency)

    def trace(
        self,
        problem: B,
        data: D,
        plan: Q,
        noise: FloatArray,
        indices: Indices | None = None,
        answers: FloatArray | None = None,
    ) -> Trace:
        """Run the compiled twin on a tape.

        Args:
            problem: The public problem.
            data: The private records, of the kind that the problem reads.
            plan: What ``plan`` computed.
            noise: Unit draws, as `dpref.curator.Transcript.noise` lays them out.
            indices: The random indices, one after another; None where there are none before the output.
            answers: What every query is answered with, laid out as in `dpref.kernels.records.Trace.answers`; None
                where the noise decides.

        Raises:
            ValueError: If the tape is too short.
        """
        tape = Tape(
            np.ascontiguousarray(noise, dtype=np.float64),
            np.empty((0, *noise.shape[1:])) if answers is None else np.ascontiguousarray(answers, dtype=np.float64),
            np.empty(0, dtype=np.int64) if indices is None else np.ascontiguousarray(indices, dtype=np.int64),
        )
        return self.kernel.run(problem.arrays(data), numbers_of(self, plan), tape)


def numbers_of(algorithm: Algorithm[Any, Any, Any, Q], plan: Q) -> Any:
    """What the kernel reads of a plan, as its named tuple; sequences become arrays of the type that is annotated.

    Args:
        algorithm: Whose kernel it is.
        plan: What its ``plan`` computed.

    >>> from dpref.algorithms import examples, gradient_descent
    >>> numbers_of(gradient_descent.ALGORITHM, examples.gradient_descent().plan)
    Numbers(start=array([0.]), steps=2, step_size=0.5, std=0.0)
    """
    kind = algorithm.kernel.Numbers
    hints = _hints(kind)
    return kind(*(_converted(name, hints[name], value) for name, value in _named_numbers(algorithm, plan)))


def _converted(name: str, hint: Any, value: Any) -> Any:
    """Convert a number of a plan to the type with which a kernel's ``Numbers`` annotate it."""
    if hint in ELEMENT_TYPES:
        return np.array(value, dtype=ELEMENT_TYPES[hint])
    if hint in {bool, int, float}:
        return hint(value)
    raise TypeError(
        f"Numbers.{name} is annotated {hint}, but a kernel reads bool, int, float, and Vector or Indices of "
        "dpref.kernels.records: annotate it with one of them"
    )


def given_numbers(algorithm: Algorithm[Any, Any, Any, Q], plan: Q) -> list[Any]:
    """The same as the plan has them: exact where it is exact.

    Args:
        algorithm: Whose kernel it is.
        plan: What its ``plan`` computed.

    >>> from dpref.algorithms import examples, gradient_descent
    >>> given_numbers(gradient_descent.ALGORITHM, examples.gradient_descent().plan)
    [(0.0,), 2, 0.5, 0.0]
    """
    return [value for _, value in _named_numbers(algorithm, plan)]


def _named_numbers(algorithm: Algorithm[Any, Any, Any, Q], plan: Q) -> list[tuple[str, Any]]:
    """List the fields of the kernel's ``Numbers`` with the values that the plan has for them."""
    own = plan.numbers
    return [(name, own[name] if name in own else getattr(plan, name)) for name in algorithm.kernel.Numbers._fields]


# Evaluating annotations takes most of the time of a small run's preparation.
_hints = cache(get_type_hints)


AnyAlgorithm = Algorithm[Any, Any, Any, Any]
