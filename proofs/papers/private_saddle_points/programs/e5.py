"""Lemma 2.10: the second moment of the largest of many deviations exceeds the printed bound (sums of signs)."""

import math

import numpy as np

T, M, RATIO = 10**6, 10**4, 2.4  # M functions, T draws, A / C; L0 = D = 1 and all weights are 1 / T
L1 = RATIO * 2 * math.sqrt(2 * T)
slope = 1 - L1 / T  # of the linear parts, so that every function is 1-Lipschitz
A, C = L1 / (2 * T), math.sqrt(2 / T)
k = np.arange(T // 2 - 8000, T // 2 + 8001)  # how many of the T signs are positive
weights = [math.lgamma(T + 1) - math.lgamma(v + 1) - math.lgamma(T - v + 1) - T * math.log(2) for v in k.tolist()]
chances = np.exp(weights)
squares = (A + slope * (2 * k - T) / T) ** 2  # of one deviation
order = np.argsort(squares)
below = np.cumsum(chances[order]) / chances.sum()
true = (squares[order] * np.diff(below**M, prepend=0.0)).sum()  # the mean of the largest of M of them
printed = 2 * A**2 + (4 + math.log(M)) * C**2
print(f"printed = {printed:.3e}\ntrue = {true:.3e}")
print(f"the second moment is {true / printed:.3f} times the printed bound")
