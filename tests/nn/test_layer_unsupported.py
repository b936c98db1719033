from __future__ import annotations

import pytest

import proa
from proa.core import UnsupportedError

FIXES = {
    "backward": "PyLayer",
    "full": r"state_dict\(\)",
    "get_extra_state": "register a buffer",
    "sharded_state_dict": r"state_dict\(\)",
    "xpu": r"layer\.cuda\(\)",
}


@pytest.mark.parametrize(("name", "fix"), FIXES.items())
def test_what_to_use_instead(name, fix):
    with pytest.raises(UnsupportedError, match=rf"Layer\.{name}\(\)(.|\n)*{fix}"):
        getattr(proa.nn.Linear(1, 1), name)()


def test_a_method_of_a_subclass_counts():
    class Own(proa.nn.Layer):
        def backward(self, x):
            return x + 1

    assert Own().backward(1) == 2
