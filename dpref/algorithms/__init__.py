"""The papers' algorithms, by family, one file each."""
