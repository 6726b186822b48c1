"""Hong, Wang, Zhou 2022, Eq. (15): every loss is mu theta^2 / 2 on |theta| <= G / mu, at theta = G / mu."""

import math

G, MU, N, FAILURE = 1.0, 1.0, 10_000, 0.1
theta = G / MU
true = MU * theta**2 / 2  # the true and the empirical excess risk: all records have one loss
printed = math.sqrt(2 * G**2 / (MU * N)) * math.sqrt(true) + 4 * G**2 / (FAILURE * MU * N)
repaired = math.sqrt(2 * G**2 / MU) * math.sqrt(true) + 4 * G**2 / (FAILURE * MU * N)
print(f"printed = {printed:.4f}\ntrue = {true:.4f}")
print(f"without N below the first root the bound is {repaired:.4f}")
