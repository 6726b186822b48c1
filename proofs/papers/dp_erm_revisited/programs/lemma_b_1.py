"""Lemma B.1: an epsilon'-DP algorithm on a random tenth of the records loses more than 2 gamma epsilon'."""

import math

EPSILON, N, SAMPLED = 3, 100, 10  # epsilon', n and gamma n
gamma = SAMPLED / N
# A says whether the marked record is in its input; it says the truth with probability e^epsilon' / (1 + e^epsilon').
truth = math.exp(EPSILON) / (1 + math.exp(EPSILON))
p = gamma * truth + (1 - gamma) * (1 - truth)  # D has the marked record, which is drawn with probability gamma
q = 1 - truth  # D' does not have it
print(f"P = {p:.5f}\nQ = {q:.5f}\nepsilon >= {math.log(p / q):.3f} at delta = 0; claimed {2 * gamma * EPSILON:.1f}")
