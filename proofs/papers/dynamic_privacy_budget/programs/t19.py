"""Hong, Wang, Zhou 2022, Theorem 4.14: the losses G x theta with x = 1 or -1, one record replaced."""

import numpy as np

G, T, ETA, N = 1.0, 20, 0.1, 1000
noise = np.random.default_rng(0).normal(size=T)


def final(records):
    """Return the last iterate; the noise is the same on both data sets."""
    theta = 0.0
    for nu in noise:
        theta -= ETA * (G * records.mean() + G * nu / N)
    return theta


records = np.ones(N)
neighbour, null = records.copy(), records.copy()
neighbour[0], null[0] = -1.0, 0.0
true, zeroed = (abs(G * (final(records) - final(other))) for other in (neighbour, null))
print(f"printed = {G**2 * T * ETA / N:.4f}\ntrue = {true:.4f}")
print(f"where the record is zeroed out, it is {zeroed:.4f}")
