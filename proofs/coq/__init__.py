"""A second checker: every recorded claim as a theorem of Coq."""
