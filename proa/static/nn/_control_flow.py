"""Branches and loops on tensors, as functions that take functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from proa.core import InvalidArgumentError, InvalidTypeError, Tensor, context, to_tensor
from proa.program import record_cond, record_while


def _require_function(owner: str, name: str, value: Any) -> None:
    if not callable(value):
        raise InvalidTypeError(
            f"{owner}: {name} is a {type(value).__name__}",
            expected="a function",
            fix=f"pass {name}=lambda: ...",
        )


def _flat(value: Any) -> tuple[list[Any], Any]:
    return jax.tree_util.tree_flatten(value)


def _as_tensors(leaves: Sequence[Any]) -> list[Tensor]:
    return [leaf if isinstance(leaf, Tensor) else to_tensor(leaf) for leaf in leaves]


def _is_recorded(*tensors: Any) -> bool:
    """Whether a value is not known yet, so that both ways must be recorded."""
    if context.recorder is None:
        return False
    return any(isinstance(t, Tensor) and not isinstance(t._data, jax.Array) for t in tensors)


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
    return_names: Sequence[str] | None = None,
) -> Any:
    """Runs one of two functions, by a condition.

    In a function that is compiled, both are recorded and one runs; gradients flow through it.
    Otherwise it is a plain `if`.

    Args:
        pred (Tensor | bool): the condition, one element.
        true_fn (Callable, optional): called without arguments if it holds; its result is
            a Tensor or a tree of them, or None.
        false_fn (Callable, optional): called if it does not hold; gives the same structure.
        name (str, optional): kept for Paddle's signature.
        return_names (list[str], optional): kept for Paddle's signature.

    Returns:
        What the chosen function returns; `None` when it is not given.

    Raises:
        InvalidTypeError: a function is not callable.
        InvalidArgumentError: the functions give different structures, shapes or dtypes.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor(2.0)
        >>> proa.static.nn.cond(x > 1, lambda: x * 10, lambda: x).item()
        20.0
    """
    functions = []
    for label, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is not None:
            _require_function("cond", label, function)
        functions.append(function or (lambda: None))
    if not _is_recorded(pred):
        return functions[0]() if bool(pred) else functions[1]()
    structures: list[Any] = []

    def branch(function: Callable[[], Any]) -> Callable[[], list[Tensor]]:
        def run() -> list[Tensor]:
            leaves, structure = _flat(function())
            structures.append(structure)
            if structures[0] != structure:
                raise InvalidArgumentError(
                    f"cond: the branches return {structures[0]} and {structure}",
                    expected="the same structure from both",
                    fix="return the same tuples, lists and dicts, with None in the same places",
                )
            return _as_tensors(leaves)

        return run

    results = record_cond(pred, branch(functions[0]), branch(functions[1]))
    return jax.tree_util.tree_unflatten(structures[0], results)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    is_test: bool = False,
    name: str | None = None,
) -> Any:
    """Repeats a function while a condition on its arguments holds.

    In a function that is compiled, both are recorded once, and gradients flow through
    the loop; their memory does not grow with its length. Otherwise it is a plain loop.

    Args:
        cond (Callable): takes `loop_vars`, returns a bool Tensor with one element.
        body (Callable): takes `loop_vars`, returns the next ones with the same shapes and
            dtypes.
        loop_vars (list | tuple): Tensors or trees of them.
        is_test (bool): kept for Paddle's signature.
        name (str, optional): kept for Paddle's signature.

    Returns:
        list: the last `loop_vars`.

    Raises:
        InvalidTypeError: `cond` or `body` is not callable, `loop_vars` is not a sequence.
        InvalidArgumentError: `loop_vars` is empty, or `body` gives something else.

    Examples:
        >>> import proa
        >>> i, total = proa.zeros([], "int64"), proa.zeros([])
        >>> i, total = proa.static.nn.while_loop(
        ...     lambda i, total: i < 5, lambda i, total: [i + 1, total + i], [i, total]
        ... )
        >>> total.item()
        10.0
    """
    _require_function("while_loop", "cond", cond)
    _require_function("while_loop", "body", body)
    if not isinstance(loop_vars, list | tuple):
        raise InvalidTypeError(
            f"while_loop: loop_vars is a {type(loop_vars).__name__}",
            expected="a list or tuple of tensors",
            fix="pass [x] for a single one",
        )
    if not loop_vars:
        raise InvalidArgumentError(
            "while_loop: loop_vars is empty",
            expected="at least one tensor, which the condition depends on",
            fix="pass the counter of the loop",
        )
    first = list(loop_vars)
    if context.recorder is None:
        while bool(cond(*first)):
            first = _next(body, first)
        return first
    leaves, structure = _flat(first)

    def unflatten(now: Sequence[Tensor]) -> list[Any]:
        return jax.tree_util.tree_unflatten(structure, list(now))

    def turn(now: Sequence[Tensor]) -> list[Tensor]:
        found, given = _flat(_next(body, unflatten(now)))
        if given != structure:
            raise InvalidArgumentError(
                f"while_loop: body returns {given}",
                expected=f"{structure}, as loop_vars",
                fix="return one value per loop variable",
            )
        return _as_tensors(found)

    names = [f"loop_vars[{i}]" for i in range(len(leaves))]
    ends = record_while(lambda now: cond(*unflatten(now)), turn, _as_tensors(leaves), names)
    return unflatten(ends)


def _next(body: Callable[..., Any], now: Sequence[Any]) -> list[Any]:
    result = body(*now)
    result = list(result) if isinstance(result, list | tuple) else [result]
    if len(result) != len(now):
        raise InvalidArgumentError(
            f"while_loop: body returns {len(result)} values for {len(now)} loop variables",
            expected="one value per loop variable",
            fix="return the variables that do not change as they are",
        )
    return result


def case(
    pred_fn_pairs: Sequence[tuple[Any, Callable[[], Any]]],
    default: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """Runs the function of the first condition that holds.

    Args:
        pred_fn_pairs (list[tuple]): conditions with their functions.
        default (Callable, optional): runs when none holds; the last function by default.
        name (str, optional): kept for Paddle's signature.

    Returns:
        What the chosen function returns.

    Raises:
        InvalidTypeError: not pairs of a condition and a function.
        InvalidArgumentError: no pair is given.

    Examples:
        >>> import proa
        >>> x = proa.to_tensor(3)
        >>> branches = [(x < 2, lambda: x), (x < 5, lambda: x * 100)]
        >>> proa.static.nn.case(branches, default=lambda: x - x).item()
        300
    """
    pairs = _read_pairs("case", pred_fn_pairs)
    if default is None:
        default = pairs.pop()[1]
    _require_function("case", "default", default)
    chosen: Callable[[], Any] = default
    for condition, function in reversed(pairs):
        chosen = _either(condition, function, chosen)
    return chosen()


def _either(
    condition: Any, function: Callable[[], Any], otherwise: Callable[[], Any]
) -> Callable[[], Any]:
    return lambda: cond(condition, function, otherwise)


def _read_pairs(owner: str, pairs: Any) -> list[tuple[Any, Callable[[], Any]]]:
    if not isinstance(pairs, list | tuple):
        raise InvalidTypeError(
            f"{owner}: the branches are a {type(pairs).__name__}",
            expected="a list of pairs with a function each",
            fix="pass [(key, function), ...]",
        )
    if not pairs:
        raise InvalidArgumentError(
            f"{owner}: no branch is given", expected="at least one", fix="pass a branch"
        )
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InvalidTypeError(
                f"{owner}: a branch is {pair!r}"[:200],
                expected="a pair with a function",
                fix="pass [(key, function), ...]",
            )
        _require_function(owner, "a branch", pair[1])
    return [(key, function) for key, function in pairs]


def switch_case(
    branch_index: Any,
    branch_fns: Any,
    default: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """Runs the function of a number.

    Args:
        branch_index (Tensor | int): the number, one element of an integer dtype.
        branch_fns (dict | list): functions by number: a dict, a list of pairs, or a list of
            functions for 0, 1, ...
        default (Callable, optional): runs for any other number; the function of the
            largest number by default.
        name (str, optional): kept for Paddle's signature.

    Returns:
        What the chosen function returns.

    Raises:
        InvalidTypeError: not functions by number.
        InvalidArgumentError: no function, or two for one number.

    Examples:
        >>> import proa
        >>> which = proa.to_tensor(1)
        >>> branches = {0: lambda: proa.zeros([1]), 1: lambda: proa.ones([1])}
        >>> proa.static.nn.switch_case(which, branches).item()
        1.0
    """
    if isinstance(branch_fns, dict):
        branch_fns = list(branch_fns.items())
    if isinstance(branch_fns, list | tuple) and all(map(callable, branch_fns)):
        branch_fns = list(enumerate(branch_fns))
    pairs = sorted(_read_pairs("switch_case", branch_fns), key=lambda pair: pair[0])
    numbers = [number for number, _ in pairs]
    if len(set(numbers)) != len(numbers):
        raise InvalidArgumentError(
            f"switch_case: branches for {numbers}", expected="one per number", fix="drop one"
        )
    otherwise = default or pairs[-1][1]
    return case([(branch_index == number, function) for number, function in pairs], otherwise)
