"""Formulas over `dpref.reals.Ops`, and the accountants and conversions that are closed forms of a few numbers."""
