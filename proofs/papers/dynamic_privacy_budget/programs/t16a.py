"""Hong, Wang, Zhou 2022, Table 2: the true risk of the mean of N signs, for the loss (theta - x)^2 / 2."""

from math import comb

N, D, R = 1000, 1, 1.0
# x is 1/2 or -1/2, and a step of size 1 without noise ends at the mean of the records; noise only adds.
means = [(heads - (N - heads)) / (2 * N) for heads in range(N + 1)]
true = sum(comb(N, heads) / 2**N * mean**2 / 2 for heads, mean in enumerate(means))
printed = D / (N**2 * R)
print(f"printed = {printed:.2e}\ntrue = {true:.2e}")
print(f"the true excess risk is {true / printed:.0f} times the row without its constant, and N / 8 is {N / 8:.0f}")
