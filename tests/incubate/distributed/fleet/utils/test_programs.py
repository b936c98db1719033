from __future__ import annotations

import pytest

from proa.core import UnsupportedError
from proa.incubate.distributed.fleet import utils

CALLS = {
    "load_program": ("model",),
    "save_program": (None,),
    "program_type_trans": ("folder", "model", True),
    "parse_program": (None, ""),
    "check_pruned_program_vars": (None, None),
    "check_saved_vars_try_dump": ("folder", "model", True, None, None),
    "graphviz": (None,),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_call_is_named(name):
    with pytest.raises(UnsupportedError, match=name):
        getattr(utils, name)(*CALLS[name])
