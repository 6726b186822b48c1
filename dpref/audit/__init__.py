"""Claims, empirical lower bounds, verdicts and reports."""
