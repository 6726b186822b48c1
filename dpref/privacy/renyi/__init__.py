"""Accounting by Rényi divergences: curves of the mechanisms, their sums, and what these say of epsilon."""
