"""Hong, Wang, Zhou 2022, Section 4.4: the best of k runs by its exact risk, with the budget R / k each."""

import math

R, DELTA, k, N, G, T, MU, eta = 0.3927, 1e-8, 10, 1000, 4.0, 100, 0.001, 0.1  # k = log2(1 / p) for p = 1 / 1024
sigma = math.sqrt(T / (R / k))


def between(low, high, slope):
    """Return P(low < theta < high) for one run's last iterate; the mean loss is MU theta^2 / 2 + slope theta."""
    shrink = [(1 - eta * MU) ** j for j in range(T - 1)]  # the printed test refuses the last step
    mean = -eta * slope * sum(shrink)
    std = eta * G * sigma / N * math.sqrt(sum(a * a for a in shrink))
    first, second = ((mean - x) / std / math.sqrt(2) for x in (low, high))
    return (math.erfc(-first) - math.erfc(-second)) / 2


# In D the slopes are -3.9, 1.95 and 998 zeros, and the minimiser is 1.95; in D' the first is 0, and it is -1.95.
p = 1 - (1 - between(0, 3.9, -1.95 / N)) ** k  # a run ends between 0 and 3.9: the returned iterate is positive
q = (1 - between(-3.9, 0, 1.95 / N)) ** k  # no run ends between -3.9 and 0: else the returned one is negative
print(f"P = {p:.5f}\nQ = {q:.5f}")
print(f"epsilon >= {math.log((p - DELTA) / q):.2f} at delta = {DELTA:g}; ", end="")
print(f"claimed {R / 2 + 2 * math.sqrt(R / 2 * -math.log(DELTA)):.2f}")
