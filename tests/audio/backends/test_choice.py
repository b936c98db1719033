from __future__ import annotations

import pytest

import proa
from proa.core import UnsupportedError

B = proa.audio.backends


def test_one_backend():
    B.set_backend("wave_backend")
    assert [B.get_current_backend()] == B.list_available_backends()


def test_others_are_refused():
    with pytest.raises(UnsupportedError, match="audio backend 'soundfile'"):
        B.set_backend("soundfile")
