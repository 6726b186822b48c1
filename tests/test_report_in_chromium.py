"""The HTML report as people meet it: at three widths, light and dark, by keyboard, without script, and on paper."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from dpref.audit.catalogue import find, headline
from dpref.audit.mathml import math
from dpref.audit.report import render
from dpref.audit.rules import Scores
from dpref.audit.subjects import Subject
from dpref.audit.verdict import Verdict, audit
from tests.browsing import SCHEMES, WIDTHS, chromium, look, missing, violations

pytestmark = [pytest.mark.slow, pytest.mark.skipif(missing() is not None, reason=missing() or "")]

SHOWN = (
    "return [...document.querySelectorAll('.overview tbody tr')].filter((r) => r.offsetParent)"
    ".map((r) => r.dataset.name)"
)
SMALLEST = 10.5  # pixels of any text on any screen, pictures included


def made_up(_: Subject, name: str, trials: int, __: int, ___: int, ____: Callable[[int], None]) -> Scores:
    """Scores that no kernel had to be compiled for, some of them far out, infinite or NaN."""
    rng = np.random.default_rng(int(hashlib.sha256(name.encode()).hexdigest()[:8], 16))
    first, second = rng.standard_normal(trials) - 0.5, rng.standard_normal(trials) + 0.5
    if "repaired" in name:
        first[:3], second[:3] = -1e7, (1e9, np.inf, np.nan)
    return first, second


@pytest.fixture(scope="module")
def verdicts() -> list[Verdict]:
    """Of claims that are judged in a moment: epsilon and zCDP, a certified end at infinity, two adjacencies."""
    chosen = [claim for claim in headline() if claim.algorithm in {"gaussian-mechanism", "dynamic-gradient-descent"}]
    chosen += [
        find("dp-erm-revisited/theorem-5.3@as-printed,replace-one"),
        find("kl-condition/theorem-1@as-printed,zero-out"),
    ]
    in_order = sorted(chosen, key=lambda claim: claim.paper)
    return [audit(claim, trials=200, drawn=made_up) for claim in in_order]


@pytest.fixture(scope="module")
def address(verdicts: list[Verdict], tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render(verdicts, docs="../docs"), "utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


# What stands in a cell, a line or a heading and ends to the right of it: formulas and single words do not break.
BEYOND = """
document.querySelectorAll('details').forEach((d) => { d.open = true; });
const found = [];
for (const e of document.querySelectorAll('td, th, dd, p, blockquote, summary, li, figcaption')) {
  if (!e.checkVisibility() || e.closest('.visually-hidden, .skip, thead')) continue;
  const inside = document.createRange();
  inside.selectNodeContents(e);
  const right = e.getBoundingClientRect().right - parseFloat(getComputedStyle(e).paddingRight) + 1.5;
  const beyond = [...inside.getClientRects()].filter((r) => r.right > right).length;
  if (beyond) found.push(e.textContent.trim().slice(0, 60));
}
return [document.documentElement.scrollWidth, found];
"""
NINE = (320, 360, 390, 430, 600, 768, 820, 1024, 1440)


def widest(verdicts: Sequence[Verdict]) -> str:
    """A page with a row for each verdict and each length of an interval, as the catalogue has them."""
    page = render(verdicts, docs="../docs")
    long = f"{math('[', '3.334e-4', ',')} {math('3.335e-4', ']')}"
    page = re.sub(r'(data-label="certified">).*?(</td>)', rf"\g<1>{long}\2", page, flags=re.DOTALL)
    page = re.sub(
        r'(data-label="claimed">).*?(</td>)', rf"\g<1>{math('rho', '<=', '3.334e-4')}\2", page, flags=re.DOTALL
    )
    return page.replace('<td class="badge holds">holds', '<td class="badge undecided">undecided')


@pytest.mark.parametrize("width", NINE)
def test_nothing_reaches_beyond_its_cell_at_nine_widths(
    browser: Any, verdicts: list[Verdict], width: int, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text(widest(verdicts), "utf-8")
    look(browser, path.as_uri(), width)
    wide, beyond = browser.execute_script(BEYOND)
    assert beyond == []
    assert wide <= width


def test_planted_bug_a_word_beyond_its_cell_is_found(browser: Any, address: str) -> None:
    look(browser, address, 820)
    browser.execute_script("document.querySelector('.overview td.badge').textContent = 'undecidedundecided'")
    assert browser.execute_script(BEYOND)[1] == ["undecidedundecided"]


def choose(browser: Any, name: str, value: str) -> None:
    """What a person does to a field of the filter."""
    browser.execute_script(
        "const f = document.querySelector(`.filter [name=${arguments[0]}]`); f.value = arguments[1];"
        "f.dispatchEvent(new Event('input', { bubbles: true }))",
        name,
        value,
    )


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("device", WIDTHS)
def test_axe_core_finds_nothing_wrong(browser: Any, address: str, device: str, scheme: str, tmp_path: Path) -> None:
    look(browser, address, WIDTHS[device], scheme)
    browser.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert violations(browser) == []
    wide, smallest = browser.execute_script(
        "const sizes = [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() &&"
        " [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) &&"
        " !e.closest('.visually-hidden, .skip, msup, tspan'))"
        ".map((e) => parseFloat(getComputedStyle(e).fontSize) * (e.ownerSVGElement ?"
        " e.ownerSVGElement.getScreenCTM().a : 1));"
        "return [document.documentElement.scrollWidth, Math.min(...sizes)]"
    )
    assert wide <= WIDTHS[device]
    assert smallest >= SMALLEST
    folder = Path(os.environ.get("DPREF_SCREENSHOTS", tmp_path))
    for name, script in (
        ("open", ""),
        ("closed", "document.querySelectorAll('details').forEach((d) => d.open = false)"),
    ):
        browser.execute_script(script)
        shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "format": "png"})
        (folder / f"report-{device}-{scheme}-{name}.png").write_bytes(base64.b64decode(shot["data"]))


def test_planted_bug_a_picture_without_a_name_and_pale_words_are_found(browser: Any, address: str) -> None:
    look(browser, address, 1280)
    browser.execute_script("document.querySelector('.strip').removeAttribute('aria-label')")
    browser.execute_script("document.querySelector('.lead').style.color = '#ddd'")
    assert {found.partition(":")[0] for found in violations(browser)} == {"svg-img-alt", "color-contrast"}


def test_filters_search_and_order_choose_what_is_shown(browser: Any, address: str, verdicts: list[Verdict]) -> None:
    look(browser, address, 1280)
    everything = [v.claim.id for v in verdicts]
    assert browser.execute_script(SHOWN) == everything
    refuted = [v.claim.id for v in verdicts if v.outcome == "refuted"]
    choose(browser, "verdict", "refuted")
    assert browser.execute_script(SHOWN) == refuted
    said = browser.execute_script("return document.querySelector('.filter output').textContent")
    assert said == f"{len(refuted)} of {len(everything)} claims"
    choose(browser, "paper", "dynamic-privacy-budget")
    assert browser.execute_script(SHOWN) == [name for name in refuted if name.startswith("dynamic-privacy-budget/")]
    choose(browser, "verdict", "")
    choose(browser, "paper", "")
    choose(browser, "adjacency", "zero-out")
    assert browser.execute_script(SHOWN) == [name for name in everything if name.endswith(",zero-out")]
    choose(browser, "adjacency", "")
    choose(browser, "text", "Theorem-5.3@As-Printed")
    assert "dp-erm-revisited/theorem-5.3@as-printed,replace-one" in browser.execute_script(SHOWN)
    choose(browser, "text", "sigma^2")
    assert "dp-erm-revisited/theorem-5.3@as-printed,replace-one" in browser.execute_script(SHOWN)
    choose(browser, "text", "")
    choose(browser, "order", "verdict")
    outcome = {v.claim.id: v.outcome for v in verdicts}
    of_a_paper = [outcome[name] for name in browser.execute_script(SHOWN) if name.startswith("dp-erm-revisited/")]
    assert len(set(of_a_paper)) > 1
    assert of_a_paper == sorted(of_a_paper)


def test_an_anchor_opens_its_claim_and_brings_it_into_view(browser: Any, address: str, verdicts: list[Verdict]) -> None:
    name = verdicts[4].claim.id
    look(browser, f"{address}#{quote(name)}", 390)
    top, is_open = browser.execute_script(
        "const c = document.getElementById(arguments[0]); return [c.getBoundingClientRect().top, c.open]", name
    )
    assert is_open
    assert 0 <= round(top) < 900
    assert browser.execute_script("return document.querySelectorAll('.claim[open]').length") == 1


def test_the_keyboard_reaches_everything_in_order(browser: Any, address: str) -> None:
    from selenium.webdriver import ActionChains, Keys

    look(browser, address, 1280)
    seen: list[str] = []
    for _ in range(12):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        seen.append(
            browser.execute_script(
                "const e = document.activeElement; return e.name || e.className || e.textContent.trim().slice(0, 20)"
            )
        )
    order = browser.execute_script(
        "return [...document.querySelectorAll('a[href], summary, input, select')].slice(0, 12)"
        ".map((e) => e.name || e.className || e.textContent.trim().slice(0, 20))"
    )
    assert seen == order
    assert seen[0] == "skip"
    browser.execute_script("document.querySelector('.claim > summary').focus()")
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    assert browser.execute_script("return document.querySelector('.claim').open")
    width = browser.execute_script("return getComputedStyle(document.activeElement).outlineWidth")
    assert width == "2px"


def test_without_script_everything_can_be_read(browser: Any, address: str, verdicts: list[Verdict]) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        look(browser, address, 820)
        browser.find_element("css selector", ".claim > summary").click()
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        assert browser.execute_script(SHOWN) == [v.claim.id for v in verdicts]
        assert not browser.execute_script("return document.querySelector('.filter').checkVisibility()")
        assert browser.execute_script("return document.querySelector('.claim .numbers').checkVisibility()")
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_on_paper_every_claim_is_open_and_nothing_is_asked(browser: Any, address: str) -> None:
    look(browser, address, 1280, "dark", media="print")
    assert not browser.execute_script("return document.querySelector('.filter').checkVisibility()")
    heights = browser.execute_script(
        "return [...document.querySelectorAll('.claim > div')].map((d) => d.getBoundingClientRect().height)"
    )
    assert min(heights) > 100
    assert browser.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    printed = browser.execute_cdp_cmd("Page.printToPDF", {})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")


def test_formulas_are_set_and_every_picture_has_a_name(browser: Any, address: str, verdicts: list[Verdict]) -> None:
    look(browser, address, 1280)
    flat, unnamed, plots = browser.execute_script(
        "const all = (q) => [...document.querySelectorAll(q)];"
        "return [all('.overview math').filter((m) => m.getBoundingClientRect().height < 8).length,"
        " all('svg').filter((s) => !s.getAttribute('aria-label')).length, all('svg.plot').length]"
    )
    assert (flat, unnamed) == (0, 0)
    assert plots == 2 * len(verdicts)
