from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax

import proa
import proa.nn.functional as F
from tests.ops.harness import Case, case_ids, check_case, randn

LABEL = np.array([0, 5, 3, 2])
TABLE = np.array([[0, 2, -1], [1, 3, 4], [0, 1, 2], [0, -1, -1]])
CODE = np.array([[0, 1, -1], [1, 0, 1], [1, 1, 0], [1, -1, -1]])


def tree(x, weight, bias, table, code):
    losses = np.full((len(x), 1), 0.0)
    for n, (nodes, turns) in enumerate(zip(table, code, strict=True)):
        for node, turn in zip(nodes, turns, strict=True):
            z = 0.0 if node < 0 else x[n] @ weight[node] + bias.reshape(-1)[node]
            losses[n] += np.log1p(np.exp(z)) - (turn * z if node >= 0 else 0)
    return losses


def complete(label, classes):
    """Paths from the leaf `label + classes` up to the root 1, in heap order."""
    paths = []
    for code in label + classes:
        nodes, turns = [], []
        while code > 1:
            nodes.append(code // 2 - 1)
            turns.append(code % 2)
            code //= 2
        paths.append((nodes + [-1] * (3 - len(nodes)), turns + [0] * (3 - len(turns))))
    return zip(*paths, strict=True)


def grouped(x, head_weight, first, second, head_bias):
    head = log_softmax(x @ head_weight + head_bias, -1)
    tail = log_softmax(x @ first @ second, -1)
    rows = [head[n, c] if c < 3 else head[n, 3] + tail[n, c - 3] for n, c in enumerate(LABEL)]
    return np.array(rows), -np.mean(rows)


CASES = [
    Case(
        lambda x, w, b: F.hsigmoid_loss(x, proa.to_tensor(LABEL), 6, w, b),
        (randn(4, 3), randn(5, 3), randn(5, 1)),
        ref=lambda x, w, b: tree(x, w, b, *complete(LABEL, 6)),
        id="hsigmoid_loss",
    ),
    Case(
        lambda x, w, b: F.hsigmoid_loss(
            *(x, proa.to_tensor(LABEL), 6, w, b, proa.to_tensor(TABLE), proa.to_tensor(CODE))
        ),
        (randn(4, 3), randn(5, 3), randn(5)),
        ref=lambda x, w, b: tree(x, w, b, TABLE, CODE),
        id="hsigmoid_loss, own paths",
    ),
    Case(
        lambda x, h, a, b, c: F.adaptive_log_softmax_with_loss(
            x, proa.to_tensor(LABEL), h, [[a, b]], [3, 6], c
        ),
        (randn(4, 3), randn(3, 4), randn(3, 2), randn(2, 3), randn(4)),
        ref=grouped,
        id="adaptive_log_softmax_with_loss",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


def test_one_row():
    h, a, b = proa.ones([3, 4]), proa.ones([3, 2]), proa.ones([2, 3])
    call = F.adaptive_log_softmax_with_loss
    output, loss = call(proa.ones([3]), proa.to_tensor(4), h, [[a, b]], [3, 6])
    assert output.shape == []
    np.testing.assert_allclose([float(output), -float(loss)], [-np.log(12)] * 2, rtol=1e-6)


X = proa.ones([2, 3])
L = proa.to_tensor([0, 1])
ERRORS = [
    (lambda: F.hsigmoid_loss(X, L * 0, 1, X), "num_classes=1"),
    (lambda: F.hsigmoid_loss(X, L, 3, X, path_code=L), "path_table with path_code"),
    (lambda: F.hsigmoid_loss(X, L + 2, 3, X), "`label` of `hsigmoid_loss` holds 3"),
    (
        lambda: F.adaptive_log_softmax_with_loss(X, L, X, [], [3, 6]),
        "and 0 tail weights",
    ),
    (
        lambda: F.adaptive_log_softmax_with_loss(X, L + 9, X.T, [[X.T, X]], [3, 6]),
        "`label` of `adaptive_log_softmax_with_loss` holds",
    ),
]


@pytest.mark.parametrize(("call", "match"), ERRORS)
def test_errors(call, match):
    with pytest.raises(proa.core.ProaError, match=match):
        call()


def test_pairs_beyond_the_clusters_are_left_out():
    x, head = proa.ones([2, 3]), proa.ones([3, 4])
    label, extra = proa.to_tensor([0, 1]), [[proa.ones([3, 2]), proa.ones([2, 1])]]
    wanted, _ = F.adaptive_log_softmax_with_loss(x, label, head, [], [4])
    found, _ = F.adaptive_log_softmax_with_loss(x, label, head, extra, [4])
    np.testing.assert_allclose(found.numpy(), wanted.numpy())
