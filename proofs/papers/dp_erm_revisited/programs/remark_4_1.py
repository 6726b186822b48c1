"""Remark 4.1: one record shows in the iterates of DP-SVRG although the noise is multiplied by ln(T m / delta)."""

import math

n, eps, delta, kappa, c = 10**6, 1, 1e-6, 10, 16  # G = L = 1, one dimension, r(x) = x^2 / (2 kappa)
eta, m, late = 1 / 48, 193 * kappa, 200  # the parameters of Theorem 4.2; the steps after the 200th are looked at
T = math.ceil(math.log2(n**2 * eps**2 / (kappa * math.log(1 / delta))))
sigma = math.sqrt(c * T * m * math.log(1 / delta)) / (n * eps) * math.log(T * m / delta)


def normal(t):
    """Return the standard normal distribution function."""
    return math.erfc(-t / math.sqrt(2)) / 2


mean = var = stray = 0.0  # of the iterate, while the record is not drawn; stray: it is below 2 after step 200
for t in range(1, m):
    mean, var = (mean + eta) / (1 + eta / kappa), (var + (eta * sigma) ** 2) / (1 + eta / kappa) ** 2
    stray += normal((2 - mean) / math.sqrt(var)) if t >= late else 0
p = (1 - 1 / n) ** late * (1 - (1 - 1 / n) ** (m - late)) * normal(1 / sigma) - stray  # the record is drawn late
q = m * normal(-1 / sigma)  # some noise exceeds 1
print(f"P = {p:.6f}\nQ = {q:.0e}\nepsilon >= {math.log((p - delta) / q):.1f} at delta = {delta:g}; claimed {eps}")
print(f"sigma = {sigma:.4f} G, the factor included")
