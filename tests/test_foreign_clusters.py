"""Audits on real pools and clusters: processes, joblib's loky, a Dask cluster of two workers, Ray."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpref.errors import ChunkError, InvalidArgumentError
from dpref.foreign.chunks import ChunkSpec
from dpref.foreign.claims import DPClaim
from dpref.foreign.executors import named_executor, workers
from dpref.foreign.mechanism import audit_mechanism
from dpref.foreign.pairs import Pair
from dpref.foreign.settling import in_order
from dpref.foreign.store import Store
from dpref.units import ReplaceOne

pytestmark = pytest.mark.slow
HERE = "tests.test_foreign_clusters"
# What takes long and shows little more than the processes do is for the session that has Dask and joblib.
CLUSTERS = pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed (nox -s clusters)")


def batch(data: Any, rng: np.random.Generator, n: int) -> Any:
    return data.sum() + rng.laplace(scale=1.0, size=n)


def audited(**where: Any) -> str:
    """The verdict on a mechanism at its claim, as JSON."""
    found = audit_mechanism(
        f"{HERE}:batch",
        (np.zeros(9), np.eye(9)[0]),
        DPClaim(Fraction(1)),
        adjacency=ReplaceOne,
        trials=400,
        batched=True,
        learn=False,
        **where,
    )
    assert found.outcome == "not refuted", found
    return json.dumps(found.to_json(), sort_keys=True)


def where_it_ran(data: Any, rng: np.random.Generator) -> int:
    return os.getpid()


def dying(data: str, rng: np.random.Generator) -> float:
    """Kills its process, as often as there are files to say so."""
    for path in sorted(Path(data).glob("*.die")):
        path.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return float(rng.normal())


def chunks(target: str, data: Any = 0.0, count: int = 8) -> list[ChunkSpec]:
    return [ChunkSpec(f"{HERE}:{target}", Pair(data, data), 0, index, 2) for index in range(count)]


def processes_of(executor: Executor) -> set[float]:
    results = in_order(chunks("where_it_ran"), executor)
    return {number for result in results for number in result.first.numbers[:, 0].tolist()}


# ------------------------------------------------------------------------------------ processes


@pytest.mark.parametrize("name", ["processes", pytest.param("loky", marks=CLUSTERS)])
def test_processes_give_the_same_verdict_and_die_alone(name: str, tmp_path: Path) -> None:
    with named_executor(name, 2) as executor:
        assert workers(executor) == 2
        assert audited(executor=executor, store=tmp_path / "store") == audited()
        ran = processes_of(executor)
        assert len(ran) in {1, 2}  # one may have been quick enough to do all
        assert os.getpid() not in ran
        (tmp_path / "1.die").touch()
        store = Store(tmp_path / "dying")
        found = list(in_order(chunks("dying", str(tmp_path)), executor, store))
        assert [result.index for result in found] == list(range(8))
        assert store.written == 8


@CLUSTERS
def test_a_run_that_always_kills_its_process_is_named(tmp_path: Path) -> None:
    for i in range(9):
        (tmp_path / f"{i}.die").touch()
    with (
        named_executor("processes", 1) as executor,
        pytest.raises(ChunkError, match=r"chunk 0 of .*dying failed: Broken"),
    ):
        list(in_order(chunks("dying", str(tmp_path)), executor))


# ------------------------------------------------------------------------------------ Dask, Ray


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A Dask cluster of two processes on this machine."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed (nox -s clusters)")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as made:
        yield made


@CLUSTERS
@pytest.mark.filterwarnings("default")  # Dask's own are not ours
def test_a_dask_cluster_gives_the_same_verdict(cluster: Any, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with named_executor(f"dask:{cluster.scheduler_address}", 1) as executor:
        assert workers(executor) == 2
        assert audited(executor=executor, store=tmp_path / "a") == audited()
        assert os.getpid() not in processes_of(executor)
    with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:  # as a user brings it
        executor = client.get_executor()
        assert workers(executor) == 2
        assert audited(executor=executor, store=tmp_path / "b") == audited()
    names = [sorted(path.name for path in (tmp_path / store).rglob("*.npz")) for store in "ab"]
    assert names[0] == names[1] != []


@CLUSTERS
@pytest.mark.filterwarnings("default")
def test_a_dask_worker_that_dies_is_replaced_and_nothing_is_lost(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "1.die").touch()
    store = Store(tmp_path / "store")
    with named_executor(f"dask:{cluster.scheduler_address}", 1) as executor:
        assert len(list(in_order(chunks("dying", str(tmp_path)), executor, store))) == 8
    assert store.written == 8


@CLUSTERS
def test_an_address_without_a_cluster_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpref.foreign.executors.PATIENCE", 1)
    with (
        pytest.raises(InvalidArgumentError, match=r"executor = 'dask:tcp://127\.0\.0\.1:9': no cluster answers there"),
        named_executor("dask:tcp://127.0.0.1:9", 1),
    ):
        pass


@pytest.mark.filterwarnings("default")
def test_ray_gives_the_same_verdict(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        with named_executor("ray", 1) as executor:
            assert workers(executor) == 2
            assert audited(executor=executor) == audited()
    finally:
        ray.shutdown()
