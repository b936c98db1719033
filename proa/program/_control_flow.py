"""Branches and loops that depend on tensors: ops whose attributes are Programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from proa.core import (
    ZERO_GRAD,
    BaseOp,
    InvalidArgumentError,
    ProgramError,
    Tensor,
    as_dtype,
    context,
    describe_array,
    dispatch,
    new_gradient,
    new_tensor,
    register_structured,
    to_tensor,
    user_location,
    write_inplace,
)
from proa.ops import full

from ._blocks import Block, Result, record_block
from ._dims import has_dimension
from ._interpreter import Interpreter
from ._loops import Loop, is_inexact
from ._program import Program, Value
from ._tape_gradient import Origin, has_graph


class SubProgram:
    """A Program as an attribute of a call.

    Args:
        program: the Program.
        sizes: of unknown dimensions, known once the outer Program runs.
    """

    __slots__ = ("program", "sizes")

    def __init__(self, program: Program, sizes: tuple[tuple[str, Any], ...] = ()) -> None:
        self.program, self.sizes = program, sizes

    def with_sizes(self, sizes: Mapping[str, Any]) -> SubProgram:
        """Returns the same Program for given sizes of its unknown dimensions."""
        return SubProgram(self.program, tuple(sorted(sizes.items()))) if sizes else self

    def function(self) -> Callable[..., tuple[Any, ...]]:
        """Returns its pure function; gradients end in it where its tape did."""
        return Interpreter(self.program, as_taped=True, sizes=dict(self.sizes))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SubProgram):
            return NotImplemented
        return self.program is other.program and self.sizes == other.sizes

    def __hash__(self) -> int:
        return hash((id(self.program), self.sizes))

    def __repr__(self) -> str:
        return "{ " + str(self.program).replace("\n", "; ") + " }"


def _shapes(values: Sequence[Value]) -> tuple[tuple[Any, Any], ...]:
    return tuple([(v.shape, v.dtype) for v in values])


def _scalar(array: Any) -> Any:
    return array.reshape(()).astype(bool)


class CondOp(BaseOp):
    """Runs one of two Programs: inputs `(condition, *arrays)`, key `(if true, if false)`."""

    name = "if_else"
    has_programs = True

    def array_fn(self, key: Any) -> Callable[..., Any]:
        """Returns the function of the condition and what both Programs take."""
        if_true, if_false = key[0].function(), key[1].function()

        def choose(condition: Any, *arrays: Any) -> tuple[Any, ...]:
            return jax.lax.cond(_scalar(condition), if_true, if_false, *arrays)

        return choose

    def infer(self, key: Any, inputs: tuple[Any, ...]) -> tuple[tuple[Any, Any], ...]:
        """Both Programs give the same shapes."""
        return _shapes(key[0].program.outputs)

    def describe(self, index: int) -> str:
        """Names an input, for messages."""
        return "condition" if index == 0 else f"input {index}"


class WhileOp(BaseOp):
    """Repeats a Program while another gives true.

    Inputs `(*state, *arrays)`, key `(test, body, size of the state, turns at most or None,
    whether there are exactly as many)`; both Programs take all inputs, the body gives the new
    state. Derivatives: see `_loops.py`.
    """

    name = "while_loop"
    has_programs = True

    def array_fn(self, key: Any) -> Callable[..., Any]:
        """Returns the function of the first state and what the loop reads."""
        test, body, count = key[0].function(), key[1].function(), key[2]
        turns, is_exact = key[3:] if len(key) > 3 else (None, False)

        def run(*arrays: Any) -> tuple[Any, ...]:
            rest = arrays[count:]
            loop = Loop(
                lambda state, rest: test(*state, *rest)[0].reshape(()).astype(bool),
                lambda state, rest: tuple(body(*state, *rest)),
                turns,
                is_exact,
            )
            return loop(tuple(arrays[:count]), tuple(rest))

        return run

    def infer(self, key: Any, inputs: tuple[Any, ...]) -> tuple[tuple[Any, Any], ...]:
        """The state keeps its shapes."""
        return _shapes(inputs[: key[2]])


_COND = register_structured(CondOp())
_WHILE = register_structured(WhileOp())

Branch = Callable[[], Sequence[Any]]


class _Undefined:
    """Stands for a variable that has no value yet."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = _Undefined()


