"""The report is one page that needs nothing else, and looks right in a browser."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from proa.core._errors import InvalidArgumentError, InvalidTypeError, NotFoundError
from proa.suites import render_report, write_report
from tests.suites.sample_run import sample_run

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return sample_run()


def _tiles(page: str) -> list[tuple[str, ...]]:
    pattern = (
        '<div class="name">(.*?)</div><div class="big">(.*?)</div><div class="note">(.*?)</div>'
    )
    return re.findall(pattern, page)


def test_the_page_loads_nothing(run: dict[str, Any]) -> None:
    page = render_report(run)
    assert not re.search(r"<(script|link|iframe|object|embed|base)\b|@import|url\(", page)
    sources = re.findall(r'\b(?:src|href)="(.*?)"', page)
    assert len(sources) == 24 + 5
    assert {source.split(",")[0] for source in sources if not source.startswith("#")} == {
        "data:image/png;base64"
    }
    assert len(page) < 300_000


def test_the_page_tells_the_run(run: dict[str, Any]) -> None:
    page = render_report(run)
    assert "<title>Fashion-MNIST, small CNN</title>" in page
    assert "Verified: all five layers passed" in page
    assert re.findall("<h2>(.*?)</h2>", page) == [
        "Training",
        "Confusion matrix",
        "Sample predictions",
        "Data",
        "Time",
        "Verification",
        "Lineage",
    ]
    assert _tiles(page)[0] == ("Test accuracy", "88.8%", "on 1,000 test images")
    assert _tiles(page)[2:] == [
        ("Checks passed", "20 of 20", "none skipped"),
        ("Duration", "1 min 11 s", "7 steps"),
    ]


def test_a_record_of_json_gives_the_same_page(run: dict[str, Any]) -> None:
    assert render_report(json.loads(json.dumps(run))) == render_report(run)


def test_a_failed_run_says_so(run: dict[str, Any]) -> None:
    checks = [{**check, "passed": False} for check in run["layers"]["inference"]]
    page = render_report({**run, "layers": {**run["layers"], "inference": checks}})
    assert "3 checks failed in inference" in page
    assert '<div class="verdict fail">' in page
    assert ("Checks passed", "17 of 20", "none skipped") in _tiles(page)


def test_an_empty_run_is_a_page() -> None:
    page = render_report({})
    assert "5 layers were not checked" in page
    assert _tiles(page) == [("Checks passed", "0 of 0", "none skipped")]
    assert re.findall("<h2>(.*?)</h2>", page) == ["Verification"]


def test_text_is_made_safe() -> None:
    evil = "<script>alert(1)</script>"
    check = {"name": evil, "measured": evil, "expected": evil, "passed": True, "note": evil}
    page = render_report(
        {
            "title": evil,
            "subtitle": evil,
            "headline": [{"name": evil, "value": evil, "note": evil}],
            "curves": {evil: {"title": evil, "series": [{"name": evil, "x": [1], "y": [1]}]}},
            "layers": {"training": [check]},
            "lineage": {evil: {evil: evil}, "b": [evil]},
            "steps": [{"name": evil, "seconds": 1, "note": evil}],
        }
    )
    assert "<script" not in page.lower()
    assert page.count("&lt;script&gt;") + page.count("&lt;Script&gt;") >= 15


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.5, "0.5 s"), (59.94, "59.9 s"), (60, "1 min 0 s"), (3725, "62 min 5 s")],
)
def test_durations(seconds: float, text: str) -> None:
    assert ("Duration", text, "0 steps") in _tiles(render_report({"seconds": seconds}))


def test_own_headline() -> None:
    page = render_report({"headline": [{"name": "n", "value": 0.5}]})
    assert _tiles(page) == [("n", "0.5", "")]


def test_bad_arguments() -> None:
    with pytest.raises(InvalidTypeError, match="`run` is a list\n  Expected: a dict"):
        render_report([])
    with pytest.raises(InvalidArgumentError, match=r"no headline\['value'\]"):
        render_report({"headline": [{"name": "n"}]})


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert write_report({"title": "one"}, path) == path
    with pytest.raises(InvalidArgumentError, match="has the layer 'x'"):
        write_report({"title": "two", "layers": {"x": []}}, path)
    assert "<title>one</title>" in path.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(
        NotFoundError, match="there is no folder .*gone'\n.*\n  Fix: make the folder"
    ):
        write_report({}, tmp_path / "gone" / "report.html")


# Puts the report into frames as wide as a desk and a phone, and measures what a reader would see.
_MEASURE = """<!doctype html><title>wait</title>
<iframe width="1200" height="900" srcdoc="{page}"></iframe>
<iframe width="390" height="800" srcdoc="{page}"></iframe>
<script>
const beyond = (outer, inner) => inner.right > outer.right + 1 || inner.left < outer.left - 1;
function measure(frame) {{
  const page = frame.contentDocument, box = (item) => item.getBoundingClientRect();
  const charts = [...page.querySelectorAll("svg.chart")];
  return {{
    overflow: page.documentElement.scrollWidth - frame.clientWidth,
    charts: charts.filter((chart) => box(chart).width > 200 && box(chart).height > 60).length,
    images: [...page.images].filter((image) => image.naturalWidth === 28).length,
    cut: charts.flatMap((chart) => [...chart.querySelectorAll("text")]
      .filter((text) => beyond(box(chart), box(text))).map((text) => text.textContent)),
    rows: page.querySelectorAll("tbody tr").length,
    smallest: Math.min(...[...page.querySelectorAll(".card p, td, .facts dd, .legend li")]
      .map((item) => parseFloat(page.defaultView.getComputedStyle(item).fontSize))),
  }};
}}
onload = () => {{
  const frames = [...document.querySelectorAll("iframe")];
  document.title = JSON.stringify(frames.map(measure));
}};
</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")
def test_in_a_browser(run: dict[str, Any], tmp_path: Path) -> None:
    page = tmp_path / "frames.html"
    page.write_text(_MEASURE.format(page=html.escape(render_report(run))), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
    flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    shown = subprocess.run(
        [CHROMIUM, *flags, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    title = re.search("<title>(.*?)</title>", shown).group(1)
    desk, phone = json.loads(html.unescape(title))
    for frame in (desk, phone):
        assert frame["overflow"] <= 0
        assert frame["charts"] == 7
        assert frame["images"] == 24
        assert frame["cut"] == []
        assert frame["rows"] == 20
        assert frame["smallest"] >= 14
