"""One file an exhibit, or a family of close relatives; each needs numpy alone and can be read by itself."""
