"""A museum of published bugs of differentially private code, and a score of auditors on it."""
