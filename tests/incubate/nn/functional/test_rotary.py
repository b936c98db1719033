from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError
from proa.incubate.nn import functional as F

RNG = np.random.default_rng(0)
Q, K = RNG.standard_normal([2, 3, 2, 4]), RNG.standard_normal([2, 3, 1, 4])
T = proa.to_tensor


def table(positions, base=10000.0):
    turns = positions[..., None] * np.repeat(base ** (-np.arange(0, 4, 2) / 4), 2)
    return np.cos(turns), np.sin(turns)


def turned(x, cos, sin, adjacent=True):
    if adjacent:
        other = np.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
    else:
        other = np.concatenate([-x[..., 2:], x[..., :2]], -1)
    return x * cos[..., None, :] + other * sin[..., None, :]


def close(found, expected):
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("adjacent", [True, False])
def test_default_angles(adjacent):
    q, k, v = F.fused_rotary_position_embedding(
        T(Q), T(K), use_neox_rotary_style=adjacent, rotary_emb_base=100.0
    )
    cos, sin = table(np.arange(3), 100.0)
    close(q, turned(Q, cos, sin, adjacent))
    close(k, turned(K, cos, sin, adjacent))
    assert v is None


def test_given_tables_and_positions():
    cos, sin = table(np.arange(5))
    positions = np.array([[4, 0, 1], [2, 2, 3]])
    q, _, _ = F.fused_rotary_position_embedding(
        T(Q), sin=T(sin[None, :, None]), cos=T(cos), position_ids=T(positions)
    )
    close(q, turned(Q, cos[positions], sin[positions]))


def test_time_first():
    q, _, _ = F.fused_rotary_position_embedding(T(Q.swapaxes(0, 1).copy()), time_major=True)
    close(q, turned(Q, *table(np.arange(3))).swapaxes(0, 1))


def test_an_odd_width():
    with pytest.raises(InvalidArgumentError, match="an even width"):
        F.fused_rotary_position_embedding(proa.ones([1, 2, 1, 3]))
