"""Theorem 6.1: DP-GD at epsilon = 100 with the noise of Eq. (11) and c = 16; the last iterate is normal."""

from math import log, sqrt

from mpmath import ncdf

n, T, eps, delta, c, eta = 1000, 1000, 100, 1e-5, 16, 1  # G = L = 1
sigma = sqrt(c * T * log(1 / delta)) / (n * eps)
shift, spread = eta * T * 2 / n, eta * sigma * sqrt(T)  # how far the means of x_T are apart, and its deviation
threshold = 2.326 * spread  # above the mean on D; a hundredth of the normal law lies above it
p, q = ncdf(-threshold / spread), ncdf(-(threshold + shift) / spread)  # on D' the mean is less by shift
print(f"P = {float(p):.5f}\nQ = {float(q):.1e}")
print(f"epsilon >= {log((p - delta) / q):.0f} at delta = {delta:g}; claimed {eps}")