def record_cond(
    condition: Tensor, if_true: Branch, if_false: Branch, names: Sequence[str] = ()
) -> list[Any]:
    """Records a branch that depends on a tensor.

    What both branches leave as it is, or set to the same Python value, stays a Python
    value. Tensors, and numbers that differ, become results of the branch. What only one branch
    defines is zero after the other: code that is reached by that way does not read it.

    Args:
        condition: bool, one element.
        if_true: runs when it holds; returns tensors, numbers or other values, and may write
            to tensors from outside.
        if_false: returns as many values.
        names: what the user calls each result, for messages.

    Returns:
        The results after the branch.

    Raises:
        InvalidArgumentError: the branches give what cannot be made one value.
    """
    recorder: Any = context.recorder
    blocks = [record_block(recorder, branch) for branch in (if_true, if_false)]
    counts = [len(block.results) for block in blocks]
    if counts[0] != counts[1]:
        raise InvalidArgumentError(
            f"the branches of a condition give {counts[0]} and {counts[1]} values",
            expected="as many from each branch",
            fix="return the same structure from both",
        )
    labels = [*names, *[f"result {i}" for i in range(len(names), counts[0])]]
    merged = [
        _merge(recorder, blocks, pair, label)
        for label, *pair in zip(labels, blocks[0].results, blocks[1].results, strict=True)
    ]
    pairs = [pair for pair in merged if isinstance(pair, _Pair)]
    written = {key: t for block in blocks for key, (t, _) in block.writes.items()}
    for key, t in written.items():
        ends = [
            block.writes[key][1] if key in block.writes else block.result_of(recorder, t)
            for block in blocks
        ]
        pairs.append(_Pair(*ends, what=f"what is written to {t.name}"))
    grads = {key: entry[0] for block in blocks for key, entry in block.grads.items()}
    kept = [t for t in grads.values() if _is_gradient(blocks, t)]
    pairs += [_gradient_pair(recorder, blocks, t) for t in kept]
    for pair in pairs:
        pair.require_alike()
    reads = _merged_reads(blocks)
    key = (
        SubProgram(blocks[0].program(list(reads), [pair.if_true.value for pair in pairs])),
        SubProgram(blocks[1].program(list(reads), [pair.if_false.value for pair in pairs])),
    )
    outputs = dispatch(_COND, (condition, *reads.values()), key)
    taped = [pair.if_true.is_taped or pair.if_false.is_taped for pair in pairs]
    count = len(outputs) - len(kept)
    _set_gradients(recorder, kept, outputs[count:])
    for t in (t for t in grads.values() if all(t is not k for k in kept)):
        _clear_gradient(recorder, t)
    results = iter(_settle(outputs[:count], taped[:count], list(written.values())))
    return [next(results) if isinstance(entry, _Pair) else entry for entry in merged]


def _is_gradient(blocks: Sequence[Block], t: Tensor) -> bool:
    """Whether a tensor has a gradient after one of the branches, if not after both."""
    ends = [block.grads[id(t)][2] if id(t) in block.grads else t._grad for block in blocks]
    return any(isinstance(end, Tensor | Result) for end in ends)


def _gradient_pair(recorder: Any, blocks: Sequence[Block], t: Tensor) -> _Pair:
    """The gradients of a tensor after both branches; none counts as zeros beside one."""
    ends = []
    for block in blocks:
        after = block.grads[id(t)][2] if id(t) in block.grads else t._grad
        if isinstance(after, Tensor):
            after = block.result_of(recorder, after)
        elif not isinstance(after, Result):
            value = recorder.value_of(t)
            after = _made_in(recorder, block, 0, value.shape, value.dtype)
        ends.append(after)
    return _Pair(*ends, what=f"the gradient of {t.name}")


