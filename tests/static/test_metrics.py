"""Metrics that are summed up from run to run; the numbers are Paddle 3.3.1's."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import static
from proa.core import InvalidArgumentError

YES = np.float32([0.9, 0.4, 0.7, 0.8])
FIRST, SECOND = (np.int64(labels)[:, None] for labels in ([1, 0, 0, 1], [0, 1, 0, 1]))


def areas(settings, labels=(FIRST, SECOND, SECOND), test=False):
    main = static.Program()
    with static.program_guard(main):
        chance, label = static.data("x", [None, 2]), static.data("label", [None, 1], "int64")
        total, recent, states = static.auc(chance, label, **settings)
        program = main.clone(for_test=True) if test else main
    run, feed = static.Executor().run, {"x": np.stack([1 - YES, YES], 1)}
    found = [run(program, {**feed, "label": each}, [total, recent]) for each in labels]
    return [[each.item() for each in pair] for pair in found], states


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, [[1, 1], [0.625, 0.25], [0.5, 0.25]]),
        ({"num_thresholds": 10, "slide_steps": 2}, [[1, 1], [0.625, 0.625], [0.5, 0.25]]),
        ({"num_thresholds": 10, "slide_steps": 0}, [[1, 1], [0.625, 0.625], [0.5, 0.5]]),
    ],
)
def test_areas_of_all_runs_and_of_the_last(settings, expected):
    assert areas(settings)[0] == expected


def test_a_clone_for_test_sums_up_as_well():
    assert areas({}, test=True)[0] == areas({})[0]


def test_average_precision_is_that_of_the_metric():
    found, states = areas({"curve": "PR", "num_thresholds": 100}, (SECOND,))
    metric = proa.metric.Auc("PR", 100)
    metric.update(YES, SECOND)
    assert found[0][0] == pytest.approx(metric.accumulate())
    assert states[2].numpy().sum() == states[3].numpy().sum() == 2


def test_sums_for_click_rates():
    main = static.Program()
    with static.program_guard(main):
        chance, click = static.data("x", [None, 1]), static.data("click", [None, 1], "int64")
        tag = static.data("tag", [None, 1], "int64")
        sums = static.ctr_metric_bundle(chance, click)
        some = static.ctr_metric_bundle(chance, click, tag)
    feed = {
        "x": np.float32([[0.9], [0.4], [0.7]]),
        "click": [[1], [0], [0]],
        "tag": [[1], [0], [1]],
    }
    run = static.Executor().run
    run(main, feed)
    found = run(main, feed, [*sums, some[5]])
    expected = [1.32, 2.4, 4.0, 3.9556496, 2.0, 6.0, 4.0]
    np.testing.assert_allclose([each.item() for each in found], expected, rtol=1e-5)
    assert [each.shape for each in found[:6]] == [(1,), (1,), (1,), (1, 1), (1,), (1, 1)]


def test_shares_of_right_rows():
    scores, labels = proa.to_tensor([[0.1, 0.9], [0.8, 0.2]]), proa.to_tensor([[1], [1]])
    assert static.accuracy(scores, labels).item() == 0.5


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"curve": "other"}, "`curve` is 'other'"), ({"slide_steps": -1}, "slide_steps=-1")],
)
def test_wrong_areas(settings, message):
    with pytest.raises(InvalidArgumentError, match=message):
        static.auc(proa.ones([1, 2]), proa.ones([1, 1]), **settings)
