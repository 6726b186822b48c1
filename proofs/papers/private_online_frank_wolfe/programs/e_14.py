"""Han et al. (arXiv 2206.08111), Lemma B.1: strong convexity in l_1 is d times smaller than the eigenvalue bound."""

from fractions import Fraction
from itertools import product

D = 10
MU, U, EIGENVALUE = 1, 1, 1  # linear rewards, one good arm
contexts = list(product((-1, 1), repeat=D))  # X uniform on the signs: E[X X^T] is the identity, lambda = 1
direction = [Fraction(1, D)] * D  # of l_1 norm 1
curvature = sum(sum(x * v for x, v in zip(row, direction, strict=True)) ** 2 for row in contexts) / len(contexts)
print(f"printed = {MU * EIGENVALUE * U}\ntrue = {curvature}")
print(f"the constant of strong convexity in l_1 is at most lambda / {1 / curvature}")
