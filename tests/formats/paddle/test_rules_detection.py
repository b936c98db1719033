from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import ProgramError
from proa.vision import ops
from tests.formats.paddle.models import call

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(1, 4, 4, 4)).astype(np.float32)
BOXES = np.array([[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 3.0, 3.0]], np.float32)
COUNT = np.array([2], np.int32)


def t(array):
    return proa.to_tensor(array)


@pytest.mark.parametrize("name", ["roi_align", "roi_pool", "psroi_pool"])
def test_regions(name):
    inputs = {"X": X, "ROIs": BOXES, "RoisNum": COUNT}
    attributes = {"pooled_height": 2, "pooled_width": 2, "spatial_scale": 1.0, "aligned": True}
    ((found,),) = call(name, inputs, attributes)
    expected = getattr(ops, name)(t(X), t(BOXES), t(COUNT), 2, 1.0)
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5, atol=1e-6)


def test_boxes_of_a_grid():
    x = RANDOM.normal(size=(1, 14, 2, 2)).astype(np.float32)
    size = np.array([[64, 64]], np.int32)
    attributes = {"anchors": [10, 13, 16, 30], "class_num": 2, "conf_thresh": 0.1}
    boxes, scores = call("yolo_box", {"X": x, "ImgSize": size}, attributes, ("Boxes", "Scores"))
    expected = ops.yolo_box(t(x), t(size), [10, 13, 16, 30], 2, 0.1, 32)
    np.testing.assert_allclose(boxes[0], expected[0].numpy(), rtol=1e-5)
    np.testing.assert_allclose(scores[0], expected[1].numpy(), rtol=1e-5)


def test_priors_and_their_coding():
    attributes = {"min_sizes": [2.0], "aspect_ratios": [1.0], "variances": [0.1] * 4}
    boxes, _ = call("prior_box", {"Input": X, "Image": X}, attributes, ("Boxes", "Variances"))
    expected, _ = ops.prior_box(
        t(X), t(X), [2.0], aspect_ratios=[1.0], variance=[0.1] * 4, flip=True, clip=True
    )
    np.testing.assert_allclose(boxes[0], expected.numpy(), rtol=1e-5)
    inputs = {"PriorBox": BOXES, "TargetBox": BOXES}
    ((found,),) = call("box_coder", inputs, {"variance": [0.1] * 4}, ("OutputBox",))
    expected = ops.box_coder(t(BOXES), [0.1] * 4, t(BOXES))
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5, atol=1e-6)


def test_deformed_windows():
    weight = RANDOM.normal(size=(2, 4, 1, 1)).astype(np.float32)
    offset = np.full((1, 2, 4, 4), 0.5, np.float32)
    mask = np.ones((1, 1, 4, 4), np.float32)
    inputs = {"Input": X, "Offset": offset, "Filter": weight, "Mask": mask}
    attributes = {"strides": [1, 1], "paddings": [0, 0], "dilations": [1, 1]}
    ((found,),) = call("deformable_conv", inputs, attributes, ("Output",))
    expected = ops.deform_conv2d(t(X), t(offset), t(weight), mask=t(mask))
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["multiclass_nms3", "matrix_nms", "where_index", "unique"])
def test_results_of_a_number_that_depends_on_values(name):
    with pytest.raises(ProgramError, match="how many elements it gives depends on what"):
        call(name, {"X": X})
