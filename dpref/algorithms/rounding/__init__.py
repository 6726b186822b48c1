"""Bounds on the float64 errors of kernels."""
