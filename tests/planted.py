"""A mistake planted in a formula, wherever it was imported to."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest


def plant(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, wrong: Callable[..., Any]) -> None:
    """Another function in the place of this one, in all modules of the library and of the proofs."""
    right = getattr(module, name)
    for holder in [m for n, m in sys.modules.items() if n.startswith(("dpref", "proofs"))]:
        if vars(holder).get(name) is right:
            monkeypatch.setattr(holder, name, wrong)
