from __future__ import annotations

import pytest

import proa
from proa.core import InvalidArgumentError

N, F = proa.sparse.nn, proa.sparse.nn.functional


@pytest.mark.parametrize(
    ("kind", "rank", "function"),
    [
        (N.Conv2D, 2, F.conv2d),
        (N.Conv3D, 3, F.conv3d),
        (N.SubmConv2D, 2, F.subm_conv2d),
        (N.SubmConv3D, 3, F.subm_conv3d),
    ],
)
def test_layers_are_their_functions(kind, rank, function):
    x = proa.ones([1, *[3] * rank, 2]).to_sparse_coo(rank + 1)
    layer = kind(2, 4, 3, padding=1, dilation=2 if kind is N.Conv2D else 1)
    assert layer.weight.shape == [*[3] * rank, 2, 4]
    assert layer.bias.tolist() == [0.0] * 4
    settings = (1, 1, 2 if kind is N.Conv2D else 1)
    expected = function(x, layer.weight, layer.bias, *settings)
    assert layer(x).values().tolist() == expected.values().tolist()


def test_shown_as_in_paddle():
    assert repr(N.Conv2D(2, 4, 3)) == "Conv2D(2, 4, kernel_size=[3, 3], data_format=NHWC)"
    assert N.SubmConv3D(2, 4, 3, bias_attr=False).bias is None


def test_the_weight_has_variance_two_over_its_inputs():
    proa.seed(0)
    weight = N.Conv2D(50, 40, 4).weight
    assert weight.std().item() == pytest.approx((2 / 800) ** 0.5, rel=0.02)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: N.SubmConv2D(2, 4, 3, backend="gpu"), "`backend` of SubmConv2D is 'gpu'"),
        (lambda: N.Conv2D(2, 4, 3, padding_mode="reflect"), "`padding_mode` of sparse Conv2D"),
        (lambda: N.Conv3D(2, 4, 3, data_format="NCDHW"), "`data_format` is 'NCDHW'"),
        (lambda: N.Conv3D(2, 4, 3, groups=3), "`groups` is 3"),
    ],
)
def test_bad_settings(make, message):
    with pytest.raises(InvalidArgumentError, match=message):
        make()


def test_gradients_reach_every_parameter():
    x = proa.ones([1, 2, 2, 2, 2]).to_sparse_coo(4)
    net = proa.nn.Sequential(N.SubmConv3D(2, 2, 3), N.ReLU(), N.MaxPool3D(2))
    net(x).values().sum().backward()
    assert all(p.grad is not None for p in net.parameters())
