"""Han et al. (arXiv 2206.08111), Lemma 3.2 at p = q = 2: the printed norm is l_1, and the published signs show a record."""
from math import comb

import numpy as np
from mpmath import erfc, exp, log, mp, pi, sqrt

EPSILON, DELTA, NODES, LEVELS = 1, 0.001, 10, 11  # n = 1000: at t = 1, 2, ..., 512 one noisy node; ceil(log2 n) + 1
def best(d):
    """Return P and Q of the best event "at least so many of the NODES * d signs are positive": exact, no sampling."""
    mp.dps = 30 + d // 2
    sigma = sqrt(8 * LEVELS**2 * log(LEVELS / DELTA)) / EPSILON  # Eq. (3.2) over L; kappa = min(1, e^2 (ln d - 1)) = 1
    b = [k / (sqrt(d) * sigma) for k in range(d + 1)]  # a record of norm L moves each coordinate by L / sqrt(d)
    old = [sqrt(pi / 2) * erfc(x / sqrt(2)) for x in b]  # the integral of x^j exp(-(x + b)^2 / 2) over x > 0, j = 0, 1, ...
    new = [exp(-x * x / 2) - x * i for x, i in zip(b, old)]
    for j in range(2, d):
        old, new = new, [(j - 1) * i - x * k for x, i, k in zip(b, old, new)]
    mean = [comb(d, k) * new[k] / new[0] / 2**k for k in range(d + 1)]  # of C(M, k) for the M negative signs of a node
    node = [sum((-1) ** (k - m) * comb(k, m) * mean[k] for k in range(m, d + 1)) for m in range(d + 1)]  # the law of M
    law = np.array([1.0])
    for _ in range(NODES):
        law = np.convolve(law, np.array(node, dtype=float))
    return max(zip(np.cumsum(law)[::-1], np.cumsum(law[::-1])[::-1]), key=lambda pq: pq[0] - np.exp(EPSILON) * pq[1])
P, Q = best(100)
print(f"P = {P:.4f}\nQ = {Q:.4f}\nepsilon >= {np.log((P - DELTA) / Q):.3f} at delta = {DELTA}; claimed {EPSILON}")
