"""Optimisers with the arguments of Paddle 1."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from proa import optimizer

# Paddle 1's keyword -> today's.
_RENAMED = {"parameter_list": "parameters", "regularization": "weight_decay"}


def _old(kind: Callable[..., Any]) -> Callable[..., Any]:
    names = set(inspect.signature(kind).parameters)

    @functools.wraps(kind, updated=())
    def make(*args: Any, **kwargs: Any) -> Any:
        given = {_RENAMED.get(key, key): value for key, value in kwargs.items()}
        # A decayed rate is not asked for by every kind; what a kind does not know, it refuses.
        given = {key: value for key, value in given.items() if key in names or value is not None}
        return kind(*args, **given)

    return make


Adadelta = _old(optimizer.Adadelta)
Adagrad = _old(optimizer.Adagrad)
Adam = _old(optimizer.Adam)
Adamax = _old(optimizer.Adamax)
Lamb = _old(optimizer.Lamb)
Momentum = _old(optimizer.Momentum)
RMSProp = _old(optimizer.RMSProp)
SGD = _old(optimizer.SGD)
