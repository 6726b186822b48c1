"""The families of vectors under their names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from dpref.vectors import accountant, calibration, claims, sampler, sensitivity, transcript
from dpref.vectors.family import Family

_MODULES: Final = (accountant, calibration, transcript, sensitivity, sampler, claims)

FAMILIES: Final[Mapping[str, Family]] = MappingProxyType({module.FAMILY.name: module.FAMILY for module in _MODULES})
