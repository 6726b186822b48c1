"""Hong, Wang, Zhou 2022, Theorem 4.6: the excess risk of momentum on a quadratic in two dimensions, exactly."""

import numpy as np

N, G, D, R, T, BETA, ETA0 = 1000, 2.0, 2, 1.0, 50, 0.5, 0.1
curvature, start = np.array([10.0, 1.0]), np.array([0.0, 1.0])  # M = 10 and mu = 1, so kappa = 10
gamma, eta, sigma2 = 1 - ETA0 / 10, ETA0 / 20, T / R
theta, v, spread, carried = start, 0 * start, np.zeros((2, T)), np.zeros((2, T))
effect, u3 = 0.0, 0.0
for t in range(1, T + 1):  # means (theta, v) and, for each coordinate, coefficients (spread, carried) of the T noises
    fresh = np.eye(T)[t - 1] * G * np.sqrt(sigma2) / N
    v = BETA * v + (1 - BETA) * curvature * theta
    carried = BETA * carried + (1 - BETA) * (curvature[:, None] * spread + fresh)
    theta, spread = theta - eta * v / (1 - BETA**t), spread - eta * carried / (1 - BETA**t)
    effect += gamma ** (T - t) * (v @ v + (carried**2).sum())
    u3 += gamma ** (T - t) * ((1 - BETA) / (1 - BETA**t)) ** 2 * sum(BETA ** (2 * k) for k in range(t)) * sigma2
initial = curvature @ start**2 / 2
alpha = D * G**2 / (2 * R * 10 * N**2 * initial)
zeta = 1 - ETA0**2 / BETA / (1 - BETA) ** 3 - ETA0 / 4
printed = (gamma**T + 2 * R * ETA0 * alpha * u3) * initial
print(f"printed = {printed - zeta * eta * effect:.4f}\ntrue = {curvature @ (theta**2 + (spread**2).sum(1)) / 2:.4f}")
print(f"the bound without its momentum effect is {printed:.4f}")
