"""A plan, its ledger and the curator of its run speak of one adjacency; parameters are exact and none is left to guess."""

from fractions import Fraction

from dpref.algorithms.gradient_descent import algorithm as gradient_descent_algorithm, plan as gradient_descent_plan
from dpref.curator import Curator
from dpref.privacy.events.ledger import Ledger
from dpref.problems.erm import ERMProblem, Records
from dpref.problems.losses import Logistic
from dpref.reals import Array
from dpref.units import ReplaceOne, ZeroOut

problem = ERMProblem(Logistic(), n=100, dimension=3)
params = gradient_descent_plan.Params(Fraction(1), Fraction(1, 10**5), 10, ReplaceOne)
plan = gradient_descent_plan.plan(problem, params)

gradient_descent_plan.Params(Fraction(1), Fraction(1, 10**5), 10)  # error: [call-arg]
gradient_descent_plan.Params(1.0, Fraction(1, 10**5), 10, ReplaceOne)  # error: [arg-type]
gradient_descent_plan.Params(Fraction(1), 1e-5, 10, ReplaceOne)  # error: [arg-type]
gradient_descent_plan.Params(Fraction(1), Fraction(1, 10**5), 10.0, ReplaceOne)  # error: [arg-type]
spent: Ledger[ZeroOut] = gradient_descent_plan.ledger(plan)  # error: [arg-type]


def run(curator: Curator[Records, ZeroOut]) -> Array:
    return gradient_descent_algorithm.run(problem, plan, curator)  # error: [misc]
