"""The record of a run: what is missing is named, verdicts and differences follow from it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from proa.core._errors import InvalidArgumentError
from proa.suites import LAYERS, run_verdict
from proa.suites._run_record import accuracy_of, comparison_of, layers_of, state_of

pytestmark = pytest.mark.smoke


def _layers(**results: Any) -> dict[str, Any]:
    """All five layers with one passed check each, but for those named."""
    return {
        "layers": {
            name: [{"name": "c", "passed": passed} for passed in results.get(name, [True])]
            for name in LAYERS
        }
    }


VERDICTS = {
    "all": ({}, True, "Verified: all five layers passed"),
    "numpy": ({"training": [np.True_, np.True_]}, True, "Verified"),
    "some skipped": ({"hardware": [None, True]}, True, "Verified"),
    "one failed": ({"training": [True, False]}, False, "1 check failed in training"),
    "numpy failed": ({"training": [np.False_]}, False, "1 check failed in training"),
    "two failed": (
        {"training": [False, False], "inference": [False]},
        False,
        "3 checks failed in training and inference",
    ),
    "skipped": ({"hardware": [None]}, False, "1 layer was not checked: hardware"),
    "missing": (
        {"hardware": [], "training": []},
        False,
        "2 layers were not checked: training, hard",
    ),
}


@pytest.mark.parametrize("case", VERDICTS)
def test_verdict(case: str) -> None:
    results, passed, text = VERDICTS[case]
    verdict = run_verdict(_layers(**results))
    assert verdict[0] is passed
    assert verdict[1].startswith(text)


def test_an_empty_run_is_not_verified() -> None:
    passed, text = run_verdict({})
    assert (passed, text.startswith("5 layers were not checked: environment")) == (False, True)


def test_layers_are_five_in_their_order() -> None:
    layers = layers_of(_layers())
    assert list(layers) == ["environment", "training", "inference", "hardware", "engineering"]
    assert state_of(layers["training"]) == "pass"


BAD_LAYERS = {
    "unknown": ({"traning": []}, "`run` has the layer 'traning'\n  Expected: layers named environ"),
    "no result": (
        {"training": [{"name": "c"}]},
        r"no layers\['training'\]\['passed'\]: it has only \['name'\]",
    ),
    "no name": ({"training": [{"passed": True}]}, r"no layers\['training'\]\['name'\]"),
    "no dict": ({"training": ["c"]}, r"no layers\['training'\]\['name'\]: it is no dict"),
}


@pytest.mark.parametrize("case", BAD_LAYERS)
def test_bad_layers(case: str) -> None:
    layers, message = BAD_LAYERS[case]
    with pytest.raises(InvalidArgumentError, match=message):
        run_verdict({"layers": layers})


def _run(shard: list[float], *, x: list[float] | None = None, **changes: Any) -> dict[str, Any]:
    base = {"name": "base", "x": [1, 2, 3, 4], "y": [2.0, 1.0, 0.5, 0.0]}
    other = {"name": "shard", "x": x or [1, 2, 3], "y": shard}
    wanted = {"curve": "loss", "reference": "base", "limit": 1e-5, "num_steps": 2, **changes}
    return {"curves": {"loss": {"series": [base, other]}}, "comparison": wanted}


DIFFERENCES = {
    "relative to the reference": ([2.0, 1.5, 0.25], None, [0.0, 0.5, 0.5], 0.5),
    "only the first steps count": ([2.0, 1.0, 5.0], None, [0.0, 0.0, 9.0], 0.0),
    "by position": ([1.0, 9.0], [2, 7], [0.0], 0.0),
    "not a number": ([2.0, math.nan, 0.5], None, [0.0, math.inf, 0.0], math.inf),
    "reference zero": ([1e-9], [4], [math.inf], math.inf),
    "nothing in common": ([1.0], [9], [], math.inf),
}


@pytest.mark.parametrize("case", DIFFERENCES)
def test_difference(case: str) -> None:
    shard, x, expected, largest = DIFFERENCES[case]
    found = comparison_of(_run(shard, x=x))
    assert found["series"][0]["y"] == expected
    assert found["largest"] == {"shard": largest}
    assert found["limit"] == 1e-5


BAD_COMPARISONS = {
    "curve": ({"curve": "los"}, r"no curves\['los'\]: it has only \['loss'\]"),
    "reference": ({"reference": "bas"}, r"no series\['bas'\]: it has only \['base', 'shard'\]"),
}


@pytest.mark.parametrize("case", BAD_COMPARISONS)
def test_bad_comparison(case: str) -> None:
    changes, message = BAD_COMPARISONS[case]
    with pytest.raises(InvalidArgumentError, match=message):
        comparison_of(_run([1.0, 1.0, 1.0], **changes))


def test_sizes_of_compared_series() -> None:
    with pytest.raises(InvalidArgumentError, match="positions and values of 'shard': 3 and 2"):
        comparison_of(_run([1.0, 1.0]))
    assert comparison_of({}) is None


def test_accuracy() -> None:
    assert accuracy_of({"confusion": {"matrix": [[3, 1], [0, 4]]}}) == 7 / 8
    assert accuracy_of({"confusion": {"matrix": [[0, 0], [0, 0]]}}) is None
    assert accuracy_of({}) is None
