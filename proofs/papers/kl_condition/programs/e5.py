"""Menart et al. 2024, Lemma 10: a round at the least noise does not end the loop."""

import math

N, RHO, BETA, L0 = 1000, 1.0, 0.05, 1.0  # d = 1
scale = math.log(N * math.sqrt(RHO) / BETA)
norm = 2 * L0 / (N * math.sqrt(RHO)) * math.sqrt(scale)  # the largest N_t for which the noise is the least one, line 4
recorded = min(L0**2 * scale / (N * norm) ** 2, RHO / 2) + math.sqrt(RHO) / N  # line 6
print(f"printed = {RHO / 2:.3f}\ntrue = {recorded:.3f}")
print(f"after this round, if it is the first, the loop goes on: {recorded:.3f} <= {RHO / 2:.3f}")
