"""Theorem 5.3: DP-AccMD returns points that it cannot return on the other data set."""

from mpmath import exp, log, mpf, ncdf, sqrt

N, DELTA = 100, mpf("1e-5")  # epsilon = G = 1, c = 16, C = [-R, R], w(x) = x^2 / (2 R^2), x_0 = 0


def points(k, y, z, slope, radius, steps, unit, short, chance=1):
    """Yield each y_T that is reached with every z_k at an end of C, and its chance; a z_k inside has a density."""
    r, weight, sigma = 2 / (k + 2), unit * (k + 2), 4 * sqrt(steps * log(1 / DELTA)) / N  # weight: R^2 alpha
    y = max(-radius, min(radius, r * z + (1 - r) * y - short * slope))  # line 6, without noise; short: 1 / (4 L)
    if k == steps - 1:
        yield round(y, 9), chance
    for side in (1, -1) if k < steps - 1 else ():  # line 7: so much noise leads to this end
        noise = ((radius - side * z) / weight + side * slope) / sigma
        yield from points(k + 1, y, side * radius, slope, radius, steps, unit, short, chance * ncdf(-noise))


for R, T, *more in ((100, 2, 2500, 0.25), (2.6, 10, 1.69, 0.25), (1, 2, 6.25, 25)):  # last: weights of B.7, L = 1/100
    here, there = (list(points(0, 0, 0, slope, R, T, *more)) for slope in (0, 2 / N))
    p, q = float(sum(m for _, m in here)), float(sum(m for y, m in there if y in {y for y, _ in here}))
    print(f"P = {p:.5f}\nQ = {q:.5f}\nepsilon is infinite below delta = {p:.4f}; claimed (1, 1e-05) (R = {R}, T = {T})")
mu = (1 + 1 / 100**2) / sqrt(8 * log(1 / DELTA))  # without the projection y_2 is normal
free = float(ncdf(mu / 2 - 1 / mu) - exp(1) * ncdf(-mu / 2 - 1 / mu))
print(f"two steps on R = 100 without the projection: delta(1) = {free:.0e}")
