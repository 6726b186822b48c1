"""Hong, Wang, Zhou 2022, Eq. (15): the loss (theta - x)^2 / 2 with x = 1/2 or -1/2, at theta = 1/2."""

import math

G, MU, N, FAILURE, THETA = 1.0, 1.0, 10_000, 0.1, 0.5
true = THETA**2 / 2  # the true excess risk: the mean of x is 0


def bound(mean, size):
    """Return Eq. (15) for data of this mean, with this number below the first root."""
    return math.sqrt(2 * G**2 / (MU * size)) * math.sqrt((THETA - mean) ** 2 / 2) + 4 * G**2 / (FAILURE * MU * N)


printed = max(bound((2 * ones - N) / (2 * N), N) for ones in range(N + 1))  # over all data sets
print(f"printed = {printed:.4f}\ntrue = {true:.4f}")
print(f"without N below the first root, Eq. (15) is {bound(0, 1):.4f} on balanced data")
