"""Table 1: one record shows in the iterates of DP-SVRG with the T and m of Theorem 4.2 and the noise of Eq. (3)."""

import math

n, eps, delta, kappa, c = 10**6, 1, 1e-6, 10, 3080  # G = L = 1, one dimension, r(x) = x^2 / (2 kappa)
eta, m, late = 1 / 48, 193 * kappa, 200  # Eq. (4) holds; only the steps after the 200th are looked at
T = math.ceil(math.log2(n**2 * eps**2 / (kappa * math.log(1 / delta))))
sigma = math.sqrt(c * T * m * math.log(1 / delta)) / (n * eps)


def normal(t):
    """Return the standard normal distribution function."""
    return math.erfc(-t / math.sqrt(2)) / 2


mean = var = stray = 0.0  # of the iterate, while the record is not drawn; stray: it is below 2 after step 200
for t in range(1, m):
    mean, var = (mean + eta) / (1 + eta / kappa), (var + (eta * sigma) ** 2) / (1 + eta / kappa) ** 2
    stray += normal((2 - mean) / math.sqrt(var)) if t >= late else 0
p = (1 - 1 / n) ** late * (1 - (1 - 1 / n) ** (m - late)) * normal(1 / sigma) - stray  # the record is drawn late
q = m * normal(-1 / sigma)  # some noise exceeds 1
print(f"P = {p:.5f}\nQ = {q:.0e}\nepsilon >= {math.log((p - delta) / q):.0f} at delta = {delta:g}; claimed {eps}")
print(f"sigma = {sigma:.3f} G; with c_1 = 7, Theorem 4.1 speaks of epsilon <= {7 * T * m / n**2:.1e} only")
