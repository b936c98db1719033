"""What `for`, comprehensions and the builtins over iterables mean in converted code.

Tensors whose first size is not known yet, ranges of tensors and lists that grow in loops are
gone through by number, in a recorded loop; everything else is Python's.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from jax.core import max_dim, min_dim
from jax.errors import InconclusiveDimensionOperation

from proa.core import InvalidArgumentError, Tensor, is_dimension, to_tensor, user_location
from proa.ops import minimum, stack, where
from proa.ops import sum as sum_of
from proa.program import TensorList

from ._operators import and_, if_stmt, is_unknown, not_, or_, record_loop
from ._variables import Variables


class Rows:
    """Something gone through by number: its length is a size, a tensor or an integer.

    Args:
        length: how many items there are.
        item: gives the item of a number.
    """

    def __init__(self, length: Any, item: Callable[[Any], Any]) -> None:
        self.length, self.item = length, item

    @property
    def turns(self) -> Any:
        """The length, if it follows from shapes."""
        return None if isinstance(self.length, Tensor) else self.length


class TensorRange(Rows):
    """`range` of bounds that are not known yet."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start, self.stop, self.step = start, stop, step
        super().__init__(_length_of(start, stop, step), self._at)

    def _at(self, number: Any) -> Any:
        return _as_number(self.start) + number * self.step


def _length_of(start: Any, stop: Any, step: Any) -> Any:
    if is_unknown(step):
        ahead = where(step > 0, stop - start, start - stop)
        size: Any = step.abs()
    else:
        forward = step > 0
        ahead, size = (stop - start, step) if forward else (start - stop, -step)
    if any(map(is_unknown, (start, stop, step))):
        count = ahead if isinstance(size, int) and size == 1 else (ahead + size - 1) // size
        return where(count > 0, count, count * 0)
    return max_dim(ahead if size == 1 else (ahead + size - 1) // size, 0)


def range_(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """`range`, also of tensors and sizes."""
    if stop is None:
        start, stop = 0, start
    if any(is_unknown(v) or is_dimension(v) for v in (start, stop, step)):
        return TensorRange(start, stop, step)
    return range(*[int(v) if isinstance(v, Tensor) else v for v in (start, stop, step)])


def _is_long(value: Any) -> bool:
    """Whether the length of an iterable is not known yet."""
    if isinstance(value, Rows | TensorList):
        return True
    return is_unknown(value) and value.ndim > 0 and is_dimension(value.shape[0])


def _rows(value: Any) -> Rows:
    """Any iterable, by number."""
    if isinstance(value, Rows):
        return value
    if isinstance(value, TensorList):
        length = value.length if value.size is None else value.size
        return Rows(length, lambda i: value[i])
    if isinstance(value, Tensor):
        return Rows(value.shape[0], lambda i: value[i])  # type: ignore[index]
    if isinstance(value, range):
        return Rows(len(value), lambda i: value.start + i * value.step)
    items = list(value)
    if not items:
        return Rows(0, lambda i: None)
    if not all(isinstance(item, Tensor | int | float) for item in items):
        raise InvalidArgumentError(
            f"{type(value).__name__} of {type(items[0]).__name__} beside a tensor of unknown "
            f"length, at {user_location()}",
            expected="tensors or numbers of one shape and dtype",
            fix="give the InputSpec a fixed size, or loop over tensors only",
        )
    joined = stack([item if isinstance(item, Tensor) else to_tensor(item) for item in items])
    return Rows(len(items), lambda i: joined[i])


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    """`enumerate`."""
    if not _is_long(iterable) and not is_unknown(start):
        return enumerate(iterable, int(start))
    rows = _rows(iterable)
    return Rows(rows.length, lambda i: (i + start, rows.item(i)))


def zip_(*iterables: Any, strict: bool = False) -> Any:
    """`zip`; of several lengths the shortest counts."""
    if not any(map(_is_long, iterables)):
        return zip(*iterables, strict=strict)
    every = [_rows(each) for each in iterables]
    length = every[0].length
    for rows in every[1:]:
        length = _shorter(length, rows.length)
    return Rows(length, lambda i: tuple([rows.item(i) for rows in every]))


def _shorter(a: Any, b: Any) -> Any:
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return minimum(*[v if isinstance(v, Tensor) else to_tensor(v) for v in (a, b)])
    return a if str(a) == str(b) else min_dim(a, b)


def reversed_(sequence: Any) -> Any:
    """`reversed`."""
    if not _is_long(sequence):
        return reversed(sequence)
    rows = _rows(sequence)
    return Rows(rows.length, lambda i: rows.item(_as_number(rows.length) - 1 - i))


def get_item(value: Any, index: Any) -> Any:
    """`value[index]`; a list of tensors may be asked for an entry that is not known yet."""
    if isinstance(value, list | tuple) and value and is_unknown(index):
        return _rows(value).item(index)
    refuse_sizes_as_keys(value, [index])
    return value[index]


def refuse_sizes_as_keys(container: Any, keys: Iterable[Any]) -> None:
    """Raises where a dict or set is asked for a size that is not known yet."""
    if isinstance(container, dict | set | frozenset) and any(map(is_dimension, keys)):
        raise InconclusiveDimensionOperation(
            "an unknown size is a key of a dict or set: what it finds there depends on what "
            "it will be"
        )


def set_item(value: Any, index: Any, new: Any) -> Any:
    """`value[index] = new`; the entry that it is may not be known yet."""
    if not isinstance(value, list) or not is_unknown(index):
        value[index] = new
        return value
    for position, old in enumerate(value):
        chosen = (index == position) | (index == position - len(value))
        value[position] = where(chosen, new, old)
    return value


def len_(value: Any) -> Any:
    """`len`; a size that is not known yet stays one, that of a list that grows is a tensor."""
    if isinstance(value, TensorList):
        return value.length if value.size is None else value.size
    if isinstance(value, Rows):
        return value.length
    if isinstance(value, Tensor) and value.ndim and is_dimension(value.shape[0]):
        return value.shape[0]
    return len(value)


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
    if _is_long(iterated):
        _for_rows(_rows(iterated), extra_test, body, *state)
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


def _for_rows(
    rows: Rows,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], Any],
    set_state: Callable[[Any], None],
    names: Sequence[str],
) -> None:
    if isinstance(rows.length, int) and rows.length == 0:
        return
    counter: list[Any] = [to_tensor(0)]
    length = _as_number(rows.length)

    def get() -> tuple[Any, ...]:
        return (counter[0], *get_state())

    def set_(values: Any) -> None:
        counter[0] = values[0]
        set_state(tuple(values[1:]))

    def test() -> Any:
        inside = counter[0] < length
        return inside if extra_test is None else and_(lambda: inside, extra_test)

    def turn() -> None:
        number = counter[0]
        body(rows.item(number))
        counter[0] = number + 1

    variables = Variables(get, set_, ("the counter", *names), True)
    record_loop(test, turn, variables, rows.turns, extra_test is None)


