from __future__ import annotations

import pytest

import proa
from proa.core import InvalidArgumentError
from tests.ops.harness import same


def test_one_tensor_or_several():
    x = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    proa.autograd.backward((x * x).sum())
    same(x.grad, [2.0, 4.0], "float32")
    y = x * 2
    proa.autograd.backward([y, y], retain_graph=True)
    proa.autograd.backward(y, proa.to_tensor([0.5, 0.0]))
    same(x.grad, [2.0 + 4.0 + 1.0, 4.0 + 4.0], "float32")


def test_lists_of_different_lengths():
    x = proa.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(InvalidArgumentError, match="2 tensors but 1 gradients"):
        proa.autograd.backward([x * 1, x * 2], [None])
