from __future__ import annotations

import json

import pytest

from proa.core import InvalidArgumentError, InvalidTypeError
from proa.io._position import Position, read_position

HERE = Position(epoch=0, batches=0, seed=7, dataset_length=10, epoch_batches=4)
STATE = Position(2, 3, 2**63, 10, 4).as_state()


def without(name):
    return {key: value for key, value in STATE.items() if key != name}


def test_a_position_survives_json():
    assert read_position(json.loads(json.dumps(STATE)), HERE) == Position(2, 3, 2**63, 10, 4)


def test_a_stream_has_no_sizes():
    stream = Position(1, 5, 7, None, None)
    assert read_position(stream.as_state(), stream) == stream


@pytest.mark.parametrize(
    ("state", "error", "text"),
    [
        ([1, 2], InvalidTypeError, "the state of a DataLoader is a list"),
        (without("seed"), InvalidArgumentError, r"lacks \['seed'\]"),
        ({**STATE, "step": 1}, InvalidArgumentError, r"unknown fields \['step'\]"),
        ({**STATE, "epoch": -1}, InvalidArgumentError, "`epoch` .* is -1"),
        ({**STATE, "batches": 1.5}, InvalidArgumentError, "`batches` .* is 1.5"),
        ({**STATE, "seed": None}, InvalidArgumentError, "`seed` .* is None"),
        ({**STATE, "dataset_length": "10"}, InvalidArgumentError, "`dataset_length` .* is '10'"),
        ({**STATE, "version": 2}, InvalidArgumentError, "has version 2"),
        ({**STATE, "batches": 5}, InvalidArgumentError, "`batches` .* is 5 in an epoch of 4"),
        (
            {**STATE, "dataset_length": 12},
            InvalidArgumentError,
            "saved with 12 samples in the dataset, and this loader has 10",
        ),
        (
            {**STATE, "epoch_batches": 8},
            InvalidArgumentError,
            r"saved with 8 batches in an epoch, and this loader has 4(?s:.*)set_epoch\(3\)",
        ),
    ],
)
def test_a_state_that_does_not_fit_is_refused(state, error, text):
    with pytest.raises(error, match=f"(?s){text}.*"):
        read_position(state, HERE)
    with pytest.raises(error, match="(?s)Expected: .*Fix: "):
        read_position(state, HERE)
