"""One call for DP-SGD: what it describes, what it refuses, and that what it returns is what its ledger spends."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from typer.testing import CliRunner

import dpref
from dpref.cli import app
from dpref.errors import ExpressionError, InvalidArgumentError
from dpref.privacy.accountants import certify
from dpref.privacy.event_calibration import calibrate
from dpref.privacy.events.allocation import RandomAllocation, Shuffled
from dpref.privacy.events.ledger import Gaussian, Ledger, Poisson, Repeat, SampleWithoutReplacement
from dpref.privacy.training import dpsgd, noise_for, training_ledger
from dpref.privacy.training_text import ledger_of, template_of
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

SMALL: dict[str, Any] = {"records": 1000, "batch": 10, "steps": 1, "sampling": "poisson"}
MNIST = "dpsgd(records=60000, batch=256, epochs=60, noise_multiplier=1.1, sampling=poisson)"


def test_a_training_that_was_computed_elsewhere() -> None:
    """60 epochs of MNIST in batches of 256: 14063 steps, epsilon between 2.380954 and 2.383133."""
    ledger = ledger_of(MNIST, AddOrRemoveOne)
    assert ledger.event == Repeat(Poisson(Gaussian(Fraction(11, 10)), Fraction(8, 1875)), 14063)
    found = certify(ledger, delta=Fraction(1, 10**5))
    assert 2.380954 <= found.lower <= found.upper <= 2.383133


@pytest.mark.parametrize(
    ("sampling", "adjacency", "step"),
    [
        ("poisson", AddOrRemoveOne, Poisson(Gaussian(Fraction(2)), Fraction(1, 100))),
        ("poisson", ZeroOut, Poisson(Gaussian(Fraction(2)), Fraction(1, 100))),
        ("poisson", ReplaceOne, Poisson(Gaussian(Fraction(1)), Fraction(1, 100), "ball")),
        ("fixed", AddOrRemoveOne, SampleWithoutReplacement(Gaussian(Fraction(2)), 10, 1000)),
        ("fixed", ZeroOut, SampleWithoutReplacement(Gaussian(Fraction(2)), 10, 1000)),
        ("fixed", ReplaceOne, SampleWithoutReplacement(Gaussian(Fraction(1)), 10, 1000)),
        ("allocation", AddOrRemoveOne, RandomAllocation(Gaussian(Fraction(2)), 100)),
        ("balls-in-bins", ReplaceOne, RandomAllocation(Gaussian(Fraction(1)), 100, contribution="ball")),
        ("shuffled", AddOrRemoveOne, Shuffled(Gaussian(Fraction(2)), 100)),
        ("shuffled", ReplaceOne, Shuffled(Gaussian(Fraction(1)), 100)),
    ],
)
def test_the_multiplier_is_over_the_clipping_norm(sampling: Any, adjacency: type[Adjacency], step: Any) -> None:
    given = {**SMALL, "sampling": sampling, "adjacency": adjacency}
    if isinstance(step, RandomAllocation | Shuffled):
        given |= {"steps": 100}  # an epoch
    assert training_ledger(**given, noise_multiplier=2).event == step
    assert training_ledger(**{**given, "adjacency": adjacency.name}, noise_multiplier=2) == Ledger(step, adjacency)


def test_numbers_are_read_as_they_are_printed() -> None:
    """Planted bug: a float taken for the binary fraction that it is, which no table of a paper means."""
    events = {
        training_ledger(**SMALL, noise_multiplier=m, adjacency="zero-out").event
        for m in (1.1, "1.1", "11/10", Fraction(11, 10))
    }
    assert len(events) == 1
    bug = training_ledger(**SMALL, noise_multiplier=Fraction(1.1), adjacency="zero-out").event
    assert bug not in events
    tenth = training_ledger(**{**SMALL, "batch": "60000/6000"}, noise_multiplier=1, adjacency="zero-out")
    assert tenth == ledger_of(
        "dpsgd(records=10*100, batch=2*10/4*2, steps=1, noise_multiplier=1, sampling=poisson)", ZeroOut
    )


@pytest.mark.parametrize("adjacency", [AddOrRemoveOne, ReplaceOne])
def test_the_least_noise_meets_the_budget_and_the_next_does_not(adjacency: type[Adjacency]) -> None:
    given = {**SMALL, "adjacency": adjacency}
    found = dpref.noise_for(**given, epsilon=1, delta=1e-5)
    assert found.spent.upper <= 1
    assert found.ledger == training_ledger(**given, noise_multiplier=found.value)
    assert dpref.dpsgd(**given, noise_multiplier=found.value, delta="1e-5").upper <= 1
    assert found.beyond is not None
    assert dpref.dpsgd(**given, noise_multiplier=found.beyond, delta="1e-5").lower > 1
    assert found.value - found.beyond <= Fraction(1, 10**5)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"sampling": "shuffled", "steps": 150}, "must be whole epochs of 100 steps"),
    ({"sampling": "allocation", "steps": None, "epochs": "5/2"}, "epochs = '5/2': must be an integer"),
    ({"sampling": "Poisson"}, "sampling = 'Poisson': must be one of poisson, fixed"),
    ({"adjacency": "add-remove"}, "must be one of replace-one"),
    ({"batch": 1001}, "batch = 1001: must not exceed the number of records, 1000"),
    ({"batch": 2.5, "sampling": "fixed"}, "batch = .*must be an integer"),
    ({"records": 10.5}, "records = 10.5: must be an integer"),
    ({"epochs": 3}, "exactly one of epochs and steps"),
    ({"steps": None}, "exactly one of epochs and steps"),
    ({"steps": 0}, "steps = 0: must be positive"),
    ({"noise_multiplier": float("nan")}, "noise_multiplier = nan: must be finite"),
    ({"noise_multiplier": -1}, "noise_multiplier = -1: must be positive"),
    ({"delta": 1}, "delta"),
    ({"delta": "a tenth"}, "delta = 'a tenth'"),
]


@pytest.mark.parametrize(("change", "rule"), WRONG, ids=lambda v: "-".join(v) if isinstance(v, dict) else None)
def test_what_is_wrong_is_named(change: dict[str, Any], rule: str) -> None:
    given = {**SMALL, "noise_multiplier": 1, "delta": 1e-5, "adjacency": "zero-out", **change}
    with pytest.raises(InvalidArgumentError, match=rule):
        dpref.dpsgd(**given)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("dpsgd(records=10, batch=1, steps=1, noise_multiplier=1)", "dpsgd needs sampling"),
        ("dpsgd(10, batch=1)", "dpsgd takes, by name, records"),
        ("dpsgd(records=10, records=10)", "records is given twice"),
        ("dpsgd(records=[1], batch=1)", "records must be a number"),
        ("dpsgd(records=10/0, batch=1)", "must not divide by zero"),
        ("dpsgd(records=10) x", "nothing may follow the end"),
        ("dpsgd", "must be '\\('"),
        ("compose(dpsgd(records=10), 2)", "must be one of"),
    ],
)
def test_a_wrong_text_is_refused_at_its_place(text: str, rule: str) -> None:
    with pytest.raises(ExpressionError, match=rule):
        ledger_of(text, ZeroOut)


def test_the_command_line_says_what_was_described() -> None:
    text = "dpsgd(records=1000, batch=10, steps=1, noise_multiplier=0.7, sampling=poisson)"
    options = ("--delta", "1e-5", "--adjacency", "replace-one", "--json")
    result = CliRunner().invoke(app, ["certify", text, *options])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["event"] == "poisson(gaussian(noise_multiplier=7/20), rate=1/100, contribution=ball)"
    assert float(found["epsilon"]["lower"]) <= float(found["epsilon"]["upper"])


# ------------------------------------------------------------------------------------ calibration on the command line

OPEN = "dpsgd(records=1000, batch=10, steps={}, noise_multiplier={}, sampling={})"


@pytest.mark.parametrize(
    ("adjacency", "sampling"),
    [("zero-out", "poisson"), ("replace-one", "poisson"), ("replace-one", "fixed"), ("add-or-remove-one", "fixed")],
)
def test_open_noise_is_that_of_noise_for(adjacency: str, sampling: Any) -> None:
    """Over the clipping norm, under replace-one too, where the event's own multiplier is half of it."""
    given = ("--epsilon", "1", "--delta", "1e-5", "--adjacency", adjacency, "--json")
    result = CliRunner().invoke(app, ["calibrate", OPEN.format(1, "?", sampling), *given])
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    training: dict[str, Any] = {**SMALL, "sampling": sampling, "adjacency": adjacency}
    least = noise_for(**training, epsilon=1, delta=1e-5)
    assert Fraction(found["value"]) == pytest.approx(least.value, rel=1e-5)
    assert found["parameter"] == "noise_multiplier"
    assert dpsgd(**training, noise_multiplier=found["value"], delta=1e-5).upper <= 1


