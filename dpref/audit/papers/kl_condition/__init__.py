"""Differentially private non-convex optimization under the KL condition (Menart et al. 2024)."""
