from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from proa.nn.functional import max_pool2d
from proa.program import make_dimension, recording
from proa.program._dims import as_struct, evaluate_dimension
from proa.program._interpreter import Interpreter
from proa.program._opaque import named_shapes

H, W = make_dimension("opaque_h"), make_dimension("opaque_w")


class Op:
    def __init__(self, function):
        self.function = function

    def array_fn(self, key):
        return lambda *arrays: self.function(key, *arrays)


def shapes(function, *given, key=()):
    return named_shapes(Op(function), key, [as_struct(s, np.float32) for s in given])


NESTED = ((H - 1) // 2 - 1) // 2 + 1


def test_sizes_that_hold_none_are_left_to_jax():
    assert shapes(lambda _, x: x, (H, (W - 1) // 2)) is None


def test_an_output_is_said_in_the_sizes_of_the_input():
    out = shapes(lambda _, x: jnp.concatenate([x, x[:, 3:]], 1), (2, NESTED))
    assert out.shape == (2, 2 * NESTED - 3)
    assert evaluate_dimension(out.shape[1], {"opaque_h": 29}) == 11


def test_what_sizes_have_in_common_is_kept():
    out = shapes(lambda _, x, y: x + y[:, 1:], (2, NESTED), (2, NESTED + 1))
    assert out.shape == (2, NESTED)


def test_sizes_in_attributes_are_named_alike():
    out = shapes(lambda key, x: jnp.reshape(x, key), (2, NESTED), key=(NESTED, 2))
    assert out.shape == (NESTED, 2)


def test_a_question_that_stays_open_is_left_to_others():
    assert shapes(lambda _, x: x[:, : 5 if x.shape[1] > 100 else 3], (2, NESTED)) is None


def test_many_windows_one_after_the_other():
    with recording() as recorder:
        x = recorder.add_input((1, 1, H, W), np.float32, "x")
        y = x
        for _ in range(7):
            y = max_pool2d(y, 3, 2)
        program, _ = recorder.finish([y])
    array = np.arange(300 * 260, dtype=np.float32).reshape(1, 1, 300, 260)
    expected = array
    for _ in range(7):
        windows = np.lib.stride_tricks.sliding_window_view(expected, (3, 3), (2, 3))
        expected = windows[:, :, ::2, ::2].max((-1, -2))
    (found,) = Interpreter(program, as_taped=False)(array)
    sizes = {"opaque_h": 300, "opaque_w": 260}
    extents = [evaluate_dimension(extent, sizes) for extent in program.outputs[0].shape]
    assert extents == list(found.shape)
    np.testing.assert_array_equal(np.asarray(found), expected)
