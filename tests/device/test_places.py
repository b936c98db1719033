from __future__ import annotations

import pytest

import proa
from proa.core import UnsupportedError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: proa.device.XPUPlace(0), "XPUPlace: JAX has no plug-in for Kunlun chips"),
        (lambda: proa.XPUPinnedPlace(), "XPUPinnedPlace: JAX has no plug-in for Kunlun chips"),
        (lambda: proa.device.IPUPlace(), "IPUPlace: JAX has no plug-in for Graphcore chips"),
    ],
    ids=["xpu", "pinned", "ipu"],
)
def test_places_without_plug_in_say_so(make, message):
    with pytest.raises(UnsupportedError, match=message):
        make()


def test_no_place_is_one_of_them():
    assert not isinstance(proa.CPUPlace(), proa.device.XPUPlace)
