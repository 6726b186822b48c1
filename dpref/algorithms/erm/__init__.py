"""Private empirical risk minimisation."""
