"""What `if`, `while`, `for`, `and`, ... mean in a function that was converted for recording.

The converted source calls these functions in place of the statements. Where the value that
decides is known they do what Python does; where it is a tensor of the recording they record a
branch or a loop. Names and arguments are what `malt` (diastatic-malt) writes into the source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax

from proa.core import (
    ProaError,
    ProgramError,
    Tensor,
    context,
    default_dtype,
    is_dimension,
    to_tensor,
    user_location,
)
from proa.ops import cast, logical_not
from proa.program import (
    UNDEFINED,
    Assertion,
    NeedsStatic,
    Printing,
    Value,
    record_block,
    record_cond,
    record_effect,
    record_while,
)

from ._dataclasses import flatten_tree


class Undefined:
    """A variable that has no value yet."""

    __slots__ = ("symbol_name",)

    def __init__(self, symbol_name: str) -> None:
        self.symbol_name = symbol_name


class UndefinedReturnValue:
    """The result of a function before its `return`."""


class FunctionScope:
    """The body of a converted function."""

    def __init__(self, function_name: str, scope_name: str, options: Any) -> None:
        self.function_name, self.name = function_name, scope_name

    def __enter__(self) -> FunctionScope:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def ret(self, value: Any, did_return: Any) -> Any:
        """Returns what the function returns."""
        return None if isinstance(value, UndefinedReturnValue) else value


def with_function_scope(thunk: Callable[..., Any], scope_name: str, options: Any) -> Any:
    """Runs the body of a converted lambda."""
    return thunk(FunctionScope("lambda", scope_name, options))


def autograph_artifact(function: Any, extras: Any = None) -> Any:
    """Marks a function inside converted code: it is converted with it."""
    function.autograph_info__ = extras
    return function


def ld(value: Any) -> Any:
    """Reads a variable."""
    if isinstance(value, Undefined):
        raise UnboundLocalError(
            f"variable {value.symbol_name!r} is used before it has a value; "
            f"at {user_location()}, in a function that is compiled"
        )
    return value


def ldu(load: Callable[[], Any], name: str) -> Any:
    """Reads `a.b` or `a[b]`, which may not exist yet."""
    try:
        return load()
    except (KeyError, AttributeError, NameError, IndexError):
        return Undefined(name)


def is_unknown(value: Any) -> bool:
    """Whether a value is a tensor of the recording, whose elements are not known yet."""
    if not isinstance(value, Tensor) or context.recorder is None:
        return False
    data = value._data
    return isinstance(data, Value) and not context.recorder.is_number(data)


def _is_undefined(value: Any) -> bool:
    return isinstance(value, Undefined | UndefinedReturnValue)


class _Variables:
    """The variables of a block as one list of leaves, for whatever trees they hold.

    Args:
        get_state: reads them.
        set_state: writes them.
        names: what they are called.
    """

    def __init__(
        self, get_state: Callable[[], Any], set_state: Callable[[Any], None], names: Sequence[str]
    ) -> None:
        self.get, self.set, self.names = get_state, set_state, names
        self.first = tuple(get_state())
        #: Per variable, its structure where it is known.
        self.structures: list[Any] = [
            None if _is_undefined(v) else flatten_tree(v)[1] for v in self.first
        ]

    def labels(self) -> list[str]:
        """A name per leaf."""
        found = []
        for name, structure in zip(self.names, self.structures, strict=True):
            count = 1 if structure is None else structure.num_leaves
            name = "the returned value" if "retval_" in name else name
            found += [name] if count == 1 else [f"{name}[{i}]" for i in range(count)]
        return found

    def leaves(self) -> list[Any]:
        """The leaves of the variables now."""
        found: list[Any] = []
        for value, structure in zip(self.get(), self.structures, strict=True):
            if _is_undefined(value):
                found += [UNDEFINED] * (1 if structure is None else structure.num_leaves)
            elif structure is None:
                found.append(value)
            else:
                found += flatten_tree(value)[0]
        return found

    def learn(self) -> bool:
        """Takes up the structures of variables that have got a value; whether there are any."""
        has_learned = False
        for i, value in enumerate(self.get()):
            if not _is_undefined(value) and self.structures[i] is None:
                self.structures[i] = flatten_tree(value)[1]
                has_learned = True
        return has_learned

    def refuse_changed(self, where: str) -> None:
        """Raises when a variable has another structure than before."""
        for name, value, structure in zip(self.names, self.get(), self.structures, strict=True):
            if _is_undefined(value) or structure is None:
                continue
            now = flatten_tree(value)[1]
            if now != structure:
                raise ProgramError(
                    f"`{name}` is {_shown(structure)} and {_shown(now)} {where} on a tensor, "
                    f"at {user_location()}",
                    expected="the same structure each way",
                    fix="use tensors of a fixed number; a list cannot grow here",
                )

    def restore(self, leaves: Sequence[Any]) -> None:
        """Gives the variables the values of a list of leaves."""
        remaining = iter(leaves)
        state = []
        for value, name, structure in zip(self.first, self.names, self.structures, strict=True):
            count = 1 if structure is None else structure.num_leaves
            found = [next(remaining) for _ in range(count)]
            if any(leaf is UNDEFINED for leaf in found):
                state.append(value if _is_undefined(value) else Undefined(name))
            elif structure is None:
                state.append(found[0])
            else:
                state.append(jax.tree_util.tree_unflatten(structure, found))
        self.set(tuple(state))


def _shown(structure: Any) -> str:
    text = str(structure).removeprefix("PyTreeDef(").removesuffix(")")
    return text.replace("*", "a value")


@contextmanager
def _may_not_raise(where: str) -> Iterator[None]:
    """Code that may not be reached is recorded all the same: what it raises counts for nobody."""
    try:
        yield
    except (ProaError, NeedsStatic):
        raise
    except Exception as error:
        raise ProgramError(
            f"{where} that depends on a tensor raises {type(error).__name__}: {error}"[:300],
            expected="code that can be recorded whether or not it is reached",
            fix="check before the compiled function, use assert, or leave it uncompiled",
        ) from error


def if_stmt(
    test: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], Any],
    set_state: Callable[[Any], None],
    symbol_names: Sequence[str],
    nouts: int,
) -> None:
    """`if test: body` with an `else`."""
    if not is_unknown(test):
        body() if test else orelse()
        return
    variables = _Variables(get_state, set_state, symbol_names)
    # Which structures the branches give is known only once both were run.
    for function in (body, orelse):
        _dry_run(variables, function)
    variables.refuse_changed("in the branches of a condition")

    def branch(function: Callable[[], None]) -> Callable[[], list[Any]]:
        def run() -> list[Any]:
            variables.set(variables.first)
            with _may_not_raise("a branch"):
                function()
            variables.refuse_changed("in the branches of a condition")
            return variables.leaves()

        return run

    variables.set(variables.first)
    found = record_cond(test, branch(body), branch(orelse), variables.labels())
    variables.restore(found)


def _dry_run(variables: _Variables, function: Callable[[], None]) -> None:
    """Runs a block to see which structures it gives; nothing of it is kept."""
    if all(structure is not None for structure in variables.structures):
        return

    def run() -> list[Any]:
        variables.set(variables.first)
        with _may_not_raise("a branch or loop"):
            function()
        variables.learn()
        return []

    record_block(context.recorder, run)
    variables.set(variables.first)


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], Any],
    set_state: Callable[[Any], None],
    symbol_names: Sequence[str],
    opts: Any,
) -> None:
    """`while test: body`; turns whose condition is known run at once."""
    while True:
        condition = test()
        if is_unknown(condition):
            _record_loop(test, body, _Variables(get_state, set_state, symbol_names))
            return
        if not condition:
            return
        body()


def _record_loop(test: Callable[[], Any], body: Callable[[], None], variables: _Variables) -> None:
    _dry_run(variables, body)

    def condition(now: Sequence[Any]) -> Any:
        variables.restore(now)
        return test()

    def turn(now: Sequence[Any]) -> list[Any]:
        variables.restore(now)
        with _may_not_raise("a loop"):
            body()
        variables.refuse_changed("from turn to turn of a loop")
        return variables.leaves()

    first = variables.leaves()
    variables.restore(record_while(condition, turn, first, variables.labels()))


class TensorRange:
    """`range` of bounds that are not known yet."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start, self.stop, self.step = start, stop, step


