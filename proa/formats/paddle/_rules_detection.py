"""Rules for Paddle's ops on boxes and regions: what detectors end in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from proa.vision import ops as vision_ops

from ._rules import Unfit, rule

if TYPE_CHECKING:
    from ._rules import Data


@rule("yolo_box", outputs="Boxes Scores")
def _yolo_box(
    x: Data,
    img_size: Data,
    *,
    anchors: Any,
    class_num: int,
    conf_thresh: float = 0.01,
    downsample_ratio: int = 32,
    clip_bbox: bool = True,
    scale_x_y: float = 1.0,
    iou_aware: bool = False,
    iou_aware_factor: float = 0.5,
) -> Any:
    return vision_ops.yolo_box(
        x,
        img_size,
        list(anchors),
        class_num,
        conf_thresh,
        downsample_ratio,
        clip_bbox,
        None,
        scale_x_y,
        iou_aware,
        iou_aware_factor,
    )


@rule("roi_align", ROIs="boxes", RoisNum="boxes_num")
def _roi_align(
    x: Data,
    boxes: Data,
    boxes_num: Data,
    *,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = False,
) -> Any:
    size = (pooled_height, pooled_width)
    return vision_ops.roi_align(x, boxes, boxes_num, size, spatial_scale, sampling_ratio, aligned)


@rule("roi_pool", ROIs="boxes", RoisNum="boxes_num")
def _roi_pool(
    x: Data,
    boxes: Data,
    boxes_num: Data,
    *,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
) -> Any:
    size = (pooled_height, pooled_width)
    return vision_ops.roi_pool(x, boxes, boxes_num, size, spatial_scale)


@rule("deformable_conv", desc="deformable_conv", outputs="Output", Input="x")
def _deformable_conv(
    x: Data,
    offset: Data,
    filter: Data,
    mask: Data = None,
    *,
    strides: Any,
    paddings: Any,
    dilations: Any,
    deformable_groups: int = 1,
    groups: int = 1,
) -> Any:
    return vision_ops.deform_conv2d(
        x,
        offset,
        filter,
        None,
        list(strides),
        list(paddings),
        list(dilations),
        deformable_groups,
        groups,
        mask,
    )


@rule("prior_box", outputs="Boxes Variances")
def _prior_box(
    input: Data,
    image: Data,
    *,
    min_sizes: Any,
    max_sizes: Any = (),
    aspect_ratios: Any = (1.0,),
    variances: Any = (0.1, 0.1, 0.2, 0.2),
    flip: bool = True,
    clip: bool = True,
    step_w: float = 0.0,
    step_h: float = 0.0,
    offset: float = 0.5,
    min_max_aspect_ratios_order: bool = False,
) -> Any:
    return vision_ops.prior_box(
        input,
        image,
        list(min_sizes),
        list(max_sizes) or None,
        list(aspect_ratios),
        list(variances),
        flip,
        clip,
        [step_w, step_h],
        offset,
        min_max_aspect_ratios_order,
    )


@rule("box_coder", outputs="OutputBox")
def _box_coder(
    prior_box: Data,
    prior_box_var: Data = None,
    target_box: Data = None,
    *,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    axis: int = 0,
    variance: Any = (),
) -> Any:
    spread = prior_box_var if prior_box_var is not None else (list(variance) or None)
    return vision_ops.box_coder(prior_box, spread, target_box, code_type, box_normalized, axis)


@rule("psroi_pool", ROIs="boxes", RoisNum="boxes_num")
def _psroi_pool(
    x: Data,
    boxes: Data,
    boxes_num: Data,
    *,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
) -> Any:
    size = (pooled_height, pooled_width)
    return vision_ops.psroi_pool(x, boxes, boxes_num, size, spatial_scale)


def _growing(slots: str) -> Any:
    def translate(**_: Any) -> Any:
        raise Unfit(
            "how many elements it gives depends on what its inputs hold; end the model before "
            f"it, and do this step on its outputs ({slots})"
        )

    return translate


for _name, _desc, _slots in (
    ("multiclass_nms3", "multiclass_nms3 multiclass_nms2 multiclass_nms", "boxes and scores"),
    ("matrix_nms", "matrix_nms", "boxes and scores"),
    ("nms", "nms", "boxes"),
    ("generate_proposals", "generate_proposals_v2", "scores and boxes"),
    ("distribute_fpn_proposals", "distribute_fpn_proposals", "regions"),
    ("nonzero", "where_index", "the condition"),
    ("masked_select", "masked_select", "the tensor and the mask"),
    ("unique", "unique", "the tensor"),
    ("unique_consecutive", "unique_consecutive", "the tensor"),
):
    rule(_name, desc=_desc)(_growing(_slots))
