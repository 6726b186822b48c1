"""What ``dpref audit`` has for long audits of a callable: where its chunks are run, and where they are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, TypedDict

import typer

from dpref.errors import InvalidArgumentError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from dpref.foreign.store import Store


PANEL: Final = "Of a long audit of a callable"


def _option(text: str, *names: str) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=PANEL)


ResumeOption: TypeAlias = Annotated[bool, _option("The folder of --store must be there.", "--resume")]
ExecutorOption: TypeAlias = Annotated[
    str | None,
    _option(
        "Where chunks are run: threads, processes, loky, ray, dask:ADDRESS, or package.module:function that returns"
        " an executor; processes, if there is more than one of --jobs."
    ),
]
CodeVersionOption: TypeAlias = Annotated[
    str | None, _option("Stands for the code in the store's keys; by default the files of the callable are read.")
]


class Place(TypedDict):
    """Arguments of `audit_mechanism`."""

    executor: Executor | None
    store: Store | None


@contextmanager
def place(options: Mapping[str, Any]) -> Iterator[Place]:
    """Where an audit is run and kept; afterwards a line says what the store had.

    Args:
        options: Of the command line.

    Yields:
        The executor and the store.

    Raises:
        InvalidArgumentError: If one of them cannot be had.
    """
    from dpref.foreign.executors import named_executor
    from dpref.foreign.store import Store

    folder, jobs = options["store"], 1 if options["jobs"] is None else options["jobs"]
    for name, value in (("--resume", options["resume"] or None), ("--code-version", options["code_version"])):
        if folder is None and value is not None:
            raise InvalidArgumentError(name, value, "needs --store DIR")
    store = Store(folder, resume=options["resume"], code_version=options["code_version"]) if folder else None
    asked: str | None = options["executor"] or ("processes" if jobs != 1 else None)
    with nullcontext() if asked is None else named_executor(asked, jobs) as executor:
        try:
            yield {"executor": executor, "store": store}
        finally:
            if store is not None and store.found + store.written:
                typer.echo(f"dpref: {store}", err=True)
