"""What a result depends on: another value, another code or another state of what code names is another digest."""

from __future__ import annotations

import os
import random
import sys
import warnings
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from dpref.errors import InvalidArgumentError
from dpref.foreign import DPClaim, audit_mechanism
from dpref.foreign.chunks import ChunkSpec
from dpref.foreign.code_files import sources, version_of
from dpref.foreign.identity import digest
from dpref.foreign.pairs import Pair
from dpref.foreign.settling import in_order
from dpref.foreign.store import Store
from dpref.units import ReplaceOne

PAIR = Pair(np.zeros(3), np.ones(3))


def noisy(data: Any, rng: np.random.Generator) -> float:
    return float(data.sum() + rng.normal())


def specs(count: int = 4, target: Any = noisy) -> list[ChunkSpec]:
    return [ChunkSpec(target, PAIR, 0, index, 3) for index in range(count)]


def test_the_key_depends_on_all_that_the_result_depends_on(tmp_path: Path) -> None:
    store, spec = Store(tmp_path), specs()[0]
    same = [spec, specs()[0], replace(spec, limit=99.0), replace(spec, pair=Pair(np.zeros(3), np.ones(3), "named"))]
    assert len({store.key(one) for one in same}) == 1
    changes: list[dict[str, Any]] = [
        {"seed": 1},
        {"index": 1},
        {"size": 4},
        {"batched": True},
        {"seeding": "seed"},
        {"exceptions": "output"},
        {"purpose": "control"},
        {"target": partial(noisy)},
        {"target": "tests.test_foreign_store:noisy"},
        {"pair": Pair(PAIR.second, PAIR.first)},
        {"pair": Pair(np.zeros(3, np.float32), np.ones(3))},
        {"pair": Pair(np.zeros((3, 1)), np.ones(3))},
    ]
    keys = [store.key(replace(spec, **change)) for change in changes]
    assert len({store.key(spec), *keys}) == len(changes) + 1
    assert Store(tmp_path, code_version="1").key(spec) != Store(tmp_path, code_version="2").key(spec)


def closing_over(scale: float) -> Callable[[Any, Any], Any]:
    def scaled(data: Any, rng: Any, *, shift: float = scale) -> Any:
        return data * scale + shift

    return scaled


class Mechanism:
    """A callable object, whose state counts."""

    def __init__(self, scale: float) -> None:
        self.scale = scale

    def __call__(self, data: Any, rng: Any) -> Any:
        return data * self.scale

    def run(self, data: Any, rng: Any) -> Any:
        return data * self.scale


def test_what_is_bound_to_code_counts() -> None:
    makers: list[Callable[[float], Any]] = [
        closing_over,
        Mechanism,
        lambda scale: Mechanism(scale).run,
        lambda scale: partial(noisy, scale),
        lambda scale: partial(Mechanism, scale=scale),
        lambda scale: {"a": [scale], "b": (1, scale)},
        lambda scale: {frozenset({scale, "x"})},
    ]
    for make in makers:
        assert digest(make(1.0)) == digest(make(1.0)) != digest(make(2.0))
    values = [0, 0.0, -0.0, False, "0", b"0", None, (0,), [0], np.zeros(1), np.zeros(1, int), np.float64(0), {0: 0}]
    assert len({digest(value) for value in values}) == len(values)
    assert digest(noisy) != digest(noisy, "1") != digest(noisy, "2")
    with pytest.raises(InvalidArgumentError, match="cannot be pickled"):
        digest(iter(()).__class__.__call__)


MINE = "import helper\nfrom deeper.inner import scale\ndef f(data, rng):\n    return float(data.sum()) + rng.normal()\n"


def test_changed_code_is_run_again(tmp_path: Path, written: Callable[..., ModuleType]) -> None:
    texts = {"mine": MINE, "helper": "import third\n", "third": "a = 1\n", "deeper__inner": "scale = 1\n"}
    written(**texts, deeper____init__="")
    stores = []
    for changed in (None, "helper", "third", "deeper__inner", "mine", None):
        if changed:
            texts[changed] += "# changed\n"
        written(**texts)
        stores.append(Store(tmp_path / "store"))
        list(in_order(specs(target="mine:f"), None, stores[-1]))
    assert [store.written for store in stores] == [4, 4, 4, 4, 4, 0]
    assert stores[-1].found == 4
    (tmp_path / "code" / "stranger.py").write_text("x = 1\n")
    assert Store(tmp_path / "store").get(specs(target="mine:f")[0]) is not None


