"""Norms, constraint sets with their projections."""
