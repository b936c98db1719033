"""What every op that takes indices does with those beyond its axis and with negative ones.

Never clamped, filled or dropped in eager mode (JAX PR#7595, JAX PR#2895, tt-mlir#9211).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import proa
import proa.incubate.nn.functional as fused
import proa.nn.functional as F
import proa.vision.ops
from proa.core import OutOfRangeError, all_ops

X = proa.to_tensor(np.arange(12.0).reshape(3, 4).astype("float32"))
LINE = X[:, 0]
ONES = proa.ones([2])
ROWS = proa.ones([2, 4])


class Row(NamedTuple):
    """A call by two indices, how many places there are, and whether negative ones count back.

    `None`: a negative one has a meaning of its own.
    """

    call: Callable[[Any], Any]
    extent: int
    wraps: bool | None


def column(index: Any) -> Any:
    return index.unsqueeze(1)


def along(index: Any) -> Any:
    return proa.expand(index.unsqueeze(1), [2, 4])


def written(index: Any) -> Any:
    x = X.clone()
    x[index] = ROWS
    return x


def flat_unpool(index: Any) -> Any:
    return F.max_unpool1d(proa.ones([1, 1, 2]), index.reshape([1, 1, 2]), 2)


def square_unpool(index: Any) -> Any:
    return F.max_unpool2d(proa.ones([1, 1, 1, 2]), index.reshape([1, 1, 1, 2]), 2)


def cube_unpool(index: Any) -> Any:
    return F.max_unpool3d(proa.ones([1, 1, 1, 1, 2]), index.reshape([1, 1, 1, 1, 2]), 2)


def tree(index: Any) -> Any:
    parents = proa.stack([proa.zeros([1, 2], "int64"), index.unsqueeze(0)])
    return F.gather_tree(proa.arange(4).reshape([2, 1, 2]), parents)


TABLE: dict[str, Row] = {
    "getitem_arrays": Row(lambda i: X[i], 3, True),
    "setitem_arrays": Row(written, 3, True),
    "gather": Row(lambda i: proa.gather(X, i), 3, True),
    "index_select": Row(lambda i: proa.index_select(X, i, 1), 4, True),
    "gather_nd": Row(lambda i: proa.gather_nd(X, column(i)), 3, True),
    "index_sample": Row(lambda i: proa.index_sample(X, proa.stack([i] * 3)), 4, False),
    "take": Row(lambda i: proa.take(X, i), 12, True),
    "take_along_axis": Row(lambda i: proa.take_along_axis(X, along(i), 0), 3, True),
    "put_along_axis": Row(lambda i: proa.put_along_axis(X, along(i), 1.0, 0), 3, True),
    "scatter": Row(lambda i: proa.scatter(X, i, ROWS), 3, True),
    "scatter_nd_add": Row(lambda i: proa.scatter_nd_add(X, column(i), ROWS), 3, True),
    "scatter_nd": Row(lambda i: proa.scatter_nd(column(i), ROWS, [3, 4]), 3, True),
    "index_add": Row(lambda i: proa.index_add(X, i, 0, ROWS), 3, True),
    "index_fill": Row(lambda i: proa.index_fill(X, i, 0, 1.0), 3, True),
    "one_hot": Row(lambda i: F.one_hot(i, 3), 3, False),
    "multiplex": Row(lambda i: proa.multiplex([ROWS, ROWS], column(i)), 2, False),
    "shard_index": Row(lambda i: proa.shard_index(column(i), 4, 2, 0), 4, False),
    "embedding_lookup": Row(lambda i: F.embedding(i, X), 3, False),
    "nll_loss": Row(lambda i: F.nll_loss(X[:2], i), 4, False),
    "cross_entropy": Row(lambda i: F.cross_entropy(X[:2], i), 4, False),
    "multi_margin_loss": Row(lambda i: F.multi_margin_loss(X[:2], i), 4, False),
    "multi_label_margin_loss": Row(
        lambda i: F.multi_label_margin_loss(X[:2], proa.stack([i, i, i, i]).t()), 4, None
    ),
    "dice_loss": Row(lambda i: F.dice_loss(F.softmax(X[:2]), column(i)), 4, False),
    "margin_softmax": Row(lambda i: F.margin_cross_entropy(X[:2] / 12, i), 4, False),
    "class_center_sample": Row(lambda i: F.class_center_sample(i, 4, 2), 4, False),
    "hsigmoid_loss": Row(lambda i: F.hsigmoid_loss(X[:2], i, 3, proa.ones([2, 4])), 3, False),
    "adaptive_log_softmax": Row(
        lambda i: F.adaptive_log_softmax_with_loss(
            X[:2], i, proa.ones([4, 3]), [[proa.ones([4, 2]), proa.ones([2, 2])]], [2, 4]
        ),
        4,
        False,
    ),
    "gather_tree": Row(tree, 2, False),
    "max_unpool1d": Row(flat_unpool, 4, False),
    "max_unpool2d": Row(square_unpool, 8, False),
    "max_unpool3d": Row(cube_unpool, 16, False),
    "bincount": Row(lambda i: proa.bincount(proa.minimum(i, proa.to_tensor(3))), 2**62, False),
    "ctc_loss": Row(
        lambda i: F.ctc_loss(
            proa.zeros([4, 1, 3]), i.unsqueeze(0), proa.to_tensor([4]), proa.to_tensor([2])
        ),
        3,
        False,
    ),
    "rnnt_loss": Row(
        lambda i: F.rnnt_loss(
            proa.zeros([1, 4, 3, 3]),
            proa.clip(i, -1, 3).unsqueeze(0).astype("int32"),
            proa.to_tensor([4], dtype="int32"),
            proa.to_tensor([2], dtype="int32"),
        ),
        3,
        False,
    ),
    "geometric_segment": Row(
        lambda i: proa.geometric.segment_sum(ROWS, proa.sort(i)), 2**62, False
    ),
    "geometric_send": Row(lambda i: proa.geometric.send_u_recv(X, i, i), 3, False),
    "geometric_send_edges": Row(lambda i: proa.geometric.send_ue_recv(X, ROWS, i, i), 3, False),
    "cross_entropy_with_softmax_bwd_w_downcast": Row(
        lambda i: fused.cross_entropy_with_softmax_bwd_w_downcast(
            i, proa.full([2, 3], 1 / 3), proa.ones([2])
        ),
        3,
        False,
    ),
    "rows_added": Row(
        lambda i: fused.embedding_grad_add_to_(i, proa.zeros([3, 4]), ROWS), 3, False
    ),
    "moe_combine": Row(lambda i: fused.moe_combine(X, proa.ones([2, 1]), i.unsqueeze(0)), 3, False),
    "rotary": Row(
        lambda i: fused.fused_rotary_position_embedding(
            proa.ones([1, 2, 1, 4]),
            sin=proa.zeros([1, 3, 1, 4]),
            cos=proa.ones([1, 3, 1, 4]),
            position_ids=i.unsqueeze(0),
        ),
        3,
        False,
    ),
    "geometric_pair": Row(lambda i: proa.geometric.send_uv(X, X, i, i), 3, False),
}
#: Integer inputs that name no place of an axis, or ops that their caller has checked.
OTHERS = {
    "lengths, counts and offsets": {
        *("recurrent", "length_mask", "repeat_interleave", "text_viterbi", "beam_step"),
        *(
            "packed_mask",
            "padded_mask",
            "interval_mask",
            "pattern_mask",
            "distribute_fpn_proposals",
        ),
        *("roi_align", "roi_pool", "psroi_pool", "yolo_box"),
        *("sequence_rows_pool", "sequence_rows_repeat"),
        *("sequence_rows_softmax", "sequence_rows_window"),
    },
    "categories of any value": {"nms"},
    "places in caches, which masks bound": {
        *("blocks_mask", "blocks_read", "blocks_written", "cache_written", "prefix_mask"),
        *("step_mask", "turn_step"),
    },
    "numbers that are only computed with, or left out where another process has them": {
        *("expand_modality_expert_id", "place_tokens", "top_p_sampling"),
    },
    "checked by tests of their own": {"int_bincount", "yolo_loss"},
    "made from slices or by the op itself": {
        *("getitem", "getitem_inverse", "setitem", "lu_unpack", "expert_rows", "gather_rows"),
        *("sparse_softmax", "sparse_dense_matmul", "sparse_masked_matmul", "sparse_convolution"),
        *("sparse_max_pool",),
    },
    "rows that embedding_lookup has read": {"embedding_clip_rows", "scale_row_gradients"},
}


def test_every_op_with_an_index_is_here():
    listed = set().union(TABLE, *OTHERS.values())
    taking = {name for name, op in all_ops().items() if op.indices}
    assert taking - listed == set()


@pytest.mark.parametrize("name", TABLE)
def test_an_index_in_range_is_taken_and_one_beyond_raises(name):
    row = TABLE[name]
    row.call(proa.to_tensor([0, 1]))
    if row.extent < 2**40:
        for beyond in (row.extent, 2**40):
            with pytest.raises(OutOfRangeError, match="holds|out of range|is beyond"):
                row.call(proa.to_tensor([0, beyond]))


def arrays(value: Any) -> list[np.ndarray]:
    values = value if isinstance(value, list | tuple) else [value]
    return [v.numpy() for v in values if v is not None]


@pytest.mark.parametrize("name", TABLE)
def test_a_negative_index_counts_back_or_raises(name):
    row = TABLE[name]
    if row.wraps:
        back = arrays(row.call(proa.to_tensor([0, -1])))
        forth = arrays(row.call(proa.to_tensor([0, row.extent - 1])))
        for got, want in zip(back, forth, strict=True):
            np.testing.assert_array_equal(got, want)
    first_wrong = -row.extent - 1 if row.wraps else -1
    if row.wraps is not None:
        with pytest.raises(OutOfRangeError, match=r"holds -|is -"):
            row.call(proa.to_tensor([0, first_wrong]))
