"""A declaration's callables belong together: no other algorithm's parameters, plan, ledger, run or kind of problem."""

from fractions import Fraction
from typing import Any

import numpy as np

from dpref.algorithms import gradient_descent, mirror_descent, spider
from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.gradient_descent import Params, Plan
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.games import Game
from dpref.problems.losses import Logistic
from dpref.units import ReplaceOne

problem = ERMProblem(Logistic(), n=100, dimension=3)
game = Game(n=100, rows=2, columns=2)
params = Params(Fraction(1), Fraction(1, 100), 2, ReplaceOne)
made = gradient_descent.ALGORITHM.plan(problem, params)
Descent = Algorithm[ERMProblem, Dataset, Params[Any], Plan[Any]]

wrong = Descent(  # error: [call-arg]
    name="wrong",
    paper="none",
    items=(),
    measure="",
    oracle_cost="",
    evidence=(),
    planning=spider.plan,  # error: [arg-type]
    run=mirror_descent.algorithm.run,  # error: [arg-type]
    scales=(),
)

gradient_descent.ALGORITHM.plan(game, params)  # error: [arg-type]
gradient_descent.ALGORITHM.ledger(spider.ALGORITHM.plan(problem, params))  # error: [arg-type] [arg-type]
gradient_descent.ALGORITHM.trace(problem, np.zeros((100, 3)), made, np.zeros((2, 3)))  # error: [arg-type]
mirror_descent.ALGORITHM.plan(game, params)  # error: [arg-type]
