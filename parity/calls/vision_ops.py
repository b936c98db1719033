"""Rows for `paddle.vision.ops`."""

from __future__ import annotations

from typing import Any

from parity.table import Array, Call, array, normal, positive, uniform

_BOXES = array(
    [[0.5, 1, 6.2, 5], [1, 0.2, 6.5, 5.5], [2, 3, 4.4, 8.1], [-3, -2, 3, 2.5], [5, 5, 30, 40.0]],
    fixed=True,
)
_COUNTS = array([2, 3], "int32")
_NO_BOXES = (array([[0.0] * 4], fixed=True), array([1, 0], "int32"))
_NARROW = (array([[2.2, 2.2, 2.3, 2.25]], fixed=True), array([1], "int32"))
_SCORES = array([0.5, 0.9, 0.8, 0.1, 0.7])
_GROUPS = array([0, 1, 1, 0, 0])
_BOTH = (2, (2, 1), (1, 4), (3, 2))


def _rois(name: str, channels: int, *options: dict[str, Any]) -> list[Call]:
    return [
        Call(f"paddle.vision.ops.{name}", x, boxes, _COUNTS, size, **each)
        for x, boxes in ((normal(2, channels, 7, 9), _BOXES),)
        for size in _BOTH
        for each in options
    ]


def _deform(
    channels: int, out: tuple[int, int], parts: int, groups: int, is_masked: bool, **options: Any
) -> Call:
    taps = 6 * parts
    x, offset = normal(2, channels, 6, 7), uniform(2, 2 * taps, *out, low=-1.9, high=1.9)
    given: dict[str, Any] = {"deformable_groups": parts, "groups": groups, **options}
    if is_masked:
        given["mask"] = uniform(2, taps, *out, low=0.0)
    weight = normal(4, channels // groups, 3, 2)
    return Call("paddle.vision.ops.deform_conv2d", x, offset, weight, normal(4), **given)


_MISFIT = (normal(1, 2, 4, 4), normal(1, 4, 2, 2), normal(1, 2, 3, 3))
_ANCHORS = [10, 13, 16, 30, 33, 23]
_TRUTH = array(
    [
        [[0.3, 0.6, 0.2, 0.3], [0.31, 0.31, 0.0625, 0.08125], [0.0, 0.0, 0.0, 0.0]],
        [[0.9, 0.1, 0.5, 0.2], [0.55, 0.7, 0.1, 0.4], [0.2, 0.2, 0.9, 0.9]],
    ],
    fixed=True,
)
_CLASSES = array([[0, 1, 0], [1, 1, 0]], "int32")
_SHARED = array([[[0.3, 0.6, 0.2, 0.3], [0.31, 0.61, 0.2, 0.3]]], fixed=True)


def _loss(mask: list[int], threshold: float, **options: Any) -> Call:
    x = normal(2, 7 * len(mask), 5, 5)
    given = (_TRUTH, _CLASSES, _ANCHORS, mask, 2, threshold, 32)
    return Call("paddle.vision.ops.yolo_loss", x, *given, **options)


def _box(x: Array, **options: Any) -> Call:
    size = array([[320, 416], [200, 100]], "int32")
    return Call("paddle.vision.ops.yolo_box", x, size, _ANCHORS, 2, 0.3, 32, **options)


_MATRIX = (
    array([[[0, 0, 10, 10], [1, 1, 11, 11], [0, 0, 10, 9], [20, 20, 30, 30.0]]], fixed=True),
    array([[[0.9, 0.8, 0.7, 0.6], [0.2, 0.95, 0.3, 0.75]]], fixed=True),
)


def _matrix(*limits: float, **options: Any) -> Call:
    return Call("paddle.vision.ops.matrix_nms", *_MATRIX, *limits, return_index=True, **options)


_PRIORS: tuple[dict[str, Any], ...] = (
    {},
    {"max_sizes": [20.0, 35.0]},
    {"aspect_ratios": [2.0, 0.5, 1.0], "flip": True, "clip": True},
    {
        "max_sizes": [20.0, 35.0],
        "aspect_ratios": [2.0, 3.0],
        "flip": True,
        "min_max_aspect_ratios_order": True,
    },
    {"also": {"steps": [8.0, 9.0]}, "offset": 0.3, "variance": [0.1, 0.2, 0.3, 0.4]},
)
_SIZES = (normal(1, 3, 4, 5), normal(1, 3, 40, 60))
_PRIOR, _SPREAD = _BOXES, positive(5, 4, fixed=True)
_VARIANCES = (_SPREAD, [0.1, 0.1, 0.2, 0.2])
_BY_SIZE = array(
    [[0, 0, 10, 10], [0, 0, 500, 500], [5, 5, 100, 100], [0, 0, 0, 0], [0, 0, 112, 112.0]]
)
_LINE = range(4)
_MAPS = (
    uniform(2, 3, 4, 4, low=0.0, fixed=True),
    uniform(2, 12, 4, 4, low=-0.5, high=0.5, fixed=True),
    array([[40.0, 50.0], [30.0, 33.0]], fixed=True),
    array(
        [
            [
                [[x * 9 + a, y * 7, x * 9 + 12 + 3 * a, y * 7 + 15.0 - a] for a in range(3)]
                for x in range(4)
            ]
            for y in range(4)
        ],
        fixed=True,
    ),
    positive(4, 4, 3, 4, fixed=True),
)


def _proposals(**options: Any) -> Call:
    name = "paddle.vision.ops.generate_proposals"
    return Call(name, *_MAPS, return_rois_num=True, **options)


_ALIGNS: tuple[dict[str, Any], ...] = (
    {},
    {"sampling_ratio": 2},
    {"aligned": False},
    {"spatial_scale": 0.5, "sampling_ratio": 1, "aligned": False},
    {"spatial_scale": 2.0, "aligned": False},
)

_SCALES: tuple[dict[str, Any], ...] = ({}, {"spatial_scale": 0.5})
_AXES: tuple[tuple[Array, str, dict[str, Any]], ...] = (
    (_BOXES, "encode_center_size", {}),
    (normal(3, 5, 4, fixed=True), "decode_center_size", {}),
    (normal(5, 3, 4, fixed=True), "decode_center_size", {"axis": 1}),
)

CALLS = (
    *_rois("roi_align", 3, *_ALIGNS),
    *_rois("roi_pool", 3, {}, {"spatial_scale": 0.5}),
    *(
        Call("paddle.vision.ops.psroi_pool", normal(2, 8, 7, 9), _BOXES, _COUNTS, size, **options)
        for size in (2, (2, 1), (1, 4))
        for options in _SCALES
    ),
    Call(
        "paddle.vision.ops.roi_align",
        normal(2, 2, 5, 5),
        normal(5, 3, fixed=True),
        _COUNTS,
        2,
        error=True,
    ),
    Call(
        "paddle.vision.ops.roi_align",
        normal(1, 1, 7, 9),
        *_NARROW,
        2,
        differs="the map is linear, but the real gradient is not its adjoint for boxes below 1",
    ),
    Call(
        "paddle.vision.ops.roi_align",
        normal(2, 1, 7, 9),
        *_NO_BOXES,
        2,
        differs="a box without area gives zeros, not NaN",
    ),
    *(
        Call(f"paddle.vision.ops.{name}", 2, 0.5, forward=(normal(2, 8, 7, 9), _BOXES, _COUNTS))
        for name in ("RoIAlign", "RoIPool", "PSRoIPool")
    ),
    _deform(4, (4, 6), 1, 1, True),
    _deform(4, (3, 4), 1, 1, False, stride=2, padding=1),
    _deform(4, (4, 7), 2, 1, True, padding=1, dilation=2),
    _deform(4, (6, 8), 2, 2, True, padding=1),
    _deform(4, (4, 3), 4, 4, False, stride=(1, 2), padding=(1, 0), dilation=(2, 1)),
    Call(
        "paddle.vision.ops.DeformConv2D",
        3,
        2,
        [3, 2],
        forward=(normal(2, 3, 5, 6), uniform(2, 12, 3, 5), positive(2, 6, 3, 5)),
    ),
    Call(
        "paddle.vision.ops.deform_conv2d",
        normal(1, 2, 4, 4),
        normal(1, 4, 2, 2),
        normal(1, 2, 3, 3),
        error=True,
    ),
    *(
        Call("paddle.vision.ops.nms", _BOXES, threshold, *given)
        for threshold in (0.1, 0.3, 0.7)
        for given in ((), (_SCORES,), (_SCORES, _GROUPS, [0, 1]), (_SCORES, _GROUPS, [0, 1], 2))
    ),
    *(
        _matrix(*limits, **options)
        for limits in ((0.1, 0.05, 3, 4), (0.1, 0.05, -1, -1), (0.99, 0.05, 3, 4), (0.1, 0.3, 2, 1))
        for options in (
            {},
            {"use_gaussian": True},
            {"use_gaussian": True, "gaussian_sigma": 0.5},
            {"background_label": -1},
            {"normalized": False},
            {"return_rois_num": False},
        )
    ),
    _box(normal(2, 21, 5, 5)),
    _box(normal(2, 21, 5, 5), clip_bbox=False),
    _box(normal(2, 21, 5, 5), scale_x_y=1.2),
    _box(normal(2, 24, 5, 5), iou_aware=True, iou_aware_factor=0.3),
    _box(normal(2, 21, 3, 5)),
    _box(normal(2, 20, 5, 5), error=True),
    *(_loss(mask, threshold) for mask in ([0, 1, 2], [2, 0], [1]) for threshold in (0.1, 0.5)),
    _loss([0, 1, 2], 0.3, use_label_smooth=False),
    _loss([0, 1, 2], 0.3, scale_x_y=1.2),
    _loss([0, 1, 2], 0.3, gt_score=uniform(2, 3, low=0.1, fixed=True)),
    _loss([0, 3], 0.3, error=True),
    Call(
        "paddle.vision.ops.yolo_loss",
        normal(1, 21, 5, 5),
        _SHARED,
        array([[0, 1]], "int32"),
        _ANCHORS,
        [0, 1, 2],
        2,
        0.5,
        32,
        differs="boxes with one anchor and cell: the real gradient is that of the last one alone",
    ),
    *(
        Call(
            "paddle.vision.ops.prior_box",
            normal(1, 3, 4, 5),
            normal(1, 3, 40, 60),
            [10.0, 25.0],
            **options,
        )
        for options in _PRIORS
    ),
    *(
        Call("paddle.vision.ops.box_coder", _PRIOR, spread, x, kind, is_normal, **axis)
        for spread in _VARIANCES
        for is_normal in (True, False)
        for x, kind, axis in _AXES
    ),
    *(
        Call(
            "paddle.vision.ops.distribute_fpn_proposals",
            _BY_SIZE,
            2,
            5,
            4,
            224,
            offset,
            array([2, 3], "int32"),
        )
        for offset in (False, True)
    ),
    _proposals(),
    _proposals(pixel_offset=True),
    _proposals(min_size=5.0),
    _proposals(min_size=15.0, pixel_offset=True),
    _proposals(min_size=1000.0),
    _proposals(nms_thresh=0.8, eta=0.9),
    _proposals(nms_thresh=0.9, eta=0.5),
    _proposals(nms_thresh=0.0, post_nms_top_n=4),
    _proposals(pre_nms_top_n=7, post_nms_top_n=3),
)
