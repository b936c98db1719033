"""Lists with a buffer do what Python's lists do."""

from __future__ import annotations

import pytest

import proa
from proa.core import InvalidArgumentError, OutOfRangeError, ProgramError
from proa.program import Kind, TensorList


def made(capacity=5):
    items = [proa.to_tensor([1.0, 2.0]), proa.to_tensor([3.0, 4.0])]
    return TensorList.of(items, Kind.of(items[0]), capacity)


def test_a_list_grows_and_shrinks():
    entries = made()
    entries.append(proa.to_tensor([5.0, 6.0]))
    entries += [proa.to_tensor([7.0, 8.0])]
    entries[0] = proa.to_tensor([0.0, 0.0])
    entries[-2] = proa.to_tensor([9.0, 9.0])
    assert (int(entries.length), entries.size) == (4, 4)
    assert entries[-1].tolist() == entries[proa.to_tensor(3)].tolist() == [7.0, 8.0]
    assert entries.pop().tolist() == [7.0, 8.0]
    assert [e.tolist() for e in entries.to_list()] == [[0.0, 0.0], [3.0, 4.0], [9.0, 9.0]]
    assert entries.stack(1).tolist() == [[0.0, 3.0, 9.0], [0.0, 4.0, 9.0]]
    assert entries.concat().tolist() == [0.0, 0.0, 3.0, 4.0, 9.0, 9.0]
    entries.clear()
    assert entries.to_list() == []


def test_it_makes_room_unless_a_loop_has_done_so():
    entries = made(2)
    entries.append(proa.to_tensor([5.0, 6.0]))
    assert entries.capacity == 3
    entries.write(proa.to_tensor(1), proa.to_tensor([0.0, 1.0]))
    assert entries[1].tolist() == [0.0, 1.0]
    assert entries.size is None


def test_what_it_cannot_do_is_told():
    entries = made()
    with pytest.raises(InvalidArgumentError, match="holds entries float32"):
        entries.append(proa.to_tensor([1, 2]))
    with pytest.raises(ProgramError, match=r"pop\(0\) of a list"):
        entries.pop(0)
    entries.size = None
    with pytest.raises(ProgramError, match=r"stack\(\) at .* depends on tensors"):
        entries.stack()
    with pytest.raises(OutOfRangeError, match="a list without entries is read"):
        TensorList(None, proa.to_tensor(0))[0]
