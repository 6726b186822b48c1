r"""What the register records of a finding beside its words: where a statement is false, and how much is certified.

Slow, since certificates are replayed and worst cases built; `proofs.findings.gathering` reads it from the register.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import sympy as sp

from dpref.audit.builders import build
from dpref.audit.catalogue import find
from dpref.audit.claims import Claim
from dpref.audit.known import certified
from dpref.privacy.closed_forms.zcdp import zcdp_to_epsilon
from dpref.reals import decimal_down, decimal_up
from proofs import balls, latex
from proofs import kernel as k
from proofs.check import path_of, replayed
from proofs.findings.declared import Finding
from proofs.findings.register import digest_of, meaning
from proofs.registry import Obligation, registry

DIGITS: Final = 6  # of what is certified from below


def least(claim: Claim) -> dict[str, str]:
    """What is certified of a claim from below, by which witness, and what that is in epsilon at the claim's delta.

    >>> from dpref.audit.catalogue import find
    >>> least(find("dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5,replace-one"))["at_least"]
    '11.043'
    """
    known = certified(claim, build(claim))
    value = claim.claimed.value
    return {
        "at_least": decimal_down(known.loss.lower, DIGITS),
        "witness": "" if known.witness is None else known.witness.attained,
        "delta": decimal_up(claim.delta, DIGITS),
        "epsilon_claimed": decimal_up(zcdp_to_epsilon(value, claim.delta).upper if claim.is_zcdp else value, DIGITS),
        "epsilon_at_least": decimal_down(known.epsilon.lower, DIGITS),
    }


def where_false(obligation: Obligation) -> str:
    r"""Where the statement of a refuted obligation is false, formulas between dollars.

    >>> where_false(registry()["private-saddle-points/E6"])
    'False at $a=\\frac{1}{4}$, $b=\\frac{1}{4}$: $2 a + 2 b - 2$ is $-1$, and would have to be at least $0$.'
    """
    return " ".join(dict.fromkeys(filter(None, map(_witness, replayed(obligation)))))


def _witness(fact: k.Fact) -> str:
    if fact.rule == "distinguish":
        return _event(fact)
    if fact.rule != "refute":
        return ""
    expr, relation, _, point, precision = fact.args
    env = {s: (balls.fraction(q), balls.fraction(q)) for s, q in point}
    ball = balls.evaluate(expr, env, precision)
    value = "0" if ball.contains(0) else number(ball.str(6, radius=False))
    at = ", ".join(f"${latex.letter(s.name)}={latex.formula(q)}$" for s, q in point)
    needed = {"==": "$0$", ">=": "at least $0$", ">": "more than $0$"}[relation]
    return f"False{' at ' * bool(at)}{at}: ${latex.formula(expr)}$ is ${value}$, and would have to be {needed}."


def _event(fact: k.Fact) -> str:
    one, other, event, epsilon, delta, _ = fact.args
    laws = [",".join(map(latex.formula, law)) for law in (one, other)]
    chosen = _all_of(event)
    return (
        f"The outputs have the laws $({laws[0]})$ and $({laws[1]})$ on two neighbouring data sets; {chosen} breaks"
        f" $(\\varepsilon,\\delta)=({latex.formula(sp.sympify(epsilon))},{latex.formula(sp.sympify(delta))})$."
    )


def _all_of(event: Sequence[int]) -> str:
    names = " or ".join(str(i + 1) for i in event)
    return f"the event that the outcome is number {names}"


def number(text: str) -> str:
    r"""A decimal number as LaTeX.

    >>> number("-1.5e-10"), number("-0.250000"), number("1e-5")
    ('-1.5\\cdot10^{-10}', '-0.25', '10^{-5}')
    """
    mantissa, _, exponent = text.lower().partition("e")
    short = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    power = f"10^{{{int(exponent)}}}" if exponent else ""
    if short.lstrip("-") == "1" and power:
        return short.removesuffix("1") + power
    return rf"{short}\cdot{power}" if power else short


def worked_out(finding: Finding) -> dict[str, Any]:
    """Return the entry of a finding in the register: its meaning, digests, and what is refuted and certified."""
    return {
        "means": meaning(finding),
        "refuted": {name: where_false(registry()[name]) for name in finding.refutations},
        "certified": {name: least(find(name)) for name in finding.claims},
        "certificates": {name: digest_of(path_of(registry()[name])) for name in finding.refutations},
    }
