from __future__ import annotations

import numpy as np
import pytest

import proa
from tests.ops.harness import same


def test_from_numpy_and_back():
    array = np.arange(6.0, dtype="float32").reshape(2, 3)
    same(proa.from_dlpack(array), array, "float32")
    np.testing.assert_array_equal(np.from_dlpack(proa.to_tensor(array)), array)


def test_through_a_bare_capsule():
    same(proa.from_dlpack(proa.to_dlpack(proa.to_tensor([1, 2]))), [1, 2], "int64")


def test_a_copy_does_not_see_later_writes():
    array = np.ones(64, dtype="float32")
    copied = proa.from_dlpack(array, copy=True)
    array[0] = 5
    same(copied, np.ones(64))
    assert proa.from_dlpack(np.ones(2), device="cpu").place == proa.CPUPlace()


def test_memory_with_gaps_and_read_only_memory_are_copied():
    array = np.arange(12.0).reshape(3, 4)
    same(proa.from_dlpack(array[::2, ::-3]), array[::2, ::-3], "float64")
    array.setflags(write=False)
    same(proa.from_dlpack(array), array, "float64")


class _Odd:
    """Names memory of a device that nobody knows."""

    def __dlpack__(self, **_):
        raise BufferError("no such device")

    def __dlpack_device__(self):
        return (1, 0)


def test_errors():
    with pytest.raises(ValueError, match="cannot take this _Odd: no such device"):
        proa.from_dlpack(_Odd())
    with pytest.raises(TypeError, match="`from_dlpack` of a list"):
        proa.from_dlpack([1.0])
    with pytest.raises(TypeError, match="`to_dlpack` of a list"):
        proa.to_dlpack([1.0])
    with pytest.raises(RuntimeError, match="stop_gradient=False"):
        proa.to_dlpack(proa.ones([1], requires_grad=True))
