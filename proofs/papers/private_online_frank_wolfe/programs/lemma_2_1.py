"""Han et al. (arXiv 2206.08111), Lemma 2.1: its noise for epsilon = 8, delta = 1/1000 is too small."""

from mpmath import exp, findroot, log, mp, mpf, ncdf, nstr, sqrt

mp.dps = 30
EPSILON, DELTA, KAPPA, S = 8, mpf(1) / 1000, 1, 1  # |.| is 1-regular; f(D) = 1 and f(D') = 0, so that s = 1
std = sqrt(2 * KAPPA * log(1 / DELTA) * S**2 / mpf(EPSILON) ** 2)
least = findroot(
    lambda x: S * (x - mpf(S) / 2) / std**2 - EPSILON, 1
)  # where the densities have the ratio exp(epsilon)
P, Q = ncdf((S - least) / std), ncdf(-least / std)  # the event: the answer is at least that large
print(f"P = {nstr(P, 4)}\nQ = {nstr(Q, 4)}")
print(f"epsilon >= {nstr(log((P - DELTA) / Q), 4)} at delta = 0.001; claimed {EPSILON}")
print(f"delta >= {nstr(P - exp(EPSILON) * Q, 3)} at epsilon = {EPSILON}")
