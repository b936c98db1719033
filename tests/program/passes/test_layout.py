from __future__ import annotations

import pytest

import proa
import proa.nn.functional as F
from proa.program import verify
from proa.program.passes import apply_passes, layout_nhwc
from proa.program.passes._rewrite import attribute
from tests.program.passes.programs import bound, normal, ops, same


def conv(x, seed=0, width=4, **options):
    weight = proa.to_tensor(normal(width, x.shape[1], 1, 1, seed=seed))
    return F.conv2d(x, weight, **options)


def block(x):
    y = F.relu(conv(x))
    z = F.batch_norm(y, proa.zeros([4]), proa.ones([4]), training=False)
    y = y + F.sigmoid(z) * proa.to_tensor(normal(4, 1, 1)) + 1.0
    y = F.max_pool2d(y, 2) + F.avg_pool2d(z, 2)
    return proa.concat([y, conv(y, 1)], axis=1)


@pytest.mark.parametrize(
    ("fn", "transposes"),
    [
        (block, 2),
        (lambda x: F.adaptive_avg_pool2d(conv(x), 1).flatten(1), 1),
        (lambda x: conv(x).mean([2, 3]), 1),
        (lambda x: proa.split(conv(x), 2, axis=1)[1].max(-1), 2),
        (lambda x: conv(x) + x[:, :1], 3),
        (lambda x: conv(x) * proa.to_tensor(normal(6)), 2),
        (lambda x: conv(x) - conv(x, 1).mean(1, keepdim=True), 2),
        (lambda x: F.interpolate(conv(x), scale_factor=2, mode="bilinear"), 2),
        (lambda x: conv(x, padding=[[0, 0], [0, 0], [1, 0], [2, 1]]), 2),
        (lambda x: F.conv2d_transpose(x, proa.to_tensor(normal(3, 2, 2, 2)), stride=2), 2),
        (lambda x: proa.cumsum(conv(x), axis=1) + conv(x), 2),
        (lambda x: F.prelu(conv(x), proa.to_tensor([0.1, 0.2, 0.3, 0.4])), 2),
        (lambda x: F.max_pool2d(conv(x), 2, return_mask=True)[1], 2),
        (lambda x: proa.stack([conv(x), conv(x, 1)]), 3),
    ],
)
def test_channels_are_last_inside_and_first_outside(fn, transposes):
    before, _ = apply_passes(bound(fn, ("batch", 3, 4, 6)), "clean")
    after, report = apply_passes(before, ["layout_nhwc", "constant_folding"])
    convolutions = [c for c in after.calls if c.op.name.startswith("conv2d")]
    assert {attribute(c, "data_format") for c in convolutions} == {"NHWC"}
    assert ops(after).count("transpose") == transposes
    assert report.steps[0].notes["convolutions with the channels last"] == len(convolutions)
    same(before, after, normal(2, 3, 4, 6), rtol=1e-5, atol=1e-5)
    assert layout_nhwc(after) == (after, {})


def test_programs_without_convolutions_stay():
    before = bound(lambda x: F.relu(F.max_pool2d(x, 2)).mean([2, 3]), (2, 3, 4, 4))
    assert layout_nhwc(before) == (before, {})


def test_unknown_sizes_of_images_stay_unknown():
    before = bound(block, ("batch", 3, "height", "width"))
    after = verify(layout_nhwc(before)[0])
    for height, width in ((4, 6), (7, 5)):
        same(before, after, normal(1, 3, height, width), rtol=1e-5, atol=1e-5)
