from __future__ import annotations

import pytest

from proa.core import UnsupportedError
from proa.incubate.distributed.fleet.fleet_util import FleetUtil, GPUPSUtil


@pytest.mark.parametrize("kind", [FleetUtil, GPUPSUtil])
def test_there_are_no_servers(kind):
    with pytest.raises(UnsupportedError, match=rf"{kind.__name__}\(\.\.\.\)"):
        kind()
