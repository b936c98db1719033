"""ProgramDesc (`.pdmodel`, `__model__`) as a graph."""

from __future__ import annotations

from typing import Any

from ._graph import Block, Graph, Node, Variable, shortest
from ._schema import (
    DTYPES,
    AttributeType,
    BlockDesc,
    OpDesc,
    ProgramDesc,
    VariableDesc,
    VariableKind,
)

_DTYPE_ATTRIBUTES = frozenset({"dtype", "in_dtype", "out_dtype"})
_SINGLE = (AttributeType.FLOAT, AttributeType.FLOATS)
_BLOCK_ATTRIBUTES = (AttributeType.BLOCK, AttributeType.BLOCKS)


def read_program_desc(content: bytes) -> Graph:
    """Reads a ProgramDesc.

    Raises:
        ValueError: truncated, or of another form.
    """
    program = ProgramDesc.parse(content)
    if not program.blocks:
        raise ValueError("it holds no block")
    main = program.blocks[0]
    variables = {v.name: v for v in main.variables}
    feeds, fetches = [], []
    block = Block(_arrays(main))
    for number, op in enumerate(main.ops):
        if op.type == "feed":
            feeds.append((_column(op), op.outputs[0].arguments[0]))
        elif op.type == "fetch":
            fetches.append((_column(op), op.inputs[0].arguments[0]))
        else:
            block.nodes.append(_node(program, op, 0, number))
    inputs = [_variable(variables[name]) for _, name in sorted(feeds)]
    weights = [_variable(v) for v in main.variables if _is_weight(v)]
    if not fetches:
        raise ValueError("it fetches nothing: it is no Program for inference")
    return Graph("desc", inputs, weights, block, [(name, name) for _, name in sorted(fetches)])


def _arrays(block: BlockDesc) -> list[Node]:
    """Calls that make the arrays of tensors, which a block only declares."""
    kind = VariableKind.DENSE_TENSOR_ARRAY
    arrays = [v for v in block.variables if v.type is not None and v.type.type == kind]
    where = f"variables of block {block.idx}"
    return [Node("create_array", {}, {"Out": [v.name]}, {}, where) for v in arrays]


def _column(op: OpDesc) -> int:
    return next((a.value() for a in op.attrs if a.name == "col"), 0)


def _is_weight(variable: VariableDesc) -> bool:
    kind = variable.type.type if variable.type is not None else None
    return bool(variable.persistable) and kind == VariableKind.DENSE_TENSOR


def _variable(variable: VariableDesc) -> Variable:
    tensor = variable.type and variable.type.dense_tensor and variable.type.dense_tensor.tensor
    if not tensor:
        raise ValueError(f"variable {variable.name!r} is no tensor")
    dtype = DTYPES.get(tensor.data_type)
    if dtype is None:
        raise ValueError(f"variable {variable.name!r} has dtype number {tensor.data_type}")
    return Variable(variable.name, tuple(tensor.dims), dtype, variable.name)


def _node(program: ProgramDesc, op: OpDesc, block: int, number: int) -> Node:
    attributes: dict[str, Any] = {}
    stack: list[str] = []
    for each in op.attrs:
        if each.name == "op_callstack":
            stack = each.strings
        elif each.type in _BLOCK_ATTRIBUTES:
            attributes[each.name] = _sub_blocks(program, each.value())
        else:
            value = each.value()
            if each.name in _DTYPE_ATTRIBUTES and isinstance(value, int):
                value = DTYPES.get(value, value)
            attributes[each.name] = _short(value) if each.type in _SINGLE else value
    where = f"op {number} of block {block}"
    # The innermost line outside of Paddle is the user's own.
    lines = [line.strip() for line in stack if line.strip().startswith("File ")]
    source = [line for line in lines if "/paddle/" not in line]
    return Node(
        op.type,
        {slot.parameter: slot.arguments for slot in op.inputs},
        {slot.parameter: slot.arguments for slot in op.outputs},
        attributes,
        f"{where}, {source[-1]}" if source else where,
    )


def _short(value: Any) -> Any:
    return [shortest(each) for each in value] if isinstance(value, list) else shortest(value)


def _sub_blocks(program: ProgramDesc, value: Any) -> Any:
    if isinstance(value, list):
        return [_sub_blocks(program, each) for each in value]
    found: BlockDesc | None = next((b for b in program.blocks if b.idx == value), None)
    if found is None or not value:
        raise ValueError(f"an op refers to block {value} of {len(program.blocks)}")
    if found.parent_idx >= found.idx:
        raise ValueError(f"block {value} stands inside block {found.parent_idx}")
    nodes = [_node(program, op, found.idx, number) for number, op in enumerate(found.ops)]
    return Block([*_arrays(found), *nodes], local=frozenset([v.name for v in found.variables]))
