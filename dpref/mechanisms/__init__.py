"""One file a mechanism: its density, its privacy loss and its sampler."""
