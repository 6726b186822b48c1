r"""How far one score of bias-reduced mirror descent can move: the two witnesses, run through the reference in balls.

Both replace the first record of a batch of $2/\alpha$ at level N = 1, after the draws $e_2,e_3,e_2,e_2$, so that
$\hat x^1=e_2$, $\bar x_-=\frac{e_2+e_3}2$, $\bar x_+=\frac{3e_2+e_3}4$.  The record's gradient is
$c\,\mathrm{clip}((\langle c,x\rangle-\frac14)/w)$, in the neighbour
$c'\,\mathrm{clip}((\langle c',x\rangle+\frac14)/w)$, w = 1/20.
At the three points it takes the values $c,-c,c$ and $-c',c',-c'$, and the estimate moves by
$(2C_M\cdot2+1)(c+c')\alpha/2$.

* d = 3, $c=(1,1,-1)$, $c'=(1,-1,1)$: the first score moves by $(4C_M+1)\tau\alpha L_0$, the others by nothing.
* d = 4, $c=(1,1,-1,-1)$, $c'=(1,-1,1,-1)$: the first and the last move by that much in opposite directions.

Later records, equal in both data sets, push the vertices 2 and 3 away, so that a vertex is drawn from 1 and 4, and 4
towards 1: the more, the closer the log-ratio of the fourth vertex comes to twice the sensitivity (obligations
``private-saddle-points/E3``, ``private-saddle-points/P64``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, Literal, final

import numpy as np
from flint import arb

from dpref.algorithms.bias_reduced_mirror_descent import algorithm as algorithm_algorithm
from dpref.algorithms.bias_reduced_mirror_descent import formulas as algorithm_formulas
from dpref.algorithms.forms import Form
from dpref.algorithms.mirror_descent.plan import Plan
from dpref.audit.claims import Claim
from dpref.audit.papers.private_saddle_points.instances import only_transcripts
from dpref.audit.parameters import known, made, readable
from dpref.audit.subjects import Neighbour, Release
from dpref.audit.subjects import Witness as Bound
from dpref.checks import natural, positive_rational
from dpref.curator import ReplayingCurator, Selection, Transcript
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import softmax
from dpref.mechanisms.truncated_geometric import normaliser
from dpref.privacy.events.ledger import Exponential, Gaussian, Ledger
from dpref.problems.games import Game, GameData, GamePair
from dpref.reals import BALL_ARRAY, RATIONAL, Array, FloatArray, ball, exact, lower, precision
from dpref.units import ApproximateDP, Linf, PrivacyLoss, ReplaceOne, Sensitivity

PRINTED_RANGE: Final = Fraction(9, 2)  # the printed sensitivity, in units of tau alpha L0
WITNESS_PRECISION: Final = 200
_RAMP: Final = Fraction(1, 20)
_PUSHES: Final = 30
_TILTS: Final = 4  # how many of them tilt the draw; with this many the fourth vertex is still likely in one data set
_SLOPES: Final = {3: ((1, 1, -1), (1, -1, 1)), 4: ((1, 1, -1, -1), (1, -1, 1, -1))}
_ATTAINED: Final = "the instance of the runs, its scores run through the reference in balls"
_DRAWN: Final = (0, 1, 2, 1, 1)  # the output's vertex, and then e_2, e_3, e_2, e_2


def witness_pair(dimension: Literal[3, 4], tilts: int = _TILTS) -> tuple[Game, GamePair]:
    """The game and the pair; the second player has a single vertex, and ``tilts`` later records push 4 towards 1.

    >>> game, pair = witness_pair(3)
    >>> game.rows, game.columns, pair.first.slopes[0].tolist(), pair.second.slopes[0].tolist()
    (3, 1, [1.0, 1.0, -1.0], [1.0, -1.0, 1.0])
    """
    n = 3 + _PUSHES
    payoffs, slopes, offsets = np.zeros((n, dimension, 1)), np.zeros((n, dimension)), np.zeros(n)
    if dimension == 4:
        payoffs[2:, :, 0] = [-1.0, 1.0, 1.0, -1.0]
        payoffs[2 : 2 + tilts, 3, 0] = 1.0
    slopes[0], offsets[0] = _SLOPES[dimension][0], 0.25
    first = GameData(payoffs, slopes, offsets, "one ramp record")
    second = first.replaced(0, payoffs[0], np.array(_SLOPES[dimension][1], dtype=np.float64), -0.25)
    return Game(n=n, rows=dimension, columns=1, ramp=_RAMP), GamePair(first, second)


def witness_plan(problem: Game, truncation: int, step_size: float) -> Plan[ReplaceOne]:
    """One iteration at level 1 and then level 0 throughout, with alpha = 1, so that tau alpha L0 is the step size.

    >>> witness_plan(witness_pair(3)[0], truncation=1, step_size=0.25).sensitivity.value  # 4 C + 1 = 7, over 4
    Fraction(7, 4)
    """
    levels = (1,) + (0,) * (_PUSHES + 1)
    moves = algorithm_formulas.gradient_range(RATIONAL, normaliser(RATIONAL, truncation))
    return Plan(
        form=Form.REPAIRED,
        calibration="zcdp",
        claimed=PrivacyLoss(Fraction(1), ApproximateDP, ReplaceOne, Fraction(1, 2)),
        sensitivity=Sensitivity(moves * exact(step_size), Linf, ReplaceOne),
        batches=tuple(2**level for level in levels),
        vertices=tuple(2 ** (level + 1) for level in levels),
        step_size=step_size,
        rows=problem.rows,
        columns=problem.columns,
        levels=levels,
        truncation=truncation,
    )


def final_scores(problem: Game, plan: Plan[Any], data: GameData) -> Array:
    """The first player's scores at the last iteration, in balls, after the witness's draws; shape (d,).

    >>> problem, pair = witness_pair(3)
    >>> plan = witness_plan(problem, truncation=1, step_size=0.25)
    >>> [float(x) for x in 4 * (final_scores(problem, plan, pair.second) - final_scores(problem, plan, pair.first))]
    [7.0, 0.0, 0.0]
    """

    def selection(t: int, size: int, chosen: tuple[int, ...]) -> Selection:
        count = 1 + plan.vertices[t]
        drawn = np.array((chosen * count)[:count], dtype=np.int64)
        noise = np.zeros((count, size))
        return Selection("forced", np.zeros(size), plan.sensitivity, plan.epsilon_per_draw, 1.0, noise, drawn)

    forced = [
        entry
        for t in range(plan.steps)
        for entry in (selection(t, problem.rows, _DRAWN if t == 0 else (0,)), selection(t, 1, (0,)))
    ]
    with precision(WITNESS_PRECISION):
        records = problem.read(data, BALL_ARRAY)
        curator = ReplayingCurator(records, ReplaceOne, Transcript(tuple(forced)), force="answers", ops=BALL_ARRAY)
        algorithm_algorithm.run(problem, plan, curator)
    return curator.queries[-2]


@final
@dataclass(frozen=True, eq=False)
class Witness:
    """What the reference run gave on both data sets of a witness.

    Attributes:
        plan: The numbers of the run.
        runs: The first player's scores at the last iteration, as balls, shape (d,) each.
    """

    plan: Plan[ReplaceOne]
    runs: tuple[Array, Array]

    @classmethod
    def at(cls, dimension: Literal[3, 4], truncation: int, unit: Fraction, tilts: int = _TILTS) -> Witness:
        """Run it.

        Args:
            dimension: Which of the two.
            truncation: M, at least 1.
            unit: tau alpha L0, exact; it must be a double.
            tilts: How many later records tilt the draw of the d = 4 witness.

        Raises:
            InvalidArgumentError: If M is below 1, or the unit is not positive or not a double.

        >>> moved = Witness.at(3, 10, Fraction(1, 4)).moved()
        >>> [float(x) for x in moved]  # in units of tau alpha L0
        [8.99609375, 0.0, 0.0]
        """
        step = float(positive_rational("parameters.unit", unit))
        if exact(step) != unit:
            raise InvalidArgumentError("parameters.unit", unit, "must be a double, such as 1/4")
        problem, pair = witness_pair(dimension, tilts)
        plan = witness_plan(problem, natural("parameters.truncation", truncation), step)
        return cls(plan, (final_scores(problem, plan, pair.first), final_scores(problem, plan, pair.second)))

    @property
    def unit(self) -> Fraction:
        """tau alpha L0, exact."""
        return exact(self.plan.step_size)

    def moved(self) -> Array:
        """How far each score moves from the first data set to the second, in units, as balls."""
        with precision(WITNESS_PRECISION):
            difference: Array = (self.runs[1] - self.runs[0]) / ball(self.unit)
        return difference

    def laws(self) -> tuple[Array, Array]:
        """The probabilities of the vertices of one draw, as balls."""
        with precision(WITNESS_PRECISION):
            return softmax(BALL_ARRAY, self.runs[0]), softmax(BALL_ARRAY, self.runs[1])

    def facts(self) -> dict[str, str]:
        """What was run."""
        return {
            "algorithm": "bias-reduced-mirror-descent (private-saddle-points, Algorithms 2 and 3)",
            "instance": f"the d = {self.plan.rows} witness: one ramp record, level 1, draws e_2, e_3, e_2, e_2",
            "truncation": str(self.plan.truncation),
            "tau alpha L0": str(self.unit),
            "pair": "the ramp record is replaced by another one",
        }


@dataclass(frozen=True, eq=False)
class OneStep:
    """What both subjects share: the transcript of one step under replace-one.

    Attributes:
        witness: The run of the step.
    """

    witness: Witness
    adjacency: type[ReplaceOne] = field(default=ReplaceOne, kw_only=True)
    release: Release = field(default="transcript", kw_only=True)

    def facts(self) -> Mapping[str, str]:
        """The witness."""
        return self.witness.facts()


@final
@dataclass(frozen=True, eq=False)
class ScoreSubject(OneStep):
    r"""A sensitivity, judged as a privacy claim: one score with Gaussian noise of standard deviation s.

    A score of sensitivity D is then exactly $\frac{D^2}{2s^2}$-zCDP, so a claim about rho is one about D.  Here
    $s=4.5\tau\alpha L_0$, the printed sensitivity: as printed, rho = 1/2.

    Attributes:
        means: The score that moves on the d = 3 witness, on both data sets, over s, as doubles.
    """

    means: tuple[float, float]

    @classmethod
    def at(cls, truncation: int, unit: Fraction) -> ScoreSubject:
        """The subject at a truncation M and a unit tau alpha L0."""
        witness = Witness.at(3, truncation, unit)
        first, second = (float(run[0]) / float(PRINTED_RANGE * unit) for run in witness.runs)
        return cls(witness, (first, second))

    def ledger(self) -> Ledger[ReplaceOne]:
        """One Gaussian answer of the declared sensitivity."""
        plan = self.witness.plan
        return Ledger(Gaussian(PRINTED_RANGE * self.witness.unit / plan.sensitivity.value), ReplaceOne)

    def witnesses(self, delta: Fraction) -> tuple[Bound, ...]:
        """The square of how far the first score moves on the witness, over s, from the run itself."""
        with precision(WITNESS_PRECISION):
            moved: arb = self.witness.moved()[0] / ball(PRINTED_RANGE)
            obligations = ("private-saddle-points/E3", "private-saddle-points/P36")
            return (Bound("one-score", "mu-squared", moved * moved, _ATTAINED, obligations),)

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """The noisy score, in units of the noise."""
        return np.asarray(self.means[neighbour] + rng.standard_normal(trials))

    def facts(self) -> Mapping[str, str]:
        """The witness and the noise."""
        return {**super().facts(), "noise": f"Gaussian, {PRINTED_RANGE * self.witness.unit}, on the first score"}


@final
@dataclass(frozen=True, eq=False)
class DrawSubject(OneStep):
    """One vertex, drawn after the d = 4 witness.

    Attributes:
        probabilities: Of the vertices on both data sets, as doubles, shape (4,) each.
    """

    probabilities: tuple[FloatArray, FloatArray]

    @classmethod
    def at(cls, truncation: int, unit: Fraction) -> DrawSubject:
        """The subject at a truncation M and a unit tau alpha L0."""
        witness = Witness.at(4, truncation, unit)
        first, second = (np.array([float(p) for p in law]) for law in witness.laws())
        return cls(witness, (first / first.sum(), second / second.sum()))

    def ledger(self) -> Ledger[ReplaceOne]:
        """One exponential mechanism of the declared sensitivity."""
        return Ledger(Exponential(self.witness.plan.epsilon_per_draw), ReplaceOne)

    def witnesses(self, delta: Fraction) -> tuple[Bound, ...]:
        """What the likeliest vertex of all shows, either way round, rounded down."""
        best = 0.0
        with precision(WITNESS_PRECISION):
            laws = self.witness.laws()
            for p, q in (laws, laws[::-1]):
                for hit, alarm in zip(p, q, strict=True):
                    if hit > ball(delta):
                        best = max(best, lower(((hit - ball(delta)) / alarm).log()))
        return (Bound("one-vertex", "epsilon", best, _ATTAINED, ("private-saddle-points/P64",)),)

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """The log-likelihood ratio of the drawn vertex."""
        first, second = self.probabilities
        drawn = rng.choice(4, size=trials, p=self.probabilities[neighbour])
        return np.asarray(np.log(second / first)[drawn])


# ------------------------------------------------------------------------------------ from a claim


@dataclass(frozen=True, kw_only=True)
class _Given:
    """M and tau alpha L0."""

    truncation: int
    unit: Fraction


def one_step(claim: Claim) -> ScoreSubject | DrawSubject:
    """One score of Algorithm 3 with Gaussian noise, ``bias-reduced-score``, or one vertex, ``bias-reduced-draw``.

    Args:
        claim: About one of them: ``truncation, unit``.

    >>> from dpref.audit.catalogue import find
    >>> one_step(find("private-saddle-points/proof-3.18-draw@repaired,replace-one")).witness.plan.rows
    4
    """
    known(claim, tuple(readable(_Given)))
    if claim.adjacency is not ReplaceOne:
        raise InvalidArgumentError("adjacency", claim.adjacency.name, "the witnesses replace a record")
    only_transcripts(claim.release)
    given = made(_Given, claim)
    kind = ScoreSubject if claim.algorithm == "bias-reduced-score" else DrawSubject
    return kind.at(given.truncation, given.unit)
