"""Hong, Wang, Zhou 2022, Section 4.4: a risk that is 1 with probability 9/10 and else 0, in k = 10 repetitions."""

RUNS, LIKELY = 10, 0.9
mean = LIKELY  # F(R / k)
printed = 1 - 2.0**-RUNS
true = 1 - LIKELY**RUNS  # one of the repetitions has a risk of at most the mean: it is 0
print(f"printed = {printed:.4f}\ntrue = {true:.4f}")
print(f"a risk of at most 2 * {mean} has the probability {1 if 2 * mean >= 1 else true}")
