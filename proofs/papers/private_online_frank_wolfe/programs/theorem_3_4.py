"""Han et al. (arXiv 2206.08111), Theorem 3.4 at epsilon = 50, delta = 1/100: the published choices show a record."""

import numpy as np

N, EPSILON, DELTA, D, L = 100, 50, 0.01, 2, 1  # C = [-1, 1] with the vertices -1 and 1; losses theta x, so beta = 0
t = np.arange(1, N + 1)
scale = 4 * D * L * np.sqrt(np.log(N) * np.log(1 / DELTA)) / (EPSILON * np.sqrt(t))  # line 8
gap = 2 * 2 * L / (t + 1)  # <d_t, 1> - <d_t, -1> = 2 d_t, and d_t = 2 x_1 / (t + 1) (lines 4 and 6, the others are 0)
wrong = np.exp(-gap / scale) * (2 + gap / scale) / 4  # two Laplace draws differ by more than the gap
law = np.array([1.0])  # of the number of choices that go against x_1
for miss in wrong:
    law = np.convolve(law, [1 - miss, miss])
most = next(m for m in range(N) if law[: m + 1].sum() > 1.5 * DELTA)  # the least number that is likely enough
P, Q = law[: most + 1].sum(), law[N - most :].sum()
print(f"P = {P:.4f}\nQ = {Q:.2e}\nepsilon >= {np.log((P - DELTA) / Q):.2f} at delta = {DELTA}; claimed {EPSILON}")
