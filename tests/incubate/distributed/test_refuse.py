from __future__ import annotations

import pytest

from proa.core import UnsupportedError
from proa.incubate.distributed import utils
from proa.incubate.distributed._refuse import refuse


def test_three_parts():
    with pytest.raises(UnsupportedError, match=r"that\n  Expected: programs(.|\n)*Fix: use this"):
        refuse("that", "use this")


def test_models_of_automatic_parallelism():
    with pytest.raises(UnsupportedError, match="save_for_auto_inference"):
        utils.io.save_for_auto_inference("model", None)