def _set_gradients(recorder: Any, owners: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
    for t, output in zip(owners, outputs, strict=True):
        recorder.note_grad(t)
        t._grad = new_gradient(output._data)


def _clear_gradient(recorder: Any, t: Tensor) -> None:
    recorder.note_grad(t)
    t._grad = ZERO_GRAD


class _Pair:
    """A result that is computed in both branches."""

    def __init__(self, if_true: Result, if_false: Result, what: str) -> None:
        self.if_true, self.if_false, self.what = if_true, if_false, what

    def require_alike(self) -> None:
        """Raises when shapes or dtypes differ."""
        a, b = self.if_true.value, self.if_false.value
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            raise InvalidArgumentError(
                f"the branches of a condition differ in {self.what}: "
                f"{describe_array(a)} and {describe_array(b)}",
                expected="the same shape and dtype from both branches",
                fix="cast or reshape in one of them, so that code after it sees one kind",
            )


def _merge(recorder: Any, blocks: Sequence[Block], pair: Sequence[Any], label: str) -> Any:
    """Returns one value for both branches: a `_Pair`, or what they have in common."""
    a, b = pair
    if isinstance(a, Result) and isinstance(b, Result):
        if a.tensor is b.tensor:
            return a.tensor
        return _Pair(a, b, f"`{label}`")
    if a is b or (type(a) is type(b) and _is_plain(a) and _is_same(a, b)):
        return a
    if not isinstance(a, Result) and b is UNDEFINED:
        return a
    if a is UNDEFINED and not isinstance(b, Result):
        return b
    if not all(isinstance(v, Result | _Undefined) or _is_number(v) for v in (a, b)):
        kinds = [describe_array(v.value) if isinstance(v, Result) else repr(v) for v in (a, b)]
        raise InvalidArgumentError(
            f"`{label}` is {kinds[0][:80]} in one branch of a condition on a tensor and "
            f"{kinds[1][:80]} in the other",
            expected="tensors or numbers, or the same value in both",
            fix="give it a tensor in both branches; None and objects cannot depend on a tensor",
        )
    dtype = _common_dtype(a, b)
    shape = next((v.value.shape for v in (a, b) if isinstance(v, Result)), ())
    ends = [
        v if isinstance(v, Result) else _made_in(recorder, block, v, shape, dtype)
        for block, v in zip(blocks, (a, b), strict=True)
    ]
    return _Pair(*ends, what=f"`{label}`")


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | complex | np.generic)


def _is_plain(value: Any) -> bool:
    return _is_number(value) or isinstance(value, str | type(None))


def _is_same(a: Any, b: Any) -> bool:
    return bool(a == b) or (a != a and b != b)


def _common_dtype(a: Any, b: Any) -> Any:
    """The dtype of a result that is a number or undefined on one side at least."""
    for v in (a, b):
        if isinstance(v, Result):
            return v.value.dtype
    made = [to_tensor(v)._data.dtype for v in (a, b) if v is not UNDEFINED]
    return jax.numpy.promote_types(*made) if len(made) == 2 else made[0]


def _made_in(recorder: Any, block: Block, value: Any, shape: Any, dtype: Any) -> Result:
    """Makes a tensor of a number, or zeros for what is undefined, inside a closed block."""
    number = 0 if value is UNDEFINED else value
    with recorder.in_block(block):
        if has_dimension(tuple(shape)):
            made = full(list(shape), number, as_dtype(dtype))
        else:
            made = new_tensor(np.full(shape, number, dtype))
        return block.result_of(recorder, made)


def _merged_reads(blocks: Sequence[Block], besides: Sequence[Value] = ()) -> dict[Value, Tensor]:
    merged: dict[Value, Tensor] = {}
    left_out = set(besides)
    for block in blocks:
        for value, t in block.reads.items():
            known = merged.get(value)
            if value not in left_out and (known is None or (known._stop and not t._stop)):
                merged[value] = t
    return merged


def _settle(
    outputs: Sequence[Tensor], taped: Sequence[bool], written: Sequence[Tensor]
) -> list[Tensor]:
    """Cuts the tape where the blocks have no gradient, and writes what they wrote."""
    count = len(outputs) - len(written)
    for output, is_taped in zip(outputs, taped, strict=True):
        if not is_taped:
            output._edge, output._stop = None, True
    for t, output in zip(written, outputs[count:], strict=True):
        # A leaf stays one: what an optimizer writes is no function of what it was.
        if t.is_leaf and (output._stop or not t._stop):
            context.recorder.note_write(t)
            t._data, t._version = output._data, t._version + 1
        else:
            write_inplace(t, output)
    return list(outputs[:count])


def record_while(
    test: Callable[[Sequence[Any]], Any],
    body: Callable[[Sequence[Any]], Sequence[Any]],
    state: Sequence[Any],
    names: Sequence[str],
    turns: Any = None,
    is_exact: bool = False,
) -> list[Any]:
    """Records a loop whose length depends on a tensor.

    Tensors of the state, and numbers that the body changes, are carried from turn to turn;
    other values stay what they are. The body is recorded again until it is known which.

    Args:
        test: tells from the state whether to go on.
        body: returns the next state; may write to tensors from outside.
        state: what the loop may change, at its beginning.
        names: what the user calls each of them, for messages.
        turns: how many turns there are at most: a number or a dimension, if one is known.
        is_exact: whether there are exactly as many, and `test` only says so.

    Returns:
        The state after the loop.

    Raises:
        InvalidArgumentError: the body changes a shape, a dtype, or what is no number.
    """
    loop = _Loop(list(state), names)
    while not loop.record(test, body):
        pass
    return loop.finish(turns, is_exact)