def _as_number(value: Any) -> Any:
    return to_tensor(value) if is_dimension(value) else value


def list_of(iterable: Any, item: Callable[..., Any], test: Any, is_taken_apart: bool) -> Any:
    """`[item for x in iterable if test]`."""
    if not _is_long(iterable):
        return list(items_of(iterable, item, test, is_taken_apart))
    made: list[Any] = [[]]

    def body(x: Any) -> None:
        given = x if is_taken_apart else (x,)
        if test is None:
            made[0].append(item(*given))
            return
        if_stmt(
            test(*given), lambda: made[0].append(item(*given)), lambda: None, get, set_, names, 1
        )

    def get() -> tuple[Any, ...]:
        return (made[0],)

    def set_(values: Any) -> None:
        (made[0],) = values

    names = ("the list of a comprehension",)
    for_stmt(iterable, None, body, get, set_, names, None)
    return made[0]


def items_of(iterable: Any, item: Callable[..., Any], test: Any, is_taken_apart: bool) -> Any:
    """A generator over an iterable of known length."""
    if _is_long(iterable):
        return list_of(iterable, item, test, is_taken_apart)
    return _items(iterable, item, test, is_taken_apart)


def _items(iterable: Any, item: Any, test: Any, is_taken_apart: bool) -> Iterator[Any]:
    for x in iterable:
        given = x if is_taken_apart else (x,)
        if test is None or test(*given):
            yield item(*given)


def any_(iterable: Any) -> Any:
    """`any`: what follows one that holds is not looked at, where that is known."""
    return _joined(iterable, or_, False)


def all_(iterable: Any) -> Any:
    """`all`."""
    return _joined(iterable, and_, True)


def _joined(iterable: Any, join: Callable[..., Any], start: bool) -> Any:
    if _is_long(iterable):
        return _folded(iterable, join, start)
    result: Any = start
    for item in iterable:
        if not is_unknown(result) and not is_unknown(item):
            result = bool(item)
            if result is not start:
                return result
            continue
        result = join(lambda: result, lambda item=item: not_(not_(item)))  # noqa: B023
    return result


def _folded(iterable: Any, join: Callable[..., Any], start: bool) -> Any:
    result: list[Any] = [to_tensor(start)]

    def body(item: Any) -> None:
        before = result[0]
        result[0] = join(lambda: before, lambda: not_(not_(item)))

    def set_(values: Any) -> None:
        (result[0],) = values

    for_stmt(iterable, None, body, lambda: (result[0],), set_, ("the result",), None)
    return result[0]


def sum_(iterable: Any, start: Any = 0) -> Any:
    """`sum`."""
    if isinstance(iterable, TensorList):
        iterable = iterable.whole("sum()")
    if _is_long(iterable) and isinstance(iterable, Tensor):
        return start + sum_of(iterable, axis=0)
    return builtins.sum(iterable, start)


def max_(*values: Any, **options: Any) -> Any:
    """`max`; of tensors of the recording, the first of those that are largest."""
    return _extreme(builtins.max, lambda new, best: new > best, values, options)


def min_(*values: Any, **options: Any) -> Any:
    """`min`."""
    return _extreme(builtins.min, lambda new, best: new < best, values, options)


def _extreme(plain: Any, is_better: Any, values: Sequence[Any], options: Any) -> Any:
    items: Any = values[0] if len(values) == 1 else values
    if len(values) == 1 and _is_long(items):
        found: Any = items.whole("max()") if isinstance(items, TensorList) else items
        return found.max(axis=0) if plain is builtins.max else found.min(axis=0)
    if len(values) == 1 and not isinstance(items, Sequence):
        items = list(items)
    if options or not any(map(is_unknown, items)):
        return plain(items, **options)
    best: Any = items[0] if isinstance(items[0], Tensor) else to_tensor(items[0])
    for item in items[1:]:
        new: Any = item if isinstance(item, Tensor) else to_tensor(item)
        if new.dtype != best.dtype:
            dtype = (new + best).dtype
            new, best = new.astype(dtype), best.astype(dtype)
        best = where(is_better(new, best), new, best)
    return best
