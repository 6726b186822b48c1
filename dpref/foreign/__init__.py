"""Other people's code."""
