"""Tests of the proofs, the kernel and what Coq checks."""