def range_(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """`range`, also of tensors."""
    if stop is None:
        start, stop = 0, start
    if any(map(is_unknown, (start, stop, step))) or any(map(is_dimension, (start, stop, step))):
        return TensorRange(start, stop, step)
    return range(*[int(v) if isinstance(v, Tensor) else v for v in (start, stop, step)])


def for_stmt(
    iterated: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], Any],
    set_state: Callable[[Any], None],
    symbol_names: Sequence[str],
    opts: Any,
) -> None:
    """`for item in iterated: body`; `extra_test` holds until a `break`."""
    state = (get_state, set_state, symbol_names)
    if isinstance(iterated, TensorRange):
        _for_range(iterated, extra_test, body, *state)
        return
    if is_unknown(iterated) and is_dimension(iterated.shape[0]):
        rows = TensorRange(0, iterated.shape[0], 1)
        _for_range(rows, extra_test, lambda i: body(iterated[i]), *state)
        return
    for item in iterated:
        goes_on = True if extra_test is None else extra_test()
        if is_unknown(goes_on):
            _turn_if(goes_on, body, item, *state)
        elif goes_on:
            body(item)
        else:
            return


def _turn_if(goes_on: Any, body: Any, item: Any, get: Any, set_: Any, names: Any) -> None:
    if_stmt(goes_on, lambda: body(item), lambda: None, get, set_, names, len(names))


