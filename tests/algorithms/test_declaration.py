"""A declaration reads the annotations of a kernel's numbers, however numpy spells an array."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, get_type_hints

import numpy as np
import pytest

from dpref.algorithms import declaration, examples, gradient_descent
from dpref.algorithms.declaration import numbers_of
from dpref.kernels.records import Indices, Vector

OLD = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]  # ``NDArray[np.float64]`` of numpy 2.4 and older


class Spelt:
    """An array type without arguments to read; ``NDArray`` of numpy 2.5 has no ``dtype`` among its own."""


def numbers(annotation: Any) -> Any:
    """Return the fields ``start`` and ``steps`` of a kernel, the first with this annotation."""

    class Numbers(NamedTuple):
        start: Any
        steps: int

    Numbers.__annotations__["start"] = annotation
    return Numbers


@pytest.mark.parametrize("spelling", [Vector, OLD, Spelt], ids=["installed", "numpy 2.4", "opaque"])
def test_an_array_is_known_by_its_annotation_however_that_is_spelt(
    monkeypatch: pytest.MonkeyPatch, spelling: Any
) -> None:
    monkeypatch.setattr(declaration, "ELEMENT_TYPES", {spelling: np.float64, Indices: np.int64})
    algorithm: Any = SimpleNamespace(kernel=SimpleNamespace(Numbers=numbers(spelling)))
    made = numbers_of(algorithm, examples.gradient_descent().plan)
    assert made.start.dtype == np.float64
    assert made.start.tolist() == [0.0]
    assert made.steps == 2


def test_every_kernel_has_numbers_of_known_types() -> None:
    from dpref.algorithms.registry import ALGORITHMS

    for algorithm in ALGORITHMS.values():
        hints = get_type_hints(algorithm.kernel.Numbers)
        assert hints
        assert all(hint in {bool, int, float, Vector, Indices} for hint in hints.values()), algorithm.name


def test_an_annotation_that_no_kernel_reads_is_refused_by_name() -> None:
    algorithm: Any = SimpleNamespace(kernel=SimpleNamespace(Numbers=numbers(list)))
    with pytest.raises(TypeError, match=r"Numbers\.start is annotated .*list.*: annotate it with one of them"):
        numbers_of(algorithm, examples.gradient_descent().plan)


def test_the_planning_of_a_declared_algorithm_is_converted_as_its_kernel_says() -> None:
    made = numbers_of(gradient_descent.ALGORITHM, examples.gradient_descent().plan)
    assert (made.start.dtype, type(made.steps), type(made.std)) == (np.float64, int, float)


def test_mypy_is_shown_every_kernel() -> None:
    from dpref.algorithms.registry import ALGORITHMS

    shown = (Path(__file__).parents[1] / "typing" / "accept" / "kernels.py").read_text(encoding="utf-8")
    for algorithm in ALGORITHMS.values():
        name = algorithm.folder.rpartition(".")[2]
        assert f"from {algorithm.folder} import kernel as {name}\n" in shown
        assert f"\n    {name},\n" in shown
