"""The HTML report: complete or absent, self-contained, and the same for the same verdicts."""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from urllib.parse import quote, unquote

import numpy as np
import pytest

from dpref.audit import plots, report
from dpref.audit.catalogue import find
from dpref.audit.known import Ends
from dpref.audit.plots import certified_deltas, strip_svg
from dpref.audit.report import page, render
from dpref.audit.terminal import down, interval_text, plain, up
from dpref.audit.verdict import Verdict, audit
from dpref.errors import InvalidArgumentError, MissingExtraError

NAMES = (
    "dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one",
    "dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5,replace-one",
    "dynamic-privacy-budget/algorithm-1@as-printed,replace-one",
)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(scope="module")
def verdicts() -> Sequence[Verdict]:
    return [audit(find(name), trials=200) for name in NAMES]


@pytest.fixture(scope="module")
def text(verdicts: Sequence[Verdict]) -> str:
    """The page of all three."""
    return render(verdicts)


@pytest.fixture
def unplotted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages whose plots are empty, for tests of their words."""
    for name in ("curves_svg", "scores_svg", "strip_svg"):
        monkeypatch.setattr(plots, name, lambda _: "<svg></svg>")


@pytest.fixture
def blank(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without plots, for tests of where and when a page is written."""
    monkeypatch.setattr(report, "render", lambda _, __=None: "<!doctype html>")


