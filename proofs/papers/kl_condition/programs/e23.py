"""Menart et al. 2024, Lemma 10: the noise of a norm leaves its bound in a run with a large gradient."""

import math

N, RHO, BETA, NORM = 10_000, 1.0, 0.05, 1.0  # d = L0 = 1; all losses are w, the gradient is 1 everywhere
scale = math.log(N * math.sqrt(RHO) / BETA)
noise = 1 / (math.sqrt(N) * RHO**0.25)  # of a norm, line 3
rounds = math.floor(RHO / 2 / (math.sqrt(RHO) / N + scale / (N * (NORM - 8 * noise)) ** 2))  # at least, if N_t > 0.92
one = math.erfc(math.sqrt(scale / 2)) / 2  # P(noise > noise's size times the square root of scale), one side
print(f"printed = {2 * BETA:.2f}\ntrue = {1 - (1 - one) ** rounds:.2f}")
print(f"the bound on N_t fails in a run of {rounds} rounds with a probability of at least that, not 2 beta at most")
