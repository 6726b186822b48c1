"""Hong, Wang, Zhou 2022, Lemma C.7: gamma = 1/100 below beta = 1/2, only v_2 is not zero and has norm 1."""

import math

GAMMA, BETA, STEPS = 0.01, 0.5, 20
eta_0 = 1 - GAMMA  # kappa = 1
limit = 8 / (math.sqrt(1 + 64 * BETA * GAMMA / (GAMMA - BETA) ** 2 / (1 - BETA) ** 3) + 1)
true = sum(GAMMA ** (STEPS - t) * (t - 1) * BETA ** (t - 1) for t in range(2, STEPS + 1))
printed = 2 * BETA * GAMMA / (GAMMA - BETA) ** 2 / (1 - BETA) * GAMMA ** (STEPS - 1)
print(f"printed = {printed:.3e}\ntrue = {true:.3e}")
print(f"eta_0 = {eta_0} meets the condition eta_0 <= {limit:.4f} of Theorem 4.6")
