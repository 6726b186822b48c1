"""Malformed JSON of every field: the kernel reads what it writes, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
import sympy as sp

from proofs import balls
from proofs import kernel as k
from proofs.check import CERTIFICATES
from proofs.search import box, unit
from proofs.terms import Rejected
from property_tests.false_theorems import as_json, step
from tests.effort import part

X, Y = sp.symbols("x y")
ZERO, ONE = sp.S.Zero, sp.S.One

NUMERALS = (
    "-5/1/2", "0/0", "1/0", "-3/0", "1//2", "1/-2", "+1", "--1", " 1", "1 ", "01", "-0", "2/4", "4/2", "0/3", "1.0",
    "1e3", "0x10", "1_000", "", "-", "/", "1/", "/2", "\u0661", "\u00bd", "nan", "zoo", "inf", "I", "pi/2", "sqrt(2)",
    "oo/1", "9" * 1001, 1, 1.0, True, None, ["1"], {"number": "1"},
)  # fmt: skip
NAMES = (
    "",
    "x y",
    "1",
    "x+1",
    "__import__('os')",
    "pi",
    "E",
    "oo",
    "zoo",
    "x\n",
    "_x",
    5,
    True,
    None,
    ["x"],
    {"symbol": "x"},
)


@pytest.mark.parametrize("numeral", NUMERALS)
def test_a_numeral_is_a_fraction_in_lowest_terms(numeral: Any) -> None:
    with pytest.raises(Rejected, match="not a numeral"):
        k.decode({"number": numeral})
    with pytest.raises(Rejected, match="not a numeral"):
        k.replay({"rule": "axiom", "args": [{"number": numeral}, ">", [], "nobody"], "claim": []})


@pytest.mark.parametrize("name", NAMES)
def test_a_symbol_has_a_plain_name(name: Any) -> None:
    with pytest.raises(Rejected, match="not the name"):
        k.decode({"symbol": name})


@pytest.mark.parametrize(
    "j",
    [
        None, 1.5, float("nan"), {}, {"Add": [], "Mul": []}, {"symbol": "x", "number": "1"}, {"Add": {"symbol": "x"}},
        {"Add": "xy"}, {"exp": "x"}, {"total": 1}, {"Sum": None}, {"exp": ["1"]}, {"exp": [1]}, {"log": [True]},
        {"total": ["print()"]}, {"erfc": [[{"number": "1"}]]}, {"exp": []}, {"Pow": [{"number": "2"}]}, {"Add": []},
        {"Pow": [{"number": "2"}] * 3}, {"log": [{"number": "3"}, {"number": "2"}]}, {"sin": [{"symbol": "x"}]},
        {"__class__": []}, {"Symbol": ["x"]}, {"interval": []}, {"interval": [{"symbol": "x"}] * 4},
        {"interval": {"symbol": "x"}}, {"fact": []}, {"fact": {"rule": "sign"}}, {"fact": {"rule": 1, "args": []}},
        {"fact": {"rule": "sign", "args": {}}}, {"fact": {"rule": "sign", "args": [], "claim": []}},
        {"fact": {"rule": "nothing", "args": []}}, {"fact": {"rule": "axiom", "args": "xyz"}},
        {"Pow": [{"number": "2"}, {"number": "1000000000"}]}, {"Pow": [{"symbol": "x"}, {"number": "1/100000"}]},
        {"exp": [{"Mul": [{"number": "1000000000"}, {"log": [{"number": "2"}]}]}]},
        {"Add": [{"fact": {"rule": "identity", "args": [{"number": "0"}, {"number": "0"}, []]}}, {"number": "1"}]},
        {"Sum": [{"symbol": "t"}, {"number": "1"}, {"number": "1"}, {"symbol": "n"}]},
        {"Sum": [{"symbol": "t"}, {"symbol": "t"}, {"number": "1/2"}, {"symbol": "n"}]},
        {"Sum": [{"symbol": "t"}, {"symbol": "t"}, {"number": "1"}, {"symbol": "t"}]},
        {"slope": [{"symbol": "x"}, {"number": "1"}]}, {"slope": [{"symbol": "x"}]}, {"total": [{"symbol": "x"}] * 2},
        {"limit": [{"symbol": "x"}, {"symbol": "x"}, {"number": "oo"}, {"number": "1"}]},
        {"limit": [{"symbol": "x"}, {"symbol": "x"}, {"number": "0"}, {"number": "2"}]},
        {"limit": [{"symbol": "x"}, {"symbol": "x"}, {"symbol": "y"}, {"number": "1"}]},
        {"exp": [{"number": "-oo"}]}, {"tanh": [{"number": "oo"}]}, {"Mul": [{"number": "oo"}, {"symbol": "x"}]},
        {"Pow": [{"log": [{"number": "-1"}]}, {"number": "2"}]}, {"Pow": [{"number": "0"}, {"number": "-1"}]},
        {"loop": [{"symbol": "x"}]}, {"loop": [{"symbol": "x"}] * 3}, {"loop": [{"symbol": "x"}] * 7},
    ],
    ids=str,
)  # fmt: skip
def test_what_encode_does_not_write_is_not_read(j: Any) -> None:
    with pytest.raises(Rejected):
        k.decode(j)


def test_no_text_is_evaluated(capsys: pytest.CaptureFixture[str]) -> None:
    for head in ("exp", "log", "total", "Sum", "Add", "Mul", "Pow"):
        with pytest.raises(Rejected):
            k.decode({head: ["print('evaluated')"]})
        with pytest.raises(Rejected):
            k.decode({head: ["print('evaluated')", {"number": "1"}]})
    assert capsys.readouterr().out == ""


def good() -> dict[str, Any]:
    """A certificate with something in every kind of field."""
    known = step("sign", X, ">", unit("x"), [])
    proof = step("instantiate", known, [[X, Y / 2]], unit("y"), [])
    return {"claim": as_json((Y / 2, ">", unit("y"))), **proof["fact"]}


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path below a node."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *(p for key, child in children for p in places(child, (*path, key)))]


@pytest.mark.parametrize("junk", [None, True, 0, 1, 1.0, "", "sign", [], {}, [[]], {"number": "7"}, {"symbol": "x"}])
def test_junk_in_any_field_is_refused(junk: Any) -> None:
    assert k.replay(good()).claim.expr == Y / 2
    for path in places(good()):
        c = good()
        if not path:
            continue
        parent: Any = c
        for key in path[:-1]:
            parent = parent[key]
        if json.dumps(parent[path[-1]]) == json.dumps(junk):
            continue
        parent[path[-1]] = junk
        try:
            fact = k.replay(c)
        except Rejected:
            continue
        # x in (0, 7) proves as much of y / 2 as x in (0, 1): another certificate of the same claim.
        assert k.encode(tuple(fact.claim)) == good()["claim"]
        assert isinstance(junk, dict)


def test_keys_that_no_one_reads_are_refused() -> None:
    extras: list[dict[str, Any]] = [{"more": 1}, {"Claim": []}]
    for extra in extras:
        with pytest.raises(Rejected, match="a claim, a rule and its arguments"):
            k.replay({**good(), **extra})
    c = good()
    c["args"][0]["fact"]["note"] = "trust me"
    with pytest.raises(Rejected, match="a rule and its arguments"):
        k.replay(c)


def test_numbers_of_bits_and_boxes_are_whole_numbers() -> None:
    expr, domain = X + 2, box(x=(0, 1))
    for prec in (True, 1, 0, -5, 10**6, 64.0, "64"):
        with pytest.raises(Rejected, match=r"precision|type"):
            balls.cover(expr, domain, "0", prec)  # type: ignore[arg-type]
    for splits in ("00", "x", "x00000", "xx0 0 0", "\u0660", "x\u0660 0 0", "0 0", "x1 0 0", "x-1 0 0", "- 0"):
        with pytest.raises(Rejected):
            balls.cover(expr, domain, splits, 64)
    with pytest.raises(Rejected, match="type"):
        balls.distinguish((ONE,), (ONE,), (True,), ZERO, ZERO, 64)
    with pytest.raises(Rejected, match="lo or hi"):
        k.monotone(X, X, "low", k.sign(ONE, ">", domain), k.sign(ZERO, ">=", ()), domain)


COMMITTED = sorted(CERTIFICATES.glob("*/*.json"))


@pytest.mark.slow
def test_certificates_follow_the_schema() -> None:
    schema = json.loads((CERTIFICATES.parent / "certificate.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    for path in part(COMMITTED, len(COMMITTED) // 4):
        assert validator.is_valid(json.loads(path.read_text(encoding="utf-8"))), path.name


def test_planted_bug_what_is_no_certificate_does_not_follow_the_schema() -> None:
    schema = json.loads((CERTIFICATES.parent / "certificate.schema.json").read_text(encoding="utf-8"))
    found = json.loads(COMMITTED[0].read_text(encoding="utf-8"))
    assert not jsonschema.Draft202012Validator(schema).is_valid({**found, "status": 1})
