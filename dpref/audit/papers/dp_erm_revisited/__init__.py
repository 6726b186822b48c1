"""Differentially Private Empirical Risk Minimization Revisited (Wang, Ye and Xu 2017)."""
