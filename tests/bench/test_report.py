"""Tables, markers, bars."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from bench._report import BEGIN, END, between, shown, write


def record(**changes: Any) -> dict[str, Any]:
    figure = {"median": 0.002, "least": 0.001, "spread": 0.05}
    verdict = {"ours": "proa eager", "peer": "torch eager", "ratio": 0.5, "limit": 1.0, "met": True}
    return {
        "name": "MLP <small>",
        "about": "batch 64",
        "figure": "time",
        "figures": {"proa eager": figure, "torch eager": {**figure, "median": 0.004}},
        "failed": {},
        "wrong": [],
        "verdicts": [verdict, {**verdict, "ratio": 7.0, "limit": 0.5, "met": False}],
        **changes,
    }


ABOUT = {"machine": "two cores", "versions": {"torch": "2.13"}, "rounds": 5}


@pytest.mark.parametrize(
    ("value", "figure", "words"),
    [
        (2e-6, "time", "2 µs"),
        (0.0123, "time", "12.3 ms"),
        (2.5, "start", "2.50 s"),
        (3e7, "memory", "30 MB"),
    ],
)
def test_figures_have_units(value: float, figure: str, words: str) -> None:
    assert shown(value, figure) == words


def test_what_people_wrote_stays(tmp_path: Path) -> None:
    results = tmp_path / "RESULTS.md"
    results.write_text(f"# Before\n{BEGIN}\nold\n{END}\nafter\n")
    write(tmp_path, ABOUT, [record()])
    text = results.read_text()
    assert text.startswith(f"# Before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "old" not in text
    row = "| proa eager 2 ms ± 5 % | torch eager 4 ms ± 5 % | 0.50 | ≤ 1: met |"
    assert row in text
    assert "7.00 | ≤ 0.5: **missed** |" in text


def test_markers_are_added_once(tmp_path: Path) -> None:
    once = between("# Title\n", "first")
    assert between(once, "second") == once.replace("first", "second")
    with pytest.raises(ValueError, match="one of the markers"):
        between(BEGIN, "part")


def test_what_went_wrong_is_listed(tmp_path: Path) -> None:
    write(tmp_path, ABOUT, [record(wrong=["peer: loss 1 is 2"], failed={"keras": "ended"})])
    text = (tmp_path / "RESULTS.md").read_text()
    assert "- MLP <small>: peer: loss 1 is 2" in text
    assert "- MLP <small>: ended" in text


def test_data_and_bars(tmp_path: Path) -> None:
    write(tmp_path, ABOUT, [record()])
    data = json.loads((tmp_path / "results.json").read_text())
    assert data["workloads"][0]["verdicts"][1]["ratio"] == 7.0
    tree = ElementTree.parse(tmp_path / "results.svg")
    bars = tree.findall(".//{*}rect")[1:]
    assert [bar.get("width") for bar in bars] == ["65.0", "390.0"]
    assert len({bar.get("fill") for bar in bars}) == 2
