"""The sentences that the paper's errata are about."""

from __future__ import annotations

from typing import Final

QUOTATIONS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
}
