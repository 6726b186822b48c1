"""On private online convex optimization (Han et al. 2022)."""