@pytest.mark.slow
def test_a_page_is_self_contained(verdicts: Sequence[Verdict], text: str) -> None:
    outside = set(re.findall(r"https?://[^\s\"'<>]+", text)) - {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert outside == set()
    assert not re.search(r"<script\b[^>]|<(link|iframe|img)\b|@import|url\((?!#)", text)
    for name in NAMES:
        assert name in text
    assert text.count("<svg") == 3 * len(verdicts)


@pytest.mark.slow
def test_ids_are_unique_and_every_reference_has_its_target(text: str) -> None:
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert {unquote(name) for name in re.findall(r'(?:href="#|url\(#)([^")]+)', text)} <= set(ids)
    assert set(NAMES) <= set(ids)  # a link to a claim keeps its meaning from page to page


@pytest.mark.slow
def test_the_same_verdicts_give_the_same_page(verdicts: Sequence[Verdict], text: str) -> None:
    assert render(verdicts) == text


@pytest.mark.usefixtures("unplotted")
def test_words_of_a_claims_file_are_escaped(verdicts: Sequence[Verdict]) -> None:
    verdict = replace(verdicts[0], claim=replace(verdicts[0].claim, statement="<script>alert(1)</script>"))
    text = render([verdict])
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def in_a_browser(page: Path, *options: str) -> str:
    assert CHROMIUM is not None
    fixed = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--virtual-time-budget=3000",
        f"--user-data-dir={page.parent / 'profile'}",
    ]
    return subprocess.run([CHROMIUM, *fixed, *options], capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium (Debian's package)")
def test_in_a_browser_a_link_opens_its_claim_and_all_are_counted(tmp_path: Path, text: str) -> None:
    page = tmp_path / "report.html"
    page.write_text(text, "utf-8")
    shown = in_a_browser(page, "--dump-dom", f"{page.as_uri()}#{quote(NAMES[1])}")
    assert f"{len(NAMES)} of {len(NAMES)} claims" in shown
    opened = re.findall(r'<details class="card claim" id="([^"]+)" open', shown)
    assert opened == [NAMES[1]]
    assert re.search(
        r'<form class="filter"[^>]*hidden', text
    )  # nothing is offered that needs the script before it runs
    assert not re.search(r'<form class="filter"[^>]*hidden', shown)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium (Debian's package)")
@pytest.mark.parametrize("width", [390, 820, 1280])
def test_no_width_makes_the_page_scroll_sideways(width: int, tmp_path: Path, text: str) -> None:
    """Chromium's window has at least 500 pixels: a frame has any width."""
    page, frame = tmp_path / "report.html", tmp_path / "frame.html"
    page.write_text(
        text.replace(
            "</body>", "<script>parent.postMessage(document.documentElement.scrollWidth, '*')</script></body>"
        ),
        "utf-8",
    )
    frame.write_text(
        f"<iframe src=report.html width={width} height=900 style='border:0'></iframe><script>"
        "addEventListener('message', (e) => document.body.append(`wide: ${e.data};`))</script>",
        "utf-8",
    )
    shown = in_a_browser(page, "--allow-file-access-from-files", "--dump-dom", frame.as_uri())
    (wide,) = re.findall(r"wide: (\d+);", shown)
    assert int(wide) <= width


@pytest.mark.usefixtures("unplotted")
def test_a_built_in_claim_says_how_to_get_its_numbers_again(verdicts: Sequence[Verdict]) -> None:
    verdict = verdicts[0]
    assert f"dpref audit {NAMES[0]} --trials 200 --seed 0</code>" in render([verdict])
    seen = replace(verdict.empirical, confidence=Fraction(9, 10))
    assert "--seed 0 --confidence 9/10</code>" in render([replace(verdict, empirical=seen)])
    of_a_file = replace(verdict, claim=replace(verdict.claim, item="mine"))
    assert "<code>dpref audit" not in render([of_a_file])


def test_the_certified_curve_agrees_with_the_certified_epsilon() -> None:
    """A ledger without a Gaussian worst pair has a finite epsilon, and the picture must not say delta = 1 beyond it."""
    verdict = audit(find("private-saddle-points/proof-3.18-draw@repaired,replace-one"), trials=100)
    assert math.isinf(verdict.mu_squared.upper)
    least, most, delta = float(verdict.epsilon.lower), float(verdict.epsilon.upper), float(verdict.claim.delta)
    above, below = certified_deltas(verdict, np.array([0.0, least / 2, most, 2 * most]))
    assert above[2:].tolist() == [delta, delta]
    assert above[0] == pytest.approx(delta + (1 - delta) * math.tanh(most / 2), rel=1e-12)
    assert below.tolist() == [delta, delta, 0.0, 0.0]


@pytest.mark.slow
def test_numbers_of_any_size_can_be_drawn(verdicts: Sequence[Verdict]) -> None:
    for end in (Fraction(1, 10**400), Fraction(10**400)):
        assert strip_svg(replace(verdicts[0], certified=Ends(end, end))).startswith("<svg")


@pytest.mark.usefixtures("unplotted")
def test_alarms_and_verdicts_that_differ_from_the_record_are_loud(verdicts: Sequence[Verdict]) -> None:
    verdict = replace(verdicts[0], outcome="undecided", alarms=("the sky is falling",))
    text = render([verdict])
    assert "Alarm: the sky is falling" in text
    assert "The recorded verdict is" in text
    assert "Alarm" not in render([verdicts[0]])


@pytest.mark.usefixtures("unplotted")
def test_a_page_appears_under_its_name_only_when_it_is_complete(tmp_path: Path, verdicts: Sequence[Verdict]) -> None:
    path = tmp_path / "audit.html"
    with page(path) as write:
        assert not path.exists()
        write(verdicts[:1])
        assert not path.exists()
    assert path.read_text("utf-8").startswith("<!doctype html>")
    assert names(tmp_path) == ["audit.html"]
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask


def test_an_error_leaves_the_old_page_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "audit.html"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), page(path):
        raise ZeroDivisionError
    assert path.read_text() == "old"
    assert names(tmp_path) == ["audit.html"]


@pytest.mark.slow
@pytest.mark.usefixtures("blank")
def test_a_disk_that_fails_while_writing_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verdicts: Sequence[Verdict]
) -> None:
    def fail(path: Path, _: str) -> None:
        path.write_text("half a page")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(report, "_write", fail)
    with pytest.raises(InvalidArgumentError, match="No space left"), page(tmp_path / "audit.html") as write:
        write(verdicts)
    assert names(tmp_path) == []


def test_nothing_lies_in_the_folder_while_the_work_goes_on(tmp_path: Path) -> None:
    """A process that is killed cannot tidy up."""
    with page(tmp_path / "audit.html"):
        assert names(tmp_path) == []


def test_a_device_or_a_pipe_is_never_replaced_by_a_page(tmp_path: Path) -> None:
    """With the rights to do so, a rename onto /dev/null would take it from every process of the machine."""
    pipe, link = tmp_path / "pipe", tmp_path / "link.html"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(InvalidArgumentError, match="not a regular file"), page(path):
            pytest.fail("the work was begun")
    assert pipe.is_fifo()
    assert link.is_symlink()


@pytest.mark.slow
@pytest.mark.usefixtures("blank")
def test_a_link_is_followed(tmp_path: Path, verdicts: Sequence[Verdict]) -> None:
    link = tmp_path / "link.html"
    link.symlink_to(tmp_path / "there.html")
    with page(link) as write:
        write(verdicts[:1])
    assert link.is_symlink()
    assert names(tmp_path) == ["link.html", "there.html"]


@pytest.mark.slow
@pytest.mark.usefixtures("blank")
def test_the_longest_name_that_the_system_takes_will_do(tmp_path: Path, verdicts: Sequence[Verdict]) -> None:
    name = "a" * 250 + ".html"
    with page(tmp_path / name) as write:
        write(verdicts[:1])
    assert names(tmp_path) == [name]


@pytest.mark.parametrize("name", ["missing/audit.html", ".", "a" * 300 + ".html"])
def test_places_that_cannot_be_written_are_refused_before_the_work(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"html = .*cannot be written"), page(tmp_path / name):
        pytest.fail("the work was begun")


def test_a_missing_extra_is_named_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"dpref\[report\]"), page(tmp_path / "audit.html"):
        pytest.fail("the work was begun")
    assert names(tmp_path) == []


# ------------------------------------------------------------------------------------ numbers for people


def test_the_end_that_decides_is_shown_rounded_outward() -> None:
    third = Ends(Fraction(1, 3), Fraction(1, 3))
    assert interval_text(third, "holds") == "<= 0.3334"
    assert interval_text(third, "refuted") == ">= 0.3333"
    assert interval_text(Ends(Fraction(1, 3), Fraction(2, 3)), "undecided") == "0.3333 .. 0.6667"
    assert interval_text(Ends(Fraction(0), Fraction(2, 3)), "holds") == "<= 0.6667"
    assert interval_text(Ends(Fraction(0), float("inf")), "undecided") == "<= inf"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0.00001", "1e-5"),
        ("1E-8", "1e-8"),
        ("0.0000102", "1.02e-5"),
        ("0.01", "0.01"),
        ("7.223E+4", "72230"),
        ("inf", "inf"),
    ],
)
def test_small_numbers_have_short_names(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_four_digits_outward() -> None:
    assert (down(Fraction(2, 3)), up(Fraction(2, 3))) == ("0.6666", "0.6667")
