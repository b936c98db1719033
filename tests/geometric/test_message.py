from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, OutOfRangeError
from tests.ops.harness import Case, case_ids, check_case, distinct, positive, same

G = proa.geometric
SOURCE, TARGET = np.array([0, 1, 2, 0]), np.array([1, 2, 1, 0])
COMBINE = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
REDUCE = {"sum": np.sum, "mean": np.mean, "min": np.min, "max": np.max}


def received(messages, how, count=4):
    rows = [
        REDUCE[how](messages[TARGET == i], axis=0) if (TARGET == i).any() else 0 * messages[0]
        for i in range(count)
    ]
    return np.stack(rows)


FEW = {"low": (), "sharded": False}
CASES = [
    *(
        Case(
            G.send_u_recv,
            (distinct(4, 3), SOURCE, TARGET, how, size),
            ref=lambda x, s, t, how, size: received(x[s], how, size or 4),
            **FEW,
        )
        for how, size in (("sum", None), ("mean", 5), ("min", 3), ("max", 0))
    ),
    *(
        Case(
            G.send_ue_recv,
            (positive(4, 3), positive(4, 1), SOURCE, TARGET, message, how),
            ref=lambda x, y, s, t, m, how: received(COMBINE[m](x[s], y), how),
            **FEW,
        )
        for message, how in (("add", "sum"), ("sub", "mean"), ("mul", "max"), ("div", "min"))
    ),
    *(
        Case(
            G.send_uv,
            (positive(4, 3), positive(3, 3), SOURCE, TARGET, message),
            ref=lambda x, y, s, t, m: COMBINE[m](x[s], y[t]),
            **FEW,
        )
        for message in COMBINE
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_messages(case):
    check_case(case)


def test_edge_values_of_one_axis_meet_all_columns():
    x, y = proa.ones([3, 2]), proa.to_tensor([1.0, 2.0, 3.0, 4.0])
    found = G.send_ue_recv(x, y, proa.to_tensor(SOURCE), proa.to_tensor(TARGET), "mul")
    same(found, [[4, 4], [4, 4], [2, 2]])


def call(**changed):
    arguments = {
        "x": proa.ones([3, 2]),
        "y": proa.ones([4, 2]),
        "src_index": proa.to_tensor(SOURCE),
        "dst_index": proa.to_tensor(TARGET),
    }
    return G.send_ue_recv(**{**arguments, **changed})


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"message_op": "pow"}, InvalidArgumentError, "`message_op` is 'pow'"),
        ({"reduce_op": "prod"}, InvalidArgumentError, "`reduce_op` is 'prod'"),
        ({"y": proa.ones([2, 2])}, InvalidArgumentError, "for 4 edges"),
        ({"src_index": proa.to_tensor([1])}, InvalidArgumentError, "an entry per edge"),
        ({"src_index": proa.to_tensor([0, 1, 2, 9])}, OutOfRangeError, "`src_index` holds 9"),
        ({"out_size": 2}, OutOfRangeError, "`dst_index` holds 2"),
    ],
)
def test_wrong_arguments(changed, error, message):
    with pytest.raises(error, match=message):
        call(**changed)


def test_pairs_outside_are_refused():
    x = proa.ones([3, 2])
    with pytest.raises(OutOfRangeError, match="`dst_index` holds 7"):
        G.send_uv(x, x, proa.to_tensor([0]), proa.to_tensor([7]))
