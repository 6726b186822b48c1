"""Theorems 4.1 and 4.3: one epoch at epsilon = 100, inside the printed range, with c = 16; the average is normal."""

from math import ceil, log, sqrt

import numpy as np
from mpmath import ncdf

n, eps, delta, c, c_1, eta, lam = 100, 100, 1e-5, 16, 7, 1 / 48, 1e-7  # G = L = 1, r(x) = lam x^2 / 2
m = ceil(n**2 * eps / c_1)  # the least number of steps that the range allows
ratio = 1 / (1 + eta * lam)  # of the proximal step of r
weights = eta * ratio * (1 - ratio ** np.arange(m, 0, -1)) / (1 - ratio) / m  # of the noises in the average
shift, spread = 2 / n * weights.sum(), np.sqrt((weights**2).sum())
above = 2.326  # so many deviations above its mean on D the average lies with the probability P
p = float(ncdf(-above))
for theorem, logarithm in ((4.1, log(1 / delta)), (4.3, log(2 / delta))):
    sigma = sqrt(c * m * logarithm / (n**2 * eps**2))
    q = ncdf(-above - shift / (sigma * spread))  # on D' the mean is less
    print(f"P = {p:.5f}\nQ = {float(q):.1e}")
    print(f"epsilon >= {log((p - delta) / q):.0f} at delta = {delta:g}; claimed {eps} (Theorem {theorem}, {m} steps)")
