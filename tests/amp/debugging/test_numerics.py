from __future__ import annotations

import pytest

import proa
from proa import nn
from proa.amp.debugging import DebugMode, check_layer_numerics, check_numerics

NAN, INF = float("nan"), float("inf")


def test_what_is_in_a_tensor(capsys):
    values = proa.to_tensor([1.0, 0.0, INF, NAN])
    counts, extremes = check_numerics(values, "op", "v", DebugMode.CHECK_NAN_INF)
    assert counts.tolist() == [1, 1, 1]
    assert counts.dtype.name == "int64"
    assert str(extremes.tolist()) == "[nan, nan, nan]"
    assert "num_nan=1, num_inf=1, num_zero=1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("mode", "values", "is_printed"),
    [
        (DebugMode.CHECK_NAN_INF, [1.0], False),
        (DebugMode.CHECK_ALL, [1.0], True),
        (DebugMode.CHECK_ALL_FOR_OVERFLOW, [1.0], False),
        (DebugMode.CHECK_ALL_FOR_OVERFLOW, [-70000.0], True),
        (DebugMode.CHECK_ALL_FOR_OVERFLOW, [NAN], True),
    ],
)
def test_what_a_mode_prints(mode, values, is_printed, capsys):
    check_numerics(proa.to_tensor(values), "op", "v", mode)
    assert bool(capsys.readouterr().out) is is_printed


def test_the_default_raises():
    with pytest.raises(FloatingPointError, match="`mine` gave 1 NaN and 0 Inf in tensor 'x'"):
        check_numerics(proa.to_tensor([NAN]), "mine", "x")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((proa.to_tensor([1]), "a", "b"), "check_numerics of"),
        ((3.0, "a", "b"), "check_numerics of 3.0"),
        ((proa.ones([1]), "a", "b", 1), "`debug_mode` is 1"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(TypeError, match=message):
        check_numerics(*arguments)


class Divide(nn.Layer):
    @check_layer_numerics
    def forward(self, x, y):
        return x / y, y


def test_a_layer_is_checked_at_both_ends():
    one, zero = proa.ones([1]), proa.zeros([1])
    assert Divide()(one, one)[0].tolist() == [1.0]
    with pytest.raises(
        FloatingPointError, match="`Divide` gave 0 NaN and 1 Inf in tensor 'output_0'"
    ):
        Divide()(one, zero)
    with pytest.raises(FloatingPointError, match="tensor 'input_1'"):
        Divide()(one, proa.to_tensor([NAN]))


def test_a_checked_layer_is_compiled():
    compiled = proa.jit.to_static(Divide(), full_graph=True)
    assert compiled(proa.ones([1]), proa.ones([1]))[0].tolist() == [1.0]
