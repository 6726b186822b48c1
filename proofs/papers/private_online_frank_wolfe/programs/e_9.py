"""Han et al. (arXiv 2206.08111), proof of Theorem A.1: the first risk exceeds beta D^2 / 2."""

from fractions import Fraction

BETA, DIAMETER, SLOPE = Fraction(1, 10), 2, 1


def risk(theta):
    """Return F: convex and beta-smooth on [-1, 1], and decreasing there."""
    return BETA / 2 * theta**2 - SLOPE * theta


start = risk(Fraction(0)) - risk(Fraction(1))  # theta_1 = 0, the minimiser is 1
printed = BETA * DIAMETER**2 / 2
print(f"printed = {printed}\ntrue = {start}\nthe first risk is {start / printed} times what is printed")
