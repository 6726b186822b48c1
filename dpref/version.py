"""The version of dpref, below everything that prints it."""

from typing import Final

VERSION: Final = "0.1.0"
