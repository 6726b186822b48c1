"""Hong, Wang, Zhou 2022, proof of Theorem 4.8: an exact weight of U_3 above the bound with the printed c_2."""

BETA, GAMMA, T = 0.9, 0.99, 300
turn = max(t for t in range(1, 1000) if GAMMA ** (t - 1) >= (1 - BETA) / (1 - BETA**t))
c_2 = GAMMA ** (2 * turn) / (GAMMA - BETA**2)
exact = ((1 - BETA) / (1 - BETA**T)) ** 2  # the weight of the last step
printed = c_2 * GAMMA ** (turn - 1)
print(f"printed = {printed:.5f}\ntrue = {exact:.5f}")
print(f"at t = T = {T}, beyond the turning step {turn}; c_2 lacks a factor of {GAMMA**-turn:.1f}")
