"""One change at a time to what certifies: does a wrong answer come out that no test notices?

``python -m property_tests.library_mutants --sample 100 --seed 1`` draws mutants; ``docs/proofs.md`` says what it shows.
"""
