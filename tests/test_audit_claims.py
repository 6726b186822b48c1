"""Claims: names, files, the schema, the catalogue, and refusals that say where and why."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from mpmath import mp

from dpref.audit.builders import build
from dpref.audit.claim_files import CLAIMS_SCHEMA, parse_claims, read_claims
from dpref.audit.claims import Claim
from dpref.audit.gaussian_mechanism import CALIBRATIONS, GaussianMechanismSubject, calibrated_multiplier
from dpref.documents import schema, violations
from dpref.errors import ClaimFileError, InvalidArgumentError
from dpref.privacy.closed_forms.gaussian import gdp
from dpref.units import GDP, ZCDP, ApproximateDP, PrivacyLoss, PureDP, ReplaceOne, ZeroOut
from tests import claimed

CLAIM = {**claimed.CLAIM, "parameters": {"noise_multiplier": "2.5"}, "claimed": {"measure": "zcdp", "rho": "1/10"}}
GD = {"epsilon": 1, "delta": "1e-5", "clip": "1/4"}
SVRG = {"epsilon": 1, "delta": "1e-5", "epochs": 2, "inner": 10, "clip": "1/4"}
SPIDER = {
    "rho": 1, "failure": "1/20", "gamma": "0.7072", "kappa": 2, "gap": "9/2097152", "instance": "squares",
    "records": 1024, "threshold": "1.06", "start": "1/1024",
}  # fmt: skip
WIDE = {"records": 9999, "dimension": 9999, "lipschitz": 1, "radius": 1}
DYNAMIC = {"budget": 1, "steps": 2, "clip": "1/4", "schedule": "influence"}


def text(**changes: Any) -> str:
    return json.dumps({"claims": [{**CLAIM, **changes}]})


# ------------------------------------------------------------------------------------ calibrations


@pytest.mark.parametrize(
    ("calibration", "rho"),
    [
        ("zcdp", 0.196351853440284),
        ("zcdp-lemma-c.4-as-printed", 81.486371122),
        ("zcdp-section-4.1.3-as-printed", 81.486371122),
    ],
)
def test_the_conversions_at_4_and_1e_8_are_the_golden_ones(calibration: str, rho: float) -> None:
    z = calibrated_multiplier(calibration, Fraction(4), Fraction(1, 10**8))
    assert float(1 / (2 * z * z)) == pytest.approx(rho, rel=1e-10)


def test_a_calibrated_multiplier_is_rounded_up() -> None:
    with mp.workdps(50):
        e, L, root = mp.mpf(3), mp.log(10**6), mp.sqrt(7)
        wanted = {
            "classical": mp.sqrt(2 * (L + mp.log(mp.mpf(5) / 4))) / e,
            "zcdp": 1 / mp.sqrt(2 * (mp.sqrt(e + L) - mp.sqrt(L)) ** 2),
            "zcdp-lemma-c.4-as-printed": 1 / mp.sqrt(2 * (mp.sqrt(e + L) + mp.sqrt(L)) ** 2),
            "zcdp-section-4.1.3-as-printed": 1 / mp.sqrt(2 * (mp.sqrt(e + L) + mp.sqrt(L)) ** 2),
        }
        assert wanted.keys() == CALIBRATIONS.keys()
        for name, one in wanted.items():
            z = float(calibrated_multiplier(name, Fraction(3), Fraction(1, 10**6), 7))
            assert math.nextafter(z, 0) < one * root <= z


def test_several_answers_compose_to_the_calibrated_loss() -> None:
    one = GaussianMechanismSubject(ReplaceOne, calibrated_multiplier("zcdp", Fraction(1), Fraction(1, 10**6)))
    many = GaussianMechanismSubject(
        ReplaceOne, calibrated_multiplier("zcdp", Fraction(1), Fraction(1, 10**6), 100), count=100
    )
    assert many.mu_squared <= one.mu_squared * (1 + Fraction(1, 10**15))
    assert gdp(many.ledger()).value == many.mu_squared
    assert float(many.mu_squared) == pytest.approx(float(one.mu_squared), rel=1e-14)


@pytest.mark.parametrize(
    ("argument", "settings"),
    [
        ("calibration", ("nobody", Fraction(1), Fraction(1, 10))),
        ("epsilon", ("zcdp", Fraction(0), Fraction(1, 10))),
        ("delta", ("zcdp", Fraction(1), Fraction(1))),
        ("delta", ("zcdp", Fraction(1), Fraction(0))),
        ("count", ("zcdp", Fraction(1), Fraction(1, 10), 0)),
    ],
)
def test_calibrations_refuse_what_is_out_of_their_domain(argument: str, settings: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidArgumentError, match=argument):
        calibrated_multiplier(*settings)


@pytest.mark.parametrize(
    ("argument", "settings"),
    [
        ("noise_multiplier", {"noise_multiplier": Fraction(0)}),
        ("noise_multiplier", {"noise_multiplier": 2.0}),
        ("noise_multiplier", {"noise_multiplier": Fraction(1, 10**200)}),
        ("count", {"noise_multiplier": Fraction(1), "count": 0}),
        ("count", {"noise_multiplier": Fraction(1), "count": 10**9}),
    ],
)
def test_the_gaussian_mechanism_refuses_what_it_cannot_run(argument: str, settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match=argument):
        GaussianMechanismSubject(ReplaceOne, **settings)


# ------------------------------------------------------------------------------------ claims


def claim(**changes: Any) -> Claim:
    settings: dict[str, Any] = {
        "paper": "p",
        "item": "i",
        "form": "f",
        "adjacency": ReplaceOne,
        "algorithm": "a",
        "claimed": PrivacyLoss(Fraction(1), ZCDP, ReplaceOne),
    }
    return Claim(**{**settings, **changes})


@pytest.mark.parametrize(
    ("argument", "changes"),
    [
        ("paper", {"paper": "Not A Slug"}),
        ("item", {"item": ""}),
        ("form", {"form": "a,b"}),
        ("claimed", {"claimed": PrivacyLoss(Fraction(1), GDP, ReplaceOne)}),
        ("claimed", {"claimed": PrivacyLoss(Fraction(1), ZCDP, ZeroOut)}),
        ("claimed", {"claimed": PrivacyLoss(Fraction(0), ZCDP, ReplaceOne)}),
        ("delta", {"claimed": PrivacyLoss(Fraction(1), ApproximateDP, ReplaceOne, Fraction(2))}),
        ("delta", {"delta": Fraction(0)}),
        ("release", {"release": "everything"}),
        ("expected", {"expected": "maybe"}),
        ("quote", {"quote": "word " * 40, "place": "Theorem 1"}),
        ("place", {"quote": "A theorem."}),
        ("place", {"place": "Theorem 1"}),
    ],
)
def test_a_claim_that_cannot_be_one_is_refused(argument: str, changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match=argument):
        claim(**changes)


def test_the_delta_of_an_approximate_claim_is_its_own() -> None:
    loss = PrivacyLoss(Fraction(1), ApproximateDP, ReplaceOne, Fraction(1, 7))
    assert claim(claimed=loss, delta=Fraction(1, 2)).delta == Fraction(1, 7)


def test_a_claim_may_be_pure() -> None:
    loss = PrivacyLoss(Fraction(1), ApproximateDP, ReplaceOne)
    assert claim(claimed=loss).delta == 0
    assert claim(claimed=PrivacyLoss(Fraction(1), PureDP, ReplaceOne)) == claim(claimed=loss)
    (read,) = parse_claims(text(claimed={"measure": "approximate", "epsilon": 1, "delta": 0}))
    assert read.claimed == loss


def test_parameters_cannot_be_changed_afterwards() -> None:
    parameters: dict[str, int | str | Fraction] = {"count": 1}
    made = claim(parameters=parameters)
    parameters["count"] = 2
    assert made.parameters["count"] == 1


# ------------------------------------------------------------------------------------ files


def test_a_file_is_read_as_it_is_written() -> None:
    (read,) = parse_claims(text(delta="1e-3", release="output", expected="holds"))
    assert read.id == "somebody/theorem-1@as-printed,replace-one"
    assert read.parameters["noise_multiplier"] == Fraction(5, 2)
    assert (read.claimed.value, read.delta, read.release, read.expected) == (
        Fraction(1, 10),
        Fraction(1, 1000),
        "output",
        "holds",
    )


@pytest.mark.parametrize("number", ["1/100", "0.01", "1e-2", "1.0E-2", "100e-4"])
def test_numbers_are_exact_in_every_spelling(number: str) -> None:
    assert parse_claims(text(claimed={"measure": "zcdp", "rho": number}))[0].claimed.value == Fraction(1, 100)


BAD = {
    "not JSON": ("{", r"line 1, column 2"),
    "empty": ("", r"line 1"),
    "a list": ("[]", "an object that holds a list of claims"),
    "no claims": ('{"claims": []}', "1 to 1000"),
    "NaN": ('{"claims": NaN}', "NaN"),
    "infinity": ('{"claims": [-Infinity]}', "-Infinity"),
    "twice": ('{"claims": [], "claims": []}', "twice"),
    "too deep": ('{"claims":' + "[" * 100_000, "nested"),
    "a huge integer": ("1" * 5000, "not JSON"),
    "unknown key": (text(colour="red"), "colour"),
    "missing key": ('{"claims": [{}]}', r"claims\[0\]: 'adjacency' is a required property"),
    "a float": (text(claimed={"measure": "zcdp", "rho": 0.1}), r"claims\[0\].claimed.rho: must be an exact number"),
    "a whole float": (text(claimed={"measure": "zcdp", "rho": 1.0}), r"claimed.rho: must be an exact number"),
    "a truth value": (text(claimed={"measure": "zcdp", "rho": True}), r"claimed.rho: must be an exact number"),
    "negative": (text(claimed={"measure": "zcdp", "rho": "-1"}), r"claimed.rho: must be .* not negative"),
    "negative integer": (text(claimed={"measure": "zcdp", "rho": -1}), r"claimed.rho: must be .* not negative"),
    "huge exponent": (text(claimed={"measure": "zcdp", "rho": "1e999999999"}), r"claimed.rho"),
    "zero loss": (text(claimed={"measure": "zcdp", "rho": 0}), r"must be positive"),
    "beyond doubles": (text(claimed={"measure": "zcdp", "rho": "1e999"}), r"claimed = 1000.*between 1e-100 and 1e100"),
    "below doubles": (
        text(claimed={"measure": "zcdp", "rho": "1e-999"}),
        r"claimed = 1/1000.*between 1e-100 and 1e100",
    ),
    "delta below doubles": (
        text(claimed={"measure": "approximate", "epsilon": 1, "delta": "1e-999"}),
        r"delta = 1/1000.*between 1e-100 and 1e100",
    ),
    "parameter beyond doubles": (text(parameters={"noise_multiplier": "1e999"}), r"parameters.noise_multiplier = 1000"),
    "divides by zero": (text(claimed={"measure": "zcdp", "rho": "1/0"}), r"claimed.rho = '1/0': must not divide"),
    "no measure": (text(claimed={"rho": 1}), "measure"),
    "wrong measure": (text(claimed={"measure": "pure", "epsilon": 1}), "one of zcdp, approximate"),
    "delta in zCDP": (text(claimed={"measure": "zcdp", "rho": 1, "delta": "0.1"}), "delta"),
    "no delta": (text(claimed={"measure": "approximate", "epsilon": 1}), "'delta' is a required property"),
    "delta of 1": (text(claimed={"measure": "approximate", "epsilon": 1, "delta": 1}), "delta = 1: must be below 1"),
    "adjacency": (text(adjacency="neighbours"), "one of replace-one, add-or-remove-one, zero-out"),
    "release": (text(release="all"), "one of output, transcript"),
    "no quotation": (text(quote=3), r"claims\[0\].quote: must be the sentence"),
    "half a character": (text(statement="\ud800"), "statement = .*printable"),
    "a command to the terminal": (text(quote="\x1b[31m", place="Theorem 1"), "quote = .*printable"),
    "two deltas": (
        text(claimed={"measure": "approximate", "epsilon": 1, "delta": "0.1"}, delta="0.2"),
        r"claims\[0\].delta: must be 1/10",
    ),
    "a long quotation": (text(quote="word " * 40, place="Theorem 1"), "quote = .*at most 39 words"),
    "too few runs": (text(trials=99), r"claims\[0\].trials"),
    "too many runs": (text(trials=10**8), r"claims\[0\].trials"),
    "no number of runs": (text(trials="many"), r"claims\[0\].trials"),
    "slug": (text(paper="A Paper"), r"claims\[0\].paper: must be lower-case"),
    "parameter": (text(parameters={"count": [1]}), r"claims\[0\].parameters.count"),
    "divides a parameter": (text(parameters={"count": "1/0"}), r"parameters.count = '1/0': must not divide"),
    "id": (text(id="a/b@c,zero-out"), r"claims\[0\].id: must be somebody/theorem-1@as-printed,replace-one"),
}


@pytest.mark.parametrize(("document", "message"), BAD.values(), ids=BAD.keys())
def test_a_bad_file_is_refused_with_place_and_rule(document: str, message: str) -> None:
    with pytest.raises(ClaimFileError, match=message):
        parse_claims(document)


def test_an_old_name_in_a_claims_file_is_understood_too() -> None:
    with pytest.warns(FutureWarning, match="is now"):
        (read,) = parse_claims(text(charitable="dp-erm-revisited/theorem-6.3@repaired,replace-one"))
    assert read.charitable == "dp-erm-revisited/theorem-6.1@repaired-random-iterate,replace-one"


def test_influences_are_a_list_of_exact_numbers() -> None:
    parameters = {**DYNAMIC, "steps": 3, "influences": "1, 1/4, 0.25"}
    (read,) = parse_claims(text(form="repaired", algorithm="dynamic-gradient-descent", parameters=parameters))
    assert build(read).facts()["steps"] == "3"


def test_one_name_twice_in_a_file_is_refused() -> None:
    with pytest.raises(ClaimFileError, match=r"claims\[1\]: must not repeat"):
        parse_claims(json.dumps({"claims": [CLAIM, CLAIM]}))


def test_files_that_cannot_be_read_are_refused_by_name(tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    with pytest.raises(ClaimFileError, match=r"missing\.json: cannot be read: No such file"):
        read_claims(missing)
    with pytest.raises(ClaimFileError, match="cannot be read: Is a directory"):
        read_claims(tmp_path)
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(ClaimFileError, match="UTF-8"):
        read_claims(binary)
    binary.write_bytes(b" " * 10_000_001)
    with pytest.raises(ClaimFileError, match="larger than"):
        read_claims(binary)


def test_the_published_schema_is_a_schema() -> None:
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(schema(CLAIMS_SCHEMA))
    assert list(violations(json.loads(text()), CLAIMS_SCHEMA)) == []
    assert list(violations(json.loads(text(adjacency="nearly")), CLAIMS_SCHEMA)) != []


@pytest.mark.parametrize(
    ("argument", "changes"),
    [
        ("algorithm", {"algorithm": "unheard-of"}),
        ("parameters.colour", {"parameters": {"colour": "red"}}),
        ("parameters.calibration", {"parameters": {}}),
        ("parameters.calibration", {"parameters": {"noise_multiplier": 1, "calibration": "zcdp"}}),
        ("parameters.count", {"parameters": {"noise_multiplier": 1, "count": "1/2"}}),
        ("parameters.noise_multiplier", {"parameters": {"noise_multiplier": "much"}}),
        ("parameters.noise_multiplier", {"parameters": {"noise_multiplier": "1x"}}),
        ("parameters.steps", {"algorithm": "gradient-descent", "parameters": {**GD, "steps": 10**9}}),
        (
            "parameters.influences",
            {"algorithm": "dynamic-gradient-descent", "parameters": {**DYNAMIC, "influences": "1,x"}},
        ),
        (
            "parameters.influences",
            {"algorithm": "dynamic-gradient-descent", "parameters": {**DYNAMIC, "influences": "1,1/0"}},
        ),
        (
            "parameters.influences",
            {
                "form": "repaired",
                "algorithm": "dynamic-gradient-descent",
                "parameters": {**DYNAMIC, "influences": "1,1e999"},
            },
        ),
        ("parameters.instance", {"algorithm": "adaptive-gradient-descent", "parameters": {"instance": "liner"}}),
        (
            "parameters.clip",
            {"algorithm": "adaptive-gradient-descent", "parameters": {"instance": "linear", "records": 9, "clip": 1}},
        ),
        ("parameters.records", {"algorithm": "adaptive-gradient-descent", "parameters": {"records": 9}}),
        ("parameters.instance", {"algorithm": "svrg", "parameters": {"instance": "linear"}}),
        ("parameters.epochs", {"algorithm": "svrg", "parameters": {**SVRG, "epochs": 10**30}}),
        (
            "parameters.epochs, parameters.inner",
            {"algorithm": "svrg", "parameters": {**SVRG, "epochs": 400, "inner": 400}},
        ),
        ("parameters.epochs, parameters.inner", {"algorithm": "svrg-plus-plus", "parameters": {**SVRG, "epochs": 30}}),
        (
            "parameters.records, parameters.rows, parameters.columns",
            {"algorithm": "mirror-descent", "parameters": {"records": 9999, "rows": 99, "columns": 99}},
        ),
        ("parameters.records = 1000000", {"algorithm": "spider", "parameters": {**SPIDER, "records": 10**6}}),
        ("records = 3: must be even", {"algorithm": "spider", "parameters": {**SPIDER, "records": 3}}),
        ("parameters.instance", {"algorithm": "spider", "parameters": {**SPIDER, "instance": "cubes"}}),
        ("parameters.start", {"algorithm": "spider", "parameters": {**SPIDER, "instance": "linear"}}),
        ("parameters.gap = 1/1000000: .*excess risk", {"algorithm": "spider", "parameters": {**SPIDER, "gap": "1e-6"}}),
        ("parameters.threshold", {"algorithm": "spider", "parameters": {**SPIDER, "threshold": "1.01"}}),
        ("parameters.kappa, parameters.gamma", {"algorithm": "spider", "parameters": {**SPIDER, "kappa": "3/2"}}),
        ("parameters.kappa, parameters.gamma", {"algorithm": "spider", "parameters": {**SPIDER, "gamma": "1/2"}}),
        ("must be replace-one", {"adjacency": "zero-out", "algorithm": "spider", "parameters": SPIDER}),
        (
            "parameters.records, parameters.dimension",
            {"algorithm": "online-frank-wolfe", "parameters": {**WIDE, "p": 2}},
        ),
        ("records = 1: must be at least 2", {"algorithm": "svrg", "parameters": {"instance": "drift", "records": 1}}),
        ("parameters.calibration", {"parameters": {"calibration": 3, "epsilon": 1, "delta": "1e-5"}}),
        ("calibration", {"parameters": {"calibration": "mine", "epsilon": 1, "delta": "1e-5"}}),
    ],
)
def test_parameters_that_do_not_fit_the_algorithm_are_refused(argument: str, changes: dict[str, Any]) -> None:
    (read,) = parse_claims(text(**changes))
    with pytest.raises(InvalidArgumentError, match=argument):
        build(read)


@pytest.mark.parametrize("form", ["as-prnted", "mine", "repairedly", "as-printed2"])
def test_a_form_that_is_neither_is_refused_and_not_taken_for_the_other(form: str) -> None:
    (read,) = parse_claims(text(form=form, algorithm="dynamic-gradient-descent", parameters=DYNAMIC))
    with pytest.raises(InvalidArgumentError, match=f"form = '{form}': must be as-printed or repaired"):
        build(read)
