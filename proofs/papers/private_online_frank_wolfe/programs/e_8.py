"""Han et al. (arXiv 2206.08111), proof of Theorem A.1: the sum of the inverse roots is twice what is printed."""

from math import sqrt

T = 1000
total = sum(1 / sqrt(k + 1) for k in range(1, T + 1))
print(f"printed = {sqrt(T + 1):.4f}\ntrue = {total:.4f}")
print(f"the first term of Eq. (A.9) is {total / sqrt(T + 1):.3f} times as large")
