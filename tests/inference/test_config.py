from __future__ import annotations

import pytest

from proa.core import InvalidArgumentError, UnknownNameError, UnsupportedError
from proa.inference import Config


def test_a_config_without_a_model_says_so():
    with pytest.raises(InvalidArgumentError, match="this Config has no model"):
        Config().model_path()


@pytest.mark.parametrize("files", [("m.pdmodel", "m.pdiparams"), ("m.onnx",), ("m", "p")])
def test_other_formats_are_refused(files):
    with pytest.raises(UnsupportedError, match="one .proa artifact"):
        Config(*files)


def test_options_without_effect_are_listed():
    config = Config("m.proa")
    config.switch_ir_optim()
    config.enable_memory_optim()
    config.set_cpu_math_library_num_threads(4)
    config.disable_glog_info()
    config.enable_mkldnn()
    assert config.ir_optim()
    assert config.summary().count("no effect") == 5
    assert "no effect: XLA always optimises" in config.summary()
    assert "no effect: XLA plans buffers" in config.summary()


def test_options_are_checked():
    config = Config("m.proa")
    with pytest.raises(InvalidArgumentError, match="`count` is 0"):
        config.set_max_variants(0)
    with pytest.raises(UnknownNameError, match="was asked for"):
        config.enable_use_gpu(100, 77)
    assert not config.use_gpu()
