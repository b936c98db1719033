from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import ParamAttr
from proa.core import InvalidArgumentError
from proa.incubate import nn

X = proa.to_tensor(np.random.default_rng(0).standard_normal([2, 3, 8]), "float32")


# paddle 3.3.1
def test_parameters_are_as_in_paddle():
    with proa.utils.unique_name.guard():
        layer = nn.FusedMultiTransformer(
            8,
            2,
            16,
            num_layers=1,
            trans_qkvw=False,
            qkv_bias_attrs=[ParamAttr(name="qb")],
            ln_bias_attrs=ParamAttr(),
        )
    name = "fused_multi_transformer_0"
    found = {key: list(value.shape) for key, value in layer.state_dict().items()}
    assert found == {
        f"{name}.w_0": [8],
        f"{name}.b_0": [8],
        f"{name}.w_1": [8, 3, 2, 4],
        "qb": [3, 2, 4],
        f"{name}.w_2": [8, 8],
        f"{name}.w_3": [8],
        f"{name}.w_4": [8, 16],
        f"{name}.w_5": [16, 8],
    }
    assert layer.ffn1_biases is None
    grouped = nn.FusedMultiTransformer(8, 4, 16, num_layers=1, gqa_group_size=2)
    assert grouped.qkv_weights[0].shape == [8, 2, 8]
    assert grouped(X).shape == [2, 3, 8]


def test_a_list_says_how_many_layers():
    layer = nn.FusedMultiTransformer(8, 2, 16, qkv_weight_attrs=[ParamAttr(), ParamAttr()])
    assert len(layer.ffn2_weights) == 2
    assert len(layer.parameters()) == 12
    (layer(X) * X).sum().backward()
    assert all(p.grad is not None for p in layer.parameters())


def test_caches_are_written():
    layer = nn.FusedMultiTransformer(8, 2, 16, num_layers=1).eval()
    caches = [proa.zeros([2, 2, 2, 4, 4])]
    out, same = layer(X, caches=caches)
    assert same is caches
    assert (caches[0].numpy()[..., :3, :] != 0).all()
    np.testing.assert_allclose(out, layer(X).numpy(), rtol=1e-5, atol=1e-6)


def test_no_number_of_layers():
    with pytest.raises(InvalidArgumentError, match="pass num_layers, or a list"):
        nn.FusedMultiTransformer(8, 2, 16)
