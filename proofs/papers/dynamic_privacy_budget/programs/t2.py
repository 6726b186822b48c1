"""Hong, Wang, Zhou 2022, Algorithm 1, line 2: how many steps run when the schedule spends the budget exactly."""

from fractions import Fraction

R, T = Fraction(3927, 10000), 100
left, steps = R, 0
for _ in range(T):
    cost = R / T  # 1 / sigma_t^2 for sigma_t^2 = T / R
    if not cost < left:
        break
    left, steps = left - cost, steps + 1
print(f"printed = {T}\ntrue = {steps}")
print(f"before the last step the residual budget is {left}, and the step costs {cost}")
