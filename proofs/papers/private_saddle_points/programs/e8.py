"""Lemma 3.11: the least of 4 L1^2 / (lam T) + lam l over lam, against the printed 2 L1 sqrt(l / T)."""

import numpy as np

L1, ENTROPY, STEPS = 1.0, np.log(100) + np.log(100), 1000
parameters = np.geomspace(1e-4, 10, 200_001)
printed = 2 * L1 * np.sqrt(ENTROPY / STEPS)
least = (4 * L1**2 / (parameters * STEPS) + parameters * ENTROPY).min()
print(f"printed = {printed:.4f}\ntrue = {least:.4f}")
print(f"no parameter brings the proof's sum below {least / printed:.2f} times it")
