"""The package's public names: each resolves, is listed, and is the one that type checkers see."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import dpref


def test_every_public_name_resolves() -> None:
    for name in dpref.__dir__():
        assert getattr(dpref, name) is not None


def test_type_checkers_and_the_running_program_see_the_same_names() -> None:
    tree = ast.parse(Path(dpref.__file__).read_text(encoding="utf-8"))
    (guarded,) = (node for node in tree.body if isinstance(node, ast.If))
    declared = {
        alias.asname: node.module for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert declared == dpref._HOME


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no public name"):
        dpref.epsilom  # noqa: B018
