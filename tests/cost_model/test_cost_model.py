from __future__ import annotations

import pytest

from proa.core import UnsupportedError
from proa.cost_model import CostModel

CALLS = {
    "build_program": (),
    "profile_measure": (None, None),
    "static_cost_data": (),
    "get_static_op_time": ("relu",),
}


@pytest.mark.parametrize(("name", "arguments"), CALLS.items())
def test_ops_have_no_time_of_their_own(name, arguments):
    with pytest.raises(UnsupportedError, match=rf"CostModel\.{name}\(\)(.|\n)*proa\.flops"):
        getattr(CostModel(), name)(*arguments)
