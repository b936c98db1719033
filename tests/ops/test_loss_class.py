from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy.special import log_softmax, softmax

import proa
import proa.nn.functional as F
from proa.core import new_tensor
from tests.ops.harness import Case, case_ids, check_case, ints, positive, randn, same, uniform


def hard(x, label, weight=None):
    factor = np.ones(len(label)) if weight is None else weight[label]
    loss = -log_softmax(x, 1)[np.arange(len(label)), label] * factor
    return loss.sum() / factor.sum()


def soft(x, label, weight=None):
    loss = -(label * log_softmax(x, 1)).sum(1, keepdims=True)
    factor = np.ones_like(loss) if weight is None else (label * weight).sum(1, keepdims=True)
    return (loss * factor).sum() / factor.sum()


def smoothed(x, label, weight):
    return soft(x, np.eye(x.shape[1])[label] * 0.8 + 0.2 / x.shape[1], weight)


def picked(x, label, weight):
    return -(x[np.arange(len(label)), label] * weight[label]).sum() / weight[label].sum()


LABEL = ints(0, 5, 4)
TARGET = softmax(randn(4, 5), 1)
CASES = [
    Case(F.cross_entropy, (randn(4, 5), LABEL), ref=hard),
    Case(F.cross_entropy, (randn(4, 5), LABEL, positive(5)), ref=hard),
    Case(F.cross_entropy, (randn(4, 5), TARGET, positive(5)), {"soft_label": True}, ref=soft),
    Case(
        F.cross_entropy,
        (randn(4, 5), LABEL, positive(5)),
        {"label_smoothing": 0.2},
        ref=smoothed,
    ),
    Case(
        lambda x, y: F.cross_entropy(x, y, reduction="sum", axis=1),
        (randn(4, 5, 2), ints(0, 5, 4, 2)),
        ref=lambda x, y: -np.take_along_axis(log_softmax(x, 1), y[:, None], 1).sum(),
        id="cross_entropy_axis",
    ),
    Case(
        lambda x, y: F.cross_entropy(x, y, reduction="none", use_softmax=False),
        (uniform(0.1, 0.9, 4, 5), LABEL[:, None]),
        ref=lambda x, y: -np.log(np.take_along_axis(x, y, 1)),
        id="cross_entropy_probabilities",
    ),
    Case(F.nll_loss, (randn(4, 5), LABEL, positive(5)), ref=picked),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_hard_labels_keep_no_array_of_the_size_of_the_scores():
    x = jax.ShapeDtypeStruct((32, 4099), np.float32)
    y = jax.ShapeDtypeStruct((32,), np.int64)

    def loss(x, y):
        return F.cross_entropy(new_tensor(x), new_tensor(y), ignore_index=7)._data

    step = jax.jit(jax.grad(loss)).lower(x, y).compile()
    assert step.memory_analysis().temp_size_in_bytes < 32 * 4099 * 4 / 2


def test_shapes_of_single_losses():
    # As Paddle 3.3.1.
    x, y = proa.to_tensor(randn(2, 3, 4)), proa.zeros([2, 4], "int64")
    assert F.cross_entropy(x, y, reduction="none", axis=1).shape == [2, 4]
    assert F.cross_entropy(x, y.unsqueeze(1), reduction="none", axis=1).shape == [2, 1, 4]
    uniform_target = proa.full([2, 3, 4], 1 / 3, "float64")
    loss = F.cross_entropy(x, uniform_target, reduction="none", soft_label=True, axis=1)
    assert loss.shape == [2, 1, 4]


def test_softmax_with_cross_entropy():
    x, y = randn(3, 4), np.array([[1], [0], [3]])
    loss, p = F.softmax_with_cross_entropy(
        proa.to_tensor(x), proa.to_tensor(y), return_softmax=True
    )
    same(loss, -np.take_along_axis(log_softmax(x, 1), y, 1))
    same(p, softmax(x, 1))
    flat = F.softmax_with_cross_entropy(proa.to_tensor(x), proa.to_tensor(y[:, 0]))
    same(flat, loss.numpy())


@pytest.mark.parametrize("weight", [None, [1.0, 2.0, 3.0]])
def test_all_ignored_gives_zero_and_zero_gradients(weight):
    # PT#70348, PT#116349, PT#75181.
    x = proa.to_tensor(randn(2, 3), dtype="float32", stop_gradient=False)
    weight = None if weight is None else proa.to_tensor(weight)
    for function, values in ((F.cross_entropy, x), (F.nll_loss, x)):
        x.clear_grad()
        loss = function(values, proa.to_tensor([-100, -100]), weight)
        same(loss, 0.0)
        loss.backward()
        same(x.grad, np.zeros((2, 3)))


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_label_outside_the_classes_raises(reduction):
    # PT#15508, PT#12670.
    x = proa.zeros([3, 3])
    good = F.cross_entropy(x, proa.to_tensor([0, 255, 2]), ignore_index=255, reduction="none")
    same(good, [np.log(3), 0, np.log(3)])
    for bad in (-4, 3):
        label = proa.to_tensor([0, bad, 2])
        with pytest.raises(proa.core.OutOfRangeError, match=f"holds {bad} at"):
            F.cross_entropy(x, label, ignore_index=255, reduction=reduction)
        with pytest.raises(proa.core.OutOfRangeError, match="`label` of `nll_loss`"):
            F.nll_loss(x, label, reduction=reduction)


def test_ignored_labels_stay_ignored_when_smoothed():
    x = proa.to_tensor(randn(2, 3))
    both = F.cross_entropy(x, proa.to_tensor([1, -100]), label_smoothing=0.1)
    same(both, F.cross_entropy(x[:1], proa.to_tensor([1]), label_smoothing=0.1).numpy())


def test_probability_zero_stays_finite():
    p = proa.to_tensor([[0.0, 1.0]], stop_gradient=False)
    loss = F.cross_entropy(p, proa.to_tensor([0]), use_softmax=False)
    loss.backward()
    assert np.isfinite(loss.item())
    assert np.isfinite(p.grad.numpy()).all()


X, Y = proa.zeros([2, 3]), proa.to_tensor([0, 1])


def test_a_column_of_labels_is_taken_as_well():
    scores = proa.to_tensor([[-1.0, -2.0], [-3.0, -4.0]])
    loss = F.nll_loss(scores, proa.to_tensor([[0], [1]]), reduction="none")
    same(loss, [1.0, 4.0])


ERRORS = [
    (lambda: F.cross_entropy(X, proa.to_tensor([[0, 1], [1, 0]])), "one class per element"),
    (lambda: F.cross_entropy(X, X[:, :2], soft_label=True), "a label of the input's shape"),
    (lambda: F.cross_entropy(X, Y, proa.zeros([2])), "`weight` of `cross_entropy`"),
    (lambda: F.cross_entropy(X, Y, reduction="avg"), "`reduction` of `cross_entropy` is 'avg'"),
    (lambda: F.cross_entropy(X, Y, label_smoothing=2.0), "`label_smoothing`"),
    (lambda: F.cross_entropy(X, Y, axis=2), "`axis` of `cross_entropy` is 2"),
    (lambda: F.nll_loss(X, Y.unsqueeze(0)), "drop the class axis"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.ProaError, match=match):
        call()


def test_labels_that_are_smoothed_may_be_one_hot_already():
    x = proa.to_tensor([[1.0, 2.0, 3.0], [0.5, 0.1, 0.2]], dtype="float64")
    wanted = F.cross_entropy(x, proa.to_tensor([1, 0]), label_smoothing=0.4)
    rows = proa.to_tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    same(F.cross_entropy(x, rows, label_smoothing=0.4), wanted.numpy(), "float64")
