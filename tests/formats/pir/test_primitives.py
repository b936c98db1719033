"""Ops without a rule of their own: their primitives, written as Paddle's ops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa.core import UnsupportedError
from tests.formats.pir.round_trip import check_round_trip, specs_of

RANDOM = np.random.RandomState(0)
X = RANDOM.normal(size=(2, 6)).astype("float32")
LABELS = np.array([4, 1])
COUNTS = np.array([[7, -3], [0, 5]])


def _composed(x: Any, labels: Any, counts: Any) -> list[Any]:
    return [
        F.cross_entropy(x, labels), F.smooth_l1_loss(x, x * 2), F.normalize(x),
        F.cosine_similarity(x, x + 1, axis=1), proa.cdist(x, x + 1), proa.nansum(x, 1),
        proa.kron(x, x), proa.median(x, 1), proa.diff(x), proa.logit(x.abs() / 9),
        F.pad(x[:, None], [1, 2], mode="reflect", data_format="NCL"), proa.rot90(x),
        F.channel_shuffle(x.reshape([1, 4, 3, 1]), 2), proa.count_nonzero(x > 0),
        proa.floor_divide(counts, counts * 0 + 2), proa.mod(counts, counts * 0 + 3),
        proa.trunc(x * 3), proa.round(x, 1), proa.hypot(x, x), proa.sinc(x),
        proa.diagflat(x[0]),
        F.log_softmax(x, 0), proa.tensordot(x, x, [[1], [1]]), proa.trapezoid(x),
        proa.bitwise_left_shift(counts, counts * 0 + 1),
        proa.gcd(counts, counts * 0 + 4),
    ]  # fmt: skip


def test_ops_of_many_primitives(tmp_path: Path) -> None:
    check_round_trip(_composed, tmp_path, [X, LABELS, COUNTS])


def test_primitives_with_unknown_sizes(tmp_path: Path) -> None:
    def fn(x: Any) -> list[Any]:
        return [x.std(1), F.normalize(x), proa.logaddexp(x, x + 1)]

    check_round_trip(fn, tmp_path, [X], [(None, None)])


def test_a_primitive_without_a_form_is_named(tmp_path: Path) -> None:
    match = r"matrix_exp at .*test_primitives.py:\d+ \(no Paddle op for .*lu"
    with pytest.raises(UnsupportedError, match=match):
        proa.jit.save(
            lambda x: proa.linalg.matrix_exp(proa.matmul(x, x, transpose_y=True)),
            tmp_path / "net", specs_of([X]), format="paddle",
        )  # fmt: skip
