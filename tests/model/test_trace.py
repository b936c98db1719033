from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, InvalidTypeError
from proa.model._trace import read_example, trace
from proa.static import InputSpec


class Nested(nn.Layer):
    """Calls one layer twice, and computes something itself."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.norm = nn.BatchNorm1D(3)
        self.scale = self.create_parameter([3])

    def forward(self, x: Any, y: Any = None) -> Any:
        x = self.norm(self.first(self.first(x))) * self.scale
        return {"a": x, "b": [x if y is None else y, x.sum()]}


def test_layers_come_in_the_order_of_their_ends_with_their_own_calls() -> None:
    with proa.utils.unique_name.guard():
        network = Nested()
    rows = trace(network, read_example((2, 3), None, None))
    assert [row.label for row in rows] == ["Linear-1", "BatchNorm1D-1", "Nested-1"]
    assert rows[0].inputs == [[2, 3]]
    assert rows[2].outputs == [[2, 3], [[2, 3], []]]
    assert [row.num_params for row in rows] == [12, 12, 3]
    names = [[call.op.name for call in row.calls] for row in rows]
    assert names == [["linear", "linear"], ["batch_norm_infer"], ["multiply", "sum"]]


def test_nothing_of_the_network_changes() -> None:
    network = Nested()
    network.norm.eval()
    before = {name: t.numpy() for name, t in network.state_dict().items()}
    trace(network, read_example((2, 3), None, None))
    assert network.training
    assert not network.norm.training
    for name, t in network.state_dict().items():
        np.testing.assert_array_equal(t.numpy(), before[name])
    assert not network.first._forward_pre_hooks
    assert not network.first._forward_post_hooks


class Branching(nn.Layer):
    def forward(self, x: Any) -> Any:
        return x if float(x.sum()) == 0 else x[:1]


def test_a_network_that_cannot_be_recorded_runs_on_zeros() -> None:
    with pytest.warns(UserWarning, match=r"the network runs on zeros: float\(\)"):
        rows = trace(Branching(), read_example((4, 2), None, None))
    assert rows[0].outputs == [4, 2]


@pytest.mark.parametrize(
    ("size", "dtypes", "given", "expected"),
    [
        ((None, 3), None, None, [((1, 3), "float32")]),
        (5, None, None, [((5,), "float32")]),
        ([2, -1], "int64", None, [((2, 1), "int64")]),
        ([(1, 3), (2,)], ["float32", "int64"], None, [((1, 3), "float32"), ((2,), "int64")]),
        (InputSpec([None, 4], "float16"), None, None, [((1, 4), "float16")]),
        ([InputSpec([2], "int32")], "int64", None, [((2,), "int64")]),
        (None, None, np.ones((2, 2)), [((2, 2), "float64")]),
        (None, None, {"x": proa.ones([3])}, [((3,), "float32")]),
    ],
)
def test_inputs_can_be_given_in_many_forms(
    size: Any, dtypes: Any, given: Any, expected: Any
) -> None:
    example = read_example(size, dtypes, given)
    assert [(shape, dtype.name) for shape, dtype in example.specs] == expected


def test_named_inputs_are_passed_by_name() -> None:
    example = read_example(None, None, {"y": proa.ones([7]), "x": proa.ones([2, 3])})
    rows = trace(Nested(), example)
    assert rows[-1].outputs == [[2, 3], [[7], []]]


@pytest.mark.parametrize(
    ("size", "dtypes", "error", "message"),
    [
        (None, None, InvalidArgumentError, "`input_size` and `input` are both None"),
        ((1, 0), None, InvalidArgumentError, "has the size 0"),
        ((1, 2.5), None, InvalidArgumentError, "has the size 2.5"),
        ("text", None, InvalidTypeError, "`input_size` has 'text'"),
        ([(1,), (2,)], ["int64"], InvalidArgumentError, "1 entries for 2 inputs"),
    ],
)
def test_wrong_sizes_are_named(
    size: Any, dtypes: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        read_example(size, dtypes, None)
