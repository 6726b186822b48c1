"""Compiled twins of `dpref.algorithms.saddle`."""
