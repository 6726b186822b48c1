"""numba twins of `dpref.algorithms.kl`."""
