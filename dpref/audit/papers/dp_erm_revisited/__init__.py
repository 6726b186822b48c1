"""Differentially private empirical risk minimization revisited (Wang, Ye and Xu 2017)."""
