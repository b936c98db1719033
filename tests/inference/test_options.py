from __future__ import annotations

import pytest

from proa.core import UnsupportedError
from proa.inference import Config, PrecisionType, XpuConfig
from proa.inference._options import ANSWERS, NOTES, REFUSED

ARGUMENTS = {
    "exp_sparse_conv_using_buffer": ([], []),
    "exp_specify_tensorrt_subgraph_precision": ([], [], []),
    "load_ipu_config": ("file",),
    "set_xpu_config": (XpuConfig(),),
}
ONE = {"exp_enable_mixed_precision_ops", "set_bfloat16_op"}


@pytest.mark.parametrize("name", [row[0] for row in NOTES])
def test_an_option_without_effect_is_told_in_the_summary(name):
    config = Config("m.proa")
    needs = "ops" in {row[0]: row[1] for row in NOTES}[name] or name.startswith("exp_disable")
    level = name == "set_tensorrt_optimization_level"
    assert getattr(config, name)(*([3] if needs or level else [])) is None
    (line,) = [line for line in config.summary().splitlines() if line.startswith(name)]
    assert "no effect: " in line


@pytest.mark.parametrize("name", [row[0] for row in REFUSED])
def test_an_option_that_cannot_be_honoured_is_refused(name):
    config = Config("m.proa")
    arguments = ARGUMENTS.get(name, ({"conv2d"},) if name in ONE else ())
    with pytest.raises(UnsupportedError, match=rf"Config\.{name}\(\) asks for .*\n.*\n  Fix: use "):
        getattr(config, name)(*arguments)


@pytest.mark.parametrize(("name", "answer"), ANSWERS)
def test_questions_have_their_answer(name, answer):
    assert getattr(Config("m.proa"), name)() == answer()


def test_arguments_are_checked_as_those_of_any_method():
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        Config("m.proa").enable_memory_optim(y=1)
    with pytest.raises(UnsupportedError):
        Config("m.proa").enable_tensorrt_engine(precision_mode=PrecisionType.Half)
