"""Algorithm 1, line 6: with the printed sign both players minimise; the gap of a matrix game."""

import numpy as np

payoffs = np.random.default_rng(0).uniform(-1, 1, (5, 6))
TAU, STEPS = 0.03, 4000


def gap(sign):
    """Return the duality gap of the averaged iterates; y is multiplied by exp(sign * TAU * g_y), g_y = -grad_y F."""
    x, y, mean_x, mean_y = np.full(5, 1 / 5), np.full(6, 1 / 6), np.zeros(5), np.zeros(6)
    for _ in range(STEPS):
        mean_x, mean_y = mean_x + x / STEPS, mean_y + y / STEPS
        g_x, g_y = payoffs @ y, -payoffs.T @ x
        x, y = x * np.exp(-TAU * g_x), y * np.exp(sign * TAU * g_y)
        x, y = x / x.sum(), y / y.sum()
    return (mean_x @ payoffs).max() - (payoffs @ mean_y).min()


printed, corrected = gap(+1), gap(-1)
print(f"printed = {printed:.3f}\ntrue = {corrected:.3f}")
print(f"the gap is {printed / corrected:.0f} times that of the other sign")
