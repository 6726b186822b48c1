"""What the algebra asks sympy, it checks."""

from __future__ import annotations

import pytest
import sympy as sp

from proofs import kernel as k
from proofs.search import positive
from proofs.terms import Rejected

X = sp.Symbol("x")


def test_planted_bug_a_wrong_cancellation_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """If every argument of erfc became 0, erfc would be constant."""
    cancelled = k.identity(sp.erfc((X**2 + X) / (X + 1)), sp.erfc(X), positive("x"))
    assert cancelled.claim.relation == "=="
    monkeypatch.setattr(sp, "cancel", lambda _: sp.S.Zero)
    with pytest.raises(Rejected, match="was not cancelled to 0"):
        k.identity(sp.erfc(X), sp.erfc(X + 1), positive("x"))
