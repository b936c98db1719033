from __future__ import annotations

import os
from multiprocessing import Pipe

import numpy as np
import pytest

from proa.io._slots import Leases
from proa.io._transport import (
    INLINE_BYTES,
    Message,
    SharedMemory,
    anonymous_file,
    map_file,
    offsets,
    receive,
    remove_leftovers,
    send,
    write_all,
)

BIG = {"x": np.arange(INLINE_BYTES, dtype=np.uint8), "y": np.zeros((0, 2)), "z": [np.ones(3)]}


def carry(value, memory):
    ours, theirs = Pipe()
    with ours, theirs:
        send(theirs, Message("batch", 7, value), memory)
        return receive(ours, Leases())


def check(message):
    assert (message.kind, message.number) == ("batch", 7)
    for name in ("x", "y"):
        np.testing.assert_array_equal(message.content[name], BIG[name])
        assert message.content[name].dtype == BIG[name].dtype
    assert message.content["z"][0].tolist() == [1, 1, 1]
    message.content["x"][0] = 5


@pytest.fixture
def prefix(tmp_path):
    return f"{tmp_path}/run-"


def test_big_arrays_go_through_a_file_that_is_gone_afterwards(prefix, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(
        os, "unlink", lambda path, unlink=os.unlink: (seen.append(path), unlink(path))
    )
    message = carry(BIG, SharedMemory(prefix, 1 << 20))
    assert len(seen) == 1
    assert list(tmp_path.iterdir()) == []
    assert message.overflow == 0
    check(message)
    assert message.content["x"].ctypes.data % 64 == 0


def test_small_batches_go_through_the_pipe(tmp_path, prefix):
    message = carry({"x": np.arange(3)}, SharedMemory(prefix, 1 << 20))
    assert (message.content["x"].tolist(), message.overflow) == ([0, 1, 2], 0)
    message.content["x"][0] = 9


@pytest.mark.parametrize("case", ["budget", "no folder", "off"])
def test_without_room_arrays_go_through_the_pipe(case, prefix, tmp_path):
    memory = {
        "budget": SharedMemory(prefix, INLINE_BYTES - 1),
        "no folder": SharedMemory(f"{tmp_path}/missing/run-", 1 << 20),
        "off": SharedMemory("", 1 << 20),
    }[case]
    small = {"x": np.arange(INLINE_BYTES, dtype=np.uint8)}
    ours, theirs = Pipe()
    with ours, theirs:
        send(theirs, Message("batch", 7, small), memory)
        message = receive(ours, Leases())
    assert message.overflow == INLINE_BYTES
    np.testing.assert_array_equal(message.content["x"], small["x"])


def test_a_full_folder_is_no_error(prefix, tmp_path, monkeypatch):
    def full(descriptor, buffer, offset):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    message = carry(BIG, SharedMemory(prefix, 1 << 20))
    assert message.overflow > 0
    assert list(tmp_path.iterdir()) == []
    check(message)


def test_offsets_are_aligned():
    assert offsets([memoryview(b"a" * 65), 3, 64, 1]) == [0, 128, 192, 256]


def test_a_descriptor_is_mapped_for_each_process_alone():
    descriptor = anonymous_file(lambda number: write_all(number, b"x" * 64 + b"abc", 0))
    first, second = (map_file(descriptor, [3], 64)[0] for _ in range(2))
    os.close(descriptor)
    first[0:1] = b"z"
    assert (bytes(first), bytes(second)) == (b"zbc", b"abc")


def test_a_failed_write_leaves_no_descriptor():
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(KeyError):
        anonymous_file(lambda number: {}[number])
    assert len(os.listdir("/proc/self/fd")) == before


def test_leftovers_are_those_of_the_prefix(tmp_path):
    for name in ("run-1", "run-2", "other"):
        (tmp_path / name).write_bytes(b"")
    remove_leftovers(f"{tmp_path}/run-")
    remove_leftovers(f"{tmp_path}/missing/run-")
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_an_array_made_for_the_message_is_not_copied(prefix, tmp_path):
    memory = SharedMemory(prefix, 1 << 20)
    batch = memory.empty((INLINE_BYTES,), np.uint8)
    assert len(list(tmp_path.iterdir())) == 1
    batch[...] = BIG["x"]
    message = carry({**BIG, "x": batch, "w": np.full(INLINE_BYTES, 7, np.uint8)}, memory)
    assert list(tmp_path.iterdir()) == []
    assert set(message.content["w"].tolist()) == {7}
    check(message)
    # The receiver has the very memory that was written to.
    assert batch[0] == 5


def test_an_array_that_was_not_sent_leaves_nothing(prefix, tmp_path):
    memory = SharedMemory(prefix, 1 << 20)
    batch = memory.empty((2, INLINE_BYTES), np.uint8)
    batch[...] = 1
    # A part of it is copied: the file is not its memory alone.
    message = carry({"x": batch[1]}, memory)
    assert message.content["x"].sum() == INLINE_BYTES
    message.content["x"][...] = 0
    assert batch[1].sum() == INLINE_BYTES
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("case", ["small", "budget", "no folder", "full"])
def test_no_file_for_an_array(case, prefix, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    if case == "full":
        monkeypatch.setattr(os, "posix_fallocate", full)
    start = f"{tmp_path}/missing/run-" if case == "no folder" else prefix
    memory = SharedMemory(start, 1 if case == "budget" else 1 << 20)
    batch = memory.empty((4 if case == "small" else INLINE_BYTES,), np.uint8)
    assert list(tmp_path.iterdir()) == []
    batch[...] = 1
    assert carry(batch, SharedMemory("", 0)).content.sum() == len(batch)
