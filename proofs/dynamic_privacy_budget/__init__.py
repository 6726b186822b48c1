"""Hong, Wang and Zhou, "Dynamic Privacy Budget Allocation ...": its obligations and errata, in the paper's order."""
