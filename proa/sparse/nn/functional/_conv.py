"""Convolutions of sparse tensors: gather what is stored under a window, multiply, add up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from proa.core import InvalidArgumentError, Tensor, composite, op
from proa.sparse._tensor import SparseTensor, make_coo, with_values

from ._windows import meet, read_input, read_window

if TYPE_CHECKING:
    from proa.core._types import Array, Index


@op(name="sparse_convolution", method=None, public=False, amp="white")
def _convolve(values: Array, weight: Array, bias: Array | None, table: Index, groups: int):
    """Sum over offsets of the gathered rows times the offset's matrix.

    One offset after the other, each gathered again for the gradient: all at once would need
    memory for [offsets, results, channels], and took five times as long on a CPU.
    """
    channels, outputs = weight.shape[-2], weight.shape[-1]
    dtype = jnp.promote_types(values.dtype, weight.dtype)
    wide = jnp.promote_types(dtype, jnp.float32)
    rows = jnp.concatenate([values, jnp.zeros((1, values.shape[1]), values.dtype)]).astype(dtype)
    matrices = weight.astype(dtype).reshape(-1, channels, groups, outputs // groups)

    @jax.checkpoint
    def step(total: Any, each: Any) -> tuple[Any, None]:
        index, matrix = each
        met = rows[index].reshape(-1, groups, channels)
        found = jnp.einsum("ngc,cgo->ngo", met, matrix, preferred_element_type=wide)
        return total + found.reshape(-1, outputs), None

    start = jnp.zeros((table.shape[1], outputs), wide)
    total, _ = jax.lax.scan(step, start, (table, matrices))
    made = total.astype(dtype)
    return made if bias is None else made + bias.astype(dtype)


def _check_weight(x: SparseTensor, weight: Any, rank: int, groups: int, function: str) -> None:
    shape, channels = list(weight.shape), x.shape[-1]
    fits = len(shape) == rank + 2 and groups > 0 and channels == shape[-2] * groups
    if not fits or shape[-1] % groups:
        raise InvalidArgumentError(
            f"`weight` of `sparse.nn.functional.{function}` has shape {shape}, for {channels} "
            f"input channels in {groups} groups",
            expected=f"[{rank} extents of the kernel, input channels / groups, output channels]",
            fix="transpose the weight, or correct `groups`",
        )


def _conv(
    args: tuple[Any, Any, Any],
    window: tuple[Any, Any, Any],
    groups: int,
    data_format: str,
    rank: int,
    function: str,
    keeps_places: bool = False,
) -> SparseTensor:
    x, weight, bias = args
    given = read_input(x, rank, function, data_format)
    _check_weight(given, weight, rank, groups, function)
    sizes = (tuple(weight.shape[:rank]), *window)
    met = meet(given, read_window(sizes, rank, function, keeps_places=keeps_places))
    values = _convolve(given.values(), weight, bias, met.table, groups)
    if keeps_places:
        return with_values(given, values)
    return make_coo(met.places, values, (*met.dims, weight.shape[-1]), True)


@composite
def conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_format: str = "NHWC",
    name: str | None = None,
) -> SparseTensor:
    """Convolution over two sparse axes; a result is stored where a window meets something.

    Args:
        x: COO tensor of shape [N, H, W, C], its last axis dense.
        weight: tensor of shape [kernel height, kernel width, C / groups, output channels].
        bias: vector that is added to the stored results, or `None`.
        stride: steps of the window.
        padding: an integer, one per axis, before and after each, or `"SAME"` or `"VALID"`.
        dilation: distance between the window's places.
        groups: parts that channels are split into.
        data_format: `"NHWC"`.
        name: not used.

    Returns:
        COO tensor of shape [N, H', W', output channels], its places sorted.

    Raises:
        InvalidTypeError: `x` is dense.
        InvalidArgumentError: a shape or a setting that does not fit.

    Examples:
        >>> import proa
        >>> x = proa.sparse.sparse_coo_tensor([[0], [1], [1]], [[2.0]], [1, 3, 3, 1])
        >>> y = proa.sparse.nn.functional.conv2d(x, proa.ones([2, 2, 1, 1]))
        >>> y.to_dense().squeeze().tolist()
        [[2.0, 2.0], [2.0, 2.0]]
    """
    window = (stride, padding, dilation)
    return _conv((x, weight, bias), window, groups, data_format, 2, "conv2d")


@composite
def conv3d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> SparseTensor:
    """Convolution over three sparse axes; see `conv2d`.

    Args:
        x: COO tensor of shape [N, D, H, W, C], its last axis dense.
        weight: tensor of shape [depth, height, width, C / groups, output channels].
        bias: vector that is added to the stored results, or `None`.
        stride: steps of the window.
        padding: an integer, one per axis, before and after each, or `"SAME"` or `"VALID"`.
        dilation: distance between the window's places.
        groups: parts that channels are split into.
        data_format: `"NDHWC"`.
        name: not used.

    Raises:
        InvalidTypeError: `x` is dense.
        InvalidArgumentError: a shape or a setting that does not fit.
    """
    window = (stride, padding, dilation)
    return _conv((x, weight, bias), window, groups, data_format, 3, "conv3d")


@composite
def subm_conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_format: str = "NHWC",
    key: str | None = None,
    name: str | None = None,
) -> SparseTensor:
    """Convolution over two sparse axes that keeps the places of its input.

    The window's centre stands on each stored place, so what is stored does not grow from
    layer to layer.

    Args:
        x: COO tensor of shape [N, H, W, C], its last axis dense.
        weight: tensor of shape [kernel height, kernel width, C / groups, output channels].
        bias: vector that is added to the stored results, or `None`.
        stride: not used, as in Paddle.
        padding: not used, as in Paddle.
        dilation: distance between the window's places.
        groups: parts that channels are split into.
        data_format: `"NHWC"`.
        key: not needed: tensors at the same places share what was worked out about them.
        name: not used.

    Returns:
        COO tensor of shape [N, H, W, output channels] at the places of `x`.

    Raises:
        InvalidTypeError: `x` is dense.
        InvalidArgumentError: a shape or a setting that does not fit.

    References:
        Graham, van der Maaten, "Submanifold sparse convolutional networks", 2017.

    Differs:
        A dilated kernel, or one of even extent, keeps all places too; in Paddle 3.3.1 places
        are lost.

    Examples:
        >>> import proa
        >>> places = [[0, 0], [1, 1], [1, 2]]
        >>> x = proa.sparse.sparse_coo_tensor(places, [[2.0], [3.0]], [1, 3, 3, 1])
        >>> proa.sparse.nn.functional.subm_conv2d(x, proa.ones([3, 3, 1, 1])).values().tolist()
        [[5.0], [5.0]]
    """
    window = (1, 0, dilation)
    return _conv((x, weight, bias), window, groups, data_format, 2, "subm_conv2d", True)


@composite
def subm_conv3d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_format: str = "NDHWC",
    key: str | None = None,
    name: str | None = None,
) -> SparseTensor:
    """Convolution over three sparse axes that keeps the places of its input; see `subm_conv2d`.

    Args:
        x: COO tensor of shape [N, D, H, W, C], its last axis dense.
        weight: tensor of shape [depth, height, width, C / groups, output channels].
        bias: vector that is added to the stored results, or `None`.
        stride: not used, as in Paddle.
        padding: not used, as in Paddle.
        dilation: distance between the window's places.
        groups: parts that channels are split into.
        data_format: `"NDHWC"`.
        key: not needed, see `subm_conv2d`.
        name: not used.

    Raises:
        InvalidTypeError: `x` is dense.
        InvalidArgumentError: a shape or a setting that does not fit.
    """
    window = (1, 0, dilation)
    return _conv((x, weight, bias), window, groups, data_format, 3, "subm_conv3d", True)


# One matrix product per offset: that is how both are computed here anyway.
subm_conv2d_igemm, subm_conv3d_igemm = subm_conv2d, subm_conv3d
