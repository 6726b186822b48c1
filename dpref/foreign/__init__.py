"""Audits of code that dpref cannot see into: runs refute what is claimed of it, or stay silent.

`audit_mechanism` judges a callable.  Its names, and those of what it takes and returns, are loaded when they are used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from dpref.foreign.claims import DPClaim as DPClaim
    from dpref.foreign.claims import GDPClaim as GDPClaim
    from dpref.foreign.claims import ZCDPClaim as ZCDPClaim
    from dpref.foreign.mechanism import audit_mechanism as audit_mechanism
    from dpref.foreign.pairs import Pair as Pair
    from dpref.foreign.report import Judgement as Judgement

_HOME: Final = {
    "DPClaim": "dpref.foreign.claims",
    "GDPClaim": "dpref.foreign.claims",
    "Judgement": "dpref.foreign.report",
    "Pair": "dpref.foreign.pairs",
    "ZCDPClaim": "dpref.foreign.claims",
    "audit_mechanism": "dpref.foreign.mechanism",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'dpref.foreign' has no public name {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(_HOME)
