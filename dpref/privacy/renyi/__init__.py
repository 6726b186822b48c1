"""renyi."""
