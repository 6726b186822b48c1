"""The papers' experiments as commands: ``dpref reproduce``.

One file an experiment, in a folder named after the paper.  What is printed of a set-up is kept, what is not printed or
not at hand is replaced and said; the printed noise and the repaired one stand side by side.
"""
