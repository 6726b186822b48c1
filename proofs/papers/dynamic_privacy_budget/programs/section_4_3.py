"""Hong, Wang, Zhou 2022, Section 4.3: the cost of a step on a sampled batch, at all orders."""

from mpmath import log, mp, ncdf

mp.dps = 30
SIGMA, N = 1, 1000


def event(n):
    """Return P and Q of "the noisy sum exceeds 8": n draws with replacement, one record of slope 1, the others null."""
    law = [mp.binomial(n, j) * mp.mpf(N - 1) ** (n - j) / mp.mpf(N) ** n for j in range(n + 1)]
    p = sum(weight * ncdf((j - mp.mpf(8)) / SIGMA) for j, weight in enumerate(law))
    return p, ncdf(-mp.mpf(8) / SIGMA)


def least(p, q):
    """Return the largest rho that the event forces: alpha ln P + (1 - alpha) ln Q <= (alpha - 1) alpha rho."""
    return max((a * log(p) + (1 - a) * log(q)) / (a * (a - 1)) for a in range(2, 200))


p, q = event(10)
print(f"P = {float(p):.3e}\nQ = {float(q):.3e}")
for n in (10, 5, 2, 1):
    rho, rate = least(*event(n)), mp.mpf(n) / N
    print(f"p = {float(rate):.3f}: rho >= {float(rho):.6f}, so c >= {float(2 * rho * SIGMA**2 / rate**2):.0f}")
