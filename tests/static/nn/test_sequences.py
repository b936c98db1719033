"""Layers over sequences; the numbers are those of Paddle 3.3.1 with FLAGS_enable_pir_api=0."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import static
from proa.core import InvalidArgumentError, UnsupportedError

ONE = proa.nn.initializer.Constant(1.0)
ROWS = np.arange(12, dtype="float32").reshape(6, 2)
S = static.nn


def rows(data=ROWS, lengths=((2, 3, 1),)):
    return static.create_lod_tensor(np.float32(data), [list(level) for level in lengths])


def run(function, *given):
    main = static.Program()
    with static.program_guard(main):
        inputs = [
            static.data(f"x{i}", [None, *np.array(g).shape[1:]], lod_level=_levels(g))
            for i, g in enumerate(given)
        ]
        result = function(*inputs)
    feed = {f"x{i}": g for i, g in enumerate(given)}
    return static.Executor().run(main, feed, [result])[0].tolist()


def _levels(given):
    return len(given.lod()) if hasattr(given, "lod") else 0


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, [6, 6, 22, 39, 30, 21]),
        ({"padding_start": 0, "act": "relu"}, [6, 5, 39, 30, 17, 21]),
        ({"padding_start": -2}, [1, 6, 9, 22, 39, 21]),
        ({"filter_size": 2, "bias_attr": False}, [1, 6, 9, 22, 30, 21]),
    ],
)
def test_convolutions(settings, expected):
    found = run(lambda x: S.sequence_conv(x, 2, param_attr=ONE, **settings), rows())
    assert found == [[value] * 2 for value in expected]


def test_pools():
    gap = rows([[1], [2], [3], [4], [5]], [[2, 0, 3]])
    found = run(lambda x: S.sequence_pool(x, "LAST", pad_value=7.0), gap)
    assert found == [[2], [7], [5]]
    two = rows([[1], [2], [3], [4], [5], [6]], [[2, 1], [2, 3, 1]])
    assert run(lambda x: S.sequence_pool(x, "sum"), two) == [[3], [12], [6]]
    twice = run(lambda x: S.sequence_pool(S.sequence_pool(x, "sum"), "sum"), two)
    assert twice == [[15], [6]]
    assert S.sequence_first_step(rows()).tolist() == [[0, 1], [4, 5], [10, 11]]
    assert S.sequence_last_step(rows()).tolist() == [[2, 3], [8, 9], [10, 11]]


def test_softmax_of_each_sequence():
    found = run(S.sequence_softmax, rows(np.arange(6)[:, None]))
    expected = [0.26894, 0.73106, 0.09003, 0.24473, 0.66524, 1.0]
    np.testing.assert_allclose(np.ravel(found), expected, atol=1e-5)


def test_following_rows():
    convolve = lambda x: S.row_conv(x, 2, param_attr=ONE)  # noqa: E731
    assert run(convolve, rows()) == [[2, 4], [2, 3], [18, 21], [14, 16], [8, 9], [10, 11]]
    batch = run(convolve, ROWS[None])
    assert batch == [[[6, 9], [12, 15], [18, 21], [24, 27], [18, 20], [10, 11]]]


def test_repeated_rows():
    y = rows([[1]] * 5, [[2, 0, 3]])
    found = run(S.sequence_expand, np.float32([[1], [2], [3]]), y)
    assert found == [[1], [1], [3], [3], [3]]
    x, y = rows([[1], [2], [3], [4]], [[2, 2]]), rows([[1]] * 8, [[2, 2], [3, 3, 1, 1]])
    assert S.sequence_expand(x, y, 0).tolist() == [[1], [2], [1], [2], [3], [4], [3], [4]]
    with pytest.raises(InvalidArgumentError, match="x has 2 sequences"):
        S.sequence_expand(x, y, 1)
    with pytest.raises(InvalidArgumentError, match="`ref_level` is 2"):
        S.sequence_expand(x, y, 2)
    with pytest.raises(UnsupportedError, match="sequence_expand in a Program"):
        run(lambda x, y: S.sequence_expand(x, y, 0), x, y)


def test_a_classifier_of_sequences_trains():
    main = static.Program()
    with static.program_guard(main):
        words = static.data("words", [None, 1], "int64", lod_level=1)
        label = static.data("label", [None, 1], "int64")
        embedded = S.embedding(words.squeeze(1), [10, 8])
        pooled = S.sequence_pool(S.sequence_conv(embedded, 8, act="tanh"), "max")
        loss = proa.nn.functional.cross_entropy(S.fc(pooled, 2), label)
        proa.optimizer.Adam(0.05).minimize(loss)
    generator, losses = np.random.default_rng(0), []
    for _ in range(30):
        lengths = generator.integers(1, 4, size=4)
        ids = [generator.integers(0, 10, size=n) for n in (*lengths, 16 - lengths.sum())]
        feed = {
            "words": static.create_lod_tensor([list(each) for each in ids], [list(map(len, ids))]),
            "label": np.int64([[3 in each] for each in ids]),
        }
        losses.append(float(static.Executor().run(main, feed, [loss])[0]))
    assert np.mean(losses[-5:]) < 0.5 * np.mean(losses[:5])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: S.sequence_pool(x, "some"), "`pool_type` is 'some'"),
        (lambda x: S.sequence_conv(x, 2, filter_stride=2), "`filter_stride` is 2"),
        (S.sequence_softmax, r"rows of shape \[2\]"),
        (lambda x: S.sequence_pool(proa.ones([2, 2]), "sum"), "are not divided"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call(rows())
