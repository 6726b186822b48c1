"""Certificates altered by the thousand: each is rejected, or proves something else that is true."""
# ruff: noqa: S311 - samples, not secrets

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest

from proofs import kernel as k
from proofs.algebra import Rejected
from proofs.check import path_of
from proofs.registry import registry
from property_tests.kernel_numbers import counterexample, is_witness

MUTANTS = 1000
NUMBERS = ("0", "1", "-1", "2", "7", "1/2", "-1/3", "oo", "-oo")


def facts() -> list[tuple[str, dict[str, Any]]]:
    found = []
    for o in registry().values():
        c = json.loads(path_of(o).read_text())
        found += [(f"{o.id}[{i}]", f) for i, f in enumerate(c["facts"])]
    return found


FACTS = facts()


def leaves(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(node, dict):
        return [p for key, child in node.items() for p in leaves(child, (*path, key))]
    if isinstance(node, list):
        return [p for key, child in enumerate(node) for p in leaves(child, (*path, key))]
    return [path]


def at(node: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        node = node[key]
    return node


def mutate(certificate: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """One change: a number, a symbol, an end, a relation, a tree of boxes, a head, or a missing or doubled part."""
    c = copy.deepcopy(certificate)
    path = rng.choice([p for p in leaves(c["args"]) if p])
    parent, key = at(c["args"], path[:-1]), path[-1]
    old = parent[key]
    if rng.random() < 0.15 and isinstance(parent, list):
        rng.choice((parent.pop, lambda i: parent.append(parent[i])))(key)
    elif isinstance(parent, dict) and key == "rule":
        parent[key] = rng.choice(sorted(set(k.RULES) - {"axiom"}))
    elif isinstance(parent, dict) and key == "number":
        parent[key] = rng.choice([n for n in NUMBERS if n != old])
    elif isinstance(parent, dict) and key == "symbol":
        parent[key] = rng.choice(sorted({at(c["args"], p) for p in leaves(c["args"]) if p[-1] == "symbol"} | {"z"}))
    elif isinstance(old, bool):
        parent[key] = not old
    elif isinstance(old, int):
        parent[key] = old + rng.choice((-1, 1))
    elif isinstance(old, str):
        ends, relations = ("[]", "[)", "(]", "()"), ("==", ">", ">=", "not ==")
        words = (
            ends if old in ends else relations if old in relations else ("0", "x0 0 0", "", old[:-2], old + " 0", "hi")
        )
        parent[key] = rng.choice(words)
    if rng.random() < 0.1:
        for p in leaves(c["args"]):
            holder = at(c["args"], p[:-1])
            if isinstance(holder, dict) and list(holder) == ["symbol"] and rng.random() < 0.1:
                holder["symbol"] = "z"
    return c


@pytest.mark.parametrize("seed", range(10))
def test_a_changed_certificate_is_rejected_or_proves_something_true(seed: int) -> None:
    rng = random.Random(seed)
    rejected = other = 0
    for _ in range(MUTANTS // 10):
        name, original = rng.choice([(n, f) for n, f in FACTS if f["rule"] != "axiom"])
        mutant = mutate(original, rng)
        if mutant["args"] == original["args"]:
            continue
        try:
            fact = k.RULES[mutant["rule"]](*k.decode(mutant["args"]))
        except Exception:  # noqa: BLE001 - replay turns whatever a malformed certificate raises into Rejected
            rejected += 1
            with pytest.raises(Rejected):
                k.replay(mutant)
            continue
        if k.encode(tuple(fact.claim)) == original["claim"]:
            continue
        other += 1
        with pytest.raises(Rejected, match="another claim"):
            k.replay(mutant)
        if fact.rule == "refute":
            assert is_witness(fact.claim, fact.args[3]), (name, fact.claim)
        elif "axiom" not in fact.rules():
            assert counterexample(fact.claim, rng) is None, (name, fact.claim)
    assert rejected > 40
    assert other > 0


@pytest.mark.parametrize("name", [n for n, _ in FACTS])
def test_every_committed_claim_is_true_at_random_points(name: str) -> None:
    fact = k.replay(dict(FACTS)[name])
    if fact.rule == "refute":
        assert is_witness(fact.claim, fact.args[3])
    elif fact.rule != "axiom":
        assert counterexample(fact.claim, random.Random(name), samples=4) is None


def test_the_second_reading_finds_a_false_claim() -> None:
    fact = k.replay(dict(FACTS)["zcdp/log-below-line[0]"])
    false = fact.claim._replace(expr=-fact.claim.expr - 1)
    assert counterexample(false, random.Random(0)) is not None
