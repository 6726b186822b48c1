"""The builder of DP-TOFW's claims."""

from __future__ import annotations

import math

from dpref.algorithms.online_frank_wolfe import plan as online_frank_wolfe_plan
from dpref.algorithms.registry import algorithm_named
from dpref.audit.claims import Claim
from dpref.audit.online_run import OnlineRun, linear_pair
from dpref.audit.parameters import MOST_NUMBERS, Parameters, form_of
from dpref.audit.subjects import Subject
from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import LpBall
from dpref.problems.losses import Linear
from dpref.problems.stream import StreamProblem


def online_frank_wolfe_run(claim: Claim) -> Subject:
    """``online-frank-wolfe``: ``epsilon, delta, records, dimension, p, lipschitz, radius, calibration, repairs``.

    ``p`` is a number or inf, ``repairs`` some of E-1, E-2, with commas (of a printed form), ``direction`` axis (the
    default) or diagonal; losses are linear.  The form is the one that the claim's form begins with.

    >>> from dpref.audit.catalogue import find
    >>> subject = online_frank_wolfe_run(find("private-online-frank-wolfe/theorem-3.1@repaired-p-1,replace-one"))
    >>> subject.problem.dimension, subject.direction
    (20, 'axis')
    """
    names = {"epsilon", "delta", "records", "dimension", "p", "lipschitz", "radius", "calibration", "repairs"}
    given = Parameters(claim, names | {"direction"})
    records, direction = given.integer("records"), given.text("direction", "axis")
    dimension = given.integer("dimension")
    given.fits("numbers", ("records", "dimension"), records * dimension, MOST_NUMBERS)
    if direction not in {"axis", "diagonal"}:
        raise InvalidArgumentError("parameters.direction", direction, "must be axis or diagonal")
    p = math.inf if claim.parameters.get("p") == "inf" else given.number("p")
    problem = StreamProblem(
        Linear(),
        n=records,
        dimension=dimension,
        domain=LpBall(p, given.number("radius")),
        feature_bound=given.number("lipschitz"),
    )
    repairs = tuple(part.strip() for part in given.text("repairs").split(",")) if "repairs" in given else ()
    params = online_frank_wolfe_plan.Params(
        epsilon=given.number("epsilon"),
        delta=given.number("delta"),
        adjacency=claim.adjacency,
        form=form_of(claim),
        calibration=given.text("calibration") if "calibration" in given else None,  # type: ignore[arg-type]
        repairs=repairs,  # type: ignore[arg-type]
    )
    plan = online_frank_wolfe_plan.plan(problem, params)
    pair = linear_pair(problem, direction, claim.adjacency)  # type: ignore[arg-type]
    algorithm = algorithm_named("online-frank-wolfe")
    return OnlineRun(algorithm, problem, plan, direction, claim.release, pair)  # type: ignore[arg-type]
