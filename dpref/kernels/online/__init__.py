"""Compiled twins of the online algorithms."""
