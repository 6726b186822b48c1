"""Theorem 5.3: after two steps, and after ten, DP-AccMD returns points that it cannot return on the other data set."""

from mpmath import exp, log, mpf, ncdf, sqrt

N, DELTA = 100, mpf("1e-5")  # epsilon = G = L = 1, c = 16, C = [-R, R], w(x) = x^2 / (2 R^2), x_0 = 0


def points(k, y, z, slope, radius, steps, chance=1):
    """Yield each y_T that is reached with every z_k at an end of C, and its chance; a z_k inside has a density."""
    r, weight, sigma = 2 / (k + 2), radius**2 * (k + 2) / 4, 4 * sqrt(steps * log(1 / DELTA)) / N
    y = max(-radius, min(radius, r * z + (1 - r) * y - slope / 4))  # line 6, without noise
    if k == steps - 1:
        yield round(y, 9), chance
    for side in (1, -1) if k < steps - 1 else ():  # line 7: so much noise leads to this end
        noise = ((radius - side * z) / weight + side * slope) / sigma
        yield from points(k + 1, y, side * radius, slope, radius, steps, chance * ncdf(-noise))


for steps, radius in ((2, 100), (10, 2.6)):
    here, there = (list(points(0, 0, 0, slope, radius, steps)) for slope in (0, 2 / N))
    p, q = float(sum(m for _, m in here)), float(sum(m for y, m in there if y in {y for y, _ in here}))
    print(f"P = {p:.5f}\nQ = {q:.5f}\nepsilon is infinite below delta = {p:.4f}; claimed (1, 1e-05) ({steps} steps)")
mus = (a / sqrt(8 * log(1 / DELTA)) for a in (1 + 1 / 100**2, 5))  # y_2 is normal in the next two cases
free, b_7 = (float(ncdf(mu / 2 - 1 / mu) - exp(1) * ncdf(-mu / 2 - 1 / mu)) for mu in mus)
print(f"two steps without the projection: delta(1) = {free:.0e}; with the weights of B.7: delta(1) = {b_7:.4f}")
