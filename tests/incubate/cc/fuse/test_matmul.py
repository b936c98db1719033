from __future__ import annotations

import pytest

import proa
from proa.core import UnsupportedError
from proa.incubate.cc import fuse


def test_what_follows_the_product_is_applied():
    got = fuse.matmul(proa.ones([1, 2]), proa.to_tensor([[1.0], [3.0]]), lambda y: y * 10)
    assert got.tolist() == [[40.0]]


def test_registers_are_xla_business():
    with pytest.raises(UnsupportedError, match="XLA decides itself"):
        fuse.by_register()
