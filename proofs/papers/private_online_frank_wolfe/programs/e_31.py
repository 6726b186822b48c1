"""Han et al. (arXiv 2206.08111), Lemma B.1 with the logistic link: a suboptimal arm stays pre-selected."""

from math import exp

GAP, SLACK = 1.0, 0.01  # h_sub; the two predictions differ by a little more


def link(z):
    """Return the logistic function, whose slope lies between mu and beta = 1/4."""
    return 1 / (1 + exp(-z))


best, other = (GAP + SLACK) / 2, -(GAP + SLACK) / 2
rewards = link(best) - link(other)
print(
    f"printed = {GAP / 2:.4f}\ntrue = {rewards:.4f}\nthe rewards differ by less than h_sub / 2: line 13 keeps the arm"
)
