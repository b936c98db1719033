from __future__ import annotations

import importlib
import inspect
import pickle
import subprocess
import sys
from collections.abc import Iterator

import pytest

import proa
from proa.compat import install, uninstall
from proa.core import MissingAttributeError


@pytest.fixture(autouse=True)
def _alias() -> Iterator[None]:
    install()
    yield
    uninstall()


def test_names_of_inner_modules_are_those_of_the_public_rooms() -> None:
    import paddle
    from paddle.distribution import independent
    from paddle.nn.layer.common import Linear
    from paddle.optimizer.adam import Adam
    from paddle.tensor.search import argmax

    assert argmax is proa.argmax
    assert Linear is proa.nn.Linear
    assert Adam is proa.optimizer.Adam
    assert independent.Independent is proa.distribution.Independent
    assert paddle.nn.loss.MSELoss is proa.nn.MSELoss
    assert paddle.tensor.linalg.svd is proa.linalg.svd
    assert paddle.framework.CPUPlace is proa.CPUPlace


def test_names_of_rooms_that_nobody_has_loaded_yet_are_found_too() -> None:
    code = (
        "import proa.compat; proa.compat.install(); import paddle; "
        "print(paddle.framework.ParamAttr is paddle.nn.ParamAttr, "
        "hasattr(paddle.framework, 'nothing'))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "False"]


def test_fused_functions_and_the_files_of_their_names() -> None:
    import paddle
    from paddle.incubate.nn.functional.swiglu import swiglu
    from paddle.incubate.nn.layer.fused_dropout_add import FusedDropoutAdd
    from paddle.nn.quant.quantized_linear import weight_quantize

    assert swiglu is proa.nn.functional.swiglu
    assert FusedDropoutAdd is proa.incubate.nn.FusedDropoutAdd
    assert weight_quantize is proa.nn.quant.weight_quantize
    assert paddle.incubate.nn.functional.swiglu(paddle.zeros([2])).tolist() == [0]


def test_names_of_incubate() -> None:
    import paddle
    from paddle.incubate.autograd.functional import Jacobian
    from paddle.incubate.optimizer.lookahead import LookAhead

    assert Jacobian is proa.incubate.autograd.Jacobian
    assert LookAhead is proa.incubate.LookAhead
    assert paddle.incubate.operators.softmax_mask_fuse is proa.incubate.softmax_mask_fuse
    assert paddle.incubate.asp.utils.create_mask is proa.incubate.asp.create_mask


def test_a_name_that_is_nowhere_is_named() -> None:
    module = importlib.import_module("paddle.tensor.math")
    with pytest.raises(MissingAttributeError, match=r"paddle.tensor.math.no_such: proa has no"):
        module.no_such
    assert not hasattr(module, "__wrapped__")


def test_classes_pickled_by_their_inner_place_load() -> None:
    assert pickle.loads(b"cpaddle.nn.layer.common\nLinear\n.") is proa.nn.Linear


def test_tensors_pickled_under_the_alias_load_without_it() -> None:
    text = pickle.dumps(proa.to_tensor([1.0]))
    assert repr(proa.Tensor) == "<class 'paddle.Tensor'>"
    uninstall()
    assert pickle.loads(text).tolist() == [1.0]


def test_a_module_with_the_name_of_a_function_is_called_as_one() -> None:
    module = importlib.import_module("paddle.tensor")
    assert module([1, 2]).tolist() == [1, 2]
    with pytest.raises(TypeError, match="module 'paddle.nn.layer' is not callable"):
        importlib.import_module("paddle.nn.layer")()


def test_inner_modules_are_found_as_attributes_too() -> None:
    import paddle

    assert paddle.tensor.search.argmax is proa.argmax
    assert paddle.tensor.math.add_ is proa.Tensor.add_
    assert paddle.tensor([1, 2]).tolist() == [1, 2]
    assert paddle.nn.layer.common.Linear is proa.nn.Linear
    uninstall()
    assert inspect.isfunction(proa.tensor)
    assert "layer" not in vars(proa.nn)
