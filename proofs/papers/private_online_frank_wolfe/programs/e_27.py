"""Han et al. (arXiv 2206.08111), Lemma B.3: Theorem 3.6 gives a larger radius than the printed C_sc / sqrt(s)."""

from math import sqrt

X, MU, MARGIN, S = 1.0, 0.1, 0.5, 1000  # X = beta D^2 + A; mu' = u mu lambda; gamma
risk = 9 * X**2 / ((S + 1) * MARGIN**2 * MU)  # Theorem 3.6
radius = sqrt(2 * risk / MU)  # (mu' / 2) r^2 = h is attained by a quadratic
printed = sqrt(9 * X**2 / MU) / sqrt(S)  # C_sc / sqrt(s)
print(
    f"printed = {printed:.4f}\ntrue = {radius:.4f}\nTheorem 3.6 gives {radius / printed:.2f} times the printed radius"
)
