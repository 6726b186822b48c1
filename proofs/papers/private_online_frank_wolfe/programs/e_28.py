"""Han et al. (arXiv 2206.08111), Lemma B.2: the law of the greedy arm moves by more than 2 beta eta D."""

from fractions import Fraction

BETA, MOVE, WIDTH = (
    1,
    Fraction(1, 100),
    Fraction(1, 8),
)  # linear rewards; eta D; contexts (1, u) u uniform on [-w, w]
# Arm 1 has the estimate (0, 1), arm 2 has 0: arm 1 is greedy where u > 0, and after the step where u > -eta D.
variation = MOVE / (2 * WIDTH)  # the probability that u lies between -eta D and 0
margin = 1 / WIDTH  # nu: the score |u| is below h with probability h / w
print(f"printed = {2 * BETA * MOVE}\ntrue = {variation}\nwith the margin's constant, 2 nu eta D = {2 * margin * MOVE}")
