"""The version of dpref and when it was loaded, below everything that says so."""

import time
from typing import Final

VERSION: Final = "0.1.0"
LOADED: Final = time.time_ns()  # before any other module was read
