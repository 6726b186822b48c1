"""Other accountants beside the certified ones: each in its own process, with its own interpreter if need be."""
