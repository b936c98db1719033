from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.ops._routing import expert_rows, gather_rows
from tests.ops.harness import Case, check_case, randn


def ints(values):
    return proa.to_tensor(np.array(values, "int32"))


def test_rows_follow_the_order_of_tokens():
    routes = ints([[2, 0], [-1, 2], [0, -1]])
    rows, token, choice, expert = expert_rows(routes, ints([2, 0, 2]), 3, 3, 7)
    np.testing.assert_array_equal(rows, [[0, -1, 3], [-1, -1, 4], [1, -1, -1]])
    np.testing.assert_array_equal(token, [0, 2, -1, 0, 1, -1, -1])
    np.testing.assert_array_equal(choice, [1, 0, -1, 0, 1, -1, -1])
    np.testing.assert_array_equal(expert, [0, 0, -1, 2, 2, -1, -1])
    assert rows.dtype == "int32"


ERRORS = [
    ([[0, 3]], [1, 1, 1], proa.core.OutOfRangeError, "-1 for none, or 0 to 2"),
    ([[0, 1]], [1, 0, 0], proa.core.InvalidArgumentError, "none below what the routes name"),
    ([[0, 1]], [1, 1], proa.core.InvalidArgumentError, "3 counts"),
]


@pytest.mark.parametrize(("routes", "counts", "kind", "match"), ERRORS)
def test_routes_that_cannot_be(routes, counts, kind, match):
    with pytest.raises(kind, match=match):
        expert_rows(ints(routes), ints(counts), 3, 1, 4)


ROWS = np.array([[2, -1], [0, 2], [1, 1], [-1, 3]])


def test_gather_rows():
    check_case(
        Case(
            gather_rows,
            (randn(4, 3), ROWS),
            ref=lambda x, rows: np.where(rows[..., None] >= 0, x[rows], 0),
        )
    )


def test_no_rows_at_all_give_zeros():
    assert gather_rows(proa.zeros([0, 2]), ints([0, -1])).tolist() == [[0, 0], [0, 0]]
