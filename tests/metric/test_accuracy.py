"""Accuracy, against values recorded from paddle 3.3.1 and a NumPy reference."""

from __future__ import annotations

import numpy as np
import pytest

from proa.core import InvalidArgumentError, InvalidTypeError, Tensor
from proa.metric import Accuracy, accuracy

SCORES = np.float32([[0.1, 0.2, 0.7], [0.8, 0.1, 0.1], [0.3, 0.4, 0.3], [0.2, 0.5, 0.3]])
LABELS = np.array([2, 1, 1, 2])


def test_matches_equal_the_recorded_ones():
    metric = Accuracy(topk=(1, 2))
    matches = metric.compute(Tensor(SCORES), Tensor(LABELS[:, None]))
    assert matches.dtype.name == "float32"
    assert matches.tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]
    assert metric.update(matches) == [0.5, 1.0]
    assert metric.accumulate() == [0.5, 1.0]


@pytest.mark.parametrize(
    "labels",
    [LABELS, LABELS[:, None], np.eye(3, dtype="float32")[LABELS], LABELS.astype("int32")],
    ids=["flat", "column", "one-hot", "int32"],
)
def test_forms_of_labels(labels):
    metric = Accuracy()
    assert metric.update(metric.compute(Tensor(SCORES), Tensor(labels))) == 0.5


def test_soft_labels_count_by_their_largest_entry():
    # Recorded with paddle 3.3.1.
    soft = np.float32([[0.5, 0.5, 0.0]] * 4)
    matches = Accuracy().compute(Tensor(SCORES), Tensor(soft))
    assert matches.tolist() == [[0], [1], [0], [0]]


@pytest.mark.parametrize("with_axis", [True, False])
def test_sequences_of_labels(with_axis):
    rng = np.random.default_rng(0)
    scores, labels = rng.random((2, 5, 4), "float32"), rng.integers(0, 4, (2, 5))
    metric = Accuracy((1, 3))
    given = Tensor(labels[..., None] if with_axis else labels)
    metric.update(metric.compute(Tensor(scores), given))
    order = np.argsort(-scores, axis=-1)
    right = order == labels[..., None]
    assert metric.accumulate() == [right[..., :1].sum() / 10, right[..., :3].sum() / 10]


def test_batches_add_up_and_reset_starts_anew():
    metric = Accuracy()
    metric.update(np.float32([[1], [0]]))
    metric.update(np.float32([[1]]))
    assert metric.accumulate() == pytest.approx(2 / 3)
    metric.reset()
    assert metric.accumulate() == 0.0
    assert metric.update(np.zeros((0, 1), "float32")) == 0.0


def test_more_places_than_classes_count_all_classes():
    metric = Accuracy((1, 5))
    assert metric.update(metric.compute(Tensor(SCORES), Tensor(LABELS))) == [0.5, 1.0]


def test_label_outside_the_classes_is_wrong():
    # Recorded with paddle 3.3.1.
    matches = Accuracy().compute(Tensor(SCORES), Tensor(np.array([-1, 5, 0, 1])))
    assert matches.tolist() == [[0], [0], [0], [1]]


def test_names():
    assert Accuracy().name() == ["acc"]
    assert Accuracy((1, 2)).name() == ["acc_top1", "acc_top2"]
    assert Accuracy(name="x").name() == ["x"]
    assert Accuracy((1, 3), name="x").name() == ["x_top1", "x_top3"]
    assert Accuracy(2).name() == ["acc"]


def test_function_gives_share_and_counts():
    # Recorded with paddle 3.3.1.
    scores, labels = Tensor(SCORES), Tensor(LABELS[:, None])
    correct, total = Tensor(np.int32([0])), Tensor(np.int32([0]))
    share = accuracy(scores, labels, 1, correct, total)
    assert (share.shape, share.dtype.name, float(share)) == ([], "float32", 0.5)
    assert (correct.tolist(), total.tolist()) == ([2], [4])
    assert float(accuracy(scores, labels, k=2)) == 1.0


def test_function_takes_an_empty_batch():
    empty = Tensor(np.zeros((0, 3), "float32"))
    assert float(accuracy(empty, Tensor(np.zeros((0, 1), "int64")))) == 0.0


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda: Accuracy(()), InvalidArgumentError, r"`topk` is \(\)"),
        (lambda: Accuracy((0, 1)), InvalidArgumentError, r"`topk` is \(0, 1\)"),
        (
            lambda: Accuracy().compute(Tensor(SCORES), Tensor(LABELS[:3])),
            InvalidArgumentError,
            r"predictions of shape \[4, 3\] with labels of shape \[3",
        ),
        (
            lambda: Accuracy().compute(Tensor(SCORES[:, :1]), Tensor(LABELS)),
            InvalidArgumentError,
            "scores of at least two classes",
        ),
        (lambda: Accuracy().update([1.0]), InvalidTypeError, "`correct` is a list"),
        (
            lambda: accuracy(Tensor(SCORES), Tensor(LABELS), k=4),
            InvalidArgumentError,
            "`k` is 4 with 3 classes",
        ),
    ],
)
def test_wrong_arguments_are_named(act, error, message):
    with pytest.raises(error, match=message):
        act()
