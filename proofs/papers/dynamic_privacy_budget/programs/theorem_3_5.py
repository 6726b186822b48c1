"""Hong, Wang, Zhou 2022, Theorem 3.5: where a record is replaced, the output shows more than the budget R."""

import math

R, T, N, G, DELTA = 0.3927, 100, 1000, 4.0, 1e-8  # Section 5: (4, 1e-8)-DP is 0.1963-zCDP, so R = 0.3927
eta, sigma = 0.1, math.sqrt(T / R)
steps = T - 1  # the printed test rho_t < R_t refuses the last step


def tail(x):
    """Return P(N(0, 1) > x)."""
    return math.erfc(x / math.sqrt(2)) / 2


# The losses are s_i * theta with s_1 = 4 in D and s_1 = -4 in D'; the other 999 slopes are zero. Output: -theta_T.
mean, neighbour = eta * steps * G / N, eta * steps * -G / N
std = eta * math.sqrt(steps) * G * sigma / N
best = (0.0, 0.0, 0.0)
for i in range(1000):  # the event -theta_T > c, for 1000 thresholds c
    c = mean + 0.01 * i * std
    p, q = tail((c - mean) / std), tail((c - neighbour) / std)
    best = max(best, (math.log((p - DELTA) / q) if p > DELTA else 0.0, p, q))
print(f"P = {best[1]:.3e}\nQ = {best[2]:.3e}")
print(f"epsilon >= {best[0]:.2f} at delta = {DELTA:g}; claimed {R / 2 + 2 * math.sqrt(R / 2 * -math.log(DELTA)):.2f}")
