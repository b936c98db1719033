"""Transforms: results, inverses and log determinants, against derivatives and recorded values."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import distribution
from proa.distribution import (
    AbsTransform,
    AffineTransform,
    ChainTransform,
    ExpTransform,
    IndependentTransform,
    Normal,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
    TransformedDistribution,
)
from tests.distribution.checks import close, tensor

X = np.array([[0.2, 0.3], [0.5, 0.1]])
SCALARS = [
    AffineTransform(1.0, -2.0),
    ExpTransform(),
    PowerTransform(3.0),
    SigmoidTransform(),
    TanhTransform(),
    ChainTransform([AffineTransform(0.0, 2.0), ExpTransform()]),
]


@pytest.mark.parametrize("made", SCALARS, ids=lambda t: type(t).__name__)
def test_maps_of_numbers(made):
    x = tensor(X, train=True)
    y = made.forward(x)
    close(made.inverse(y), X, rtol=1e-7)
    (slope,) = proa.grad(y.sum(), [x])
    volume = np.log(abs(slope.numpy()))
    wanted = np.broadcast_to(made.forward_log_det_jacobian(x).numpy(), X.shape)
    np.testing.assert_allclose(wanted, volume, rtol=1e-6)
    back = np.broadcast_to(made.inverse_log_det_jacobian(y).numpy(), X.shape)
    np.testing.assert_allclose(back, -volume, rtol=1e-6)
    assert made.forward_shape((3, 2)) == made.inverse_shape([3, 2]) == (3, 2)


def test_stick_breaking():
    made, x = StickBreakingTransform(), tensor(X[0], train=True)
    y = made.forward(x)
    # Recorded with paddle 3.3.1.
    np.testing.assert_allclose(y.numpy(), [0.37915, 0.35664, 0.26421], atol=1e-5)
    close(made.inverse(y), X[0])
    rows = [proa.grad(y[i], [x], retain_graph=True)[0].numpy() for i in range(2)]
    close(made.forward_log_det_jacobian(x), np.log(np.linalg.det(np.stack(rows))))
    assert made.forward_shape((3, 2)) == (3, 3)
    assert made.inverse_shape((3, 3)) == (3, 2)


def test_other_shapes():
    softmax = SoftmaxTransform().forward(tensor(X))
    close(softmax.sum(-1), [1.0, 1.0])
    close(SoftmaxTransform().inverse(softmax), np.log(softmax.numpy()))
    wide = ReshapeTransform((2,), (1, 2))
    assert wide.forward(tensor(X)).shape == [2, 1, 2]
    assert wide.inverse(wide.forward(tensor(X))).shape == [2, 2]
    assert wide.forward_log_det_jacobian(tensor(X)).tolist() == [0.0, 0.0]
    assert (wide.in_event_shape, wide.out_event_shape) == ((2,), (1, 2))
    rows = IndependentTransform(ExpTransform(), 1)
    close(rows.forward_log_det_jacobian(tensor(X)), X.sum(-1))
    close(rows.inverse(rows.forward(tensor(X))), X)
    # A scale that is shared counts once for each entry of the event.
    shared = IndependentTransform(AffineTransform(0.0, 2.0), 1)
    close(shared.forward_log_det_jacobian(tensor(X)), np.full(2, 2 * np.log(2)), rtol=1e-6)


def test_stack():
    made = StackTransform([ExpTransform(), PowerTransform(2.0)], 0)
    y = made.forward(tensor(X))
    close(y, [np.exp(X[0]), X[1] ** 2])
    close(made.inverse(y), X)
    close(made.forward_log_det_jacobian(tensor(X)), [X[0], np.log(2 * X[1])], atol=1e-9)
    assert made.axis == 0
    assert len(made.transforms) == 2


def test_absolute_value():
    made = AbsTransform()
    close(made.forward(tensor(-X)), X)
    minus, plus = made.inverse(tensor(X))
    close(minus, -X)
    close(plus, X)
    assert [zero.item() for zero in made.inverse_log_det_jacobian(tensor(X))] == [0.0, 0.0]


def test_calling_a_transform():
    both = ExpTransform()(AffineTransform(1.0, 2.0))
    assert [type(t) for t in both.transforms] == [ExpTransform, AffineTransform]
    assert isinstance(ExpTransform()(Normal(0.0, 1.0)), TransformedDistribution)
    assert ExpTransform()(0.0).item() == 1.0
    assert distribution.transform.ExpTransform is ExpTransform


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: Transform().forward(1.0), NotImplementedError, "`_forward` of `Transform`"),
        (lambda: Transform().inverse(1.0), NotImplementedError, "`_inverse` of `Transform`"),
        (
            lambda: Transform().forward_log_det_jacobian(1.0),
            NotImplementedError,
            "`_forward_log_det_jacobian`(.|\n)*subclass",
        ),
        (
            lambda: AbsTransform().forward_log_det_jacobian(1.0),
            NotImplementedError,
            "several inputs to one(.|\n)*injective",
        ),
        (
            lambda: SoftmaxTransform().inverse_log_det_jacobian([0.5]),
            NotImplementedError,
            "several inputs to one",
        ),
        (lambda: ExpTransform().forward("a"), TypeError, "is 'a'(.|\n)*to_tensor"),
        (lambda: ExpTransform().forward_shape(3), TypeError, "`shape`(.|\n)*integers"),
        (lambda: ChainTransform([3]), TypeError, "`transforms` of `ChainTransform`"),
        (lambda: ReshapeTransform((2, 3), (5,)), ValueError, r"from \[2, 3\] to \[5\]"),
        (
            lambda: ReshapeTransform((2,), (1, 2)).forward(proa.zeros([3])),
            ValueError,
            r"shape \[3\](.|\n)*ends in the event shape \[2\]",
        ),
        (lambda: StackTransform([]), ValueError, "`transforms` of `StackTransform` is empty"),
        (lambda: StackTransform([ExpTransform()], "a"), TypeError, "`axis` of `StackTransform`"),
        (
            lambda: StackTransform([ExpTransform()]).forward(proa.zeros([3])),
            ValueError,
            "1 transforms along axis 0(.|\n)*as many slices",
        ),
        (lambda: IndependentTransform(3, 1), TypeError, "`base` of `IndependentTransform`"),
        (lambda: IndependentTransform(ExpTransform(), 0), ValueError, "is 0(.|\n)*>= 1"),
        (
            lambda: IndependentTransform(ExpTransform(), 1).forward(1.0),
            ValueError,
            "at least 1 axes",
        ),
        (lambda: SoftmaxTransform().forward(1.0), ValueError, "at least one axis"),
        (lambda: StickBreakingTransform().inverse([1.0]), ValueError, "length >= 2"),
    ],
)
def test_errors(make, kind, message):
    with pytest.raises(kind, match=message):
        make()
