"""Definition 3.4: the printed calibration of the Gaussian mechanism at epsilon = 8 and delta = 1/100."""

import math

EPSILON, DELTA, SENSITIVITY = 8, 1 / 100, 1
sigma = math.sqrt(2 * math.log(1.25 / DELTA)) * SENSITIVITY / EPSILON


def above(t, mean):
    """Return the probability that the answer exceeds t."""
    return math.erfc((t - mean) / (sigma * math.sqrt(2))) / 2


threshold = 1.757  # beyond it the likelihood ratio exceeds e^epsilon
p, q = above(threshold, SENSITIVITY), above(threshold, 0)  # the query is 1 on D and 0 on D'
print(f"P = {p:.5f}\nQ = {q:.3e}")
print(f"epsilon >= {math.log((p - DELTA) / q):.2f} at delta = {DELTA:g}; claimed {EPSILON}")