def _for_range(
    bounds: TensorRange,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], Any],
    set_state: Callable[[Any], None],
    names: Sequence[str],
) -> None:
    step = bounds.step
    counter = [bounds.start]

    def get() -> tuple[Any, ...]:
        return (counter[0], *get_state())

    def set_(values: Any) -> None:
        counter[0] = values[0]
        set_state(tuple(values[1:]))

    def test() -> Any:
        index, stop = counter[0], _as_number(bounds.stop)
        if is_unknown(step):
            inside: Any = ((step > 0) & (index < stop)) | ((step < 0) & (index > stop))
        else:
            inside = index < stop if step > 0 else index > stop
        return inside if extra_test is None else and_(lambda: inside, extra_test)

    def turn() -> None:
        index = counter[0]
        body(index)
        counter[0] = index + step

    first = _as_number(bounds.start)
    counter[0] = first if isinstance(first, Tensor) else to_tensor(first)
    _record_loop(test, turn, _Variables(get, set_, ("the counter", *names)))


def _as_number(value: Any) -> Any:
    return to_tensor(value) if is_dimension(value) else value


def if_exp(
    test: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expression: str
) -> Any:
    """`a if test else b`."""
    if not is_unknown(test):
        return if_true() if test else if_false()
    result: list[Any] = [Undefined("the value of the expression")]

    def get() -> tuple[Any, ...]:
        return (result[0],)

    def set_(values: Any) -> None:
        (result[0],) = values

    def branch(function: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            result[0] = function()

        return run

    if_stmt(test, branch(if_true), branch(if_false), get, set_, ("a conditional expression",), 1)
    return result[0]


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a and b`: the right side runs only where the left one holds."""
    left = a()
    if not is_unknown(left):
        return left and b()
    return if_exp(left, lambda: _as_bool(b()), lambda: False, "")


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a or b`: the right side runs only where the left one does not hold."""
    left = a()
    if not is_unknown(left):
        return left or b()
    return if_exp(left, lambda: True, lambda: _as_bool(b()), "")


def _as_bool(value: Any) -> Any:
    return cast(value, "bool").reshape([]) if isinstance(value, Tensor) else bool(value)


def not_(value: Any) -> Any:
    """`not value`."""
    return logical_not(cast(value, "bool")) if is_unknown(value) else not value


def assert_stmt(condition: Any, message: Callable[[], Any]) -> None:
    """`assert condition, message`: checked by op when the condition is not known yet."""
    if is_unknown(condition):
        record_effect(Assertion(message()), [condition])
    elif not condition:
        raise AssertionError(message())


def print_(*values: Any, **options: Any) -> None:
    """`print`; a tensor of the recording prints its elements when the program runs."""
    if any(map(is_unknown, values)):
        tensors = [v for v in values if isinstance(v, Tensor)]
        record_effect(Printing([None if isinstance(v, Tensor) else v for v in values]), tensors)
    else:
        print(*values, **options)


def int_(value: Any = 0, *base: Any) -> Any:
    """`int`; of a tensor of the recording, an int64 tensor."""
    return cast(value, "int64") if is_unknown(value) else int(value, *base)


def float_(value: Any = 0.0) -> Any:
    """`float`; of a tensor of the recording, a float tensor."""
    return cast(value, default_dtype().name) if is_unknown(value) else float(value)


def bool_(value: Any = False) -> Any:
    """`bool`; of a tensor of the recording, a bool tensor."""
    return cast(value, "bool") if is_unknown(value) else bool(value)
