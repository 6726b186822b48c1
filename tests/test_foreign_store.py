"""The store: written once, whole or not at all, believed only if its digest fits."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpref.errors import InvalidArgumentError, StoreError
from dpref.foreign.chunks import ChunkResult, ChunkSpec, run_chunk
from dpref.foreign.outputs import Outputs
from dpref.foreign.pairs import Pair
from dpref.foreign.settling import in_order
from dpref.foreign.store import ABANDONED, Store, packed, publish, read, unpacked

PAIR = Pair(np.zeros(3), np.ones(3))


def noisy(data: Any, rng: np.random.Generator) -> float:
    return float(data.sum() + rng.normal())


def specs(count: int = 4, target: Any = noisy, seed: int = 0, **more: Any) -> list[ChunkSpec]:
    return [ChunkSpec(target, PAIR, seed, index, 3, **more) for index in range(count)]


def text_of(results: Iterator[ChunkResult] | list[ChunkResult]) -> list[bytes]:
    return [packed(result) for result in results]


# ------------------------------------------------------------------------------------ results as bytes


def test_a_result_comes_back_bit_for_bit(tmp_path: Path) -> None:
    odd_nan = np.array([0x7FF8000000000001, 0x7FF0000000000000], dtype=np.uint64).view(np.float64)
    seen = Outputs(("a", "b"), np.array([0, 1]), np.array([odd_nan, [-0.0, 5e-324]]), (("x\ud800", ""), ()))
    result = ChunkResult(3, seen, Outputs.of([1.5, "text"]), ((True, False), (False, True)))
    store, spec = Store(tmp_path), specs()[0]
    assert store.get(spec) is None
    store.put(spec, result)
    found = Store(tmp_path).get(spec)
    assert found is not None
    assert packed(found) == packed(result) == packed(unpacked(packed(result)))
    assert found.first.numbers.tobytes() == seen.numbers.tobytes()
    assert (found.index, found.drew, found.first.texts) == (3, result.drew, seen.texts)


# ------------------------------------------------------------------------------------ killed at any moment


class Killed(BaseException):
    """What no handler of the library stops."""


def killed_at(moment: int, patch: pytest.MonkeyPatch, work: Callable[[], object]) -> bool:
    """Do the work until so many calls that touch the disk were made; whether it came that far."""
    calls = 0

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == moment:
                raise Killed
            return call(*args, **kwargs)

        return counting

    with patch.context() as patched:
        for name in ("fsync", "link", "open", "close"):
            patched.setattr(os, name, counted(getattr(os, name)))
        for name in ("open", "unlink", "mkdir", "read_bytes"):
            patched.setattr(Path, name, counted(getattr(Path, name)))
        try:
            work()
        except Killed:
            return True
    return False


def kept_in(folder: Path) -> list[bytes]:
    return text_of(in_order(specs(2), None, Store(folder)))


@pytest.mark.slow
def test_killed_before_any_call_that_touches_the_disk_and_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = text_of(in_order(specs(2)))
    moment, killed = 0, True
    while killed:
        moment += 1
        folder = tmp_path / str(moment)
        killed = killed_at(moment, monkeypatch, partial(kept_in, folder))
        for left in folder.glob("**/.*.tmp"):  # what was not flushed may be torn when the machine went down too
            if left.stat().st_nlink == 1:
                left.write_bytes(left.read_bytes()[:7])
        assert text_of(in_order(specs(2), None, Store(folder))) == undisturbed
        again = Store(folder, resume=True)
        assert text_of(in_order(specs(2), None, again)) == undisturbed
        assert (again.found, again.written, again.torn) == (2, 0, [])
    assert moment > 25


def test_planted_bug_a_file_written_in_place_is_torn_when_killed(tmp_path: Path) -> None:
    """What `publish` is for: half a file under the final name, which only the digest tells from a whole one."""
    store, spec = Store(tmp_path), specs()[0]
    store.put(spec, run_chunk(spec))
    (path,) = tmp_path.glob("*/*.npz")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert store.get(spec) is None
    assert store.torn == [path.with_name(path.name + ".torn")]


def test_a_file_is_flushed_before_it_has_its_name_and_the_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def noted(word: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def noting(*args: Any) -> Any:
            seen.append(word)
            return call(*args)

        return noting

    monkeypatch.setattr(os, "fsync", noted("flush", os.fsync))
    monkeypatch.setattr(os, "link", noted("name", os.link))
    publish(tmp_path / "a" / "b", b"text")
    assert seen == ["flush", "name", "flush", "flush"]


def test_without_links_a_file_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*names: Any) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    publish(tmp_path / "one", b"text")
    publish(tmp_path / "one", b"text")
    assert read(tmp_path / "one") == b"text"
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
    with pytest.raises(StoreError, match="another content"):
        publish(tmp_path / "one", b"other")


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            publish(tmp_path / "one", b"text")
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------ damage


@pytest.mark.parametrize("damage", ["empty", "short", "long", "a bit of the body", "a bit of the digest"])
def test_a_damaged_file_is_moved_aside_and_run_again(tmp_path: Path, damage: str) -> None:
    undisturbed = text_of(in_order(specs(), None, Store(tmp_path)))
    path = sorted(tmp_path.glob("*/*.npz"))[1]
    body = bytearray(path.read_bytes())
    if damage.startswith("a bit"):
        body[-3 if damage.endswith("digest") else len(body) // 2] ^= 1
    changed = {"empty": b"", "short": body[:-1], "long": body + b"\n"}.get(damage, body)
    path.write_bytes(bytes(changed))
    store = Store(tmp_path)
    assert text_of(in_order(specs(), None, store)) == undisturbed
    assert (store.found, store.written, len(store.torn)) == (3, 1, 1)


def test_another_result_of_the_same_seed_is_an_error(tmp_path: Path) -> None:
    store, spec = Store(tmp_path), specs()[0]
    store.put(spec, run_chunk(spec))
    store.put(spec, run_chunk(spec))
    other = run_chunk(replace(spec, seed=1))
    with pytest.raises(StoreError, match=r"chunk 0 of .*noisy gave two different results for one seed"):
        store.put(spec, other)


def test_leftovers_of_the_killed_are_removed_after_a_day(tmp_path: Path) -> None:
    Store(tmp_path).put(specs()[0], run_chunk(specs()[0]))
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    old, fresh = folder / ".a.tmp", folder / ".b.tmp"
    old.touch()
    fresh.touch()
    os.utime(old, (0, old.stat().st_mtime - ABANDONED - 60))
    Store(tmp_path)
    assert not old.exists()
    assert fresh.exists()


def test_resuming_needs_a_store(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="must exist to be resumed"):
        Store(tmp_path / "none", resume=True)
    assert not (tmp_path / "none").exists()
    (tmp_path / "file").touch()
    with pytest.raises(InvalidArgumentError, match="must be a folder"):
        Store(tmp_path / "file")
