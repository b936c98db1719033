"""Trees of inputs and outputs, several methods and chosen outputs, in one file."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, UnknownNameError
from proa.jit import load, save, to_static
from proa.jit._nesting import build_result, check_options, open_specs
from proa.static import InputSpec


@dataclasses.dataclass
class Found:
    total: object
    parts: list


def combined(batch, scale, options):
    total = (batch["image"] + batch["mask"][0]) * scale
    if options["shift"]:
        total = total + 1
    return Found(total, [batch["image"], {"mask": batch["mask"][0]}])


SPEC = [
    {"image": InputSpec([None, 2]), "mask": (InputSpec([None, 2], name="m"),)},
    InputSpec([], name="scale"),
    {"shift": True},
]


def test_trees_of_inputs_and_outputs(tmp_path):
    loaded = load(save(combined, tmp_path / "f", SPEC))
    assert loaded._pipeline.names == ["image", "m", "scale"]
    x, m = proa.ones([3, 2]), proa.ones([3, 2]) * 2
    batch = {"image": x, "mask": (m,)}
    expected = combined(batch, proa.to_tensor(3.0), {"shift": True})
    for found in (
        loaded(batch, proa.to_tensor(3.0), {"shift": True}),
        loaded(x, m, scale=proa.to_tensor(3.0)),
    ):
        np.testing.assert_array_equal(found["total"].numpy(), expected.total.numpy())
        assert found["parts"][1]["mask"].tolist() == m.tolist()
    with pytest.raises(InvalidArgumentError, match="an input named 'size'"):
        loaded(x, m, size=1)
    with pytest.raises(InvalidArgumentError, match="2 inputs were given"):
        loaded(x, m)


def test_the_arguments_of_the_last_call_are_the_spec(tmp_path):
    compiled = to_static(combined, full_graph=True)
    compiled({"image": proa.ones([3, 2]), "mask": (proa.ones([3, 2]),)}, 2.0, {"shift": False})
    loaded = load(save(compiled, tmp_path / "f"))
    found = loaded({"image": proa.ones([5, 2]), "mask": (proa.ones([5, 2]),)}, 2.0)
    assert found["total"].sum().item() == 40.0


class Coder(proa.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = proa.nn.Linear(2, 3)

    def forward(self, x):
        return self.decode(self.encode(x))

    @to_static(input_spec=[InputSpec([None, 2], name="pixels")])
    def encode(self, x):
        return {"code": self.linear(x)}["code"]

    @to_static
    def decode(self, code):
        return code.sum(-1) if code.shape[0] > 0 else code

    @to_static
    def never_called(self, code):
        return code


def test_other_compiled_methods_are_saved_too(tmp_path):
    net, x = Coder(), proa.ones([4, 2])
    net.decode(net.encode(x))
    with pytest.warns(UserWarning, match="method `never_called` of Coder is not saved"):
        path = save(net, tmp_path / "net", [InputSpec([None, 2])])
    loaded = load(path)
    np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy(), rtol=1e-6)
    np.testing.assert_allclose(loaded.encode(pixels=x).numpy(), net.encode(x).numpy(), rtol=1e-6)
    np.testing.assert_allclose(loaded.decode(net.encode(x)).numpy(), net(x).numpy(), rtol=1e-6)
    assert [len(loaded.program(n).outputs) for n in ("forward", "encode", "main")] == [1, 1, 1]
    with pytest.raises(UnknownNameError, match="no Program 'never_called'"):
        loaded.program("never_called")
    loaded.encode(x).sum().backward()
    assert len([p for p in loaded.parameters() if p.grad is not None]) == 2


def test_examples_are_compared_and_the_difference_is_told(tmp_path):
    net = proa.nn.Linear(2, 3)
    loaded = load(save(net, tmp_path / "net", [proa.ones([2, 2])]))
    assert loaded.manifest["eager_difference_absolute"] < 1e-5
    assert loaded._pipeline.golden_samples() == []
    assert "largest difference to the uncompiled model" in repr(loaded)


def test_outputs_can_be_chosen(tmp_path):
    path = save(lambda x: (x, x + 1, x + 2), tmp_path / "f", [InputSpec([2])], output_spec=[2, 0])
    assert [t.tolist() for t in load(path)(proa.zeros([2]))] == [[2.0, 2.0], [0.0, 0.0]]
    with pytest.raises(InvalidArgumentError, match=r"`output_spec` is \[5\] of 1 outputs"):
        save(lambda x: x, tmp_path / "g", [InputSpec([2])], output_spec=[5])


def test_wrong_specs_and_options_are_told():
    with pytest.raises(InvalidArgumentError, match="entry 0 of `input_spec` is 'x'"):
        open_specs(["x"])
    with pytest.raises(InvalidArgumentError, match="names its inputs"):
        open_specs([InputSpec([1], name="a"), {"a": InputSpec([1])}])
    with pytest.raises(InvalidArgumentError, match="no option 'clip'"):
        check_options({"clip": True})
    with pytest.raises(InvalidArgumentError, match="`output_spec` is 'y'"):
        check_options({"output_spec": "y", "clip_extra": True})
    assert build_result({"tuple": [1, None, 0]}, "ab") == ("b", None, "a")
