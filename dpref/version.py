"""The version of dpref and its date, which the package's metadata are read from, and when it was loaded."""

import time
from typing import Final

VERSION: Final = "0.1.0"
DATE: Final = "2026-11-22"  # of the release, or of the last change to what will be released
LOADED: Final = time.time_ns()  # before any other module was read
