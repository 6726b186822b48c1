"""Hong, Wang, Zhou 2022, after Theorem 4.6: the largest eta_0 that the theorem admits at beta = 0.9, gamma = 0.99."""

import math

BETA, GAMMA, M = 0.9, 0.99, 1.0
true = 8 / (math.sqrt(1 + 64 * BETA * GAMMA / (GAMMA - BETA) ** 2 / (1 - BETA) ** 3) + 1)
print(f"printed = {0.98 / M:.5f}\ntrue = {true:.5f}")
print(f"with it, kappa = eta_0 / (1 - gamma) would be {true / (1 - GAMMA):.2f}, and kappa >= 1")
