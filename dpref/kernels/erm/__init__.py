"""numba twins of the algorithms: same file name, same update, noise passed in."""
