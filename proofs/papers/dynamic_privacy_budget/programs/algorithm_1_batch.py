"""Hong, Wang, Zhou 2022, Algorithm 1: noise G sigma_t / N on the mean of n = N / 10 gradients."""

import math

R, T, N, n, G, DELTA = 0.3927, 100, 1000, 100, 4.0, 1e-8
eta, sigma = 0.1, math.sqrt(T / R)
steps = T - 1  # the printed test rho_t < R_t refuses the last step


def tail(x):
    """Return P(N(0, 1) > x)."""
    return math.erfc(x / math.sqrt(2)) / 2


# The losses are s_i * theta; s_1 = 4 in D, the record is null in D', and the other slopes are zero. Output: -theta_T.
mean, neighbour = eta * steps * G / n, 0.0
std = eta * math.sqrt(steps) * G * sigma / N
c = (mean + neighbour) / 2
p, q = tail((c - mean) / std), tail((c - neighbour) / std)
print(f"P = {p:.5f}\nQ = {q:.5f}")
print(f"epsilon >= {math.log((p - DELTA) / q):.2f} at delta = {DELTA:g}; ", end="")
print(f"claimed {R / 2 + 2 * math.sqrt(R / 2 * -math.log(DELTA)):.2f}")
