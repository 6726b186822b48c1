"""DP-SVRG++, compiled: DP-SVRG's kernel, whose plan says that an epoch goes on from the last iterate."""

from __future__ import annotations

from dpref.algorithms.svrg.kernel import Numbers, run

__all__ = ["Numbers", "run"]