def test_the_sources_of_a_package_are_all_of_it(written: Callable[..., ModuleType]) -> None:
    package = {"pack__one": "a = 1\n", "pack____init__": "", "pack__sub__two": "b = 1\n"}
    written(**{key: text for key, text in package.items() if "sub" not in key})
    before = sources("pack.one")
    assert before == sources("pack")
    written(pack__one="a = 2\n")
    assert sources("pack.one") != before


# ------------------------------------------------------------------------------------ code of the same name and text


def test_two_functions_of_one_name_are_two() -> None:
    """Lambdas of a file, or functions defined one after the other under one name, differ by what was compiled."""
    three: list[Callable[[Any, Any], Any]] = [
        lambda data, rng: data + rng.laplace(scale=0.2),
        lambda data, rng: data + rng.laplace(scale=1.0),
        lambda data, rng: data + rng.laplace(scale=1.0),
    ]
    leaky, right, again = three
    assert digest(leaky) != digest(right) == digest(again)
    assert digest(partial(leaky)) != digest(partial(right))
    assert digest(lambda x: leaky(x, 1)) != digest(lambda x: right(x, 1))
    assert digest(leaky, "1") != digest(right, "1") == digest(again, "1")


TYPED = "scale = {scale}\ndef helper(x):\n    return {helper} * x\ndef f(data, rng):\n    return helper(data) + scale\n"


@pytest.mark.parametrize("change", [{"scale": "2.0"}, {"helper": "2"}])
def test_what_is_typed_at_a_prompt_is_followed_through_its_globals(change: dict[str, str]) -> None:
    found = []
    for parts in ({}, {}, change):
        names: dict[str, Any] = {"__name__": "__typed__"}
        sys.modules["__typed__"] = ModuleType("__typed__")
        exec(TYPED.format(**{"scale": "1.0", "helper": "1", **parts}), names)  # noqa: S102 - as a prompt does
        found.append(digest(names["f"]))
        del sys.modules["__typed__"]
    assert found[0] == found[1] != found[2]


def test_globals_that_are_set_after_the_import_count(tmp_path: Path, written: Callable[..., ModuleType]) -> None:
    """Of the function's own module and of those that it names, in code that has not changed a letter."""
    mine = written(
        mine="import config\nfrom helper import drawn\nSCALE = 1\ndef f(x, rng):\n    return drawn(SCALE * config.a)\n",
        config="a = 1\nb = 1\n",
        helper="c = 1\ndef drawn(x):\n    return c * x\n",
    )
    first, name = digest(mine.f), Store(tmp_path / "store").key(specs(target="mine:f")[0])
    assert digest(mine.f) == first
    for module, key in ((mine, "SCALE"), (mine.config, "a"), (sys.modules["helper"], "c")):
        setattr(module, key, 2)
        assert digest(mine.f) != first, key
        assert Store(tmp_path / "store").key(specs(target="mine:f")[0]) != name, key
        setattr(module, key, 1)
    mine.config.b = 2  # which nobody names
    assert digest(mine.f) == first


def test_a_function_that_was_edited_after_the_import_is_not_its_file(
    tmp_path: Path, written: Callable[..., ModuleType]
) -> None:
    """What runs is what was loaded; planted bug: the text of the file alone."""
    mine = written(mine="def f(data, rng):\n    return 1\n")
    # Of another length: of two texts of one length that were written in one second, the bytecode is that of the first.
    (tmp_path / "code" / "mine.py").write_text("def f(data, rng):\n    return 20\n")
    stale, text = digest(mine.f), sources("mine")
    mine = written(mine="def f(data, rng):\n    return 20\n")
    assert sources("mine") == text
    assert digest(mine.f) != stale


