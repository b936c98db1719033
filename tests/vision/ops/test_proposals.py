from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.vision import ops

ROIS = np.array(
    [[0, 0, 10, 10], [0, 0, 500, 500], [5, 5, 100, 100], [0, 0, 0, 0], [0, 0, 112, 112]], "float32"
)


def test_distribute():
    # Level 4 is for boxes of side 224: sides 112 and 500 are one level below and above.
    counts = proa.to_tensor(np.array([2, 3], "int32"))
    levels, restore, of_level = ops.distribute_fpn_proposals(
        proa.to_tensor(ROIS), 2, 5, 4, 224, rois_num=counts
    )
    assert [level.tolist() for level in levels] == [
        ROIS[[0, 2, 3]].tolist(),
        ROIS[[4]].tolist(),
        [],
        ROIS[[1]].tolist(),
    ]
    assert levels[2].shape == [0, 4]
    assert restore.tolist() == [[0], [4], [1], [2], [3]]
    assert proa.concat(levels)[restore[:, 0]].tolist() == ROIS.tolist()
    assert [count.tolist() for count in of_level] == [[1, 2], [0, 1], [0, 0], [1, 0]]
    assert {restore.dtype, of_level[0].dtype} == {proa.int32}


def test_distribute_pixels_and_one_image():
    rois = proa.to_tensor([[0.0, 0, 111, 111], [0, 0, 110, 110]])
    levels, _, of_level = ops.distribute_fpn_proposals(rois, 2, 3, 4, 224, pixel_offset=True)
    assert [len(level) for level in levels] == [1, 1]
    assert of_level is None


def test_distribute_nothing():
    none = proa.zeros([0, 4]), 2, 3, 4, 224, False, proa.zeros([2], "int32")
    levels, restore, of_level = ops.distribute_fpn_proposals(*none)
    assert [level.shape for level in levels] == [[0, 4]] * 2
    assert restore.shape == [0, 1]
    assert [count.tolist() for count in of_level] == [[0, 0]] * 2


# One row of four places and one anchor of 8 x 8 each, in an image of 20 x 40.
ANCHORS = np.array([[0, 4, 8, 12], [2, 4, 10, 12], [20, 4, 28, 12], [36, 4, 44, 12]], "float32")
SCORES = np.array([0.6, 0.9, 0.7, 0.8], "float32")


def proposals(deltas=None, size=(20, 40), **options):
    deltas = np.zeros((4, 4), "float32") if deltas is None else np.asarray(deltas, "float32")
    return ops.generate_proposals(
        proa.to_tensor(SCORES.reshape(1, 1, 1, 4)),
        proa.to_tensor(deltas.T.reshape(1, 4, 1, 4)),
        proa.to_tensor(np.array([size], "float32")),
        proa.to_tensor(ANCHORS.reshape(1, 4, 1, 4)),
        proa.full([1, 4, 1, 4], 0.5),
        return_rois_num=True,
        **options,
    )


CUT = [36, 4, 40, 12]
PROPOSED = [
    # Anchors 0 and 1 overlap by 0.6.
    ({}, [ANCHORS[1], CUT, ANCHORS[2]], [0.9, 0.8, 0.7]),
    ({"nms_thresh": 0.7}, [ANCHORS[1], CUT, ANCHORS[2], ANCHORS[0]], [0.9, 0.8, 0.7, 0.6]),
    ({"nms_thresh": 0.0}, [ANCHORS[1], CUT, ANCHORS[2], ANCHORS[0]], [0.9, 0.8, 0.7, 0.6]),
    ({"nms_thresh": 0.7, "eta": 0.8}, [ANCHORS[1], CUT, ANCHORS[2]], [0.9, 0.8, 0.7]),
    ({"post_nms_top_n": 2}, [ANCHORS[1], CUT], [0.9, 0.8]),
    ({"pre_nms_top_n": 1}, [ANCHORS[1]], [0.9]),
    ({"min_size": 5.0}, [ANCHORS[1], ANCHORS[2]], [0.9, 0.7]),
    ({"min_size": 50.0}, [[0, 0, 0, 0]], [0]),
    # In pixels the image ends at 39, and the last anchor's middle, 38, is inside.
    ({"pixel_offset": True}, [ANCHORS[1], [36, 4, 39, 12], ANCHORS[2]], [0.9, 0.8, 0.7]),
]


@pytest.mark.parametrize(("options", "boxes", "scores"), PROPOSED)
def test_generate(options, boxes, scores):
    found, kept, counts = proposals(**options)
    np.testing.assert_allclose(found.numpy(), np.asarray(boxes), atol=1e-5)
    np.testing.assert_allclose(kept.numpy(), np.asarray(scores)[:, None], rtol=1e-6)
    assert counts.tolist() == [len(boxes)]
    assert (found.dtype, counts.dtype) == (proa.float32, proa.int32)


def test_generate_moves_anchors():
    deltas = np.zeros((4, 4))
    deltas[1] = [0.5, -0.25, 2 * np.log(1.5), 2 * np.log(0.5)]
    found, _, _ = proposals(deltas, post_nms_top_n=1)
    # Middle (6, 8) moves by (2, -1), the size (8, 8) becomes (12, 4).
    np.testing.assert_allclose(found.numpy(), [[2, 5, 14, 9]], atol=1e-5)
    deltas[1] = [0, 0, 1e4, 0]
    found, _, _ = proposals(deltas, post_nms_top_n=1)
    np.testing.assert_allclose(found.numpy(), [[0, 4, 40, 12]], atol=1e-5)


def test_generate_for_many_images():
    scores = np.tile(SCORES.reshape(1, 1, 1, 4), (2, 1, 1, 1))
    size = proa.to_tensor([[20.0, 40.0], [20.0, 9.0]])
    given = proa.to_tensor(scores), proa.zeros([2, 4, 1, 4]), size
    anchors, variances = proa.to_tensor(ANCHORS), proa.ones([4, 4])
    found = ops.generate_proposals(*given, anchors, variances, return_rois_num=True)
    assert found[2].tolist() == [3, 1]
    np.testing.assert_allclose(found[0].numpy()[3], [2, 4, 9, 12])
    assert len(ops.generate_proposals(*given, anchors, variances)) == 2


R = proa.to_tensor(ROIS)
ERRORS = [
    (lambda: ops.distribute_fpn_proposals(R, 5, 2, 4, 224), "min_level <= max_level"),
    (lambda: ops.distribute_fpn_proposals(R, 2, 10**9, 4, 224), "few levels apart"),
    (lambda: ops.distribute_fpn_proposals(R, 2, 5, 4, float("nan")), "a positive scale"),
    (lambda: ops.distribute_fpn_proposals(R[0], 2, 5, 4, 224), "`fpn_rois` of"),
    (
        lambda: ops.distribute_fpn_proposals(R, 2, 5, 4, 224, rois_num=proa.to_tensor([4])),
        r"`rois_num` is \[4\] for 5 boxes",
    ),
    (lambda: proposals(size=(1, 2, 3)), r"img_size \[N, 2\]"),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.ProaError, match=match):
        call()
