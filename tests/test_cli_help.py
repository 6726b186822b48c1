"""What the command line says of itself: examples that run, completion of names, and a log on request."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner, Result

from dpref.cli import app, completion, help_examples
from dpref.cli.progress import show_log

CERTIFY = ("certify", "gaussian(1)", "--delta", "1e-5", "--adjacency", "replace-one")
# Those that neither compile, nor need a file or a package of somebody's, with their exit codes.
QUICK = {
    "dpref audit dp-erm-revisited/definition-3.4": 1,  # one of its two readings is refuted
    "dpref audit --list": 0,
    "dpref certify 'compose(gaussian(100), 10000)' --delta 1e-5 --adjacency replace-one": 0,
    "dpref certify 'poisson(gaussian(1), rate=1/100)' --epsilon 1 --adjacency add-or-remove-one --json": 0,
    "dpref calibrate 'compose(gaussian(?), 100)' --epsilon 1 --delta 1e-5 --adjacency replace-one": 0,
    "dpref calibrate 'compose(gaussian(20), ?)' --epsilon 1 --delta 1e-5 --adjacency replace-one": 0,
    "dpref reproduce": 0,
    "dpref vectors make vectors --family sensitivity --sample 2": 0,
    "dpref algorithms": 0,
    "dpref algorithms spider --json": 0,
    "dpref findings --concerns privacy": 0,
    "dpref findings dp-erm-revisited/theorem-5.3": 0,
    "dpref findings dp-erm-revisited/theorem-5.3 --bibtex": 0,
}


@pytest.fixture(autouse=True)
def quiet_again() -> Iterator[None]:
    """The level that a test set does not outlive it."""
    yield
    show_log(0)


def dpref(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(app, arguments, prog_name="dpref", env=environment)


def verbs(command: Any, words: str = "") -> Iterator[tuple[str, Any]]:
    """Every verb by the words that call it."""
    for name, below in command.commands.items():
        if hasattr(below, "commands"):
            yield from verbs(below, f"{words}{name} ")
        else:
            yield words + name, below


VERBS = dict(verbs(get_command(app)))
EXAMPLES = [(verb, example) for verb, examples in help_examples.EXAMPLES.items() for example in examples]


def test_every_verb_has_examples_and_shows_them() -> None:
    assert set(help_examples.EXAMPLES) == set(VERBS)
    for verb, examples in help_examples.EXAMPLES.items():
        shown = " ".join(dpref(*verb.split(), "--help", COLUMNS="200", TERMINAL_WIDTH="200").output.split())
        assert "For example:" in shown
        assert [example for example in examples if example not in shown] == []


@pytest.mark.parametrize(("verb", "example"), EXAMPLES, ids=str)
def test_an_example_is_what_the_verb_takes(verb: str, example: str) -> None:
    words = shlex.split(example)
    called = ["dpref", *verb.split()]
    assert words[: len(called)] == called
    VERBS[verb].make_context(verb, words[len(called) :])  # exits if an option or the kind of a value is wrong


def test_planted_bug_an_example_with_an_option_that_is_none_is_seen() -> None:
    with pytest.raises(Exception, match="--nowhere"):
        VERBS["prove"].make_context("prove", ["--nowhere"])


def test_the_quick_examples_are_examples() -> None:
    assert set(QUICK) <= {example for _, example in EXAMPLES}


@pytest.mark.parametrize(("example", "code"), QUICK.items())
@pytest.mark.slow
def test_the_quick_examples_run(example: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = dpref(*shlex.split(example)[1:], XDG_CACHE_HOME=str(tmp_path))
    assert result.exit_code == code, result.output
    assert result.stdout


# ------------------------------------------------------------------------------------ completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_of_completion_is_printed(shell: str) -> None:
    script = dpref(_DPREF_COMPLETE=f"source_{shell}")
    assert script.exit_code == 0
    assert "_DPREF_COMPLETE=complete_" + shell in script.stdout


def completed(words: str) -> list[str]:
    """What bash offers after these words."""
    offered = dpref(_DPREF_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(len(words.split()) - 1))
    return offered.stdout.split()


def test_verbs_options_and_names_are_completed() -> None:
    assert completed("dpref cali") == ["calibrate"]
    assert "--adjacency" in completed("dpref certify --adj")
    assert completed("dpref algorithms spid") == ["spider"]
    assert completed("dpref certify x --adjacency zero") == ["zero-out"]
    assert completed("dpref certify x --accountant rén") == []
    assert completed("dpref reproduce dynamic-privacy-budget/table-1") == ["dynamic-privacy-budget/table-1"]


def test_claims_are_completed_a_part_at_a_time() -> None:
    assert "kl-condition/" in completion.claims("")
    assert not [name for name in completion.claims("") if not name.endswith("/")]
    assert completion.claims("kl-condition/theorem-1@as-printed,z") == ["kl-condition/theorem-1@as-printed,zero-out"]
    assert completion.accountants("b") == ["best", "basic"]


# ------------------------------------------------------------------------------------ the log


def test_the_log_is_said_on_request_and_on_standard_error_alone() -> None:
    silent, told = dpref(*CERTIFY), dpref("-v", *CERTIFY)
    assert silent.stderr == ""
    assert "dpref: accountant gaussian: epsilon in [" in told.stderr
    assert told.stdout == silent.stdout


def test_a_second_v_says_more() -> None:
    assert dpref("-v", "reproduce").stderr == ""
    dpref("-vv", "algorithms", "spider")
    assert logging.getLogger("dpref").level == logging.DEBUG


def test_each_line_is_said_once_however_often_the_command_is_called() -> None:
    dpref("-v", "reproduce")
    assert dpref("-v", *CERTIFY).stderr.count("accountant gaussian") == 1


def test_the_library_by_itself_shows_warnings_alone_and_hides_none() -> None:
    """A handler that drops everything would hide that a long question is at work."""
    handlers = logging.getLogger("dpref").handlers
    assert not any(isinstance(handler, logging.NullHandler) for handler in handlers)
