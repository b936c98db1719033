"""With known lengths, iteration is Python's."""

from __future__ import annotations

import pytest

import proa
from proa.jit import _iteration as ag


def test_known_lengths_are_pythons():
    x = proa.to_tensor([3.0, 1.0])
    assert list(ag.range_(proa.to_tensor(2), 6, 2)) == [2, 4]
    assert list(ag.enumerate_("ab", 1)) == [(1, "a"), (2, "b")]
    assert list(ag.zip_([1, 2], "ab")) == [(1, "a"), (2, "b")]
    assert list(ag.reversed_([1, 2])) == [2, 1]
    assert (ag.len_([1, 2]), ag.len_(x)) == (2, 2)
    assert ag.get_item([5, 6], 1) == 6
    assert ag.set_item([5, 6], 0, 7) == [7, 6]
    assert (ag.any_([0, 2]), ag.all_([1, 0]), ag.all_([])) == (True, False, True)
    assert (ag.sum_([1, 2], 3), ag.max_(1, 4), ag.min_([3, 2])) == (6, 4, 2)
    assert ag.max_([], default=5) == 5
    assert float(ag.max_(*x)) == 3.0


def test_any_and_all_stop_where_python_does():
    seen = []
    assert ag.any_(seen.append(i) or i > 1 for i in range(5))
    assert not ag.all_(seen.append(i) or i < 1 for i in range(5))
    assert seen == [0, 1, 2, 0, 1]


def test_known_loops_and_comprehensions_are_pythons():
    seen = []
    ag.for_stmt("abc", lambda: len(seen) < 2, seen.append, None, None, (), {})
    assert seen == ["a", "b"]
    assert ag.list_of([1, 2, 3], lambda v: v * 2, lambda v: v > 1, False) == [4, 6]
    assert list(ag.items_of([(1, 2)], lambda a, b: a + b, None, True)) == [3]


def test_objects_beside_rows_of_unknown_number_are_refused():
    with pytest.raises(proa.core.InvalidArgumentError, match="list of str beside a tensor"):
        ag._rows(["a", "b"])
