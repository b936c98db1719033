from __future__ import annotations

from collections import namedtuple

from proa.nn._nest import first_leaf, map_nest

Pair = namedtuple("Pair", ["left", "right"])


def test_structure_is_kept():
    nest = {"a": [1, (2, 3)], "b": Pair(4, [5])}
    doubled = map_nest(lambda x, y: x + y, nest, nest)
    assert doubled == {"a": [2, (4, 6)], "b": Pair(8, [10])}
    assert type(doubled["b"]) is Pair
    assert first_leaf(doubled) == 2
    assert first_leaf(7) == 7
