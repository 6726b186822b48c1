"""Han et al. (arXiv 2206.08111), Lemma B.1: strong convexity in l_1 is d times smaller than the eigenvalue bound."""

from fractions import Fraction
from itertools import product

D = 10
MU, U, EIGENVALUE = 1, Fraction(49, 100), 1  # linear rewards; U is below 1/2, the probability of each arm
contexts = list(product((-1, 1), repeat=D))  # X uniform on the signs; arm 1 predicts X_1 / 2, arm 2 predicts -X_1 / 2
pulled = [row for row in contexts if row[0] > 0]  # by arm 1: E[X X^T | X_1 = 1] is the identity, lambda = 1
direction = [Fraction(1, D)] * D  # of l_1 norm 1
curvature = sum(sum(x * v for x, v in zip(row, direction, strict=True)) ** 2 for row in pulled) / len(contexts)
print(f"printed = {MU * EIGENVALUE * U}\ntrue = {curvature}")
print(f"the constant of strong convexity in l_1 is at most {curvature}")
