"""Hong, Wang, Zhou 2022, Theorem 4.10: the batch noise of momentum against its printed bound."""

KAPPA, BETA, ETA0, T = 10, 0.5, 0.1, 1000
N, R, D, G, M, SIGMA_G, GAP = 1000, 0.01, 10, 1.0, 1.0, 1.0, 1.0
n, mu, gamma = N * R**0.5, M / KAPPA, 1 - ETA0 / KAPPA
inner = N**2 / n**2 * R  # R'
alpha = D * G**2 / (2 * inner * M * n**2 * GAP)
u3 = sum(gamma ** (T - t) * (1 - BETA) / (1 - BETA**t) * (1 + BETA**t) / (1 + BETA) for t in range(1, T + 1))
true = alpha * inner * SIGMA_G**2 / G**2 * u3
printed = D / (2 * mu * N**2 * R * GAP) * SIGMA_G**2
print(f"printed = {printed:.6f}\ntrue = {true:.6f}")
print(f"the ratio is {true / printed:.2f}; times eta_0 it is {ETA0 * true / printed:.2f}")
