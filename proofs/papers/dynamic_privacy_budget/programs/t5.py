"""Hong, Wang, Zhou 2022, Section 4.1.3: the budget that zCDP allows against epsilon^2 / ln(1 / delta)."""

import math

import numpy as np


def budgets(epsilon, delta):
    """Return R_MA and R_zCDP = 2 rho, where rho solves rho + 2 sqrt(rho L) = epsilon."""
    big = np.log(1 / delta)
    return epsilon**2 / big, 2 * (np.sqrt(epsilon + big) - np.sqrt(big)) ** 2


accountant, concentrated = budgets(4.0, 1e-8)
print(f"printed = {accountant:.4f}\ntrue = {concentrated:.4f}")
ratios = [np.divide(*budgets(np.linspace(0.01, 2, 200) * math.log(1 / d), d)[::-1]) for d in (1e-2, 1e-5, 1e-8)]
print(f"for epsilon <= 2 ln(1/delta), R_zCDP / R_MA lies between {np.min(ratios):.3f} and {np.max(ratios):.3f}")
