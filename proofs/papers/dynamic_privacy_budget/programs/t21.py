"""Hong, Wang, Zhou 2022, Lemma C.5: the records 1 and -1, the loss (x theta - 1)^2 / 2, theta = 1/2."""

import math

records, theta = (1.0, -1.0), 0.5
N, D, M = len(records), 1, sum(x * x for x in records) / len(records)  # M is the second derivative of the mean loss
losses = [(x * theta - 1) ** 2 / 2 for x in records]
true = max(math.sqrt(2 * loss) * abs(x) / N for loss, x in zip(losses, records, strict=True))
printed = (D * M * theta**2 + 1) / 2
print(f"printed = {printed}\ntrue = {true}")
print(f"the left side of the lemma is {true / printed:.2f} times the right side")
