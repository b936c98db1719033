"""Convolutions as functions: each call makes filters of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proa import nn
from proa.core import InvalidArgumentError, Tensor
from proa.vision.ops import DeformConv2D

from ._parts import activated, fitted, plain, with_norm


def conv3d(
    input: Tensor,
    num_filters: int,
    filter_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCDHW",
) -> Tensor:
    """A convolution of volumes with filters of its own.

    Args:
        input (Tensor): floating, [N, C, D, H, W], or as `data_format` says.
        num_filters (int): number of outputs.
        filter_size (int | list): depth, height and width.
        stride (int | list): step.
        padding (int | list | str): cells around.
        dilation (int | list): distance between the filter's elements.
        groups (int, optional): groups of channels.
        param_attr (ParamAttr, optional): how the filters are made.
        bias_attr (ParamAttr | bool, optional): how the bias is made; `False` for none.
        use_cudnn (bool): kept for Paddle's signature.
        act (str, optional): name of a function of `nn.functional`.
        name (str, optional): kept for Paddle's signature.
        data_format (str): where the channels are.

    Examples:
        >>> import proa
        >>> with proa.static.program_guard(proa.static.Program()):
        ...     x = proa.static.data("x", [2, 1, 4, 4, 4])
        ...     proa.static.nn.conv3d(x, 3, 2).shape
        [2, 3, 3, 3, 3]
    """
    layer = nn.Conv3D(
        input.shape[1 if data_format == "NCDHW" else -1],
        num_filters,
        filter_size,
        stride,
        padding,
        dilation,
        groups or 1,
        weight_attr=plain(param_attr),
        bias_attr=bias_attr,
        data_format=data_format,
    )
    return activated(with_norm(fitted(layer, input), param_attr)(input), act)


def conv2d_transpose(
    input: Tensor,
    num_filters: int,
    output_size: Any = None,
    filter_size: Any = None,
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Tensor:
    """A transposed convolution with filters of its own.

    Args:
        input (Tensor): floating, [N, C, H, W], or as `data_format` says.
        num_filters (int): number of outputs.
        output_size (int | list, optional): height and width of the result.
        filter_size (int | list, optional): of the filter; by default as large as `output_size`
            asks for.
        padding (int | list | str): rows and columns that are cut off.
        stride (int | list): step in the result.
        dilation (int | list): distance between the filter's elements.
        groups (int, optional): groups of channels.
        param_attr (ParamAttr, optional): how the filters are made.
        bias_attr (ParamAttr | bool, optional): how the bias is made; `False` for none.
        use_cudnn (bool): kept for Paddle's signature.
        act (str, optional): name of a function of `nn.functional`.
        name (str, optional): kept for Paddle's signature.
        data_format (str): where the channels are.

    Raises:
        InvalidArgumentError: neither `output_size` nor `filter_size`, or no filter fits.

    Examples:
        >>> import proa
        >>> with proa.static.program_guard(proa.static.Program()):
        ...     x = proa.static.data("x", [2, 1, 4, 4])
        ...     proa.static.nn.conv2d_transpose(x, 3, filter_size=3, stride=2).shape
        [2, 3, 9, 9]
    """
    return _transposed(
        *(nn.Conv2DTranspose, input, num_filters, output_size, filter_size),
        *(padding, stride, dilation, groups, param_attr, bias_attr, act, data_format),
    )


def conv3d_transpose(
    input: Tensor,
    num_filters: int,
    output_size: Any = None,
    filter_size: Any = None,
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCDHW",
) -> Tensor:
    """A transposed convolution of volumes with filters of its own.

    Args:
        input (Tensor): floating, [N, C, D, H, W], or as `data_format` says.
        num_filters (int): number of outputs.
        output_size (int | list, optional): depth, height and width of the result.
        filter_size (int | list, optional): of the filter; by default as large as `output_size`
            asks for.
        padding (int | list | str): cells that are cut off.
        stride (int | list): step in the result.
        dilation (int | list): distance between the filter's elements.
        groups (int, optional): groups of channels.
        param_attr (ParamAttr, optional): how the filters are made.
        bias_attr (ParamAttr | bool, optional): how the bias is made; `False` for none.
        use_cudnn (bool): kept for Paddle's signature.
        act (str, optional): name of a function of `nn.functional`.
        name (str, optional): kept for Paddle's signature.
        data_format (str): where the channels are.

    Raises:
        InvalidArgumentError: neither `output_size` nor `filter_size`, or no filter fits.
    """
    return _transposed(
        *(nn.Conv3DTranspose, input, num_filters, output_size, filter_size),
        *(padding, stride, dilation, groups, param_attr, bias_attr, act, data_format),
    )


def _transposed(
    kind: Any,
    input: Tensor,
    num_filters: int,
    output_size: Any,
    filter_size: Any,
    padding: Any,
    stride: Any,
    dilation: Any,
    groups: int | None,
    param_attr: Any,
    bias_attr: Any,
    act: str | None,
    data_format: str,
) -> Tensor:
    is_last = data_format[-1] == "C"
    rank = len(data_format) - 2
    if output_size is not None:
        output_size = _listed(output_size, rank)
    if filter_size is None:
        inner = input.shape[1:-1] if is_last else input.shape[2:]
        filter_size = _filter_for(output_size, inner, padding, stride, dilation, rank)
    layer = kind(
        input.shape[-1 if is_last else 1],
        num_filters,
        filter_size,
        stride,
        padding,
        0,
        dilation,
        groups or 1,
        weight_attr=plain(param_attr),
        bias_attr=bias_attr,
        data_format=data_format,
    )
    made = with_norm(fitted(layer, input), param_attr)(input, output_size)
    return activated(made, act)


def _listed(value: Any, rank: int) -> list[Any]:
    return list(value) if isinstance(value, Sequence) else [value] * rank


def _filter_for(
    output_size: Any, inner: Sequence[Any], padding: Any, stride: Any, dilation: Any, rank: int
) -> list[int]:
    """The largest filter with which a transposed convolution gives sizes (Dumoulin 2016, ch. 4)."""
    if output_size is None:
        raise InvalidArgumentError(
            "neither `output_size` nor `filter_size` is given",
            expected="one of them",
            fix="pass filter_size=3, say",
        )
    if isinstance(padding, str) or any(not isinstance(extent, int) for extent in inner):
        raise InvalidArgumentError(
            f"`filter_size` is to follow from padding={padding!r} and sizes {list(inner)}",
            expected="known sizes and numbers as padding",
            fix="pass filter_size",
        )
    sides, found = _listed(padding, rank), []
    before, after = (sides[::2], sides[1::2]) if len(sides) == 2 * rank else (sides, sides)
    steps, gaps = _listed(stride, rank), _listed(dilation, rank)
    for axis in range(rank):
        span = output_size[axis] - (inner[axis] - 1) * steps[axis] + before[axis] + after[axis]
        found.append((span - 1) // gaps[axis] + 1)
    if min(found) < 1:
        raise InvalidArgumentError(
            f"`output_size` {output_size} of sizes {list(inner)} with a stride of {stride}",
            expected="a result that a filter of at least one element reaches",
            fix="enlarge output_size, or lower the stride",
        )
    return found


def deform_conv2d(
    x: Tensor,
    offset: Tensor,
    mask: Tensor | None,
    num_filters: int,
    filter_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    deformable_groups: int = 1,
    im2col_step: int = 1,
    weight_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Tensor:
    """A convolution whose taps are shifted by given offsets, with filters of its own.

    Args:
        x (Tensor): floating, [N, C, H, W].
        offset (Tensor): shifts (y, x) of each tap, [N, 2 * groups * kh * kw, H', W'].
        mask (Tensor | None): weights of the taps (version 2), [N, groups * kh * kw, H', W'];
            `None` for version 1.
        num_filters (int): number of outputs.
        filter_size (int | list): height and width.
        stride (int | list): step.
        padding (int | list): rows and columns around.
        dilation (int | list): distance between the filter's elements.
        groups (int): groups of channels.
        deformable_groups (int): groups of channels with shifts of their own.
        im2col_step (int): kept for Paddle's signature.
        weight_attr (ParamAttr, optional): how the filters are made.
        bias_attr (ParamAttr | bool, optional): how the bias is made; `False` for none.
        name (str, optional): kept for Paddle's signature.
    """
    layer = DeformConv2D(
        x.shape[1],
        num_filters,
        filter_size,
        stride,
        padding,
        dilation,
        deformable_groups,
        groups or 1,
        weight_attr=plain(weight_attr),
        bias_attr=bias_attr,
    )
    return with_norm(fitted(layer, x), weight_attr)(x, offset, mask)
