"""``python -m dpref`` is ``dpref``."""

from dpref.cli import main

main()
