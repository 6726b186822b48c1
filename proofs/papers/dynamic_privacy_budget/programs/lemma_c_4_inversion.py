"""Hong, Wang, Zhou 2022, after Lemma C.4: the printed rho for (4, 1e-8), spent by a Gaussian mechanism."""

import math

EPSILON, DELTA = 4.0, 1e-8
L = math.log(1 / DELTA)
rho = EPSILON + 2 * L + 2 * math.sqrt(L * (EPSILON + L))
shift = math.sqrt(2 * rho)  # in units of the noise: the answer is N(shift, 1) on D and N(0, 1) on D'


def tail(x):
    """Return P(N(0, 1) > x)."""
    return math.erfc(x / math.sqrt(2)) / 2


best = (0.0, 0.0, 0.0)
for i in range(1000):  # the event "the answer exceeds c", for 1000 thresholds c
    c = shift + 0.01 * i
    p, q = tail(c - shift), tail(c)
    best = max(best, (math.log((p - DELTA) / q) if p > DELTA else 0.0, p, q))
print(f"P = {best[1]:.3e}\nQ = {best[2]:.3e}")
print(f"epsilon >= {best[0]:.1f} at delta = {DELTA:g}; claimed {EPSILON:g}")
print(f"rho = {rho:.2f}; the equation has the root {(math.sqrt(EPSILON + L) - math.sqrt(L)) ** 2:.4f}")
