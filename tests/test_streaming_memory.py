"""What a stream's run keeps grows as the logarithm of its length: every algorithm that releases after each record.

Counted are the bytes that can be reached from the run's state and its curator, all arrays whole.  Left out are what is
public (the problem and the plan), the records themselves, and the ledger, which has an entry for each different choice,
with the places in it that choices share.
"""

from __future__ import annotations

import gc
import math
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from types import BuiltinFunctionType, FunctionType, GeneratorType, ModuleType
from typing import Any, Final

import numpy as np
import pytest

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.registry import ALGORITHMS
from dpref.bench.instances import kind_of
from dpref.curator import LiveCurator
from dpref.units import ReplaceOne


def module_of(algorithm: AnyAlgorithm) -> Any:
    return import_module(algorithm.run.__module__)


STREAMING: Final = ("online-frank-wolfe", "polyhedral-frank-wolfe", "high-dimensional-bandit", "linear-ucb")
DIMENSIONS: Final = {"linear-ucb": 8}  # a leaf has 153 entries then
OWN: Final = 16_384  # bytes beside the vectors: objects, generators, handles


def reachable(roots: list[Any], leave_out: list[Any]) -> int:
    """The bytes of all objects that can be reached, each once, but for code and what is left out."""
    seen, waiting, total = {id(each) for each in leave_out}, list(roots), 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type | ModuleType | FunctionType | BuiltinFunctionType):
            continue
        seen.add(id(one))
        total += sys.getsizeof(one)
        waiting.extend([one.base] if isinstance(one, np.ndarray) else gc.get_referents(one))
    return total


def kept(name: str, n: int) -> tuple[int, int]:
    """The bytes that a run keeps after n - 1 of n records, where a tree has most live nodes; and those of a release."""
    algorithm, module = ALGORITHMS[name], module_of(ALGORITHMS[name])
    instance = kind_of(algorithm).make(n, DIMENSIONS.get(name, 200))
    plan = algorithm.plan(instance.problem, algorithm.examples(instance.problem, ReplaceOne)[0])
    curator: Any = LiveCurator(instance.read, ReplaceOne, np.random.default_rng(0))
    run: Iterator[Any] = module.releases(instance.problem, plan, curator)
    *_, released = islice(run, n - 1)
    assert isinstance(run, GeneratorType)
    assert run.gi_frame is not None
    held = [run.gi_frame.f_locals["state"], curator]
    return reachable(held, [instance.problem, plan, instance.read, curator._events, curator._shared]), released.nbytes


def allowed(vector: int, n: int) -> int:
    """Two vectors a live node and eight beside."""
    return vector * (2 * math.ceil(math.log2(n)) + 8) + OWN


def test_the_streaming_algorithms_are_those_that_are_said() -> None:
    assert set(STREAMING) == {name for name, of in ALGORITHMS.items() if hasattr(module_of(of), "releases")}


@pytest.mark.slow
@pytest.mark.parametrize("name", STREAMING)
def test_what_a_stream_keeps_grows_as_the_logarithm_of_its_length(name: str) -> None:
    sizes = (2**8, 2**12, 2**14)
    found = [kept(name, n) for n in sizes]
    assert all(size <= allowed(vector, n) for n, (size, vector) in zip(sizes, found, strict=True))
    assert found[2][0] < 2 * found[0][0]  # 14 levels for 8; 64 times as many records


@pytest.mark.parametrize("name", STREAMING)
def test_planted_bug_a_run_that_keeps_every_state_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = module_of(ALGORITHMS[name])
    honest: Callable[..., Any] = module.step
    size, vector = kept(name, 2**8)
    assert size <= allowed(vector, 2**8)

    def hoarding(problem: Any, plan: Any, state: Any, curator: Any) -> Any:
        curator.__dict__.setdefault("_passed", []).append(state)
        return honest(problem, plan, state, curator)

    monkeypatch.setattr(module, "step", hoarding)
    size, vector = kept(name, 2**8)
    assert size > allowed(vector, 2**8)
