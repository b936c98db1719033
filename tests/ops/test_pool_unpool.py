from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, randn, same

PLACES = np.broadcast_to(np.array([[0, 3], [9, 14]], dtype="int32"), (4, 2, 2, 2)).copy()


def unpooled(x, indices, kernel):
    y = np.zeros((4, 2, 16))
    np.put_along_axis(y, indices.reshape(4, 2, -1), x.reshape(4, 2, -1), axis=2)
    return y.reshape(4, 2, 4, 4)


CASES = [Case(F.max_unpool2d, (randn(4, 2, 2, 2), PLACES, 2), ref=unpooled)]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_there_and_back_in_every_rank():
    for pool, unpool, shape in [
        (F.max_pool1d, F.max_unpool1d, [1, 2, 6]),
        (F.max_pool3d, F.max_unpool3d, [1, 1, 2, 4, 4]),
    ]:
        x = proa.to_tensor(randn(*shape))
        values, mask = pool(x, 2, return_mask=True)
        back = unpool(values, mask, 2)
        assert back.shape == shape
        same(pool(back.abs(), 2), values.abs().numpy())


def test_wanted_size():
    x = proa.to_tensor([[[1.0, 2.0]]])
    places = proa.to_tensor([[[1, 4]]], dtype="int32")
    same(F.max_unpool1d(x, places, 2, output_size=[5]), [[[0, 1, 0, 0, 2]]])


def test_errors():
    x, places = proa.to_tensor([[[1.0, 2.0]]]), proa.to_tensor([[[1, 4]]], dtype="int32")
    with pytest.raises(proa.core.OutOfRangeError, match="`indices` of `max_unpool1d` holds 4"):
        F.max_unpool1d(x, places, 2)
    with pytest.raises(proa.core.InvalidArgumentError, match="the indices that max pooling"):
        F.max_unpool1d(x, places[:, :, :1], 2)
