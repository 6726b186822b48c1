"""Eq. (10), quoted without hypotheses: losses that are nearly linear, epsilon = 1/n, hidden constant 10."""

import math

n, delta, L0, L1, d, constant = 10**8, 1e-16, 1.0, 1e-18, 2, 10
epsilon = 1 / n
first = (L0 + L1) * math.sqrt(math.log(d)) * math.log(n) / math.sqrt(n)
second = (math.sqrt(L1) * L0 * math.log(1 / delta) * math.log(d) * math.log(n) ** 2 / (n * epsilon)) ** (2 / 3)
# D has n times the loss L0 (x1 - x2), D' has n times L0 (x2 - x1): group privacy relates their answers.
group = (math.e - 1) * n * delta  # at most this much delta for n records of epsilon = 1/n
true = L0 * 2 * (1 - group) / (math.e + 1)
printed = constant * (first + second)
print(f"printed = {printed:.4f}\ntrue = {true:.4f}")
print(f"the excess risk of any (1/n, delta)-DP answer on D or on D' is at least {true / printed:.1f} times the bound")
