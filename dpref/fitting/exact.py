r"""A plan whose noise is drawn exactly, on a grid: its width, and what it is certified to spend, before it runs.

`dpref.curator.GriddedCurator` rounds every answer to a multiple of g and adds discrete Gaussian noise.  What it spends
is in its ledger and not in the plan's, and depends on the dimension of every answer.  So the plan is first run on a
table of null records, which is public: an algorithm whose answers are as many, with as much noise, whatever the data
are, leaves the very ledger there that it will leave on the user's table.  Others are refused.

The grid is a power of two, at most $2^{-20}$ of the least move that one record can make, divided by $\sqrt d$, and at
most a 64th of the least noise: rounding then lengthens no move by more than a millionth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from dpref.checks import one_of, rational
from dpref.curator import GriddedCurator, RecordingCurator
from dpref.errors import BudgetError, InvalidArgumentError, UnsupportedEventError
from dpref.fitting.preview import Exactly, Preview, certified_within
from dpref.fitting.problems import Uncounted
from dpref.mechanisms.bits import BitSource, GeneratorBits
from dpref.mechanisms.gridded import FINEST
from dpref.privacy.events.given import Number, exactly
from dpref.privacy.events.ledger import Ledger, Poisson
from dpref.privacy.events.walks import multiplicities
from dpref.problems.datasets import Dataset
from dpref.reals import decimal_up, exact
from dpref.transcript import Answer
from dpref.units import Adjacency, ZeroOut

Noise: TypeAlias = Literal["floating", "gridded"]
NOISES: Final[tuple[Noise, ...]] = ("floating", "gridded")
# How much less the plan is asked to spend, so that what rounding adds still fits.
_HAIRS: Final = tuple(Fraction(1, 2**k) for k in (20, 15, 10, 5))
_FINER: Final = Fraction(1, 2**20)
_LARGE: Final = Fraction(1, 1000)  # of the sensitivity, from which on an evaluation error is blamed for a refusal


def exactness(noise: str, evaluation_error: Number | None) -> Fraction | None:
    """The bound on evaluation errors that a run on a grid needs; None for noise that is drawn as doubles.

    Args:
        noise: "floating" or "gridded".
        evaluation_error: As the user gave it.

    Raises:
        InvalidArgumentError: If the one is given without the other.

    >>> exactness("gridded", "1e-9"), exactness("floating", None)
    (Fraction(1, 1000000000), None)
    """
    one_of("noise", noise, NOISES)
    if noise == "floating":
        if evaluation_error is not None:
            raise InvalidArgumentError("evaluation_error", evaluation_error, 'is for noise="gridded" alone')
        return None
    if evaluation_error is None:
        rule = (
            "must be given for exact noise: a bound, in the l2 norm, on how far the doubles of any query are from its"
            " exact value, such as 1e-9 for the mean of some thousand gradients of norm at most 1"
        )
        raise InvalidArgumentError("evaluation_error", None, rule)
    return rational("evaluation_error", exactly("evaluation_error", evaluation_error))


def on_a_grid(plan: Callable[[Fraction], Preview], asked: Fraction, evaluation_error: Fraction) -> Preview:
    """A plan whose answers on a grid are certified to spend at most what was asked for.

    Args:
        plan: One with continuous noise, for the epsilon that it is given.
        asked: The most that may be spent.
        evaluation_error: Of the doubles of every query.

    Raises:
        InvalidArgumentError: If the algorithm's noise is not exact on a grid, or its answers depend on the data.
        BudgetError: If no plan that was tried is certified to keep to the budget.
    """
    last: BudgetError | None = None
    for hair in _HAIRS:
        found = plan(asked * (1 - hair))
        if found.algorithm.spending != "fixed":
            raise _refused(found, "decides by its answers how many to ask, and no budget is planned for that")
        how = Exactly(_grid(found), evaluation_error)
        ledger = _observed(found, how)
        try:
            epsilon = certified_within(ledger, asked, found.delta)
        except BudgetError as error:
            last = BudgetError(f"{error}{_blamed(found, evaluation_error)}")
            continue
        return replace(found, ledger=ledger, epsilon=epsilon, asked=asked, exactly=how)
    raise last or BudgetError(f"epsilon = {asked}: no plan was tried")


def _blamed(found: Preview, evaluation_error: Fraction) -> str:
    """What to add to a refusal where the declared error is a large part of what is accounted."""
    share = 2 * evaluation_error / exact(found.plan.sensitivity.value)
    if share < _LARGE:
        return ""
    return (
        f". Twice the evaluation_error that you declare, {evaluation_error}, is {decimal_up(share, 3)} times the"
        " sensitivity, and is added to it: declare a smaller one if it holds"
    )


def gridded_curator(
    data: Any, adjacency: type[Adjacency], how: Exactly, bits: BitSource | None = None
) -> GriddedCurator[Any, Any]:
    """A curator that answers as a plan says.

    Args:
        data: What the algorithm's problem reads.
        adjacency: Of the plan.
        how: The grid, and the bound on evaluation errors.
        bits: Where the noise comes from; None for the operating system.
    """
    return GriddedCurator(data, adjacency, grid=how.grid, evaluation_error=how.evaluation_error, bits=bits)


def _grid(found: Preview) -> Fraction:
    """The width, from what the plan asks of null records with continuous noise."""
    curator: Any = RecordingCurator(_nothing(found), found.adjacency, np.random.default_rng(0))
    _run(found, curator)
    answers = curator.transcript.answers
    if not answers:
        raise _refused(found, "asks nothing of the data in this plan")
    if not all(isinstance(answer, Answer) for answer in answers):
        raise _refused(found, "chooses among candidates, whose noise is not drawn exactly")
    moves, stds = [exact(a.sensitivity.value) for a in answers], [exact(a.std) for a in answers]
    width = min(min(moves) * _FINER / (math.isqrt(found.problem.dimension) + 1), min(stds) / FINEST)
    return Fraction(2) ** (width.numerator.bit_length() - width.denominator.bit_length() - 1)


def _observed(found: Preview, how: Exactly) -> Ledger[Any]:
    """What the plan spends on null records, and so on any."""
    curator = gridded_curator(_nothing(found), found.adjacency, how, GeneratorBits(np.random.default_rng(0)))
    _run(found, curator)
    if found.adjacency is ZeroOut and any(isinstance(event, Poisson) for event in multiplicities(curator.ledger.event)):
        rule = "adds up Poisson batches, whose doubles under zero-out change where a null record is among them"
        raise _refused(found, rule)
    return curator.ledger


def _run(found: Preview, curator: Any) -> None:
    try:
        found.algorithm.run(found.problem, found.plan, curator)
    except UnsupportedEventError as error:
        raise _refused(found, f"asks for noise that is not drawn exactly ({error})") from None


def _nothing(found: Preview) -> Any:
    """Null records: as many as there are, or one where their number is private and so changes nothing."""
    problem = found.problem
    n = 1 if isinstance(problem, Uncounted) else problem.n
    try:
        nothing = np.zeros((n, problem.dimension)), np.ones(n)
    except (MemoryError, OverflowError, ValueError):  # the latter two beyond what numpy can index
        rule = "is too many: a plan with exact noise is rehearsed on as many null records, which do not fit the memory"
        raise InvalidArgumentError("n", n, rule) from None
    return problem.read(Dataset(*nothing))


def _refused(found: Preview, reason: str) -> InvalidArgumentError:
    return InvalidArgumentError("noise", "gridded", f"is not for {found.algorithm.name} here: it {reason}")
