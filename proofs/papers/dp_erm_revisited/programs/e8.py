"""Algorithm 3, line 4: two steps without noise, with L and with L |C|^2 in line 4, against the bound of Theorem 5.4."""

L, R, target = 1.0, 4.0, 0.25  # F(x) = L (x - target)^2 / 2 on [-R, R], w(x) = x^2 / (2 R^2), start 0
whole = L * (2 * R) ** 2  # L |C|_2^2, which stands in line 6


def excess(smoothness):
    """Return F(y_2) less its least value; line 4 has this smoothness."""
    y = z = 0.0
    for k in range(2):
        alpha = (k + 2) / (4 * smoothness)
        x = 2 / (k + 2) * z + k / (k + 2) * y
        y = min(max(x - L * (x - target) * R**2 / whole, -R), R)
        z = min(max(z - R**2 * alpha * L * (x - target), -R), R)
    return L / 2 * (y - target) ** 2


printed = 8 * whole * target**2 / (2 * R**2) / (2 + 1) ** 2
print(f"printed = {printed:.4f}\ntrue = {excess(L):.4f}")
print(f"with L |C|^2 in line 4 as well it is {excess(whole):.4f}")
