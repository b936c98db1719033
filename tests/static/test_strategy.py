from __future__ import annotations

import pytest

from proa import static
from proa.core import InvalidTypeError
from proa.core._errors import MissingAttributeError


def test_options_are_kept():
    strategy = static.BuildStrategy()
    assert strategy.fuse_broadcast_ops
    strategy.reduce_strategy = static.BuildStrategy.ReduceStrategy.Reduce
    strategy.memory_optimize = strategy.sync_batch_norm = True
    assert (strategy.sync_batch_norm, int(strategy.reduce_strategy)) == (True, 1)
    assert "sync_batch_norm = True" in repr(strategy)
    assert not static.BuildStrategy().sync_batch_norm


def test_wrong_options():
    with pytest.raises(MissingAttributeError, match="has no option 'anything'"):
        static.BuildStrategy().anything = True
    with pytest.raises(InvalidTypeError, match=r"fuse_adamw is 1"):
        static.BuildStrategy().fuse_adamw = 1
