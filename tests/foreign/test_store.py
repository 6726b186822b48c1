"""Every setting of a chunk but its limit of time is part of the name under which its result is found."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from dpref.foreign.chunks import ChunkSpec
from dpref.foreign.pairs import Pair
from dpref.foreign.store import Store


def noisy(data: Any, rng: Any) -> Any:
    return data.sum() + rng.normal()


def larger(data: Any) -> Any:
    return data.max()


def test_no_setting_of_a_chunk_is_forgotten(tmp_path: Path) -> None:
    """A setting that is added to a chunk must be given another value here, and change the key."""
    spec = ChunkSpec(noisy, Pair(np.zeros(3), np.ones(3)), 0, 0, 3)
    others: dict[str, Any] = {
        "target": larger,
        "pair": Pair(np.zeros(3), np.full(3, 2.0)),
        "seed": 1,
        "index": 1,
        "size": 4,
        "batched": True,
        "seeding": "own",
        "exceptions": "output",
        "purpose": "search",
        "score": larger,
    }
    assert {field.name for field in fields(spec)} == {*others, "limit"}
    store = Store(tmp_path, code_version="1")
    keys = {name: store.key(replace(spec, **{name: value})) for name, value in others.items()}
    assert len({store.key(spec), *keys.values()}) == 1 + len(others)
    assert store.key(replace(spec, limit=1.0)) == store.key(spec)
