from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from proa.core import ArtifactError, InvalidArgumentError, NotFoundError, UnsupportedError
from proa.inference import Config, PrecisionType, create_predictor
from proa.jit import save
from proa.static import InputSpec


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    file = tmp_path_factory.mktemp("paddle") / "net"
    return str(save(lambda x: x * 2, file, [InputSpec([None, None], name="x")]))


def test_files_can_be_set_one_by_one(tmp_path):
    config = Config()
    assert (config.prog_file(), config.params_file(), config.model_dir()) == ("", "", "")
    config.set_prog_file("a.pdmodel")
    config.set_params_file("b.pdiparams")
    assert (config.prog_file(), config.params_file()) == ("a.pdmodel", "b.pdiparams")
    config.set_model(tmp_path)
    assert (config.model_dir(), config.prog_file()) == (str(tmp_path), "")


def test_a_model_may_come_from_memory(path):
    content = Path(path).read_bytes()
    config = Config()
    config.set_model_buffer(content + b"junk", len(content), "", 0)
    assert config.model_from_memory()
    assert "in memory" in config.summary()
    (out,) = create_predictor(config).run([np.ones((1, 2), np.float32)])
    assert out.tolist() == [[2.0, 2.0]]
    config.set_model_buffer(content, len(content) - 9, b"", 0)
    with pytest.raises(ArtifactError, match="truncated"):
        create_predictor(config)


def test_precision_and_threads_are_kept():
    config = Config("m.proa")
    config.enable_mkldnn_bfloat16()
    assert config.precision == "bfloat16"
    config.set_precision("float16")
    config.set_cpu_math_library_num_threads(3)
    assert (config.cpu_math_library_num_threads(), config.precision) == (3, "float16")
    config.set_mkldnn_cache_capacity(5)
    config.set_mkldnn_cache_capacity()
    assert config.max_variants == 5
    config.enable_low_precision_io(False)
    with pytest.raises(UnsupportedError, match="inputs and outputs in low precision"):
        config.enable_low_precision_io()


def test_a_cpu_may_be_named_as_a_custom_device():
    config = Config("m.proa")
    config.enable_custom_device("cpu", 0, PrecisionType.Half)
    assert (config.device, config.gpu_device_id(), config.use_gpu()) == ("cpu:0", 0, False)
    assert config.precision == "float16"


def test_passes_can_be_chosen():
    config = Config("m.proa")
    config.delete_pass("dead_code")
    assert "dead_code" not in config.pass_builder().all_passes()
    config.enable_custom_passes(["dead_code"], True)
    assert config.pass_builder().all_passes() == ["dead_code"]


def test_ranges_of_tensorrt_are_ranges_of_inputs(path):
    config = Config(path)
    assert (config.tensorrt_dynamic_shape_enabled(), config.trt_allow_build_at_runtime()) == (
        False,
        True,
    )
    config.set_trt_dynamic_shape_info({"x": [1, 2]}, {"x": [4, 2]}, {"x": [2, 2]})
    assert config.ranges == {"x": ([1, 2], [4, 2])}
    assert config.tuned_tensorrt_dynamic_shape()
    with pytest.raises(InvalidArgumentError, match=r"smallest shapes of \['x'\], largest"):
        config.set_trt_dynamic_shape_info({"x": [1]}, {}, {})


def test_shapes_are_collected_and_taken_as_ranges(path, tmp_path):
    file = tmp_path / "shapes.json"
    config = Config(path)
    config.collect_shape_range_info(file)
    assert (config.shape_range_info_collected(), config.shape_range_info_path()) == (
        True,
        str(file),
    )
    predictor = create_predictor(config)
    for shape in ((2, 3), (1, 5), (2, 4)):
        predictor.run([np.ones(shape, np.float32)])
    assert json.loads(file.read_text()) == {"x": [[1, 3], [2, 5]]}

    free, bound = Config(path), Config(path)
    free.enable_tuned_tensorrt_dynamic_shape(file)
    assert "tuned shapes" in free.summary()
    bound.enable_tuned_tensorrt_dynamic_shape(file, False)
    with pytest.raises(InvalidArgumentError, match=r"6 on axis 1 is outside 3 to 5"):
        create_predictor(bound).run([np.ones((1, 6), np.float32)])
    with pytest.raises(NotFoundError, match="no file of shapes"):
        bound.enable_tuned_tensorrt_dynamic_shape(tmp_path / "none")
    for text in ("{", "[1]", '{"x": 3}'):
        file.write_text(text)
        with pytest.raises(ArtifactError, match="is no file of shapes"):
            bound.enable_tuned_tensorrt_dynamic_shape(file)


def test_profiles_are_explained(path):
    config = Config(path)
    config.enable_profile()
    predictor = create_predictor(config)
    assert "runs           0" in predictor.explain()
    predictor.run([np.ones((1, 2), np.float32)])
    assert "runs           1, mean " in predictor.explain()
