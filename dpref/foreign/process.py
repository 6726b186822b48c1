r"""The lower bound on what is claimed, from the wealth against many claims.

Each value $\theta_1<\theta_2<\dots$ of a grid of the claimed quantity has a wealth of its own.  With
$L_t=\theta_j$, j the largest index such that all of $1..j$ have reached $1/\alpha$ by time t, $L_t$ ever reaches the
true value with probability at most $\alpha$: the first grid value at or above the truth is a true claim, and to pass it
it must be rejected.  Eight neighbouring values share their experts and bets, and are certified together where that
suffices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpref.foreign.betting import (
    NEGLIGIBLE,
    STAKES,
    Expert,
    Integers,
    Point,
    Round,
    certified_wealth,
    crossed,
    factors_at,
    log_epoch,
    split,
)
from dpref.foreign.claims import Claim, rounded_down
from dpref.foreign.events import EXPERTS, Event, Field

Counts: TypeAlias = Callable[[Event], tuple[int, int, int, int]]

SHARED: Final = 8  # neighbouring grid values with the same experts
_ALMOST: Final = 1e-6  # by which doubles must pass the threshold before a ball is asked
_CLOSER: Final = (1.0, 4.0, NEGLIGIBLE)  # how far below the largest a term is still taken: few first, which often do
_SPARSE: Final = 4  # of the points of a curve the bound tries one in so many
_ENOUGH: Final = 32  # events of each feature that the bound chooses among


class _Epoch(NamedTuple):
    """An epoch of the lower bound: groups by experts.

    Attributes:
        groups: Which groups bet, shape (groups,).
        rows: Their events, as the field numbers them, shape (groups, experts).
        points: The points of the claims that they speak against, shape (groups, experts).
        shares: Of the experts, shape (groups, experts).
        stakes: Shape (groups, experts, stakes).
        counts: Shape (groups, experts, 4).
    """

    groups: Integers
    rows: Integers
    points: Integers
    shares: Integers
    stakes: Integers
    counts: Integers


class Bound:
    r"""The lower bound: a wealth for each value of a grid.

    Args:
        grid: Claims of growing values, each of which speaks of one epsilon, or each of a curve.
        error: $\alpha$, exact.
        most: Above this value nothing can be shown, and nothing is bet; what is bet below does not depend on it.
    """

    def __init__(self, grid: Sequence[Claim], error: Fraction, most: float) -> None:
        self._error = error
        together = SHARED if len(grid[0].points()) == 1 else 1
        self._groups = [list(grid[i : i + together]) for i in range(0, len(grid), together)]
        self._passed = [[False] * len(group) for group in self._groups]
        self._within = np.array([float(group[0].value) <= most for group in self._groups])
        self._points = [group[-1].points()[::_SPARSE] for group in self._groups]
        table = [(e, group[-1].delta_of(e)) for group, at in zip(self._groups, self._points, strict=True) for e in at]
        self._table = factors_at(table).reshape(len(self._groups), -1, len(STAKES), 4)
        values = [[(c.value, c.delta_of(c.value)) for c in _filled(group, together)] for group in self._groups]
        own = factors_at([point for row in values for point in row]).reshape(len(self._groups), together, -1, 4)
        self._factors = own if together > 1 else None  # of curves they depend on the expert
        self._logs = np.zeros((len(self._groups), together))
        self._field: Field | None = None
        self._epochs: list[_Epoch] = []

    @property
    def value(self) -> float:
        """The largest value up to which all have been passed, rounded down; zero if none has."""
        last = 0.0
        for group, has_passed in zip(self._groups, self._passed, strict=True):
            for claim, passed in zip(group, has_passed, strict=True):
                if not passed:
                    return last
                last = rounded_down(claim.value)
        return last

    def begin(self, field: Field, claim: Claim) -> None:
        """A new epoch: the groups that are not passed choose their experts, among the features that look best.

        Args:
            field: What there is to choose from.
            claim: What is claimed.
        """
        self._field = None
        left = np.array([i for i, passed in enumerate(self._passed) if not all(passed)], dtype=np.int64)
        groups = left[self._within[left]]
        if not len(field) or not len(groups):
            return
        views = np.concatenate([factors_at([(e, claim.delta_of(e)) for e in claim.points()]), *self._table[left[::40]]])
        among = np.unique(field.best(views, EXPERTS // 2).places)
        table = self._table[groups]
        picks = field.best(table.reshape(-1, *table.shape[2:]), EXPERTS, among, _ENOUGH)
        per_group = table.shape[1]
        grown = picks.grown.reshape(len(groups), -1, len(STAKES))
        top = np.argsort(-grown.max(axis=2), axis=1, kind="stable")[:, :EXPERTS]
        grown = np.take_along_axis(grown, top[:, :, None], axis=1)
        rows = np.take_along_axis(picks.rows.reshape(len(groups), -1), top, axis=1)
        points = top // (grown.shape[1] if per_group == 1 else picks.rows.shape[1])
        shares, stakes = split(grown.max(axis=2) * field.runs), split(grown * field.runs)
        none = np.zeros((*rows.shape, 4), dtype=np.int64)
        self._field = field
        self._epochs.append(_Epoch(groups, rows, points if per_group > 1 else 0 * points, shares, stakes, none))

    def end(self, counts: Counts) -> None:
        """The end of an epoch: what the events came to, and who is passed.

        Args:
            counts: Of an event, in the epoch.
        """
        if self._field is None:
            return
        rows, back = np.unique(self._epochs[-1].rows, return_inverse=True)
        seen = np.array([counts(self._field.event(row)) for row in rows.tolist()], dtype=np.int64)
        epoch = self._epochs[-1]._replace(counts=seen[back].reshape(*self._epochs[-1].rows.shape, 4))
        self._epochs[-1], self._field = epoch, None
        if self._factors is None:
            factors = np.take_along_axis(self._table[epoch.groups], epoch.points[:, :, None, None], axis=1)[:, None]
        else:
            factors = self._factors[epoch.groups][:, :, None]
        grew = log_epoch(epoch.shares[:, None], epoch.stakes[:, None], epoch.counts[:, None], factors)
        self._logs[epoch.groups] += grew
        enough = self._logs > _ALMOST - math.log(self._error)
        for g in epoch.groups[enough[epoch.groups].any(axis=1)].tolist():
            self._certify(g, enough[g, : len(self._groups[g])])

    def _certify(self, g: int, enough: NDArray[np.bool_]) -> None:
        """Who of a group has reached the inverse of the error, of those that about have, together if that will do."""
        passed = self._passed[g]
        new = np.flatnonzero(enough & ~np.array(passed)).tolist()
        if len(new) > 1 and self._reaches(g, new[0], new[-1]):
            passed[new[0] : new[-1] + 1] = [True] * (new[-1] + 1 - new[0])
            return
        for i in new:
            passed[i] = self._reaches(g, i, i)

    def _reaches(self, g: int, least: int, largest: int) -> bool:
        low, high = self._groups[g][least], self._groups[g][largest]
        rounds, experts, known = [], [], dict[int, Expert]()
        for epoch in self._epochs:
            at = np.flatnonzero(epoch.groups == g)
            if at.size:
                k = int(at[0])
                rounds.append(Round(epoch.shares[k], epoch.stakes[k], epoch.counts[k]))
                at_points = epoch.points[k].tolist()
                known |= {p: self._expert(g, low, high, p) for p in {*at_points} - {*known}}
                experts.append([known[p] for p in at_points])
        return any(crossed(certified_wealth(rounds, experts, within), self._error) for within in _CLOSER)

    def _expert(self, g: int, low: Claim, high: Claim, point: int) -> Expert:
        return Expert(self._point(g, low, point), self._point(g, high, point))

    def _point(self, g: int, claim: Claim, point: int) -> Point:
        epsilon = claim.value if self._factors is not None else self._points[g][point]
        return epsilon, claim.delta_of(epsilon)


def _filled(group: list[Claim], size: int) -> list[Claim]:
    """A group, its last value repeated up to a size."""
    return [*group, *[group[-1]] * (size - len(group))]
