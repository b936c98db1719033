"""Small models in Paddle's files, and calls of single ops, for the tests of their readers."""

from __future__ import annotations

import numpy as np

from proa.core import Tensor, to_tensor
from proa.formats.paddle import _read as _read  # registers the rules
from proa.formats.paddle._graph import Node
from proa.formats.paddle._import import Translator
from proa.formats.paddle._schema import (
    Attribute,
    AttributeType,
    BlockDesc,
    DenseTensorDesc,
    OpDesc,
    OpSlot,
    ProgramDesc,
    TensorDesc,
    VariableDesc,
    VariableKind,
    VariableType,
    Version,
    number_of,
)

_KINDS = {
    bool: AttributeType.BOOLEAN,
    int: AttributeType.INT,
    float: AttributeType.FLOAT,
    str: AttributeType.STRING,
}
_LISTS = {int: AttributeType.INTS, float: AttributeType.FLOATS, str: AttributeType.STRINGS}


def attribute(name, value):
    kind = _LISTS[type(value[0])] if isinstance(value, list) else _KINDS[type(value)]
    return Attribute.make(name, kind, value)


def op(kind, inputs, outputs, **attributes):
    def slots(given):
        return [OpSlot(k, v if isinstance(v, list) else [v]) for k, v in given.items()]

    made = [attribute(name, value) for name, value in attributes.items()]
    return OpDesc(slots(inputs), slots(outputs), kind, made)


def variable(name, shape, dtype="float32", persistable=False):
    tensor = DenseTensorDesc(TensorDesc(number_of(dtype), list(shape)))
    kind = VariableType(int(VariableKind.DENSE_TENSOR), dense_tensor=tensor)
    return VariableDesc(name, kind, persistable)


def program(ops, inputs, weights, outputs, version=3_003_001):
    """A ProgramDesc: `inputs` are variables, `weights` arrays by name, `outputs` names."""
    feeds = [op("feed", {"X": "feed"}, {"Out": v.name}, col=i) for i, v in enumerate(inputs)]
    fetches = [op("fetch", {"X": n}, {"Out": "fetch"}, col=i) for i, n in enumerate(outputs)]
    held = [variable(n, a.shape, a.dtype, True) for n, a in weights.items()]
    block = BlockDesc(0, -1, [*inputs, *held], [*feeds, *ops, *fetches])
    return ProgramDesc([block], Version(version))


WEIGHTS = {
    "w": np.arange(6, dtype=np.float32).reshape(3, 2),
    "b": np.array([1, -20], np.float32),
}


def linear():
    """relu(x @ w + b) as ProgramDesc, for a batch of any size."""
    ops = [
        op("matmul_v2", {"X": "x", "Y": "w"}, {"Out": "m"}, trans_x=False, trans_y=False),
        op("elementwise_add", {"X": "m", "Y": "b"}, {"Out": "s"}, axis=-1),
        op("relu", {"X": "s"}, {"Out": "y"}),
    ]
    return program(ops, [variable("x", [-1, 3])], WEIGHTS, ["y"])


def linear_answer(x):
    return np.maximum(x @ WEIGHTS["w"] + WEIGHTS["b"], 0)


def call(kind, inputs, attributes=None, outputs=("Out",), form="desc"):
    """Runs one op through its rule; returns the results of the output slots."""
    values, slots = {}, {}
    for slot, given in inputs.items():
        parts = given if isinstance(given, list) else [given]
        slots[slot] = [f"{slot}{i}" for i in range(len(parts))]
        values.update(
            {n: to_tensor(v) for n, v in zip(slots[slot], parts, strict=True) if v is not None}
        )
    made = {slot: [f"{slot}-{i}" for i in range(4)] for slot in outputs}
    node = Node(kind, slots, made, attributes or {}, "op 1 of block 0")
    translator = Translator(form, values)
    translator.run_node(node)
    found = [[values[n] for n in names if n in values] for names in made.values()]
    return [[t.numpy() if isinstance(t, Tensor) else t for t in each] for each in found]
