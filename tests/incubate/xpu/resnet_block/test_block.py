from __future__ import annotations

import pytest

import proa
from proa.incubate.xpu import ResNetBasicBlock

nn, F = proa.nn, proa.nn.functional


@pytest.mark.parametrize("has_shortcut", [False, True])
def test_a_block_is_its_layers(has_shortcut):
    proa.seed(4)
    stride = 2 if has_shortcut else 1
    block = ResNetBasicBlock(
        2,
        2,
        3,
        2,
        2,
        3,
        2,
        2,
        1,
        stride,
        1,
        stride,
        has_shortcut=has_shortcut,
        padding1=1,
        padding2=1,
    )
    x = proa.randn([2, 2, 4, 4])
    norms = [nn.BatchNorm2D(2) for _ in range(3)]
    first = F.relu(norms[0](F.conv2d(x, block.filter_1, None, stride, 1)))
    second = norms[1](F.conv2d(first, block.filter_2, None, 1, 1))
    shortcut = norms[2](F.conv2d(x, block.filter_3, None, stride)) if has_shortcut else x
    made = block(x)
    assert proa.allclose(made, F.relu(second + shortcut)).item()
    assert proa.allclose(block.var_2, norms[1]._variance).item()
    made.sum().backward()
    assert block.filter_1.grad is not None
    assert len(block.state_dict()) == (15 if has_shortcut else 10)


def test_evaluation():
    block = ResNetBasicBlock(1, 1, 1, 1, 1, 1, 1, 1, 1, is_test=True)
    assert not block.training
    assert block(proa.ones([1, 1, 2, 2])).shape == [1, 1, 2, 2]


def test_other_activations():
    with pytest.raises(proa.core.InvalidArgumentError, match="with `act` 'gelu'"):
        ResNetBasicBlock(1, 1, 1, 1, 1, 1, 1, 1, 1, act="gelu")
