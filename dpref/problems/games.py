r"""Stochastic zero-sum games on two simplices: $\min_{x\in\Delta_{d_x}}\max_{y\in\Delta_{d_y}}\frac1n\sum_if(x,y;z_i)$.

A record z is a payoff matrix and, where the problem has a ramp of width w, a ridge function of x:

.. math:: f(x,y;z)=x^\top A_zy+w\,h\big((\langle c_z,x\rangle-o_z)/w\big),\qquad h'(t)=\mathrm{clip}(t,-1,1),

convex in x, linear in y.  With $\max|A_z|+\max|c_z|\le L_0$ it is $L_0$-Lipschitz with respect to the l1 norm, and
$\max(L_0,L_0^2/w)$-smooth ($L_0$-smooth without ramps).  Ramps are what separates a bound on gradients from the bound
on payoffs alone: with them the gradients at three points can be any three vectors that a convex function allows.

References:
    T. Gonzalez, C. Guzman, C. Paquette, "Mirror descent algorithms with nearly dimension-independent rates for
    differentially-private stochastic saddle-point problems", 2024, Section 1.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeVar

import numpy as np

from dpref.checks import finite_array, instance, natural, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.kernels.records import Payoffs
from dpref.reals import FLOAT_ARRAY, Array, FloatArray, Ops, exact
from dpref.units import Adjacency, ReplaceOne, ZeroOut

A = TypeVar("A", bound=Adjacency)


@dataclass(frozen=True, eq=False)
class GameData:
    """Records of a game.

    Attributes:
        payoffs: Payoff matrices, what x pays y, shape (n, d_x, d_y).
        slopes: c of each record's ridge function, shape (n, d_x); zero for a bilinear record.
        offsets: o of each record's ridge function, shape (n,).
        name: What the data are.

    >>> GameData.bilinear(np.zeros((5, 2, 3))).slopes.shape
    (5, 2)
    """

    payoffs: FloatArray
    slopes: FloatArray
    offsets: FloatArray
    name: str = "game"

    def __post_init__(self) -> None:
        n, rows, _ = finite_array("payoffs", self.payoffs, ndim=3).shape
        for name, shape in (("payoffs", self.payoffs.shape), ("slopes", (n, rows)), ("offsets", (n,))):
            array = finite_array(name, getattr(self, name), ndim=len(shape))
            if array.shape != shape:
                raise InvalidArgumentError(name, array.shape, f"must have shape {shape}")
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def bilinear(cls, payoffs: FloatArray, name: str = "bilinear game") -> GameData:
        """Records without ridge functions, from payoff matrices of shape (n, d_x, d_y)."""
        n, rows, _ = finite_array("payoffs", payoffs, ndim=3).shape
        return cls(payoffs, np.zeros((n, rows)), np.zeros(n), name)

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.payoffs.shape[0])

    def replaced(self, index: int, payoffs: FloatArray, slopes: FloatArray, offset: float) -> GameData:
        """The data with another record at an index."""
        if not 0 <= index < self.n:
            raise InvalidArgumentError("index", index, f"must lie in range({self.n})")
        matrices, directions, offsets = self.payoffs.copy(), self.slopes.copy(), self.offsets.copy()
        matrices[index], directions[index], offsets[index] = payoffs, slopes, offset
        return GameData(matrices, directions, offsets, self.name)


class GameRecords(NamedTuple):
    """A data set as one number system reads it.

    Attributes:
        payoffs: Shape (n, d_x, d_y).
        slopes: Shape (n, d_x).
        offsets: Shape (n,).

    >>> Game(n=5, rows=2, columns=3).read(GameData.bilinear(np.zeros((5, 2, 3)))).offsets.shape
    (5,)
    """

    payoffs: Array
    slopes: Array
    offsets: Array

    def part(self, rows: range) -> GameRecords:
        """The records at these places, counted from zero."""
        here = slice(rows.start, rows.stop)
        return GameRecords(self.payoffs[here], self.slopes[here], self.offsets[here])


class GamePair(NamedTuple):
    """Two data sets that differ in one record.

    >>> pair = Game(n=1, rows=2, columns=1).worst_case_pair(GameData.bilinear(np.zeros((1, 2, 1))), ReplaceOne)
    >>> pair.first.payoffs.tolist(), pair.second.payoffs.tolist()
    ([[[1.0], [-1.0]]], [[[-1.0], [1.0]]])
    """

    first: GameData
    second: GameData


@dataclass(frozen=True)
class Game:
    """The public side of a stochastic game.

    Attributes:
        n: Number of records.
        rows: d_x, the vertices of the minimising player.
        columns: d_y, those of the maximising one.
        lipschitz: L0, a bound on every entry of every record's gradients, exact; checked when data are read.
        ramp: w, the width of the ridge functions' ramps, exact; None for bilinear games, whose data have none.

    >>> Game(n=10, rows=2, columns=3).smoothness
    Fraction(1, 1)
    """

    n: int
    rows: int
    columns: int
    lipschitz: Fraction = Fraction(1)
    ramp: Fraction | None = None

    def __post_init__(self) -> None:
        natural("n", self.n)
        natural("rows", self.rows)
        natural("columns", self.columns)
        positive_rational("lipschitz", self.lipschitz)
        if self.ramp is not None:
            positive_rational("ramp", self.ramp)

    @property
    def smoothness(self) -> Fraction:
        """L1: the smoothness constant with respect to the l1 norm of (x, y), exact."""
        return self.lipschitz if self.ramp is None else max(self.lipschitz, self.lipschitz**2 / self.ramp)

    @property
    def dimension(self) -> int:
        """d_x + d_y."""
        return self.rows + self.columns

    def read(self, data: GameData, o: Ops[Array] = FLOAT_ARRAY) -> GameRecords:
        """The data in a number system, after checking that they are an instance of this problem.

        Raises:
            InvalidArgumentError: If a shape does not fit, a gradient may exceed L0, or a bilinear game has a ramp.
        """
        instance("data", data, GameData)
        if data.payoffs.shape != (self.n, self.rows, self.columns):
            raise InvalidArgumentError(
                "payoffs", data.payoffs.shape, f"must have shape {(self.n, self.rows, self.columns)}"
            )
        if self.ramp is None and data.slopes.any():
            raise InvalidArgumentError(
                "slopes", data.slopes, "must vanish in a bilinear game (give the problem a ramp)"
            )
        largest = np.abs(data.payoffs).max(axis=(1, 2)), np.abs(data.slopes).max(axis=1)
        for i in np.flatnonzero(largest[0] + largest[1] > float(self.lipschitz) * (1 - 2.0**-50)):
            if exact(float(largest[0][i])) + exact(float(largest[1][i])) > self.lipschitz:
                raise InvalidArgumentError("payoffs", i, f"record with a gradient that may exceed {self.lipschitz}")
        return GameRecords(o.lift(data.payoffs), o.lift(data.slopes), o.lift(data.offsets))

    def operator(self, o: Ops[Array], x: Array, y: Array, records: GameRecords, batch: range) -> tuple[Array, Array]:
        r"""$\Phi=(\nabla_xf,-\nabla_yf)$ averaged over a batch: both players *descend* along it.

        Args:
            x: A point of the first simplex, shape (d_x,).
            y: A point of the second simplex, shape (d_y,).
            records: The private data in that system.
            batch: Which records.

        Returns:
            Shapes (d_x,) and (d_y,); every entry is at most L0.
        """
        rows = slice(batch.start, batch.stop)
        mean = records.payoffs[rows].sum(axis=0) / len(batch)
        first, second = mean @ y, -(x @ mean)
        if self.ramp is not None:
            slopes = records.slopes[rows]
            arguments = (slopes @ x - records.offsets[rows]) / o.number(self.ramp)
            heights = o.maximum(o.minimum(arguments, o.number(1)), o.number(-1))
            first = first + (slopes * heights[:, None]).sum(axis=0) / len(batch)
        return first, second

    def mean_loss(self, o: Ops[Array], x: Array, y: Array, records: GameRecords) -> Array:
        r"""The mean of f(x, y; z) - f(0, y; z) over all records that are given, a number of that system.

        Every record's part is at most $L_0$ in absolute value: a bound B on the losses.

        Args:
            x: A point of the first simplex, shape (d_x,).
            y: A point of the second simplex, shape (d_y,).
            records: The records.

        >>> coins = Game(n=1, rows=2, columns=2, lipschitz=Fraction(2), ramp=Fraction(1, 2))
        >>> data = GameData(np.ones((1, 2, 2)), np.array([[1.0, 0.0]]), np.zeros(1))
        >>> x, y = np.array([0.25, 0.75]), np.array([1.0, 0.0])
        >>> float(coins.mean_loss(FLOAT_ARRAY, x, y, coins.read(data)))  # 1 + 1/2 (1/2)^2 / 2
        1.0625
        """
        count = len(records.offsets)
        mean: Array = x @ (records.payoffs.sum(axis=0) / count) @ y
        if self.ramp is not None:
            width = o.number(self.ramp)
            for sign, arguments in ((1, records.slopes @ x - records.offsets), (-1, -records.offsets)):
                heights = o.maximum(o.minimum(arguments / width, o.number(1)), o.number(-1))
                mean = mean + sign * (heights * (arguments - width * heights / 2)).sum() / count
        return np.asarray(mean)

    def arrays(self, data: GameData) -> Payoffs:
        """The data and the width of the ramps, zero for a bilinear game, as a kernel reads them.

        >>> Game(n=5, rows=2, columns=3).arrays(GameData.bilinear(np.zeros((5, 2, 3)))).ramp
        0.0
        """
        return Payoffs(data.payoffs, data.slopes, data.offsets, 0.0 if self.ramp is None else float(self.ramp))

    def random_neighbour(self, data: GameData, adjacency: type[Adjacency], rng: np.random.Generator) -> GameData:
        """A neighbour in which a random record is replaced or nulled."""
        index = int(rng.integers(data.n))
        if adjacency is ZeroOut:
            return null_record(data, index)
        _only_replaced(adjacency)
        share = 1.0 if self.ramp is None else float(rng.choice([0.0, 0.5, 1.0]))
        bound = float(self.lipschitz) * (1 - 2.0**-50)
        payoffs = share * bound * rng.choice([-1.0, 1.0, 0.3], (self.rows, self.columns))
        slopes = (1 - share) * bound * rng.choice([-1.0, 1.0, 0.3], self.rows)
        return data.replaced(index, payoffs, slopes, float(rng.uniform(-0.5, 0.5)))

    def worst_case_pair(self, data: GameData, adjacency: type[Adjacency]) -> GamePair:
        """A pair whose gradients in x are opposite and as large as they may be, whatever the point.

        The first record pays $L_0$ in odd rows and $-L_0$ in even ones; it is turned round, or nulled.
        """
        signs = np.where(np.arange(self.rows) % 2 == 0, 1.0, -1.0)
        payoffs = float(self.lipschitz) * np.repeat(signs[:, None], self.columns, axis=1)
        if exact(float(self.lipschitz)) > self.lipschitz:
            payoffs *= 1 - 2.0**-50
        first = data.replaced(0, payoffs, np.zeros(self.rows), 0.0)
        if adjacency is ZeroOut:
            return GamePair(first, null_record(first, 0))
        _only_replaced(adjacency)
        return GamePair(first, first.replaced(0, -payoffs, np.zeros(self.rows), 0.0))


def null_record(data: GameData, index: int) -> GameData:
    """The data with a record whose gradient is zero everywhere at an index.

    Args:
        data: The records.
        index: In range(n), counted from zero.

    Raises:
        InvalidArgumentError: If there is no such record.

    >>> null_record(GameData.bilinear(np.ones((2, 1, 2))), 1).payoffs.tolist()
    [[[1.0, 1.0]], [[0.0, 0.0]]]
    """
    _, rows, columns = data.payoffs.shape
    return data.replaced(index, np.zeros((rows, columns)), np.zeros(rows), 0.0)


def _only_replaced(adjacency: type[Adjacency]) -> None:
    if adjacency is not ReplaceOne:
        raise InvalidArgumentError("adjacency", adjacency.name, "a game has a fixed number of records")


def sampled_game(n: int, mean: FloatArray, seed: int) -> GameData:
    r"""Records with payoffs $\pm1$, independent, of the given mean: the population game is the mean.

    Args:
        n: Number of records.
        mean: Entries in [-1, 1], shape (d_x, d_y).
        seed: Of the generator.

    Raises:
        InvalidArgumentError: If n is not a positive integer.

    >>> sampled_game(3, np.ones((2, 2)), seed=0).payoffs.min()
    np.float64(1.0)
    """
    rng = np.random.default_rng(seed)
    return GameData.bilinear(np.where(rng.random((natural("n", n), *mean.shape)) < (1 + mean) / 2, 1.0, -1.0))


def duality_gap(payoff: FloatArray, x: FloatArray, y: FloatArray) -> Fraction:
    r"""$\max_j(A^\top x)_j-\min_i(Ay)_i$ of a bilinear game, exactly, for the doubles that are given.

    Args:
        payoff: A, shape (d_x, d_y).
        x: Shape (d_x,).
        y: Shape (d_y,).

    Raises:
        InvalidArgumentError: If shapes do not fit or an entry is not finite.

    References:
        Gonzalez, Guzman and Paquette 2024, Eq. (2).

    >>> duality_gap(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    Fraction(1, 1)
    """
    matrix = finite_array("payoff", payoff, ndim=2)
    for name, point, size in (("x", x, matrix.shape[0]), ("y", y, matrix.shape[1])):
        if finite_array(name, point, ndim=1).shape != (size,):
            raise InvalidArgumentError(name, point.shape, f"must have shape ({size},)")
    exactly = np.frompyfunc(lambda v: exact(float(v)), 1, 1)
    fractions, first, second = exactly(matrix), exactly(np.asarray(x)), exactly(np.asarray(y))
    gap: Fraction = max(first @ fractions) - min(fractions @ second)
    return gap
