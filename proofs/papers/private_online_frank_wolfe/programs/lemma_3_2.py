"""Han et al. (arXiv 2206.08111), Lemma 3.2 at p = q = 2, d = 100: l_1 noise, and signs show a record."""

from math import comb

import numpy as np
from mpmath import erfc, exp, log, mp, pi, sqrt

mp.dps = 80
D, EPSILON, DELTA, NODES, LEVELS = 100, 1, 0.001, 10, 11  # n = 1000: LEVELS is ceil(log2 n) + 1
kappa = min(1, exp(2) * (log(D) - 1))  # and the index is min(1, ln d - 1) = 1
sigma = sqrt(8 * LEVELS**2 * kappa * log(LEVELS / DELTA)) / EPSILON  # Eq. (3.2), over L
# At t = 1, 2, ..., 512 one noisy node is published up to its length; a record moves a coordinate by L / sqrt(d).
b = [k / (sqrt(D) * sigma) for k in range(D + 1)]
old = [sqrt(pi / 2) * erfc(x / sqrt(2)) for x in b]  # integrals of x^j exp(-(x + b)^2 / 2) over x > 0, j = 0, 1, ...
new = [exp(-x * x / 2) - x * i for x, i in zip(b, old, strict=True)]
for j in range(2, D):
    old, new = new, [(j - 1) * i - x * k for x, i, k in zip(b, old, new, strict=True)]
mean = [comb(D, k) * new[k] / new[0] / 2**k for k in range(D + 1)]  # of C(M, k), M the negative signs of a node
law = np.ones(1)  # of the negative signs of all nodes; the law of M follows by inclusion and exclusion
node = [sum((-1) ** (k - m) * comb(k, m) * mean[k] for k in range(m, D + 1)) for m in range(D + 1)]
for _ in range(NODES):
    law = np.convolve(law, np.array(node, dtype=float))
p, q = np.cumsum(law)[::-1], np.cumsum(law[::-1])[::-1]  # at least 0, 1, ... of the NODES * D signs are positive
P, Q = max(zip(p, q, strict=True), key=lambda pair: pair[0] - np.exp(EPSILON) * pair[1])  # the best of these events
print(f"P = {P:.4f}\nQ = {Q:.4f}\ndelta >= {P - np.exp(EPSILON) * Q:.4f} at epsilon = {EPSILON}; claimed {DELTA}")
