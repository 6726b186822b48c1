"""Accounting by privacy loss distributions in balls: dominating pairs, their discretisation, and their composition."""
