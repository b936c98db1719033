"""Hooks around `forward`."""

from __future__ import annotations

import pytest

from proa import nn
from proa.core import InvalidTypeError


class Add(nn.Layer):
    def forward(self, x, y=0):
        if x is None:
            raise ValueError("no x")
        return x + y


def test_a_pre_hook_sees_and_changes_the_inputs():
    layer, seen = Add(), []
    layer.register_forward_pre_hook(lambda layer, inputs: seen.append(inputs))
    assert layer(1, 2) == 3
    assert seen == [(1, 2)]
    layer.register_forward_pre_hook(lambda layer, inputs: (10, *inputs[1:]))
    assert layer(1, 2) == 12
    layer.register_forward_pre_hook(lambda layer, inputs: 7)
    assert layer(1, 2) == 7


def test_a_post_hook_sees_and_changes_the_output():
    layer, seen = Add(), []
    layer.register_forward_post_hook(lambda layer, inputs, output: seen.append((inputs, output)))
    handle = layer.register_forward_hook(lambda layer, inputs, output: output * 2)
    assert layer(1, 2) == 6
    assert seen == [((1, 2), 3)]
    handle.remove()
    handle.remove()
    assert layer(1, 2) == 3


def test_hooks_with_keywords():
    layer = Add()
    layer.register_forward_pre_hook(
        lambda layer, inputs, kwargs: (inputs, {**kwargs, "y": 5}), with_kwargs=True
    )
    layer.register_forward_post_hook(
        lambda layer, inputs, kwargs, output: (output, kwargs), with_kwargs=True
    )
    assert layer(1) == (6, {"y": 5})


def test_hooks_run_in_order_of_registration_unless_prepended():
    layer, seen = Add(), []
    for name, first in (("a", False), ("b", False), ("c", True)):
        layer.register_forward_pre_hook(
            lambda layer, inputs, name=name: seen.append(name), prepend=first
        )
    layer(1)
    assert seen == ["c", "a", "b"]


def test_a_hook_may_run_although_forward_fails():
    layer, seen = Add(), []
    layer.register_forward_post_hook(lambda *args: seen.append("never"))
    layer.register_forward_post_hook(lambda *args: seen.append(args[-1]), always_call=True)
    with pytest.raises(ValueError, match="no x"):
        layer(None)
    assert seen == [None]


def test_what_is_no_hook_is_refused():
    layer = Add()
    with pytest.raises(InvalidTypeError, match="`hook` is a int"):
        layer.register_forward_pre_hook(3)
    with pytest.raises(InvalidTypeError, match="`hook` is a str"):
        layer.register_forward_post_hook("x")
    layer.register_forward_pre_hook(lambda layer, inputs, kwargs: 3, with_kwargs=True)
    with pytest.raises(InvalidTypeError, match="returned a int"):
        layer(1)
