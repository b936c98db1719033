from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

import proa
from proa.core import ProgramError
from proa.jit import to_static
from proa.jit._dataclasses import flatten_tree


@dataclass
class Batch:
    x: Any
    scale: float = 2.0
    extra: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Output:
    value: Any
    batch: Any = None


class Loose:
    def __init__(self, value):
        self.value = value


def test_fields_are_leaves_and_come_back_as_the_instance():
    import jax

    leaves, structure = flatten_tree([Output(1, Batch(2, extra={"a": 3})), 4])
    assert leaves == [1, 2, 2.0, 3, 4]
    made = jax.tree_util.tree_unflatten(structure, leaves)
    assert made == [Output(1, Batch(2, extra={"a": 3})), 4]


def test_dataclasses_are_arguments_and_results_of_compiled_functions():
    @to_static(full_graph=True)
    def double(batch):
        return Output(batch.x * batch.scale + batch.extra["shift"], batch)

    for value in (1.0, 2.0):
        given = Batch(proa.full([1], value), value, {"shift": proa.ones([1])})
        out = double(given)
        assert isinstance(out, Output)
        assert out.value.item() == value * value + 1
        assert out.batch.x.item() == value
    assert double.num_variants == 1
    double(Batch(proa.ones([2]), 1.0, {"shift": proa.ones([1])}))
    assert "dim 0 of `batch" in str(double.explain())


def test_other_objects_with_tensors_are_refused_as_results():
    compiled = to_static(lambda x: Loose(x * 2), full_graph=True)
    with pytest.raises(ProgramError, match="returns a Loose with a tensor in `value`"):
        compiled(proa.ones([1]))
