"""What `if`, `while`, `for`, `and`, ... mean in a function that was converted for recording.

The converted source calls these functions in place of the statements. Where the value that
decides is known they do what Python does; where it is a tensor of the recording they record a
branch or a loop. Names and arguments are what `malt` (diastatic-malt) writes into the source.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from jax.errors import InconclusiveDimensionOperation

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
    Assertion,
    NeedsStatic,
    Printing,
    RoomCheck,
    TensorList,
    Value,
    may_be_equal,
    record_block,
    record_cond,
    record_effect,
    record_while,
)

from ._variables import Undefined, UndefinedReturnValue, Variables

_COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}
_LISTS = (list, tuple, set, frozenset, range, dict)


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
    variables = Variables(get_state, set_state, symbol_names)
    # Which structures the branches give is known only once both were run.
    if variables.needs_trial():
        for function in (body, orelse):
            _try(variables, function)
        variables.make_room(1)
        variables.agree()

    def branch(function: Callable[[], None]) -> Callable[[], list[Any]]:
        def run() -> list[Any]:
            variables.reset()
            with _may_not_raise("a branch"):
                function()
            variables.refuse_changed("in the branches of a condition")
            return variables.leaves()

        return run

    variables.reset()
    found = record_cond(test, branch(body), branch(orelse), variables.labels())
    variables.restore(found)
    variables.settle_lists(1, 1)


def _try(variables: Variables, function: Callable[[], None]) -> None:
    """Runs a block to see which structures it gives; nothing of it is kept."""

    def run() -> list[Any]:
        variables.reset()
        with _may_not_raise("a branch or loop"):
            function()
        variables.learn()
        return []

    record_block(context.recorder, run)
    variables.reset()


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
            record_loop(test, body, Variables(get_state, set_state, symbol_names, True))
            return
        if not condition:
            return
        body()


def record_loop(
    test: Callable[[], Any],
    body: Callable[[], None],
    variables: Variables,
    turns: Any = None,
    is_exact: bool = False,
) -> None:
    """Records a loop.

    Args:
        test: whether there is a next turn.
        body: one turn.
        variables: what it changes.
        turns: how many there are at most, if that follows from shapes.
        is_exact: whether there are exactly as many.
    """
    is_guess = False
    if variables.needs_trial():
        _try(variables, body)
        is_guess = variables.make_room(turns)

    def condition(now: Sequence[Any]) -> Any:
        variables.restore(now)
        return test()

    def turn(now: Sequence[Any]) -> list[Any]:
        variables.restore(now)
        with _may_not_raise("a loop"):
            body()
        variables.refuse_changed("from turn to turn of a loop")
        return variables.leaves()

    variables.reset()
    first = variables.leaves()
    loop = record_while(condition, turn, first, variables.labels(), turns, is_exact)
    variables.restore(loop)
    variables.settle_lists(turns if is_exact else None, turns)
    if is_guess:
        _check_room(variables.get())


def _check_room(values: Sequence[Any]) -> None:
    for value in values:
        if isinstance(value, TensorList):
            record_effect(RoomCheck(value.capacity), [value.length])


def if_exp(
    test: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expression: str = ""
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
    return if_exp(left, lambda: _as_bool(b()), lambda: False)


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a or b`: the right side runs only where the left one does not hold."""
    left = a()
    if not is_unknown(left):
        return left or b()
    return if_exp(left, lambda: True, lambda: _as_bool(b()))


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


def compare(symbol: str, a: Any, b: Any) -> Any:
    """`a < b` and the like; of sizes that are not known yet, a tensor of the recording."""
    function = _COMPARISONS[symbol]
    if symbol in ("==", "!=", "in", "not in") and context.recorder is not None:
        if symbol in ("in", "not in"):
            found = _among(a, b) if isinstance(b, _LISTS) else None
        else:
            found = _same(a, b)
        if found is None:
            return function(a, b)
        return found if symbol in ("==", "in") else not_(found)
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return function(a, b)
    if not (is_dimension(a) or is_dimension(b)):
        return function(a, b)
    with suppress(InconclusiveDimensionOperation):
        return function(a, b)
    return function(*[to_tensor(v) for v in (a, b)])


def _same(a: Any, b: Any) -> Any:
    """Whether sizes, or lists of sizes, are equal; `None` where there are none in them."""
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return None
    if is_dimension(a) or is_dimension(b):
        known = may_be_equal(a, b)
        return operator.eq(to_tensor(a), to_tensor(b)) if known is None else known
    if not _has_sizes(a) and not _has_sizes(b):
        return None
    if not isinstance(a, list | tuple) or not isinstance(b, list | tuple) or len(a) != len(b):
        return None
    result: Any = True
    for left, right in zip(a, b, strict=True):
        found = compare("==", left, right)
        if not is_unknown(found):
            if not found:
                return False
        else:
            result = and_(lambda held=result: held, lambda found=found: found)
    return result


def _among(a: Any, values: Any) -> Any:
    """Whether a size is one of some values; `None` where no unknown size is asked for."""
    if not is_dimension(a) and not _has_sizes(values):
        return None
    result: Any = False
    for value in values:
        found = compare("==", a, value)
        if not is_unknown(found):
            if found:
                return True
        else:
            result = or_(lambda held=result: held, lambda found=found: found)
    return result


def _has_sizes(value: Any) -> bool:
    return isinstance(value, list | tuple) and any(map(is_dimension, value))


def chained(symbols: Sequence[str], first: Any, *rest: Callable[[], Any]) -> Any:
    """`a < b < c`: each operand is computed once, and those after a failure not at all."""
    left = first
    result: Any = True
    for number, (symbol, right) in enumerate(zip(symbols, rest, strict=True)):
        value = right()
        found = compare(symbol, left, value)
        if number == 0:
            result = found
        elif is_unknown(result):
            result = and_(lambda held=result: held, lambda found=found: found)
        else:
            result = found
        if not is_unknown(result) and not result:
            return result
        left = value
    return result


def touched(value: Any) -> Any:
    """Marks a variable whose list was changed in place as one that a block changes."""
    return value


def int_(value: Any = 0, *base: Any) -> Any:
    """`int`; of a tensor of the recording, an int64 tensor."""
    return cast(value, "int64").reshape([]) if is_unknown(value) else int(value, *base)


def float_(value: Any = 0.0) -> Any:
    """`float`; of a tensor of the recording, a float tensor, through which no gradient flows."""
    if is_dimension(value):
        value = to_tensor(value)
    if not is_unknown(value):
        return float(value)
    return cast(value.detach(), default_dtype().name).reshape([])


def bool_(value: Any = False) -> Any:
    """`bool`; of a tensor of the recording, a bool tensor."""
    return cast(value, "bool").reshape([]) if is_unknown(value) else bool(value)
