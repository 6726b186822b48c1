"""From a claim's words to the subjects of the saddle-point algorithms."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np

from dpref.algorithms.bias_reduced_mirror_descent import plan as bias_reduced_mirror_descent_plan
from dpref.algorithms.mirror_descent import plan as mirror_descent_plan
from dpref.algorithms.registry import algorithm_named
from dpref.audit.claims import Claim
from dpref.audit.parameters import MOST_NUMBERS, Parameters, form_of
from dpref.audit.saddle_run import SaddleRun, audit_pair
from dpref.audit.saddle_witness import DrawSubject, ScoreSubject
from dpref.audit.subjects import Subject
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.truncated_geometric import draw_levels
from dpref.problems.games import Game
from dpref.units import ReplaceOne

_GAME: Final = frozenset({"records", "rows", "columns"})
_LEVEL_SEED: Final = 5


def mirror_descent_run(claim: Claim) -> Subject:
    """``mirror-descent`` (Algorithm 1): ``epsilon, delta, steps, samples, calibration``; ``records, rows, columns``.

    The form is the one that the claim's form begins with.

    >>> from dpref.audit.catalogue import find
    >>> subject = mirror_descent_run(find("private-saddle-points/proposition-3.3@repaired,replace-one"))
    >>> subject.plan.steps, subject.plan.calibration
    (20, 'zcdp')
    """
    given = Parameters(claim, {"epsilon", "delta", "steps", "samples", "calibration", *_GAME})
    problem = _game(given)
    params = mirror_descent_plan.Params(
        epsilon=given.number("epsilon"),
        delta=given.number("delta"),
        steps=given.integer("steps"),
        samples=given.integer("samples"),
        adjacency=claim.adjacency,
        form=form_of(claim),
        calibration=given.text("calibration") if "calibration" in given else None,  # type: ignore[arg-type]
    )
    plan = mirror_descent_plan.plan(problem, params)
    _only_transcripts(claim)
    return SaddleRun(algorithm_named(claim.algorithm), problem, plan, audit_pair(problem, claim.adjacency))


def bias_reduced_run(claim: Claim) -> Subject:
    """``bias-reduced-mirror-descent`` (Algorithm 3): ``epsilon, delta, stopping, truncation, alpha, calibration``.

    Beside them ``records, rows, columns``; the levels are drawn from a fixed seed.

    >>> from dpref.audit.catalogue import find
    >>> subject = bias_reduced_run(find("private-saddle-points/proposition-3.17@as-printed,replace-one"))
    >>> subject.plan.truncation, subject.plan.calibration
    (2, 'printed')
    """
    given = Parameters(claim, {"epsilon", "delta", "stopping", "truncation", "alpha", "calibration", *_GAME})
    problem, stopping = _game(given), given.number("stopping")
    params = bias_reduced_mirror_descent_plan.Params(
        epsilon=given.number("epsilon"),
        delta=given.number("delta"),
        stopping=stopping,
        truncation=given.integer("truncation"),
        alpha=given.number("alpha"),
        levels=draw_levels(given.integer("truncation"), int(stopping) + 1, np.random.default_rng(_LEVEL_SEED)),
        adjacency=claim.adjacency,
        form=form_of(claim),
        calibration=given.text("calibration") if "calibration" in given else None,  # type: ignore[arg-type]
    )
    plan = bias_reduced_mirror_descent_plan.plan(problem, params)
    _only_transcripts(claim)
    return SaddleRun(algorithm_named(claim.algorithm), problem, plan, audit_pair(problem, claim.adjacency))


def bias_reduced_score(claim: Claim) -> Subject:
    """``bias-reduced-score``: one score of Algorithm 3 with Gaussian noise: ``truncation, unit``.

    >>> from dpref.audit.catalogue import find
    >>> subject = bias_reduced_score(find("private-saddle-points/proof-3.18-sensitivity@repaired,replace-one"))
    >>> subject.witness.plan.rows
    3
    """
    return ScoreSubject.at(*_witness(claim))


def bias_reduced_draw(claim: Claim) -> Subject:
    """``bias-reduced-draw``: one drawn vertex of Algorithm 3: ``truncation, unit``.

    >>> from dpref.audit.catalogue import find
    >>> subject = bias_reduced_draw(find("private-saddle-points/proof-3.18-draw@repaired,replace-one"))
    >>> subject.witness.plan.rows
    4
    """
    return DrawSubject.at(*_witness(claim))


def _witness(claim: Claim) -> tuple[int, Fraction]:
    given = Parameters(claim, {"truncation", "unit"})
    if claim.adjacency is not ReplaceOne:
        raise InvalidArgumentError("adjacency", claim.adjacency.name, "the witnesses replace a record")
    _only_transcripts(claim)
    return given.integer("truncation"), given.number("unit")


def _game(given: Parameters) -> Game:
    records, rows, columns = (given.integer(name) for name in ("records", "rows", "columns"))
    given.fits("numbers", ("records", "rows", "columns"), records * rows * columns, MOST_NUMBERS)
    return Game(n=records, rows=rows, columns=columns)


def _only_transcripts(claim: Claim) -> None:
    if claim.release != "transcript":
        raise InvalidArgumentError("release", claim.release, "only transcripts of drawn vertices are audited")
