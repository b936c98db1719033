"""Precision, Recall and Auc, against values recorded from paddle 3.3.1 and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from proa.core import InvalidArgumentError, InvalidTypeError, Tensor
from proa.metric import Auc, Precision, Recall

CHANCES = np.array([0.1, 0.51, 0.6, 0.7, 0.49])
TRUTH = np.array([0, 1, 1, 0, 1])


@pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
@pytest.mark.parametrize("convert", [np.asarray, Tensor])
@pytest.mark.parametrize(("metric", "expected"), [(Precision, 2 / 3), (Recall, 2 / 3)])
def test_shares_equal_the_recorded_ones(metric, expected, convert, shape):
    found = metric()
    found.update(convert(CHANCES.reshape(shape)), convert(TRUTH.reshape(shape)))
    assert found.accumulate() == pytest.approx(expected)


def test_one_half_counts_as_yes_in_both():
    # In paddle 3.3.1 it counts as yes for Precision and as no for Recall.
    for metric in (Precision(), Recall()):
        metric.update(np.array([0.5]), np.array([1]))
        assert metric.accumulate() == 1.0


def test_counts_add_up_and_reset_starts_anew():
    precision, recall = Precision(), Recall()
    for _ in range(2):
        precision.update(CHANCES, TRUTH)
        recall.update(CHANCES, TRUTH)
    assert (precision.tp, precision.fp) == (4, 2)
    assert (recall.tp, recall.fn) == (4, 2)
    precision.reset()
    recall.reset()
    assert (precision.accumulate(), recall.accumulate()) == (0.0, 0.0)


def test_names():
    assert [m().name() for m in (Precision, Recall, Auc)] == ["precision", "recall", "auc"]
    assert [m(name="x").name() for m in (Precision, Recall, Auc)] == ["x"] * 3


def both(chances):
    return np.stack([1 - chances, chances], axis=1)


@pytest.mark.parametrize(("num_thresholds", "expected"), [(4095, 0.75), (10, 0.75), (1, 0.5)])
def test_small_area_equals_the_recorded_one(num_thresholds, expected):
    metric = Auc(num_thresholds=num_thresholds)
    metric.update(both(np.array([0.1, 0.4, 0.35, 0.8])), np.array([[0], [0], [1], [1]]))
    assert metric.accumulate() == expected


@pytest.mark.parametrize(
    ("num_thresholds", "recorded"), [(255, 0.8337736785639941), (4095, 0.8337496597332309)]
)
def test_area_of_many_samples_equals_the_recorded_one(num_thresholds, recorded):
    rng = np.random.RandomState(3)
    chances = rng.rand(500)
    truth = (rng.rand(500) < chances).astype(int)
    metric = Auc(num_thresholds=num_thresholds)
    for part in np.split(np.arange(500), 5):
        metric.update(both(chances[part]), truth[part])
    assert metric.accumulate() == pytest.approx(recorded, abs=1e-12)
    # The area is the chance that a true sample scores higher than a false one.
    pairs = chances[truth == 1][:, None] - chances[truth == 0][None]
    assert metric.accumulate() == pytest.approx((pairs > 0).mean(), abs=2e-3)


def test_average_precision():
    # By hand: 1 at the first true sample, 2/3 at the second.
    metric = Auc("PR")
    metric.update(np.array([0.1, 0.4, 0.35, 0.8]), np.array([0, 0, 1, 1]))
    assert metric.accumulate() == pytest.approx(0.5 * 1 + 0.5 * 2 / 3)


def test_area_with_one_class_is_zero_and_reset_starts_anew():
    metric = Auc()
    metric.update(np.array([0.1, 0.4]), np.array([0, 0]))
    assert metric.accumulate() == 0.0
    metric.update(Tensor([1.0, 0.0]), Tensor([1, 1]))
    assert metric.accumulate() == 0.5
    metric.reset()
    assert metric.accumulate() == 0.0


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda: Precision().update([0.1], TRUTH), InvalidTypeError, "`preds` is a list"),
        (lambda: Recall().update(CHANCES, [0]), InvalidTypeError, "`labels` is a list"),
        (
            lambda: Precision().update(CHANCES, TRUTH[:2]),
            InvalidArgumentError,
            r"Precision.update: `preds` has shape \[5\], `labels` \[2\]",
        ),
        (
            lambda: Auc().update(both(CHANCES), TRUTH[:2]),
            InvalidArgumentError,
            r"`preds` has shape \[5\]",
        ),
        (
            lambda: Auc().update(np.array([0.5, 1.5]), np.array([0, 1])),
            InvalidArgumentError,
            "prediction 1 is 1.5",
        ),
        (
            lambda: Auc().update(np.array([np.nan]), np.array([0])),
            InvalidArgumentError,
            "prediction 0 is nan",
        ),
        (lambda: Auc("x"), InvalidArgumentError, "`curve` is 'x'"),
        (lambda: Auc(num_thresholds=0), InvalidArgumentError, "`num_thresholds` is 0"),
    ],
)
def test_wrong_arguments_are_named(act, error, message):
    with pytest.raises(error, match=message):
        act()


def test_the_area_below_a_line():
    assert Auc.trapezoid_area(3.0, 1.0, 2.0, 4.0) == 6.0
