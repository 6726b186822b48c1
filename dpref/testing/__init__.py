"""What the fixtures of `dpref.pytest_plugin` are made of."""
