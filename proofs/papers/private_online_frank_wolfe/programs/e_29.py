"""Han et al. (arXiv 2206.08111), Theorem 4.3: the warm-up pulls every arm t_0 times."""

ARMS, PULLS, GAP = (
    10,
    100,
    1,
)  # K, t_0, and the reward that arm 1 gives more than every other arm, whatever the context is
order = [arm for arm in range(ARMS) for _ in range(PULLS)]  # lines 3 to 10 of Algorithm 3
regret = sum(GAP for arm in order if arm != 0)
print(f"printed = {PULLS}\ntrue = {regret}\nthe warm-up alone costs {regret / PULLS:.0f} times the first term")
