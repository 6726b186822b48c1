"""Proof 2.11: the printed layer cake of a second moment, for a variable with the exponential law."""

from mpmath import exp, inf, quad

printed = quad(lambda b: b * exp(-b), [0, inf])  # the integral of P(X >= b) b db
true = quad(lambda x: x**2 * exp(-x), [0, inf])  # the second moment
print(f"printed = {float(printed):.4f}\ntrue = {float(true):.4f}")
print(f"the printed integral is {float(printed / true):.2f} of it")