class _Loop:
    """A loop while it is recorded, once more for each thing it turns out to carry."""

    def __init__(self, state: list[Any], names: Sequence[str]) -> None:
        self.recorder: Any = context.recorder
        self.state, self.names = state, names
        self.written: list[Tensor] = []
        #: Tensors from outside whose gradients the body changes, with those before the loop.
        self.grads: list[tuple[Tensor, Tensor]] = []
        #: Tensors of the state at the beginning of the turn that was recorded last.
        self.turn: list[Tensor] = []

    def carried(self) -> list[Tensor]:
        """What goes from turn to turn."""
        state = [v for v in self.state if isinstance(v, Tensor)]
        return [*state, *self.written, *[gradient for _, gradient in self.grads]]

    def record(self, test: Any, body: Any) -> bool:
        """Records a turn; returns whether the loop is known now."""
        self.blocks, self.params = [], []
        for function in (lambda now: [_as_condition(test(now))], body):
            values = [self._parameter(t) for t in self.carried()]
            self.params.append(values)
            self.blocks.append(self._turn(function, values))
        _refuse_writes(self.blocks[0], self.params[0])
        known = {id(t) for t in self.written}
        found = [t for t, _ in self.blocks[1].writes.values() if id(t) not in known]
        self.written += found
        has_grads = self._take_gradients()
        return not self._adapt() and not found and not has_grads

    def _take_gradients(self) -> bool:
        """Takes up gradients that go from turn to turn; whether there are new ones."""
        known = {id(t) for t, _ in self.grads}
        has_new = False
        for key, (t, before, after) in self.blocks[1].grads.items():
            if key not in known and isinstance(before, Tensor) | isinstance(after, Result):
                value = self.recorder.value_of(t)
                if not isinstance(before, Tensor):
                    before = _zeros(value.shape, value.dtype)
                self.grads.append((t, before))
                has_new = True
        return has_new

    def _parameter(self, t: Tensor) -> Value:
        value = self.recorder.value_of(t)
        return Value(value.shape, value.dtype, name=value.name, owner=self.recorder)

    def _turn(self, function: Any, values: Sequence[Value]) -> Block:
        recorder = self.recorder

        def turn() -> Sequence[Any]:
            remaining = iter(values)
            now = []
            for v in self.state:
                if isinstance(v, Tensor):
                    value = next(remaining)
                    v = self._turns_own(v, value)
                now.append(v)
            for t in self.written:
                recorder.note_write(t)
                t._data = next(remaining)
            for t, _ in self.grads:
                recorder.note_grad(t)
                t._grad = new_gradient(next(remaining))
            self.turn = [v for v in now if isinstance(v, Tensor)]
            return function(now)

        return record_block(recorder, turn, values)

    def _turns_own(self, before: Tensor, value: Value) -> Tensor:
        """A tensor of the state at the beginning of a turn."""
        made = new_tensor(value)
        made._stop = not (context.grad_enabled and is_inexact(value))
        if not made._stop and not before._stop and not before.is_leaf:
            made._edge = (Origin(_refuse_to_go_on), 0)
        return made

    def _adapt(self) -> bool:
        """Takes up what the body has made of the state; returns whether that is new."""
        has_changed = False
        for i, (before, after) in enumerate(zip(self.state, self.blocks[1].results, strict=True)):
            if isinstance(before, Tensor):
                new = self._fitted(i, before, after)
            else:
                new = self._from_static(i, before, after)
            has_changed |= new is not before
            self.state[i] = new
        return has_changed

    def _from_static(self, i: int, before: Any, after: Any) -> Any:
        if after is before or (_is_plain(before) and type(after) is type(before)):
            if after is before or _is_same(before, after):
                return before
        is_undefined = before is UNDEFINED
        if is_undefined and not isinstance(after, Result):
            return after
        if not is_undefined and not _is_number(before):
            now = describe_array(after.value) if isinstance(after, Result) else repr(after)
            raise InvalidArgumentError(
                f"a loop that depends on a tensor changes `{self.names[i]}` from "
                f"{before!r} to {now}"[:300],
                expected="tensors or numbers as what a loop changes",
                fix="make it a tensor of its final shape before the loop; a list cannot grow "
                "in such a loop",
            )
        if is_undefined:
            return _zeros(after.value.shape, after.value.dtype)
        made = to_tensor(before)
        made._weak = True
        return made

    def _fitted(self, i: int, before: Tensor, after: Any) -> Tensor:
        if after is UNDEFINED or not (isinstance(after, Result) or _is_number(after)):
            raise InvalidArgumentError(
                f"a loop that depends on a tensor changes `{self.names[i]}` from "
                f"{describe_array(before._data)} to {after!r}"[:300],
                expected="a tensor in every turn",
                fix="keep it a tensor; use another variable for other values",
            )
        if not isinstance(after, Result):
            dtype = before._data.dtype
            if before._weak:
                dtype = jax.numpy.promote_types(dtype, to_tensor(after)._data.dtype)
            shape = self.params[1][self._position(i)].shape
            after = _made_in(self.recorder, self.blocks[1], after, shape, dtype)
            self.blocks[1].results[i] = after
        data, end = before._data, after.value
        if (data.shape, data.dtype) == (end.shape, end.dtype):
            return before
        if before._weak and data.shape == end.shape:
            return before.astype(as_dtype(end.dtype))  # type: ignore[attr-defined]
        raise InvalidArgumentError(
            f"a loop that depends on a tensor changes `{self.names[i]}` from "
            f"{describe_array(data)} to {describe_array(end)}",
            expected="the same shape and dtype in every turn",
            fix="give it its final shape and dtype before the loop",
        )

    def _position(self, i: int) -> int:
        return sum(isinstance(v, Tensor) for v in self.state[:i])

    def finish(self, turns: Any, is_exact: bool) -> list[Any]:
        """Records the call of the loop; returns the state after it."""
        test, body = self.blocks
        state = [r for v, r in zip(self.state, body.results, strict=True) if isinstance(v, Tensor)]
        for own, end in zip(self.turn, state, strict=True):
            if own._grad is not None and end.tensor._edge is not None and has_graph(end.tensor):
                _refuse_to_go_on()
        ends = [*state, *[self._end_of(t) for t in self.written]]
        ends += [self._gradient_after(t) for t, _ in self.grads]
        reads = _merged_reads(self.blocks, [*self.params[0], *self.params[1]])
        key = (
            SubProgram(test.program([*self.params[0], *reads], [test.results[0].value])),
            SubProgram(body.program([*self.params[1], *reads], [r.value for r in ends])),
            len(ends),
            turns,
            is_exact,
        )
        outputs = dispatch(_WHILE, (*self.carried(), *reads.values()), key)
        count = len(outputs) - len(self.grads)
        _set_gradients(self.recorder, [t for t, _ in self.grads], outputs[count:])
        carried = {id(t) for t, _ in self.grads}
        for key, (t, _, _) in body.grads.items():
            if key not in carried:
                _clear_gradient(self.recorder, t)
        taped = [r.is_taped for r in ends[:count]]
        results = iter(_settle(outputs[:count], taped, self.written))
        return [next(results) if isinstance(v, Tensor) else v for v in self.state]

    def _gradient_after(self, t: Tensor) -> Result:
        """The gradient of a tensor at the end of a turn; a cleared one is zeros."""
        body = self.blocks[1]
        known = body.grads.get(id(t))
        if known is None:
            index = [id(each) for each, _ in self.grads].index(id(t))
            value = self.params[1][len(self.params[1]) - len(self.grads) + index]
            return Result(value, False, new_tensor(value))
        if isinstance(known[2], Result):
            return known[2]
        value = self.recorder.value_of(t)
        return _made_in(self.recorder, body, 0, value.shape, value.dtype)

    def _end_of(self, t: Tensor) -> Result:
        found = self.blocks[1].writes.get(id(t))
        return self.blocks[1].result_of(self.recorder, t) if found is None else found[1]


def _zeros(shape: Any, dtype: Any) -> Tensor:
    if has_dimension(tuple(shape)):
        return full(list(shape), 0, as_dtype(dtype))
    return new_tensor(np.zeros(shape, dtype))


def _refuse_to_go_on(gradient: Any = None) -> None:
    raise ProgramError(
        "a backward pass in the body of a loop that depends on a tensor goes on to the turns "
        f"before, at {user_location()}",
        expected="gradients of what one turn computes",
        fix="detach() what is carried from turn to turn, or call backward() after the loop",
    )


def _as_condition(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else new_tensor(np.asarray(bool(value)))


def _refuse_writes(test: Block, params: Sequence[Value]) -> None:
    allowed = set(params)
    changed = [t for t, result in test.writes.values() if result.value not in allowed]
    for t, _, after in test.grads.values():
        if not (isinstance(after, Result) and after.value in allowed):
            changed.append(t)
    if changed:
        raise ProgramError(
            f"the condition of a loop that depends on a tensor writes to {changed[0].name}",
            expected="a condition without side effects",
            fix="write in the body of the loop",
        )
