"""What is claimed in each paper, what its claims are run on, and what is known from below: a folder a paper."""
