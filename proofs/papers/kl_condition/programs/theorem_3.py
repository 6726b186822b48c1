"""Menart et al. 2024, Theorem 3: the iterates show more than rho where N_t may be negative (Monte Carlo, seed 0)."""

import numpy as np

N, RHO, BETA, RUNS, ENOUGH = 10**6, 1.0, 0.05, 40_000, 5  # d = L0 = L1 = 1
SCALE, norm_noise, least = np.log(N * RHO**0.5 / BETA), RHO**-0.25 / N**0.5, 2 / (N * RHO**0.5)
rng = np.random.default_rng(0)


def share(gradient):
    """Return how often the short steps in the direction of D outnumber those against it by ENOUGH."""
    spent, votes, alive = np.zeros(RUNS), np.zeros(RUNS), np.arange(RUNS)
    while alive.size:
        size = abs(gradient) + norm_noise * rng.standard_normal(alive.size)  # N_t, line 3
        seen = gradient + np.maximum(size / SCALE**0.5, least) * rng.standard_normal(alive.size)  # lines 4 and 5
        spent[alive] += np.minimum(SCALE / (N * size) ** 2, RHO / 2) + RHO**0.5 / N  # line 6
        alive, seen = (x[spent[alive] <= RHO / 2] for x in (alive, seen))  # else it made w_{T+1}, not released
        votes[alive] += np.sign(seen) * (abs(seen) <= 2 * least)
    return np.mean(votes >= ENOUGH)


p, q = share(1 / N), share(-1 / N)
low, high = p - 4 * (p * (1 - p) / RUNS) ** 0.5, q + 4 * (q * (1 - q) / RUNS) ** 0.5
rho = max((a * np.log(low) - (a - 1) * np.log(high)) / (a * (a - 1)) for a in np.arange(1.05, 9, 0.05))
print(f"P = {p:.3f}\nQ = {q:.4f}\nrho >= {rho:.1f}, with four standard errors allowed for; claimed {RHO:g}")
