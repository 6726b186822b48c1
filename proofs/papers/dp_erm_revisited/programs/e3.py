"""Table 2: one record shows in the iterates of DP-SVRG++ with the T and m of Theorem 4.4 and the noise of Eq. (6)."""

import math

eps, m = 1, 10  # G = L = 1, one dimension, r confines x to [-10, 10]
eta, late, end = 1 / 13, 45, 60  # epochs of 20 and 40 steps; the steps 46 to 60 are looked at


def normal(t):
    """Return the standard normal distribution function."""
    return math.erfc(-t / math.sqrt(2)) / 2


for n, delta, c in ((10**5, 1e-6, 16), (10**8, 1e-9, 6160)):
    T = math.ceil(math.log2(n * eps / math.sqrt(math.log(1 / delta))))
    sigma = math.sqrt(c * 2**T * m * math.log(2 / delta)) / (n * eps)
    spread = eta * sigma * math.sqrt(sum(k**2 for k in range(1, 21))) / 20  # of the mean of x_1 to x_20
    stray = normal((21 * eta / 2 - 1) / spread)  # the snapshot is above 1; x_t has the mean t eta
    stray += sum(normal((3 - t * eta) / (eta * sigma * math.sqrt(t))) for t in range(late, end))  # some x_t is below 3
    stray += sum(normal((t * eta - 10) / (eta * sigma * math.sqrt(t))) for t in range(1, end + 1))  # the end is reached
    p = (1 - 1 / n) ** late * (1 - (1 - 1 / n) ** (end - late)) * normal(1 / sigma) - stray
    q = (end - late) * normal(-1 / sigma)
    print(f"P = {p:.2e}\nQ = {q:.0e}\nepsilon >= {math.log((p - delta) / q):.0f} at delta = {delta:g}; claimed {eps}")
    print(f"sigma = {sigma:.3f} G; with c_1 = 7, Theorem 4.3 speaks of epsilon <= {7 * 2**T * m / n**2:.1e} only")
