from __future__ import annotations

import sys

import numpy as np
import pytest

import proa
import proa.compat
from parity._evaluate import call_handler, decode_array
from parity.table import Call, array, bfloat16, normal, number_rows


@pytest.fixture
def run(monkeypatch):
    proa.compat.install()

    def run(call):
        (key, _), *_ = rows = list(number_rows([call]))
        monkeypatch.setattr("parity._evaluate.read_table", lambda: dict(rows))
        answer = call_handler(sys.modules["paddle"])(key)
        return answer if answer["status"] == "error" else dict(answer["leaves"])

    yield run
    proa.compat.uninstall()


def test_outputs_and_gradients_come_as_plain_data(run):
    leaves = run(Call("paddle.multiply", array([2.0, 3.0]), array([5.0, 7.0])))
    assert list(leaves) == ["", "gradient of 0", "gradient of 1"]
    np.testing.assert_array_equal(decode_array(leaves[""]), [10.0, 21.0])
    first, second = (decode_array(leaves[f"gradient of {i}"]) for i in (0, 1))
    np.testing.assert_allclose(first / [5.0, 7.0], second / [2.0, 3.0], rtol=1e-6)


def test_a_row_without_gradients_has_none(run):
    assert list(run(Call("paddle.exp", normal(2), grad=False))) == [""]


def test_structures_are_flattened(run):
    leaves = run(Call("paddle.topk", normal(4), 2))
    assert list(leaves) == ["#", "[0]", "[1]", "gradient of 0"]
    assert leaves["[1]"]["dtype"] == "int64"


def test_an_in_place_method_may_write_its_input(run):
    leaves = run(Call("paddle.Tensor.add_", array([1.0]), array([2.0])))
    assert decode_array(leaves[""]).tolist() == [3.0]


def test_bfloat16_is_told_from_float32(run):
    assert run(Call("paddle.abs", bfloat16(2)))[""]["dtype"] == "bfloat16"


def test_a_layer_is_filled_and_its_parameters_differentiated(run):
    leaves = run(Call("paddle.nn.BatchNorm1D", 2, forward=(normal(3, 2),)))
    assert {"gradient of weight", "gradient of bias", "[1][state _mean]"} <= leaves.keys()


def test_an_error_is_an_outcome(run):
    answer = run(Call("paddle.reshape", normal(3), [2]))
    assert answer["status"] == "error"
    assert answer["message"].startswith("InvalidArgumentError")


def test_a_schedule_gives_its_rates(run):
    leaves = run(Call("paddle.optimizer.lr.StepDecay", 1.0, 2, gamma=0.5, steps=3))
    rates = [float(decode_array(leaves[f"[{i}]"])) for i in range(4)]
    assert rates == [1.0, 1.0, 0.5, 0.5]


def test_an_optimiser_moves_parameters_each_step(run):
    leaves = run(Call("paddle.optimizer.SGD", 0.1, steps=2))
    first, second = (decode_array(leaves[f"[{i}][p0]"]) for i in (0, 1))
    assert np.all(first != second)
