from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import UnsupportedError
from proa.inference import Config, create_predictor
from proa.jit import save
from proa.static import InputSpec


def test_hooks_see_each_value_and_the_outputs_stay(tmp_path):
    net = proa.nn.Sequential(proa.nn.Linear(3, 2), proa.nn.ReLU())
    predictor = create_predictor(Config(save(net, tmp_path / "net", [InputSpec([None, 3])])))
    x = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    (expected,) = predictor.run([x])
    seen: list = []
    predictor.register_input_hook(lambda op, name, tensor: seen.append(("in", op, tensor.shape)))
    predictor.clone().register_output_hook(
        lambda op, name, tensor: seen.append(("out", op, tensor.shape))
    )
    (got,) = predictor.run([x])
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    assert ("in", "linear", [4, 3]) in seen
    assert seen[-1] == ("out", "relu", [4, 2])


def test_other_engines_have_no_hooks(tmp_path):
    predictor = create_predictor(Config(save(lambda x: x, tmp_path / "n", [InputSpec([2])])))
    predictor._shared.config.engine = "openvino"
    with pytest.raises(UnsupportedError, match="a hook with engine 'openvino'"):
        predictor.register_input_hook(print)
