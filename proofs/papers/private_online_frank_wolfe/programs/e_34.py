"""Han et al. (arXiv 2206.08111), Case 2 of Appendix B.2: the printed condition does not make the step."""

from fractions import Fraction

C, T, PULL, G_2 = 1, 100, Fraction(1), 9  # C_in, t, gamma sqrt(2 mu); G_1 = G_3 = G_4 = 0 and epsilon = 1
root = 10  # of t
condition = PULL - Fraction(C, root) >= Fraction(G_2, root)  # as printed, with one more factor 1 / sqrt(t)
after = Fraction(C, T) - PULL / root**3 + Fraction(G_2, root**3)
goal = Fraction(C, T + 1)
print(f"printed = {goal}\ntrue = {after}")
print(f"the printed condition holds: {condition}; the step misses its goal: {after > goal}")
