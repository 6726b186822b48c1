"""Menart et al. 2024, Lemma 10: the error of the gradient at the least noise."""

import math

N, RHO, BETA, L0 = 1000, 1.0, 0.01, 1.0  # d = 1
noise = 2 * L0 / (N * math.sqrt(RHO))  # the least noise, line 4
bound = L0 * math.sqrt(math.log(N * math.sqrt(RHO) / BETA)) / (N * math.sqrt(RHO))  # Lemma 10
fails = math.erfc(bound / noise / math.sqrt(2))
print(f"printed = {2 * BETA:.3f}\ntrue = {fails:.3f}")
print(f"the error exceeds its bound {fails / (2 * BETA):.1f} times as often as stated")
