"""Menart et al. 2024, Appendix D.2: a gradient costs twice its recorded share when a record is replaced."""

import math

N, RHO, BETA, NORM = 1000, 1.0, 0.01, 0.01  # d = L0 = 1; the noisy norm N_t was 0.01
scale = math.log(N * math.sqrt(RHO) / BETA)
noise = max(NORM / math.sqrt(scale), 2 / (N * math.sqrt(RHO)))  # sigma_t, line 4
recorded = min(scale / (N * NORM) ** 2, RHO / 2)  # the share of the gradient in rho_t, line 6
gradient, neighbour = 0.011, 0.009  # of D and D': the odd record has slope 1 or -1, the others make 0.01
middle = (gradient + neighbour) / 2


def above(mean):
    """Return the probability that the noisy gradient is above the middle."""
    return math.erfc((middle - mean) / noise / math.sqrt(2)) / 2


rho = (gradient - neighbour) ** 2 / (2 * noise**2)
print(f"P = {above(gradient):.4f}\nQ = {above(neighbour):.4f}")
print(f"rho >= {rho:.3f} by the Renyi divergence of the Gaussian answer; claimed {recorded:.3f}")
