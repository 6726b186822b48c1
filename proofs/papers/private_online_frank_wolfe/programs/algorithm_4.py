"""Han et al. (arXiv 2206.08111), Algorithm 4 at p = 3/2, d = 20: the Gamma scale 2 sigma shows a record."""

from mpmath import betainc, exp, gamma, log, mp, mpf, nstr, quad, sqrt

mp.dps = 20
D, INDEX, KAPPA, EPSILON, DELTA, L, LEVELS, NODES = 20, 3, 2, 1, mpf(1) / 1000, 8, 11, 10  # n = 1000, the norm mended
sigma = sqrt(8 * LEVELS**2 * KAPPA * log(LEVELS / DELTA)) * L / EPSILON  # Eq. (3.2)
scale, shape = 2 * sigma, mpf(D) / 2  # line 2: the squared radius is Gamma(d / 2, 2 sigma)


def inside(square):
    """Return the density of the squared radius times the probability that the first coordinate is below L in size."""
    share = min(1, (L / sqrt(square)) ** INDEX)  # |y_1 / r|^3 is Beta(1 / 3, (d - 1) / 3)
    density = square ** (shape - 1) * exp(-square / scale) / (gamma(shape) * scale**shape)
    return density * betainc(mpf(1) / INDEX, mpf(D - 1) / INDEX, 0, share, regularized=True)


right = (1 + quad(inside, [scale * shape * c for c in (0, 0.25, 0.5, 1, 2, 4, 20)])) / 2  # of one node's first sign
P, Q = right**NODES, (1 - right) ** NODES  # all ten published first signs go with the record
print(f"P = {nstr(P, 4)}\nQ = {nstr(Q, 4)}")
print(f"epsilon >= {nstr(log((P - DELTA) / Q), 4)} at delta = 0.001; claimed {EPSILON}")
