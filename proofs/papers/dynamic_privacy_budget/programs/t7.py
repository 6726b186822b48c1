"""Hong, Wang, Zhou 2022, Theorem 4.5: the bound at its printed T, and at the T of Eq. (27)."""

import math

KAPPA, ALPHA = 1000, 1e-4
root = math.sqrt(1 - 1 / KAPPA)


def bound(steps):
    """Return the bound of the dynamic schedule after so many steps."""
    return root ** (2 * steps) + ALPHA * ((1 - root**steps) / (1 - root)) ** 2


printed = math.ceil(2 * KAPPA * math.log(1 + 1 / (KAPPA * ALPHA)))
best = math.log(ALPHA / (ALPHA + (1 - root) ** 2)) / math.log(root)
print(f"printed = {bound(printed):.1f}\ntrue = {bound(best):.4f}")
print(f"the printed T is {printed}, that of Eq. (27) is {best:.2f}")
