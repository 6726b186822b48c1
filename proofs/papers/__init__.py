"""Obligations of the papers, one folder each, in the paper's order."""
