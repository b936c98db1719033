from __future__ import annotations

import pytest

from proa.core import UnsupportedError
from proa.device import xpu


def test_there_are_none():
    assert xpu.device_count() == 0


@pytest.mark.parametrize("name", ["memory_total", "memory_used", "set_debug_level"])
def test_what_is_asked_of_them_is_refused(name):
    with pytest.raises(UnsupportedError, match=f"`{name}` of a Kunlun chip"):
        getattr(xpu, name)()
