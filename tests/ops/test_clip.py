from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import Case, case_ids, check_case, randn, same

CASES = [
    Case(proa.clip, (randn(4, 3), -0.5, 0.5), ref=np.clip),
    Case(proa.clip, (randn(4, 3), randn(3) - 1, randn(3) + 1), ref=np.clip, id="clip by tensors"),
    Case(proa.clip, (randn(4), 0.1), ref=lambda x, low: np.maximum(x, low), id="clip below"),
    Case(
        proa.clip,
        (randn(4),),
        {"max": 0.1},
        ref=lambda x: np.minimum(x, 0.1),
        id="clip above",
    ),
    Case(proa.clamp, (randn(4), -1.0, 1.0), ref=np.clip),
    Case(proa.scale, (randn(4, 3), 2.5, 0.5), ref=lambda x, s, b: x * s + b),
    Case(
        proa.scale,
        (randn(4), 2.5, 0.5, False),
        ref=lambda x, s, b, after: (x + b) * s,
        id="scale after bias",
    ),
    Case(
        proa.scale,
        (randn(4), 2.0),
        {"act": "tanh"},
        ref=lambda x, s: np.tanh(x * s),
        id="scale with activation",
        orders=4,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_clip_and_scale(case):
    check_case(case)


def test_nan_stays_and_no_bounds_change_nothing():
    x = proa.to_tensor([1.0, float("nan"), 5.0])
    same(proa.clip(x, 0.0, 2.0), [1.0, float("nan"), 2.0])
    same(proa.clip(proa.to_tensor([1, 5])), [1, 5], "int64")


def test_integers_with_floating_bounds_give_float32():
    same(proa.clip(proa.to_tensor([1, 5]), 0.5, 2.5), [1.0, 2.5], "float32")
    same(proa.clip(proa.to_tensor([1, 5]), min=2), [2, 5], "int64")


def test_gradient_is_one_at_the_bounds():
    x = proa.to_tensor([2.0, 1.0, 0.0, 1.5, 3.0], stop_gradient=False)
    proa.clip(x, 1, 2).sum().backward()
    same(x.grad, [1.0, 1.0, 0.0, 1.0, 0.0])


def test_different_bounds_share_one_compiled_kernel():
    x = proa.ones([3])
    proa.clip(x, 0.0, 1.0)
    before = len(proa.clip.op.kernels)
    for bound in (0.1, 0.2, 0.3):
        proa.clip(x, 0.0, bound)
    assert len(proa.clip.op.kernels) == before


def test_scale_keeps_integers():
    same(proa.scale(proa.to_tensor([1, 5]), 2.5, 0.6), [2, 10], "int64")


def test_in_place_forms():
    x = proa.to_tensor([-1.0, 3.0])
    assert x.clip_(0.0, 2.0) is x
    same(x, [0.0, 2.0])
    assert x.scale_(2.0, bias=1.0) is x
    same(x, [1.0, 5.0])
    same(x.clamp_(max=2.0), [1.0, 2.0])


def test_errors():
    with pytest.raises(ValueError, match="`act` of `scale` is 'gelu'"):
        proa.scale(proa.ones([1]), act="gelu")
    with pytest.raises(TypeError, match="`clip` of a complex64"):
        proa.clip(proa.to_tensor([1j]), 0.0)
