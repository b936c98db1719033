"""Transformer blocks and stacks; values are in test_layer_catalogue.py."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError
from proa.utils import unique_name

SOURCE = np.sin(np.arange(24)).reshape(2, 3, 4).astype(np.float32)
TARGET = np.cos(np.arange(16)).reshape(2, 2, 4).astype(np.float32)


def rates(layer):
    return {
        name: p.optimize_attr["learning_rate"]
        for name, p in layer.named_parameters()
        if "norm" not in name
    }


def test_settings_for_each_part_of_an_encoder_block():
    first, second = (proa.ParamAttr(learning_rate=rate) for rate in (0.1, 0.2))
    block = nn.TransformerEncoderLayer(
        4, 2, 8, weight_attr=[first, second], bias_attr=[False, None]
    )
    found = rates(block)
    assert found["self_attn.q_proj.weight"] == found["self_attn.out_proj.weight"] == 0.1
    assert found["linear1.weight"] == found["linear2.weight"] == 0.2
    assert "self_attn.q_proj.bias" not in found
    assert "linear1.bias" in found


def test_settings_for_each_part_of_the_whole():
    attrs = [proa.ParamAttr(learning_rate=rate) for rate in (0.1, 0.2, 0.3)]
    found = rates(nn.Transformer(4, 2, 1, 1, 8, weight_attr=attrs))
    assert found["encoder.layers.0.self_attn.q_proj.weight"] == 0.1
    assert found["encoder.layers.0.linear1.weight"] == 0.3
    assert found["decoder.layers.0.cross_attn.q_proj.weight"] == 0.2
    found = rates(nn.Transformer(4, 2, 1, 1, 8, weight_attr=attrs[:2]))
    assert found["encoder.layers.0.linear1.weight"] == 0.2
    assert found["decoder.layers.0.cross_attn.q_proj.weight"] == 0.1


def test_blocks_of_a_stack_are_alike_but_their_own():
    class Mine(nn.TransformerEncoderLayer):
        pass

    with unique_name.guard():
        stack = nn.TransformerEncoder(Mine(4, 2, 8, normalize_before=True), 2)
    assert all(type(block) is Mine and block.normalize_before for block in stack.layers)
    first, second = (block.linear1.weight for block in stack.layers)
    assert [first.name, second.name] == ["linear_4.w_0", "linear_10.w_0"]
    assert (first.numpy() != second.numpy()).any()


def test_encoding_step_by_step_with_caches():
    stack = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2, nn.LayerNorm(4)).eval()
    source = proa.to_tensor(SOURCE)
    whole = stack(source, proa.to_tensor(np.tril(np.ones([3, 3], bool)))).numpy()
    caches = stack.gen_cache(source)
    for step in range(3):
        out, caches = stack(source[:, step : step + 1], cache=caches)
        np.testing.assert_allclose(out.numpy()[:, 0], whole[:, step], rtol=1e-4, atol=1e-5)


def test_decoding_step_by_step_with_caches():
    stack = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 2).eval()
    memory, target = proa.to_tensor(SOURCE), proa.to_tensor(TARGET)
    whole = stack(target, memory, proa.to_tensor(np.tril(np.ones([2, 2], bool)))).numpy()
    caches = stack.gen_cache(memory)
    for step in range(2):
        out, caches = stack(target[:, step : step + 1], memory, cache=caches)
        np.testing.assert_allclose(out.numpy()[:, 0], whole[:, step], rtol=1e-4, atol=1e-5)
    growing, static = stack.gen_cache(memory, do_zip=True)
    assert len(growing) == len(static) == 2
    assert static[0].k.shape == [2, 2, 3, 2]


def test_the_causal_mask():
    mask = nn.Transformer(4, 2, 1, 1, 8).generate_square_subsequent_mask(3).numpy()
    inf = np.inf
    np.testing.assert_array_equal(mask, [[0, -inf, -inf], [0, 0, -inf], [0, 0, 0]])
    masked = nn.TransformerEncoderLayer(4, 2, 8).eval()
    assert np.isfinite(masked(proa.to_tensor(SOURCE), proa.to_tensor(mask)).numpy()).all()


def test_parts_of_ones_own():
    class Same(nn.Layer):
        def forward(self, src, src_mask=None):
            return src

    model = nn.Transformer(4, 2, 1, 1, 8, custom_encoder=Same())
    assert type(model.encoder) is Same
    assert model(proa.to_tensor(SOURCE), proa.to_tensor(TARGET)).shape == [2, 2, 4]


@pytest.mark.parametrize(
    ("misuse", "message"),
    [
        (lambda: nn.TransformerEncoderLayer(0, 2, 8), "`d_model` is 0"),
        (lambda: nn.TransformerEncoderLayer(4, 2, 8, activation="nope"), "`activation` is 'nope'"),
        (
            lambda: nn.TransformerDecoderLayer(4, 2, 8, weight_attr=[None, None]),
            "`weight_attr` holds 2 attributes",
        ),
        (lambda: nn.TransformerDecoderLayer(5, 2, 8), "`embed_dim` is 5, `num_heads` 2"),
    ],
)
def test_misuse(misuse, message):
    with pytest.raises(InvalidArgumentError, match=message):
        misuse()
