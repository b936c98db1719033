"""Rows for `paddle.sparse`. What the real wheel has on GPUs only cannot be compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from parity.table import Call, array, normal

_S, _F = "paddle.sparse", "paddle.sparse.nn.functional"
_PLAIN = [[0.0, 0.5, 0.0, -0.25], [0.75, 0.0, 0.0, 0.0], [0.0, 0.125, -0.5, 0.0]]
_OTHER = [[0.5, 0.25, 0.0, 0.0], [0.25, 0.0, 0.5, 0.0], [0.0, 0.0, -0.5, 0.0]]
_POSITIVE = [[0.0, 0.5, 0.0, 0.25], [0.75, 0.0, 0.0, 0.0], [0.0, 0.125, 0.5, 0.0]]
_CUBE = [_PLAIN, _OTHER]
_ROWS = array([[0, 0, 1, 2, 2], [1, 3, 0, 1, 2]])


def coo(values: Any = _PLAIN, sparse_dim: int = 2, **settings: Any) -> Call:
    """A COO tensor of dense values."""
    return Call("paddle.Tensor.to_sparse_coo", array(values, **settings), sparse_dim)


def csr(values: Any = _PLAIN, **settings: Any) -> Call:
    """A CSR tensor of dense values."""
    return Call("paddle.Tensor.to_sparse_csr", array(values, **settings))


_ALIKE = (
    *("abs", "asin", "asinh", "atan", "atanh", "deg2rad", "expm1", "neg", "rad2deg"),
    *("sin", "sinh", "square", "tan", "tanh"),
)


def _both_forms(name: str, *args: Any, values: Any = _PLAIN, dim: int = 2) -> Iterator[Call]:
    """A row per form. The real one passes no gradient to what a CSR tensor was made of."""
    yield Call(name, coo(values, dim), *args)
    yield Call(name, csr(values), *args, grad=False)


def _unary() -> Iterator[Call]:
    for name in _ALIKE:
        yield from _both_forms(f"{_S}.{name}")
        reason = "the real one multiplies by a number of float32" if name == "rad2deg" else ""
        yield Call(f"{_S}.{name}", coo(dtype="float64"), differs=reason)
    for name in ("sqrt", "log1p"):
        yield from _both_forms(f"{_S}.{name}", values=_POSITIVE)
    yield from _both_forms(f"{_S}.pow", 3)
    yield from _both_forms(f"{_S}.pow", 0.5, values=_POSITIVE)
    yield from _both_forms(f"{_S}.isnan")
    yield from _both_forms(f"{_S}.cast", "int32", "float64")
    yield from _both_forms(f"{_F}.relu")
    yield from _both_forms(f"{_F}.relu6")
    yield from _both_forms(f"{_F}.leaky_relu", 0.25)
    yield from _both_forms(f"{_F}.softmax")
    yield from _both_forms(f"{_F}.softmax", values=_CUBE, dim=3)


def _binary() -> Iterator[Call]:
    for name in ("add", "subtract", "multiply"):
        # The gradient of a difference crashes in the real one.
        yield Call(f"{_S}.{name}", coo(), coo(_OTHER), grad=name != "subtract")
        yield Call(f"{_S}.{name}", csr(), csr(_OTHER), grad=False)
        yield Call(f"{_S}.{name}", coo(), coo(), grad=name != "subtract")
    yield Call(f"{_S}.divide", coo(), coo(), grad=False)
    yield Call(f"{_S}.divide", csr(), csr(_OTHER), grad=False)
    yield Call(f"{_S}.multiply", coo(), 2.0)
    yield Call(f"{_S}.divide", coo(), 2.0)
    yield Call(f"{_S}.add", coo(_CUBE, 3), coo(_CUBE, 3))
    yield Call(f"{_S}.add", coo(), csr(), error=True)
    yield Call(f"{_S}.add", coo(), coo(_CUBE, 3), error=True)
    yield Call(f"{_S}.is_same_shape", coo(), csr())
    yield Call(f"{_S}.is_same_shape", coo(), coo(_CUBE, 3))


def _shapes() -> Iterator[Call]:
    yield Call(f"{_S}.transpose", coo(), [1, 0])
    yield Call(f"{_S}.transpose", csr(), [1, 0], grad=False)
    yield Call(f"{_S}.transpose", coo(_CUBE, 3), [2, 0, 1])
    yield Call(f"{_S}.reshape", coo(), [4, 3])
    yield Call(f"{_S}.reshape", coo(), [2, -1])
    yield Call(f"{_S}.reshape", csr(), [4, 3], grad=False)
    yield Call(f"{_S}.reshape", coo(), [5, 3], error=True)
    for axis in (None, 0, 1, -1):
        yield Call(f"{_S}.sum", coo(), axis)
        yield Call(f"{_S}.sum", coo(), axis, keepdim=True)
    yield Call(f"{_S}.sum", csr(), -1, grad=False)
    yield Call(f"{_S}.sum", coo(), 0, "float64")
    yield Call(f"{_S}.slice", coo(), [0, 1], [0, 1], [2, 4])
    yield Call(f"{_S}.slice", csr(), [0, 1], [1, 0], [3, 3], grad=False)
    yield Call(f"{_S}.slice", coo(_CUBE, 3), [-1], [-2], [4])
    yield Call(f"{_S}.coalesce", Call(f"{_S}.sparse_coo_tensor", array([[1, 0, 1]]), normal(3)))
    yield Call(f"{_S}.mask_as", normal(3, 4), coo())
    yield Call(f"{_S}.mask_as", normal(3, 4), csr(), grad=False)
    yield Call(f"{_S}.sparse_coo_tensor", _ROWS, normal(5), [3, 4])
    yield Call(f"{_S}.sparse_coo_tensor", _ROWS, normal(5))
    yield Call(f"{_S}.sparse_coo_tensor", _ROWS, normal(5), [3, 4], "float64", grad=False)
    yield Call(f"{_S}.sparse_coo_tensor", _ROWS, normal(4), [3, 4], error=True)
    yield Call(
        f"{_S}.sparse_csr_tensor", array([0, 2, 3, 5]), array([1, 3, 2, 0, 1]), normal(5), [3, 4]
    )
    for name in ("indices", "values", "to_dense", "nnz", "is_sparse", "is_sparse_coo"):
        yield Call(f"paddle.Tensor.{name}", coo())
    for name in ("crows", "cols", "values", "to_dense", "nnz", "is_sparse_csr", "to_sparse_coo"):
        rest = (2,) if name == "to_sparse_coo" else ()
        yield Call(f"paddle.Tensor.{name}", csr(), *rest, grad=False)
    yield Call("paddle.Tensor.to_sparse_csr", coo(), grad=False)


# Images and volumes with channels last, of which a few places are stored.
_IMAGE = [
    [[[0.0, 0.0], [1.0, -0.5], [0.0, 0.0], [0.5, 2.0]],
     [[0.0, 0.0], [0.0, 0.0], [1.5, 0.25], [0.0, 0.0]],
     [[-1.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.75, 0.5]]],
]  # fmt: skip
_VOLUME = [[*_IMAGE, [[[0.0, 0.0], [0.25, 0.5], [0.0, 0.0], [0.0, 0.0]]] * 3]]


def _convolutions() -> Iterator[Call]:
    windows: tuple[dict[str, Any], ...] = (
        {},
        {"padding": 1},
        {"stride": 2, "padding": 1},
        {"padding": 2, "dilation": 2},
        {"padding": [1, 0], "stride": [1, 2]},
    )
    for window in windows:
        yield Call(f"{_F}.conv2d", coo(_IMAGE, 3), normal(3, 3, 2, 3), also=dict(window))
    for window in windows[:3]:
        yield Call(f"{_F}.conv3d", coo(_VOLUME, 4), normal(1, 3, 3, 2, 2), also=dict(window))
    yield Call(f"{_F}.conv3d", coo(_VOLUME, 4), normal(2, 2, 2, 2, 2), padding=1)
    yield Call(f"{_F}.conv2d", coo(_IMAGE, 3), normal(2, 2, 2, 3), normal(3))
    yield Call(f"{_F}.subm_conv2d", coo(_IMAGE, 3), normal(3, 3, 2, 3))
    yield Call(f"{_F}.subm_conv2d", coo(_IMAGE, 3), normal(3, 3, 2, 3), normal(3))
    yield Call(f"{_F}.subm_conv3d", coo(_VOLUME, 4), normal(3, 3, 3, 2, 2), normal(2))
    yield Call(f"{_F}.subm_conv3d", coo(_VOLUME, 4), normal(1, 3, 3, 2, 2), padding=1)
    for window in ((2, 2, 2), (1, 2, 2), (2, 3, 2)):
        yield Call(f"{_F}.max_pool3d", coo(_VOLUME, 4), list(window), 1)
    yield Call(f"{_F}.max_pool3d", coo(_VOLUME, 4), 2)
    yield Call(f"{_F}.max_pool3d", coo(_VOLUME, 4), [1, 3, 3], [1, 2, 2], [0, 1, 1])


def _odd_windows() -> Iterator[Call]:
    yield Call(
        f"{_F}.conv2d",
        coo(_IMAGE, 3),
        normal(3, 3, 2, 3),
        padding="SAME",
        differs="pads as the name says; the real one pads nothing",
    )
    yield Call(
        f"{_F}.subm_conv2d",
        coo(_IMAGE, 3),
        normal(3, 3, 2, 3),
        dilation=2,
        differs="all places are kept; the real one loses some under a dilated window",
    )
    yield Call(
        f"{_F}.subm_conv2d",
        coo(_IMAGE, 3),
        normal(2, 2, 2, 3),
        differs="all places are kept; the real one loses some under a window of even extent",
    )
    yield Call(
        f"{_F}.max_pool3d",
        coo(_VOLUME, 4),
        [1, 2, 2],
        2,
        0,
        True,
        differs="a last, incomplete window counts; the real one has no effect of `ceil_mode`",
    )
    yield Call(f"{_F}.conv2d", coo(_IMAGE, 3), normal(3, 3, 2, 3), data_format="NCHW", error=True)
    yield Call(f"{_F}.conv2d", normal(1, 3, 4, 2), normal(3, 3, 2, 3), error=True)


def _layers() -> Iterator[Call]:
    for name, settings in (
        ("Conv2D", {}),
        ("Conv2D", {"stride": 2, "padding": 1, "bias_attr": False}),
        ("SubmConv2D", {}),
        ("Conv3D", {"padding": [1, 1, 1]}),
        ("SubmConv3D", {}),
    ):
        x = coo(_VOLUME, 4) if "3D" in name else coo(_IMAGE, 3)
        yield Call(f"{_S}.nn.{name}", 2, 3, 3, forward=(x,), also=dict(settings))
    for evaluation in (False, True):
        yield Call(
            f"{_S}.nn.BatchNorm",
            2,
            evaluation=evaluation,
            forward=(coo(_VOLUME, 4),),
        )
    yield Call(f"{_S}.nn.MaxPool3D", 2, 1, forward=(coo(_VOLUME, 4),))
    for name, args in (("ReLU", ()), ("ReLU6", ()), ("LeakyReLU", (0.5,)), ("Softmax", ())):
        yield Call(f"{_S}.nn.{name}", *args, forward=(coo(),))
    yield Call(f"{_S}.nn.Conv2D", 2, 3, 3, padding_mode="reflect", error=True)
    yield Call(f"{_S}.nn.SubmConv2D", 2, 3, 3, backend="x", error=True)


CALLS = (*_unary(), *_binary(), *_shapes(), *_convolutions(), *_odd_windows(), *_layers())
