from __future__ import annotations

import pytest

import proa
from proa.core import UnsupportedError


def test_the_name_torch_keeps_its_meaning():
    with pytest.raises(UnsupportedError, match="`import torch` made to mean Proa"):
        proa.enable_compat()
    assert proa.disable_compat() is None
