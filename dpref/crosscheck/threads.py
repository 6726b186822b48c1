"""What keeps numerical libraries to one thread; they read it when they are loaded, so this module loads none."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ONE_THREAD: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
)
