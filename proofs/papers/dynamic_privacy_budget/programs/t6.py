"""Hong, Wang, Zhou 2022, Section 4.1.3: Eq. (9) at the T of Eq. (24) and at its best T, for growing kappa."""

import numpy as np

ALPHA = 1e-4


def bound(steps, kappa):
    """Return Eq. (9), gamma^T + alpha kappa (1 - gamma^T) T."""
    power = np.exp(steps * np.log1p(-1 / kappa))
    return power + ALPHA * kappa * (1 - power) * steps


kappa = 1e6
rate = -np.log1p(-1 / kappa)
printed = np.log1p(rate / ALPHA) / rate
print(f"printed = {bound(printed, kappa):.1f}\ntrue = {bound(np.arange(1, 100_000), kappa).min():.4f}")
print(f"1 / alpha = {1 / ALPHA:.0f}; Eq. (24) has T = {printed:.0f}")
