"""The small formulas of prose in the report: set where they are formulas, and nowhere else."""

from __future__ import annotations

import re

import pytest

from dpref.audit.mathml import interval, math, prose, together


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("sigma^2 = 4 L_0^2 T / (n^2 rho)", ["sigma^2", "L_0^2", "n^2", "rho"]),
        ("ln(1/delta) and C_M", ["delta", "C_M"]),
        ("see definition-3.4@as-printed-epsilon-1 and sensitivity/rho-x", []),
        ("x^2.5 and log^2(2)", []),
        ("alpha_{k+1}, 2^T and c Tm/n^2", ["alpha_{k+1}", "2^T", "n^2"]),
        ("sqrt(2 ln(1.25/delta)) Delta_2(q)", ["sqrt(2 ln(1.25/delta))", "Delta_2"]),
        ("2 sqrt(rho (L + 1)) or sqrt(L)^2", ["sqrt(rho (L + 1))", "sqrt(L)"]),
        ("sqrt(rho that never ends", ["rho"]),
    ],
)
def test_letters_are_formulas_and_names_are_not(text: str, formulas: list[str]) -> None:
    assert re.findall('alttext="([^"]*)"', prose(text)) == formulas


def test_nothing_of_a_sentence_is_lost_and_everything_is_escaped() -> None:
    text = "<b>sigma_t & L_0</b> if epsilon < 1"
    shown = re.sub(r'<math alttext="([^"]*)">.*?</math>', r"\1", prose(text))
    assert shown == "&lt;b&gt;sigma_t &amp; L_0&lt;/b&gt; if epsilon &lt; 1"


def test_a_root_covers_what_its_parentheses_hold_and_roots_nest() -> None:
    assert prose("sqrt(2 (a + b_1)^2) c") == (
        '<math alttext="sqrt(2 (a + b_1)^2)"><msqrt><mn>2</mn><mo>(</mo><mi>a</mi><mo>+</mo>'
        "<msub><mi>b</mi><mn>1</mn></msub><msup><mo>)</mo><mn>2</mn></msup></msqrt></math> c"
    )
    nested = prose("sqrt(a <= sqrt(ln(b)) < c)")
    assert "<mi>a</mi><mo>\u2264</mo><msqrt>" in nested
    assert "</msqrt><mo>&lt;</mo><mi>c</mi></msqrt>" in nested
    assert prose("a sqrt(x") == "a \u221a(x"


def test_small_and_infinite_numbers() -> None:
    assert math("<=", "1.02e-5").endswith("<mn>1.02</mn><mo>\u00b7</mo><msup><mn>10</mn><mn>\u22125</mn></msup></math>")
    assert "<mi>\u221e</mi>" in interval(">= inf")


def test_a_formula_keeps_the_signs_that_touch_it_on_its_line() -> None:
    shown = together(prose("for (epsilon, delta)-DP, of sigma^2 / n^2 and rho."))
    whole = re.findall(r'<span class="together">(.*?)</span>', shown)
    assert [re.sub(r"<math.*</math>", "x", part) for part in whole] == ["(x,", "x)", "x."]
    assert shown.count("<math") == 5
