"""Training on shuffled epochs: both numbers are told, by the call and by the command line."""

from __future__ import annotations

import doctest
import json
from fractions import Fraction
from typing import Any

import pytest
from typer.testing import CliRunner

import dpref
from dpref.cli import app
from dpref.errors import PoissonAccountingWarning
from dpref.privacy.accountants import certify
from dpref.privacy.events.expression import parse_event
from dpref.privacy.events.ledger import Gaussian, Ledger
from dpref.privacy.interval import Interval
from dpref.privacy.shuffling import PoissonInstead, as_poisson, poisson_instead
from dpref.units import ReplaceOne, ZeroOut
from tests.test_tutorials import DOCS, FLAGS, blocks, typed

SHORT: dict[str, Any] = {"records": 60, "batch": 6, "epochs": 1, "noise_multiplier": 1, "delta": 1e-5}
TEXT = "dpsgd(records=60, batch=6, epochs=1, noise_multiplier=1, sampling=shuffled)"


def both(epochs: int) -> PoissonInstead:
    ledger = Ledger(parse_event(f"compose(shuffled(gaussian(1), batches=10), {epochs})"), ZeroOut)
    found = poisson_instead(ledger, certify(ledger, epsilon=1), epsilon=1)
    assert found is not None
    return found


def test_a_shuffled_training_warns_with_both_numbers() -> None:
    with pytest.warns(PoissonAccountingWarning, match="is proved to be too little") as told:
        found = dpref.dpsgd(**SHORT, sampling="shuffled", adjacency="zero-out")
    poisson = dpref.dpsgd(**SHORT, sampling="poisson", adjacency="zero-out")
    assert poisson.upper < found.lower < found.upper
    message = str(told[0].message)
    assert poisson.as_decimal(6)[1] in message
    assert found.as_decimal(6)[0] in message
    assert told[0].filename == __file__


def test_random_allocation_does_not_warn() -> None:
    """Planted bug: a warning of every sampling that is not Poisson's would be an error here."""
    found = dpref.dpsgd(**SHORT, sampling="balls-in-bins", adjacency="zero-out")
    assert 0 < found.lower < found.upper


@pytest.mark.slow
def test_the_least_noise_of_shuffled_batches_warns_too() -> None:
    given = {name: value for name, value in SHORT.items() if name != "noise_multiplier"}
    with pytest.warns(PoissonAccountingWarning, match="no Poisson samples"):
        found = dpref.noise_for(**given, epsilon=2, sampling="shuffled", adjacency="zero-out")
    assert found.spent.upper <= 2
    one_answer = certify(Ledger(Gaussian(found.value), ZeroOut), delta=Fraction(1, 10**5))
    assert found.spent.upper == one_answer.upper


def test_the_command_line_tells_both_numbers() -> None:
    asked = ["certify", TEXT, "--delta", "1e-5", "--adjacency", "zero-out"]
    shown = CliRunner().invoke(app, asked)
    assert shown.exit_code == 0
    assert "warning    PoissonAccountingWarning: batches of a shuffled epoch are no Poisson samples" in shown.output
    found = json.loads(CliRunner().invoke(app, [*asked, "--json"]).output)
    assert found["warning"]["name"] == "PoissonAccountingWarning"
    assert float(found["warning"]["poisson"]["upper"]) < float(found["epsilon"]["lower"])
    assert found["warning"]["refuted"] is True
    other = CliRunner().invoke(app, [*asked[:1], TEXT.replace("shuffled", "poisson"), *asked[2:], "--json"])
    assert json.loads(other.output)["epsilon"] == found["warning"]["poisson"]


def test_what_stands_in_for_a_shuffled_epoch() -> None:
    ledger = Ledger(parse_event("compose(gaussian(3), compose(shuffled(gaussian(1), batches=4), 5))"), ReplaceOne)
    wanted = "compose(gaussian(3), compose(compose(poisson(gaussian(1), rate=1/4, contribution=ball), 4), 5))"
    other = as_poisson(ledger)
    assert other is not None
    assert other.event == parse_event(wanted)
    assert as_poisson(other) is None


def test_one_batch_of_all_records_is_no_sample_and_needs_no_warning() -> None:
    ledger = Ledger(parse_event("compose(shuffled(gaussian(1), batches=1), 3)"), ReplaceOne)
    assert as_poisson(ledger) is None


def test_a_number_that_is_not_refuted_is_not_said_to_be_false() -> None:
    ends = [Interval(low, high, "epsilon", "a test", 53, ReplaceOne) for low, high in ((1.0, 9.0), (1.5, 2.0))]
    said = PoissonInstead(*ends)
    assert not said.refuted
    assert "in [1.5, 2] is not proved of them: what is certified is 1 to 9" in str(said)


@pytest.mark.slow
def test_more_epochs_refute_more() -> None:
    assert both(1).refuted
    assert both(3).found.lower > both(1).found.lower


@pytest.mark.slow
def test_the_page_does_what_it_says() -> None:
    output = ""
    session = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    for language, _, body in blocks((DOCS / "events" / "allocation.md").read_text(encoding="utf-8")):
        if language == "sh":
            output, code, expected = typed(body.strip())
            assert str(code) == expected
        elif language == "text":
            assert [line for line in body.splitlines() if line not in output] == []
        else:
            examples = doctest.DocTestParser().get_doctest(body, {}, "allocation", "allocation.md", 0)
            assert session.run(examples, clear_globs=False).failed == 0
