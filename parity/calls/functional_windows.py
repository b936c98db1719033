"""Rows for convolutions, pooling, resizing and padding of `paddle.nn.functional`."""

from __future__ import annotations

from parity.table import Call, float64, normal, uniform

_F = "paddle.nn.functional."
_LINE, _PLANE, _CUBE = normal(2, 4, 9), normal(2, 4, 7, 6), normal(1, 4, 4, 5, 4)
_LAST = normal(2, 7, 6, 4)
# Without ties, so that positions of maxima are no matter of taste.
_GRID = uniform(2, 3, 4, 2, low=-1.2, high=1.2)

CALLS = (
    # convolutions
    *(
        Call(_F + "conv1d", _LINE, normal(6, 4, 3), **options)
        for options in (
            {},
            {"stride": 2, "padding": 1},
            {"dilation": 2, "bias": normal(6)},
            {"padding": "SAME"},
            {"padding": [1, 2]},
        )
    ),
    Call(_F + "conv1d", normal(2, 9, 4), normal(6, 4, 3), data_format="NLC"),
    *(
        Call(_F + "conv2d", _PLANE, normal(6, 4, 3, 2), **options)
        for options in (
            {},
            {"bias": normal(6)},
            {"stride": [2, 1], "padding": [1, 0]},
            {"padding": [1, 0, 2, 1]},
            {"padding": "SAME", "stride": 2},
            {"padding": "VALID"},
            {"dilation": 2},
            {"padding": [[0, 0], [0, 0], [1, 1], [0, 2]]},
        )
    ),
    Call(_F + "conv2d", _PLANE, normal(4, 1, 3, 3), groups=4, padding=1),
    Call(_F + "conv2d", _PLANE, normal(8, 1, 3, 3), groups=4),
    Call(_F + "conv2d", _PLANE, normal(6, 2, 1, 1), groups=2),
    Call(_F + "conv2d", _PLANE, normal(6, 4, 1, 1)),
    Call(_F + "conv2d", _LAST, normal(6, 4, 3, 3), data_format="NHWC"),
    Call(_F + "conv2d", float64(1, 2, 4, 4), float64(2, 2, 3, 3)),
    Call(_F + "conv2d", _PLANE, normal(6, 3, 3, 3), error=True),
    Call(_F + "conv3d", _CUBE, normal(3, 4, 2, 2, 2), normal(3)),
    Call(_F + "conv3d", _CUBE, normal(4, 2, 2, 3, 2), groups=2, padding=1, stride=2),
    *(
        Call(_F + "conv1d_transpose", normal(2, 3, 5), normal(3, 4, 3), **options)
        for options in ({}, {"stride": 2, "padding": 1, "output_padding": 1}, {"output_size": [7]})
    ),
    *(
        Call(_F + "conv2d_transpose", normal(2, 4, 3, 4), normal(4, 3, 3, 2), **options)
        for options in (
            {},
            {"stride": 2},
            {"stride": 2, "padding": 1, "output_padding": 1},
            {"dilation": 2, "bias": normal(3)},
            {"stride": 2, "output_size": [7, 8]},
        )
    ),
    Call(_F + "conv2d_transpose", normal(1, 4, 3, 3), normal(4, 2, 3, 3), groups=2),
    Call(_F + "conv3d_transpose", normal(1, 2, 2, 3, 2), normal(2, 3, 2, 2, 2), stride=2),
    # pooling
    *(
        Call(_F + f"{kind}_pool1d", _LINE, *arguments)
        for kind in ("avg", "max")
        for arguments in ((2,), (3, 2), (3, 2, 1))
    ),
    *(
        Call(_F + f"{kind}_pool2d", _PLANE, *arguments)
        for kind in ("avg", "max")
        for arguments in ((2,), (3, 2), (3, 2, 1), ([3, 2], [1, 2], [1, 0]), (2, 2, "SAME"))
    ),
    *(
        Call(_F + f"{kind}_pool3d", _CUBE, *arguments)
        for kind in ("avg", "max")
        for arguments in ((2,), (2, 1, 1))
    ),
    Call(_F + "avg_pool2d", _PLANE, 3, 2, 1, exclusive=False),
    Call(_F + "avg_pool2d", _PLANE, 2, divisor_override=3),
    Call(_F + "avg_pool2d", _PLANE, 3, 2, ceil_mode=True),
    Call(_F + "max_pool2d", _PLANE, 3, 2, ceil_mode=True),
    Call(_F + "avg_pool2d", _LAST, 2, data_format="NHWC"),
    Call(_F + "max_pool2d", _LAST, 2, data_format="NHWC"),
    Call(_F + "max_pool1d", _LINE, 2, return_mask=True),
    Call(_F + "max_pool2d", _PLANE, 2, return_mask=True),
    Call(_F + "max_pool2d", _PLANE, 3, 2, 1, return_mask=True),
    Call(_F + "max_pool3d", _CUBE, 2, return_mask=True),
    *(Call(_F + f"adaptive_{kind}_pool1d", _LINE, 4) for kind in ("avg", "max")),
    *(Call(_F + f"adaptive_{kind}_pool2d", _PLANE, [3, 4]) for kind in ("avg", "max")),
    *(Call(_F + f"adaptive_{kind}_pool2d", _PLANE, 1) for kind in ("avg", "max")),
    *(Call(_F + f"adaptive_{kind}_pool2d", _PLANE, [None, 2]) for kind in ("avg", "max")),
    *(Call(_F + f"adaptive_{kind}_pool3d", _CUBE, 2) for kind in ("avg", "max")),
    Call(_F + "adaptive_max_pool2d", _PLANE, 3, return_mask=True),
    Call(_F + "adaptive_avg_pool2d", _LAST, 3, data_format="NHWC"),
    Call(_F + "lp_pool1d", normal(1, 2, 8), 2.0, 2),
    Call(_F + "lp_pool2d", normal(1, 2, 6, 6), 2.0, 2),
    Call(_F + "lp_pool2d", normal(1, 2, 6, 6), float("inf"), 2),
    *(
        Call(_F + "max_unpool2d", *_pair, 2)
        for _pair in (
            (normal(1, 1, 2, 2), Call("paddle.to_tensor", [[[[0, 3], [9, 14]]]], "int32")),
        )
    ),
    Call(_F + "fractional_max_pool2d", _PLANE, 3, random_u=0.3),
    Call(_F + "fractional_max_pool3d", _CUBE, 2, random_u=0.4),
    # resizing
    *(
        Call(_F + "interpolate", _PLANE, size=[10, 9], mode=mode, **options)
        for mode, options in (
            ("nearest", {}),
            ("bilinear", {}),
            ("bilinear", {"align_corners": True}),
            ("bilinear", {"align_mode": 1}),
            ("bicubic", {}),
            ("bicubic", {"align_corners": True}),
            ("area", {}),
        )
    ),
    *(
        Call(_F + "interpolate", _PLANE, scale_factor=[0.5, 0.5], mode=mode)
        for mode in ("nearest", "bilinear", "bicubic")
    ),
    Call(_F + "interpolate", _PLANE, scale_factor=2, mode="nearest"),
    Call(_F + "interpolate", _LINE, size=[5], mode="linear"),
    Call(_F + "interpolate", _LINE, size=[12], mode="linear", align_corners=True),
    Call(_F + "interpolate", _CUBE, size=[3, 6, 5], mode="trilinear"),
    Call(_F + "interpolate", _CUBE, size=[3, 6, 5], mode="nearest"),
    Call(_F + "interpolate", _LAST, size=[5, 5], mode="bilinear", data_format="NHWC"),
    Call(_F + "upsample", _PLANE, scale_factor=2, mode="bilinear"),
    *(
        Call(_F + "grid_sample", normal(2, 3, 5, 4), _GRID, mode=mode, padding_mode=border)
        for mode in ("bilinear", "nearest")
        for border in ("zeros", "border", "reflection")
    ),
    Call(_F + "grid_sample", normal(2, 3, 5, 4), _GRID, align_corners=False),
    Call(_F + "affine_grid", normal(2, 2, 3), [2, 3, 4, 5]),
    Call(_F + "affine_grid", normal(2, 2, 3), [2, 3, 4, 5], align_corners=False),
    Call(_F + "affine_grid", normal(2, 3, 4), [2, 3, 2, 4, 5]),
    # patches and padding
    Call(_F + "unfold", _PLANE, 3),
    Call(_F + "unfold", _PLANE, [2, 3], strides=2, paddings=1, dilations=[1, 2]),
    Call(_F + "fold", normal(2, 8, 12), [4, 5], [2, 2]),
    Call(_F + "fold", normal(2, 8, 6), [4, 5], [2, 2], strides=2, paddings=[0, 1]),
    *(
        Call(_F + "pad", _PLANE, [1, 2, 0, 1], mode=mode)
        for mode in ("constant", "reflect", "replicate", "circular")
    ),
    Call(_F + "pad", _PLANE, [1, 1, 2, 2], value=0.5),
    Call(_F + "pad", _PLANE, [1, 1, 0, 2], mode="reflect", data_format="NHWC"),
    Call(_F + "pad", _LINE, [2, 1], mode="replicate", data_format="NCL"),
    Call(_F + "pad", _CUBE, [1, 0, 0, 1, 1, 1], data_format="NCDHW"),
    Call(_F + "pad", normal(2, 3), [1, 0, 0, 2]),
    Call(_F + "pad", normal(2, 3), [1, 1, 1, 1], mode="constant", value=2.0),
    Call(_F + "zeropad2d", _PLANE, [1, 0, 2, 1]),
)
