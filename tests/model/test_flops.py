from __future__ import annotations

from typing import Any

import pytest

import proa
from proa import nn
from proa.core import InvalidTypeError, UnsupportedError
from proa.model import flops


def _lenet() -> nn.Layer:
    return nn.Sequential(
        *(nn.Conv2D(1, 6, 3, stride=1, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2)),
        *(nn.Conv2D(6, 16, 5, stride=1, padding=0), nn.ReLU(), nn.MaxPool2D(2, 2)),
        *(nn.Flatten(), nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)),
    )


def test_lenet_has_the_count_that_paddle_documents(capsys: pytest.CaptureFixture[str]) -> None:
    assert flops(_lenet(), [1, 1, 28, 28], print_detail=True) == 347560
    out = capsys.readouterr().out
    assert "Total Flops: 347560     Total Params: 61610\n" in out
    rows = [line.split("|")[1:-1] for line in out.splitlines() if line.startswith("|")]
    assert [cell.strip() for cell in rows[0]] == [
        *("Layer Name", "Input Shape", "Output Shape", "Params", "Flops"),
    ]
    assert [row[-1].strip() for row in rows[1:]] == [
        *("47040", "0", "0", "241600", "0", "0", "0", "48000", "10080", "840"),
    ]


class Attention(nn.Layer):
    def forward(self, x: Any) -> Any:
        return nn.functional.scaled_dot_product_attention(x, x, x)


class Product(nn.Layer):
    def forward(self, x: Any) -> Any:
        return proa.matmul(x, x, transpose_y=True)


@pytest.mark.parametrize(
    ("network", "size", "expected"),
    [
        (nn.Conv2D(4, 8, 3, groups=2), [2, 4, 5, 5], 2 * 8 * 9 * (2 * 9 + 1)),
        (nn.Conv1D(2, 3, 3, bias_attr=False), [2, 2, 6], 2 * 3 * 4 * 6),
        (nn.Conv2DTranspose(2, 3, 3), [1, 2, 5, 5], 50 * 27 + 3 * 49),
        (nn.Linear(7, 5), [2, 3, 7], 2 * 3 * 5 * 7),
        (nn.BatchNorm2D(4), [2, 4, 5, 5], 2 * 200),
        (nn.LayerNorm(6), [2, 6], 24),
        (nn.AvgPool2D(2), [1, 1, 4, 4], 4),
        (nn.AdaptiveAvgPool2D(2), [1, 1, 4, 4], 4 * 5),
        (nn.LeakyReLU(), [3, 3], 9),
        (nn.GELU(), [3, 3], 0),
        # Queries with keys, then weights with values.
        (Attention(), [2, 5, 3, 4], 2 * (2 * 3 * 5 * 5 * 4)),
        (Product(), [2, 5, 3], 2 * 5 * 5 * 3),
    ],
)
def test_operations_count_wherever_they_are_called(
    network: nn.Layer, size: list[int], expected: int
) -> None:
    assert flops(network, size) == expected


def test_own_counts_take_the_place_of_ours() -> None:
    network = nn.Sequential(nn.Linear(7, 5), nn.ReLU())
    seen = []

    def count(layer: Any, inputs: Any, output: Any) -> None:
        seen.append((list(inputs[0].shape), list(output.shape)))
        layer.total_ops += 1000

    assert flops(network, [2, 7], custom_ops={nn.ReLU: count}) == 1070
    assert seen == [([2, 5], [2, 5])]
    assert not hasattr(network[1], "total_ops")


class Branching(nn.Layer):
    def forward(self, x: Any) -> Any:
        return x if float(x.sum()) == 0 else x * 2


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(InvalidTypeError, match="`net` is a str"):
        flops("net", [1])
    with (
        pytest.warns(UserWarning, match="runs on zeros"),
        pytest.raises(UnsupportedError, match="the operations of Branching cannot be counted"),
    ):
        flops(Branching(), [2, 2])
