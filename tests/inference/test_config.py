from __future__ import annotations

import pytest

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    UnknownNameError,
    UnsupportedError,
)
from proa.inference import Config, PrecisionType, create_predictor


def test_a_config_without_a_model_says_so():
    with pytest.raises(InvalidArgumentError, match="this Config has no model"):
        create_predictor(Config())
    with pytest.raises(InvalidTypeError, match=r"the model is given as 3 \(int\)"):
        Config(3)


def test_options_without_effect_are_listed():
    config = Config("m.proa")
    config.enable_memory_optim()
    config.disable_glog_info()
    config.enable_mkldnn()
    assert config.ir_optim()
    assert config.summary().count("no effect") == 3
    assert "enable_memory_optim   no effect: XLA plans buffers at compile time" in config.summary()


def test_a_config_of_a_config_is_a_copy():
    first = Config("m.proa")
    first.set_input_range("x", [1, 3], [8, 3])
    second = Config(first)
    second.set_input_range("y", [1], [2])
    second.disable_glog_info()
    second.pass_builder().delete_pass("dead_code")
    assert (list(first.ranges), list(second.ranges)) == (["x"], ["x", "y"])
    assert "no effect" not in first.summary()
    assert "dead_code" in first.pass_builder().all_passes()


def test_what_is_set_stands_in_the_summary():
    config = Config("m.proa")
    config.set_cpu_math_library_num_threads(4)
    config.set_input_range("x", [1, 3], [8, 3])
    config.set_batch_buckets([4, 1])
    config.set_memory_limit(64)
    config.set_precision(PrecisionType.Bfloat16)
    config.exp_disable_mixed_precision_ops({"softmax"})
    config.switch_ir_optim(False)
    config.set_cache(None)
    lines = [" ".join(line.split()) for line in config.summary().splitlines()]
    for wanted in (
        "model m.proa",
        "threads 4; no effect on xla, limit the cores of the process (taskset)",
        "batch buckets [1, 4]",
        "memory limit 64 MB",
        "range of x [1, 3] to [8, 3]",
        "precision bfloat16",
        "kept in float32 softmax",
        "passes off",
        "cache off",
    ):
        assert wanted in lines


BAD = [
    (lambda c: c.set_max_variants(0), InvalidArgumentError, "`count` is 0"),
    (lambda c: c.enable_use_gpu(100, 77), UnknownNameError, "was asked for"),
    (lambda c: c.set_memory_limit(0), InvalidArgumentError, "`megabytes` is 0"),
    (lambda c: c.set_batch_buckets([0, 2]), InvalidArgumentError, r"`sizes` is \[0, 2\]"),
    (lambda c: c.set_batch_buckets([]), InvalidArgumentError, r"`sizes` is \[\]"),
    (lambda c: c.set_input_range("x", [1, 2], [4]), InvalidArgumentError, "the range of input `x`"),
    (lambda c: c.set_input_range("x", [5], [4]), InvalidArgumentError, r"from \[5\] to \[4\]"),
    (lambda c: c.set_engine("tvm"), UnknownNameError, "there is no engine 'tvm'"),
    (lambda c: c.set_precision("int8"), UnsupportedError, "precision int8 was asked for"),
    (lambda c: c.set_precision("int64"), InvalidArgumentError, "`precision` is 'int64'"),
    (lambda c: c.set_cpu_math_library_num_threads(0), InvalidArgumentError, "num_threads` is 0"),
]


@pytest.mark.parametrize(("ask", "error", "message"), BAD)
def test_options_are_checked_and_what_fails_changes_nothing(ask, error, message):
    config = Config("m.proa")
    before = config.summary()
    with pytest.raises(error, match=message):
        ask(config)
    assert config.summary() == before
    assert not config.use_gpu()


def test_an_engine_that_is_not_installed_says_what_to_do(monkeypatch):
    from proa.inference._engines import ENGINES

    monkeypatch.setattr(type(ENGINES["xla"]), "unavailable", lambda self: "not built")
    with pytest.raises(UnsupportedError, match="engine 'xla' cannot be used here: not built"):
        Config("m.proa").set_engine("xla")
