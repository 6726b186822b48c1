"""Han et al. (arXiv 2206.08111), Lemma B.1 with the logistic link: a suboptimal arm stays pre-selected."""

from math import exp

GAP, SLACK = 1.0, 0.01  # h_sub; the two predictions differ by a little more


def link(z):
    """Return the logistic function, whose slope lies between mu and beta = 1/4."""
    return 1 / (1 + exp(-z))


best, other = (GAP + SLACK) / 2, -(GAP + SLACK) / 2
rewards = link(best) - link(other)
kept = rewards < GAP / 2
print(f"printed = {GAP / 2:.4f}\ntrue = {rewards:.4f}\nline 13 keeps the suboptimal arm: {kept}")
