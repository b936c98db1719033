from __future__ import annotations

from typing import Any

import pytest

import proa
from proa import nn
from proa.core import InvalidArgumentError, InvalidTypeError
from proa.model import summary


class Small(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            *(nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2)),
            *(nn.Conv2D(6, 16, 5), nn.BatchNorm2D(16), nn.AdaptiveAvgPool2D(3)),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(144, 10))
        self.head[1].weight.stop_gradient = True

    def forward(self, x: Any) -> Any:
        return self.head(self.features(x))


# The table of paddle 3.3.1 for this network.
_TABLE = """\
-------------------------------------------------------------------------------
   Layer (type)         Input Shape          Output Shape         Param #
===============================================================================
     Conv2D-1         [[1, 1, 28, 28]]      [1, 6, 28, 28]          60
      ReLU-1          [[1, 6, 28, 28]]      [1, 6, 28, 28]           0
    MaxPool2D-1       [[1, 6, 28, 28]]      [1, 6, 14, 14]           0
     Conv2D-2         [[1, 6, 14, 14]]     [1, 16, 10, 10]         2,416
   BatchNorm2D-1     [[1, 16, 10, 10]]     [1, 16, 10, 10]          64
AdaptiveAvgPool2D-1  [[1, 16, 10, 10]]      [1, 16, 3, 3]            0
     Flatten-1        [[1, 16, 3, 3]]          [1, 144]              0
     Linear-1            [[1, 144]]            [1, 10]             1,450
===============================================================================
Total params: 3,990
Trainable params: 2,518
Non-trainable params: 1,472
-------------------------------------------------------------------------------
Input size (MB): 0.00
Forward/backward pass size (MB): 0.11
Params size (MB): 0.02
Estimated Total Size (MB): 0.13
-------------------------------------------------------------------------------

"""


def test_the_table_has_paddles_look(capsys: pytest.CaptureFixture[str]) -> None:
    with proa.utils.unique_name.guard():
        network = Small()
    counts = summary(network, (None, 1, 28, 28))
    assert counts == {"total_params": 3990, "trainable_params": 2518}
    lines = [line.rstrip() for line in capsys.readouterr().out.split("\n")]
    assert lines == _TABLE.split("\n")


def test_shared_parameters_count_once(capsys: pytest.CaptureFixture[str]) -> None:
    class Tied(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(10, 4)
            self.bias = self.create_parameter([10], is_bias=True)

        def forward(self, ids: Any) -> Any:
            return self.table(ids) @ self.table.weight.t() + self.bias

    with proa.utils.unique_name.guard():
        networks = Tied(), Tied()
    assert summary(networks[1], (2, 3), "int64") == {"total_params": 50, "trainable_params": 50}
    out = capsys.readouterr().out
    # A layer with parameters of its own has a row, though layers stand below it.
    assert "Tied-2" in out


def test_example_inputs_take_the_place_of_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    summary(nn.Linear(3, 2), input=proa.ones([5, 3]))
    assert "[[5, 3]]" in capsys.readouterr().out


def test_wrong_networks_and_sizes_are_refused() -> None:
    with pytest.raises(InvalidTypeError, match="`net` is a function"):
        summary(lambda x: x, (1, 3))
    with pytest.raises(InvalidArgumentError, match="linear"):
        summary(nn.Linear(3, 2), (1, 4))


def test_a_network_of_one_input_takes_the_list_or_dict_itself(capsys):
    class Adds(proa.nn.Layer):
        def __init__(self, *keys):
            super().__init__()
            self.keys, self.linear = keys, proa.nn.Linear(2, 3)

        def forward(self, inputs):
            first, second = self.keys
            return self.linear(inputs[first] + inputs[second])

    x = proa.ones([1, 2])
    assert proa.summary(Adds(0, 1), input=[x, x])["total_params"] == 9
    assert proa.summary(Adds("a", "b"), input={"a": x, "b": x})["total_params"] == 9
    assert "Linear" in capsys.readouterr().out
