"""What is claimed in each paper, what its claims are run on, and what is known from below: a folder a paper.

A witness is given the ``run`` of an algorithm of its paper, and where it needs one the ``delta`` at which an epsilon is
meant, exact, in (0, 1).
"""
