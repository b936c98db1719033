"""Deprecated functions."""

from __future__ import annotations

import pytest

from proa.core import PreconditionError
from proa.utils import deprecated


def test_a_call_warns_with_the_replacement_and_works():
    @deprecated(update_to="proa.new", since="0.2", reason="it was slow")
    def old(x):
        return x + 1

    with pytest.warns(DeprecationWarning, match=r"since 0\.2: it was slow; use proa\.new"):
        assert old(1) == 2


def test_level_two_refuses_the_call():
    @deprecated(level=2)
    def gone():
        return 1

    with pytest.raises(PreconditionError, match=r"gone is deprecated(.|\n)*stop using it"):
        gone()
