"""The small formulas of prose in the report: set where they are formulas, and nowhere else."""

from __future__ import annotations

import re

import pytest

from dpref.audit.mathml import interval, math, prose


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("sigma^2 = 4 L_0^2 T / (n^2 rho)", ["sigma^2", "L_0^2", "n^2", "rho"]),
        ("ln(1/delta) and C_M", ["delta", "C_M"]),
        ("see definition-3.4@as-printed-epsilon-1 and sensitivity/rho-x", []),
        ("x^2.5, alpha_{k+1} and log^2(2)", []),
    ],
)
def test_letters_are_formulas_and_names_are_not(text: str, formulas: list[str]) -> None:
    assert re.findall('alttext="([^"]*)"', prose(text)) == formulas


def test_nothing_of_a_sentence_is_lost_and_everything_is_escaped() -> None:
    text = "<b>sigma_t & L_0</b> if epsilon < 1"
    shown = re.sub(r'<math alttext="([^"]*)">.*?</math>', r"\1", prose(text))
    assert shown == "&lt;b&gt;sigma_t &amp; L_0&lt;/b&gt; if epsilon &lt; 1"


def test_small_and_infinite_numbers() -> None:
    assert math("<=", "1.02e-5").endswith("<mn>1.02</mn><mo>\u00b7</mo><msup><mn>10</mn><mn>\u22125</mn></msup></math>")
    assert "<mi>\u221e</mi>" in interval(">= inf")
