"""The tests: a package with this file, because diffprivlib installs one of the same name, which would come first."""
