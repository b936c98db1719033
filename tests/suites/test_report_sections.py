"""Each section shows what the run holds, says nothing about what it does not, and is safe HTML."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from proa.core._errors import InvalidArgumentError
from proa.suites import _report_sections as sections
from proa.suites._run_record import comparison_of, layers_of


def _text(page: str) -> str:
    """What a reader sees, with one space between pieces; drawings and hints left out."""
    page = re.sub(r"<svg.*?</svg>", "", page)
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


EMPTY = [
    lambda run: sections.curves_section(run, None),
    sections.confusion_section,
    sections.samples_section,
    sections.data_section,
    sections.steps_section,
    sections.lineage_section,
]


@pytest.mark.parametrize("section", EMPTY)
def test_nothing_is_shown_of_nothing(section: Callable[[dict], str]) -> None:
    assert section({}) == ""


def _curve(**names: list[float]) -> dict[str, Any]:
    series = [{"name": n, "x": list(range(len(y))), "y": y} for n, y in names.items()]
    return {"title": "Loss <1>", "series": series}


def test_curves_keep_their_colours_and_are_compared() -> None:
    run = {
        "curves": {"loss": _curve(base=[2.0, 1.0], shard=[2.0, 1.5]), "rate": _curve(shard=[1.0])},
        "comparison": {"curve": "loss", "reference": "base", "limit": 1e-5, "num_steps": 2},
    }
    page = sections.curves_section(run, comparison_of(run))
    titles = re.findall("<h3>(.*?)</h3>", page)
    assert titles == ["Loss &lt;1&gt;", "Relative difference to base", "Loss &lt;1&gt;"]
    colours = [
        re.findall(r'<path class="line (c\d)" d="M2 5H32"/>', card)
        for card in page.split("<h3>")[1:]
    ]
    assert colours == [["c0", "c1"], ["c1"], ["c1"]]
    assert "In the first 2 steps: shard : at most 0.5 (above the limit) ." in _text(page)


@pytest.mark.parametrize(
    ("shard", "words"),
    [
        ([2.0, 1.0], "equal to the last bit (within the limit)"),
        ([2.0, 1.000001], "at most 10⁻⁶ (within the limit)"),
        ([2.0, float("nan")], "at most not a number (above the limit)"),
    ],
)
def test_the_largest_difference_is_stated(shard: list[float], words: str) -> None:
    run = {
        "curves": {"loss": _curve(base=[2.0, 1.0], shard=shard)},
        "comparison": {"curve": "loss", "reference": "base", "limit": 1e-5, "num_steps": None},
    }
    assert f"shard : {words}" in _text(sections.curves_section(run, comparison_of(run)))


def test_mistakes_and_hardest_classes() -> None:
    confusion = {"class_names": ["a", "b", "c"], "matrix": [[8, 2, 0], [0, 10, 0], [4, 1, 5]]}
    text = _text(sections.confusion_section({"confusion": confusion}))
    assert "76.67% of all test items are on the diagonal." in text
    assert "Most frequent mistakes c → a 4× a → b 2× c → b 1×" in text
    assert text.endswith("Hardest classes c 50.0% found a 80.0% found b 100.0% found")


BAD_CONFUSION = {
    "rows": (["a"], [[1, 0], [0, 1]], "rows of the confusion matrix and class names: 2 and 1"),
    "columns": (["a", "b"], [[1, 0], [0]], "columns of the confusion matrix in row 'b': 1 and 2"),
}


@pytest.mark.parametrize("case", BAD_CONFUSION)
def test_a_confusion_matrix_fits_its_names(case: str) -> None:
    names, matrix, message = BAD_CONFUSION[case]
    with pytest.raises(InvalidArgumentError, match=message):
        sections.confusion_section({"confusion": {"class_names": names, "matrix": matrix}})


def test_samples() -> None:
    samples = [
        {"image": [[0, 255]], "true": "a", "predicted": "a", "confidence": 0.91},
        {"image": [[0, 255]], "true": "a", "predicted": "b<", "confidence": 0.4},
        {"image": [[0, 255]], "true": "a", "predicted": "b"},
    ]
    page = sections.samples_section({"samples": samples})
    assert re.findall('<figure class="(.*?)">', page) == ["right", "wrong", "wrong"]
    assert re.findall("width:(.*?)%", page) == ["91", "40", "0"]
    text = _text(page)
    assert "3 test items with what the exported model says; 2 of them wrong." in text
    assert text.endswith("a 91% sure ✗ b&lt; 40% sure, in truth a ✗ b in truth a")


def _data(**changes: Any) -> dict[str, Any]:
    part = {
        "num_items": 30,
        "class_counts": {"0": 10, "1": 20},
        "shapes": {"2×2": 30},
        "dtypes": {"uint8": 30},
        "minimum": 0.0,
        "maximum": 255.0,
        "mean": 72.5,
        "std": 90.0,
        "duplicates": [[1, 2]],
        "unreadable": [],
    }
    return {
        "passed": True,
        "class_names": ["cat", "dog"],
        "train": part,
        "test": {**part, "mean": None, "class_counts": {"0": 3}},
        "shared": [],
        "problems": [],
        "warnings": [],
        "seconds": 0.25,
        **changes,
    }


def test_data() -> None:
    page = sections.data_section({"data": _data()})
    text = _text(page)
    assert "train 30 test 3" in text
    assert "train images 30 of 2×2 uint8 train values 0 to 255, mean 72.5, std 90" in text
    assert "train repeats 1 images occur again" in text
    assert "test values" not in text
    assert "The data check found no problem." in text
    assert re.findall("<title>(.*?)</title>", page)[1:] == [
        "cat, train: 10",
        "cat, test: 3",
        "dog, train: 20",
        "dog, test: 0",
    ]


def test_data_with_problems() -> None:
    data = _data(passed=False, problems=["a < b"], warnings=["c"])
    page = sections.data_section({"data": data})
    assert "The data check found problems." in _text(page)
    assert '<ul class="problems"><li>a &lt; b</li></ul>' in page
    assert '<ul class="problems mild"><li>c</li></ul>' in page


def test_steps() -> None:
    steps = [{"name": "check", "seconds": 1.25}, {"name": "fit", "seconds": 30, "note": "8 epochs"}]
    page = sections.steps_section({"steps": steps})
    assert re.findall('class="value".*?>(.*?)<', page) == ["1.25 s", "30 s"]
    assert _text(page) == "Time fit 8 epochs"


def test_layers() -> None:
    checks = [
        {"name": "accuracy", "measured": 0.87654, "expected": ">= 0.85", "passed": True},
        {"name": "resume", "measured": False, "expected": True, "passed": False, "note": "a<b"},
        {"name": "GPU", "passed": None},
    ]
    page = sections.layer_tables(layers_of({"layers": {"training": checks}}))
    assert re.findall('<details open class="card layer (.*?)" id="layer-(.*?)">', page) == [
        ("skip", "environment"),
        ("fail", "training"),
        ("skip", "inference"),
        ("skip", "hardware"),
        ("skip", "engineering"),
    ]
    assert re.findall('<tr class="(.*?)">', page) == ["pass", "fail", "skip"]
    text = _text(page)
    assert "1 of 2 passed check measured expected result accuracy 0.8765 &gt;= 0.85 passed" in text
    assert "resume a&lt;b no yes failed GPU – – skipped" in text


def test_lineage() -> None:
    lineage = {"commands": ["proa tour", "proa verify <run>"], "seeds": {"run": 2024, "data": None}}
    page = sections.lineage_section({"lineage": lineage})
    assert (
        _text(page) == "Lineage Seeds run 2024 data None Commands proa tour proa verify &lt;run&gt;"
    )
    assert "<pre>proa tour\nproa verify &lt;run&gt;</pre>" in page


MISSING = {
    "curves": (
        lambda: sections.curves_section({"curves": {"loss": {"title": "t"}}}, None),
        r"no curves\['loss'\]\['series'\]: it has only \['title'\]",
    ),
    "series": (
        lambda: sections.curves_section({"curves": {"l": {"series": [{"name": "a"}]}}}, None),
        r"no curves\['l'\]\['x'\]",
    ),
    "sizes": (
        lambda: sections.curves_section(
            {"curves": {"l": {"series": [{"name": "a", "x": [1], "y": []}]}}}, None
        ),
        r"positions and values of 'a' in curves\['l'\]: 1 and 0",
    ),
    "confusion": (
        lambda: sections.confusion_section({"confusion": {"matrix": []}}),
        r"no confusion\['class_names'\]",
    ),
    "samples": (
        lambda: sections.samples_section({"samples": [{"true": 1, "predicted": 1}]}),
        r"no samples\['image'\]",
    ),
    "data": (lambda: sections.data_section({"data": {"a": 1}}), r"no data\['class_names'\]"),
    "steps": (lambda: sections.steps_section({"steps": [{"name": "a"}]}), r"no steps\['seconds'\]"),
}


@pytest.mark.parametrize("case", MISSING)
def test_what_is_missing_is_named(case: str) -> None:
    call, message = MISSING[case]
    with pytest.raises(InvalidArgumentError, match=message):
        call()
