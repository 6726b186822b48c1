"""Han et al. (arXiv 2206.08111), Eq. (3.1): the printed sum is not the recursive gradient."""

from fractions import Fraction

N, GRADIENT = 10, Fraction(1)  # f(theta, x) = theta for every record: every gradient is 1
recursion = GRADIENT  # d_1
for t in range(2, N + 1):
    recursion = GRADIENT + (1 - Fraction(1, 1 + t)) * (recursion - GRADIENT)
total = sum((i + 1) * GRADIENT - i * GRADIENT for i in range(1, N + 1)) / (N + 1)  # Eq. (3.1)
print(f"printed = {total}\ntrue = {recursion}\nthe sum misses {recursion - total} of the gradient at t = {N}")
