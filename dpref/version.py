"""The version of dpref and its date, below everything that prints them; the package's metadata are read from here."""

from typing import Final

VERSION: Final = "0.1.0"
DATE: Final = "2026-11-22"  # of the release, or of the last change to what will be released
