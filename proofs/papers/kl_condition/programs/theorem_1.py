"""Menart et al. 2024, Theorem 1: the last point of KL Spider shows more than rho when a record is replaced."""

import math

import numpy as np

N, K, GAMMA, RHO, ORDER = 1000, 100, 3.2, 1.0, 2  # d = L0 = L1 = 1, kappa = 2, w_0 = 0; the other losses are w^2 / 40
root = math.exp(K / (1 + 64 * GAMMA**2) / 2) / (N * math.sqrt(RHO))  # sqrt(F_0) / gamma, for which line 3 gives K
outer, inner, step = math.sqrt(K / RHO) / N, root * math.sqrt(K / RHO) / N, root / 4  # T_k = 1 and Phi_k = F_0
normal = np.vectorize(lambda x: math.erfc(-x / math.sqrt(2)) / 2)
z = np.linspace(-6, 6, 241)  # the noise of line 13, in units of its size
weights = np.exp(-(z**2) / 2) / np.exp(-(z**2) / 2).sum()
needed = 7 / 8 * root + np.maximum(0, 0.05 * (1 - 1 / N) * step - inner * z)  # from here both tests of line 10 pass
laws = []
for slope in (-1, 1):  # of the odd record's loss, slope * w
    gradient = 0.05 * (1 - 1 / N) * step * np.arange(-K, K + 1)[:, None] + slope / N
    left, right = (normal((sign * gradient - needed) / outer) @ weights for sign in (1, -1))
    law = np.eye(2 * K + 1)[K]  # of the point over the step, on -K..K
    for _ in range(K):
        law = law * (1 - left - right) + np.roll(law * left, -1) + np.roll(law * right, 1)
    laws.append(law)
p, q = laws
renyi = math.log((p**ORDER * q ** (1 - ORDER)).sum()) / (ORDER - 1)
print(f"P = {p[K + 10 :].sum():.4f}\nQ = {q[K + 10 :].sum():.4f}")
print(f"rho >= {renyi / ORDER:.3f} by the Renyi divergence of order {ORDER} of the last point; claimed {RHO:g}")
