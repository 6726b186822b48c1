"""What an audit adds to the runs of a callable, side by side with a plain loop over the same runs.

    python -m property_tests.foreign_overhead

Microseconds of a processor for each run: of the loop alone, of the audit with everything, and of what it adds when the
choice of events and scores at the start of an epoch is set aside.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final
from unittest import mock

import numpy as np

from dpref.foreign.claims import DPClaim
from dpref.foreign.mechanism import audit_mechanism
from dpref.foreign.process import Bound
from dpref.foreign.statement import Statement
from dpref.units import ReplaceOne

PAIR: Final = (np.zeros(20), np.eye(20)[0])


def one(data: Any, rng: np.random.Generator) -> float:
    return float(data[0] + rng.laplace())


def vector(data: Any, rng: np.random.Generator) -> Any:
    return data[:5] + rng.laplace(size=5)


def many(data: Any, rng: np.random.Generator, n: int) -> Any:
    return data[0] + rng.laplace(size=n)


class Aside:
    """Processor time spent in some methods."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def timed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            begun = time.process_time()
            try:
                return method(*args, **more)
            finally:
                self.seconds += time.process_time() - begun

        return call


def measured(f: Callable[..., Any], trials: int, *, batched: bool) -> tuple[float, float, float]:
    """Microseconds a run: the loop alone, the audit, and what the audit adds without its choices."""
    rng, size = np.random.default_rng(0), 200
    begun = time.process_time()
    for _ in range(trials // size if batched else trials):
        for data in PAIR:
            f(data, rng, size) if batched else f(data, rng)
    bare, aside = time.process_time() - begun, Aside()
    with (
        mock.patch.object(Statement, "learn", aside.timed(Statement.learn)),
        mock.patch.object(Bound, "__init__", aside.timed(Bound.__init__)),
    ):
        begun = time.process_time()
        audit_mechanism(
            f, PAIR, DPClaim(Fraction(1)), adjacency=ReplaceOne, trials=trials, batched=batched, learn=False, bits="off"
        )
        whole = time.process_time() - begun
    runs = 2 * trials / 1e6
    return bare / runs, whole / runs, (whole - aside.seconds - bare) / runs


def main() -> None:
    """Print the table."""
    print(f"{'callable':16} {'trials':>8} {'loop':>8} {'audit':>8} {'added, choices aside':>22}")
    for name, f, batched, trials in (
        ("a number", one, False, 2_000),
        ("a number", one, False, 50_000),
        ("five numbers", vector, False, 50_000),
        ("batches", many, True, 50_000),
        ("batches", many, True, 500_000),
    ):
        loop, audit, added = measured(f, trials, batched=batched)
        print(f"{name:16} {trials:8} {loop:8.2f} {audit:8.2f} {added:22.2f}", flush=True)


if __name__ == "__main__":
    main()
