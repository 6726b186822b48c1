"""One change at a time to every number, comparison and rounding of the library; each must be noticed.

``python -m property_tests.library_mutants`` is the whole run; ``docs/proofs.md`` says what it shows.
"""