def test_what_is_imported_and_not_installed_counts_wherever_it_lies(
    tmp_path: Path, written: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not only the files beside the function's own: a test's own file imports the code that is tested."""
    elsewhere = tmp_path / "elsewhere" / "mylib"
    elsewhere.mkdir(parents=True)
    (elsewhere / "__init__.py").write_text("")
    (elsewhere / "noise.py").write_text("scale = 1\n")
    monkeypatch.syspath_prepend(str(elsewhere.parent))
    texts = {"mine": "from mylib.noise import scale\nimport numpy as np, json\ndef f(data, rng):\n    return 1\n"}
    written(**texts)
    before = sources("mine")
    (elsewhere / "noise.py").write_text("scale = 2\n")
    os.utime(elsewhere / "noise.py", (1, 1))
    assert sources("mine") != before
    with monkeypatch.context() as patch:
        patch.setattr(np, "__version__", "another")
        assert sources("mine") != (installed := before)
        (elsewhere / "noise.py").write_text("scale = 1\n")
        assert sources("mine") != installed  # another release of numpy
    assert sources("mine") == before
    del sys.modules["mylib"], sys.modules["mylib.noise"]


# ------------------------------------------------------------------------------------ state


@dataclass
class Given:
    """Has state beside its fields."""

    shown: int
    scale: InitVar[float]
    kept: list[int] = field(default_factory=list)

    def __post_init__(self, scale: float) -> None:
        self.hidden = scale

    @cached_property
    def computed(self) -> int:
        return self.shown + 1


class Holder:
    """Holds code."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner


def test_state_beside_the_fields_counts_and_what_is_computed_from_it_does_not() -> None:
    one = Given(1, 1.0)
    before = digest(one)
    assert one.computed == 2
    assert digest(one) == before == digest(Given(1, 1.0)) != digest(Given(1, 2.0))


def test_code_that_an_object_holds_counts() -> None:
    one, two = (lambda x: x), (lambda x: x + 1)
    assert digest(Holder(one)) == digest(Holder(one)) != digest(Holder(two))
    assert digest(Holder(noisy)) != digest(Holder(len)) != digest(Holder(int))


RNG = random.Random()  # noqa: S311 - of a test
CACHED = lru_cache(noisy)
PIPE = iter([1]).__iter__


def draws(data: Any) -> float:
    return RNG.random() + CACHED(data, None)


def reads(data: Any) -> Any:
    return PIPE, GENERATED


GENERATED = (part for part in "ab")


def test_a_generator_among_the_globals_is_no_part_of_the_code_and_what_has_no_form_is_refused() -> None:
    before = digest(draws)
    RNG.random()
    assert digest(draws) == before
    with pytest.raises(InvalidArgumentError, match=r"a global of .*code_version"):
        digest(reads)
    assert digest(reads, "1") != digest(reads, "2")


def test_data_that_changed_between_two_audits_are_read_again(tmp_path: Path) -> None:
    """Planted bug: a store that remembers its last data by where they lie."""
    store, first, second = Store(tmp_path), np.zeros(3), np.array([0.0, 0.0, 50.0])

    def audited() -> str:
        claim = DPClaim(Fraction(1))
        found = audit_mechanism(
            noisy, (first, second), claim, adjacency=ReplaceOne, trials=240, learn=False, bits="off", store=store
        )
        return found.outcome

    assert audited() == "refuted"
    second[2] = 0.5
    assert audited() == "not refuted"


def test_a_package_that_warns_of_its_version_is_asked_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    class Warns(ModuleType):
        def __getattr__(self, name: str) -> str:
            warnings.warn(f"{name} is deprecated", DeprecationWarning, stacklevel=2)
            return "9"

    monkeypatch.setitem(sys.modules, "warns_of_its_version", Warns("warns_of_its_version"))
    assert version_of("warns_of_its_version.part") == "warns_of_its_version 9"


AT_A_PROMPT = """
from dataclasses import dataclass
from functools import lru_cache, partial
import numpy as np

@lru_cache
def scale(x):
    return x * {k}

@dataclass
class Settings:
    scale: int

class Constant:
    def __get__(self, held, kind):
        return {k}

class Nested:
    class Inner:
        scale = {k}

class Scalar:
    scale = np.float64({k})

class Complex:
    scale = {k} + 1j

class Described:
    scale = Constant()

class Held:
    settings = Settings({k})

def defaults(data, rng, f=scale):
    return f(data)

cached, applied, table = scale, partial(scale), {{"f": scale}}
"""


@pytest.mark.parametrize("name", [
    "cached", "applied", "table", "defaults", "Nested", "Scalar", "Complex", "Described", "Held",
])  # fmt: skip
def test_code_behind_caches_and_in_the_bodies_of_classes_counts_where_no_file_has_its_text(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a notebook, where a cell is run again with another number in it."""
    keys = set()
    monkeypatch.setitem(sys.modules, "__typed__", ModuleType("__typed__"))
    for number in (1, 2, 2):
        cell: dict[str, Any] = {"__name__": "__typed__"}
        exec(AT_A_PROMPT.format(k=number), cell)  # noqa: S102 - as at a prompt
        keys.add(digest(cell[name]))
    assert len(keys) == 2
