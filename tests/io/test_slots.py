from __future__ import annotations

import gc
import os
import pickle

import jax
import numpy as np
import pytest

from proa.core import tensor_over
from proa.io import _slots
from proa.io._slots import INLINE_BYTES, KEPT, Leases, Recycled, Slots

SIZE = INLINE_BYTES


class Pair:
    """A worker's slots and the main process's view of them."""

    def __init__(self, folder):
        self.paths = iter([str(folder / f"slot-{i}") for i in range(100)])
        self.slots, self.leases = Slots(lambda: next(self.paths)), Leases()

    def send(self, value, size=SIZE):
        """A batch of bytes of one value, as the main process gets it; and its path."""
        array = self.slots.take(size)
        array[...] = value
        path = self.slots.path_of(memoryview(array))
        self.leases.drop(self.slots.take_dropped())
        self.slots.settle([path])
        data = pickle.dumps(np.zeros(size, np.uint8), 5, buffer_callback=lambda _: False)
        return pickle.loads(data, buffers=[self.leases.lease(path, size)]), path

    def give_back(self):
        returned = self.leases.take_returned()
        self.slots.take_back(returned)
        return returned


@pytest.fixture
def pair(tmp_path):
    return Pair(tmp_path)


def test_a_slot_comes_back_when_no_array_lies_on_it(pair, tmp_path):
    batch, path = pair.send(1)
    assert os.listdir(tmp_path) == []
    part = batch.reshape(2, -1)[1, ::2]
    del batch
    assert pair.give_back() == ()
    other, second = pair.send(2)
    assert second != path
    assert set(part.tolist()) == {1}
    del part
    assert pair.give_back() == (path,)
    again, third = pair.send(3)
    assert third == path
    assert (set(other.tolist()), set(again.tolist())) == ({2}, {3})


def test_a_tensor_and_what_is_made_of_it_hold_their_slot(pair):
    batch, path = pair.send(1, 4 * SIZE)
    tensor = tensor_over(batch.view("float32"))
    held = tensor._data
    assert held.unsafe_buffer_pointer() == batch.ctypes.data
    del batch, tensor
    gc.collect()
    assert pair.give_back() == ()
    before = np.asarray(held).copy()
    donated = jax.jit(lambda a: a * 2, donate_argnums=0)(held)
    del held
    gc.collect()
    # Whatever a donated buffer became part of, the next batch must not write to it.
    pair.give_back()
    next_batch, _ = pair.send(200, 4 * SIZE)
    np.testing.assert_array_equal(np.asarray(donated), before * 2)
    assert next_batch[0] == 200


@pytest.mark.parametrize(
    ("size", "fits"), [(SIZE, True), (SIZE // 2, True), (SIZE // 2 - 1, False), (SIZE + 1, False)]
)
def test_batches_of_other_sizes(pair, size, fits):
    batch, path = pair.send(1)
    del batch
    pair.give_back()
    batch, second = pair.send(2, size)
    assert (second == path) is fits
    assert batch.tolist() == [2] * size


def test_few_slots_wait(pair):
    batches = [pair.send(i)[0] for i in range(KEPT + 3)]
    batches.clear()
    assert len(pair.give_back()) == KEPT + 3
    assert len(pair.slots._free) == KEPT
    pair.send(0)
    assert len(pair.leases._mapped) == KEPT


def test_what_is_not_sent_is_free_again(pair, tmp_path):
    pair.slots.take(SIZE)
    assert (len(os.listdir(tmp_path)), pair.slots.used) == (1, SIZE)
    pair.slots.settle()
    assert (os.listdir(tmp_path), pair.slots.used) == ([], 0)
    batch, path = pair.send(1)
    del batch
    pair.give_back()
    pair.slots.take(SIZE)
    pair.slots.settle()
    assert pair.send(2)[1] == path


def test_a_full_folder(pair, monkeypatch):
    batch, _ = pair.send(1)
    del batch
    pair.give_back()
    tried = []

    def full(path, size):
        tried.append(path)

    monkeypatch.setattr(_slots, "mapped_file", full)
    assert pair.slots.take(10 * SIZE) is None
    # What waits is given up before.
    assert len(tried) == 2
    assert len(pair.slots.take_dropped()) == 1


def test_no_shared_memory():
    assert Slots(lambda: "").take(SIZE) is None


def test_memory_of_the_same_process_is_used_again():
    recycled = Recycled()
    first = recycled.empty((2, SIZE), np.uint8)
    address, part = first.ctypes.data, first[1]
    assert address % 64 == 0
    del first
    second = recycled.empty((2, SIZE), np.uint8)
    assert second.ctypes.data != address
    del part
    third = recycled.empty((SIZE // 2,), np.float32)
    assert third.ctypes.data == address
    small = recycled.empty((3,), np.float32)
    assert small.shape == (3,)
    held = [recycled.empty((SIZE,), np.uint8) for _ in range(KEPT + 4)]
    held.clear()
    recycled.empty((SIZE,), np.uint8)
    assert len(recycled._free) <= KEPT + 1