@pytest.mark.slow
def test_open_steps_are_the_most_that_fit() -> None:
    given: dict[str, Any] = {**SMALL, "adjacency": "zero-out", "noise_multiplier": 2, "delta": 1e-5}
    template = template_of(OPEN.format("?", 2, "poisson"), ZeroOut)
    found = calibrate(template, epsilon=1, delta=Fraction(1, 10**5), adjacency=ZeroOut)
    assert found.parameter == "steps"
    assert found.beyond is not None
    assert dpsgd(**{**given, "steps": int(found.value)}).upper <= 1
    assert dpsgd(**{**given, "steps": int(found.beyond)}).lower > 1


@pytest.mark.parametrize(
    "text",
    [
        OPEN.format(1, 2, "poisson"),
        OPEN.format(1, "?", "?"),
        OPEN.format("?", "?", "poisson"),
        OPEN.format(1, "?", "poisson").replace("batch=10", "batch=2000"),
        OPEN.format(1, "?", "shuffles"),
        "dpsgd(records=?, batch=10, steps=1, noise_multiplier=1, sampling=poisson)",
        "dpsgd(records=10, batch=1, noise_multiplier=?, sampling=poisson)",
        "compose(dpsgd(records=10, batch=1, steps=1, noise_multiplier=?, sampling=poisson), 2)",
    ],
)
def test_open_trainings_that_are_none(text: str) -> None:
    result = CliRunner().invoke(
        app, ["calibrate", text, "--epsilon", "1", "--delta", "1e-5", "--adjacency", "zero-out"]
    )
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


def test_planted_bug_the_event_s_own_multiplier() -> None:
    """Under replace-one the clipping norm is half of the sensitivity: who forgets it asks for half of the noise."""
    template = template_of(OPEN.format(1, "?", "poisson"), ReplaceOne)
    assert "gaussian(noise_multiplier=1)" in str(template.fill(Fraction(2)))
    assert "gaussian(noise_multiplier=2)" in str(template_of(OPEN.format(1, "?", "poisson"), ZeroOut).fill(Fraction(2)))
