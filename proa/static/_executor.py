"""Running static Programs: feeds in, fetches out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    as_dtype,
    describe_array,
    new_tensor,
    run_eagerly,
    told_plainly,
)
from proa.jit._entry import TENSOR_LEAF, Entry
from proa.program import Value, has_effect

from ._program import Program, default_main_program
from ._rows import with_offsets
from ._scope import global_scope

_MAX_RUNS = 32


class _NoPython:
    """A Program depends on no Python values."""

    def changed(self) -> None:
        """Nothing has changed."""


class CompiledProgram:
    """A Program to run compiled; every Program does, so this only holds one.

    Args:
        program_or_graph (Program): the Program.
        build_strategy (BuildStrategy, optional): kept for Paddle's signature.

    Raises:
        InvalidTypeError: no Program.
    """

    def __init__(self, program_or_graph: Any, build_strategy: Any = None) -> None:
        if not isinstance(program_or_graph, Program | Runnable):
            raise InvalidTypeError(
                f"CompiledProgram of a {type(program_or_graph).__name__}",
                expected="a static Program",
                fix="pass the Program that was built under program_guard",
            )
        self.program = program_or_graph


class Runnable:
    """What an Executor runs besides Programs: something with named inputs."""

    def run(self, feed: Mapping[str, Any], fetch_list: Sequence[Any]) -> list[Tensor]:
        """Returns the fetched tensors."""
        raise NotImplementedError


class Executor:
    """Runs Programs, compiled whole, once per combination of feeds and fetches.

    Args:
        place (Place, optional): kept for Paddle's signature; tensors decide where they are.

    Examples:
        >>> import proa
        >>> main = proa.static.Program()
        >>> with proa.static.program_guard(main):
        ...     x = proa.static.data("x", [None, 1])
        ...     loss = (proa.static.nn.fc(x, 1) - 3.0).square().mean()
        ...     _ = proa.optimizer.Adam(0.1).minimize(loss)
        >>> run = proa.static.Executor().run
        >>> losses = [run(main, feed={"x": [[1.0]]}, fetch_list=[loss])[0] for _ in range(99)]
        >>> bool(losses[-1] < losses[0])
        True
    """

    def __init__(self, place: Any = None) -> None:
        self.place = place

    def run(
        self,
        program: Any = None,
        feed: Any = None,
        fetch_list: Any = None,
        feed_var_name: str = "feed",
        fetch_var_name: str = "fetch",
        scope: Any = None,
        return_numpy: bool = True,
        use_program_cache: bool = False,
        use_prune: bool = False,
    ) -> list[Any]:
        """Runs a Program once: its updates happen, and the fetched tensors come back.

        Args:
            program (Program, optional): by default the default main Program.
            feed (dict, optional): arrays or tensors by the names of the inputs. Only those
                that the fetched tensors and updates depend on are needed. A computed tensor
                that has a name may be given as well: then it is not computed.
            fetch_list (list, optional): tensors of the Program, or their names.
            feed_var_name (str): kept for Paddle's signature.
            fetch_var_name (str): kept for Paddle's signature.
            scope (Scope, optional): where the Program's tensors are found by name from now
                on; the global scope by default. Tensors keep their own values.
            return_numpy (bool): give NumPy arrays instead of Tensors.
            use_program_cache (bool): kept for Paddle's signature; runs are always cached.
            use_prune (bool): kept for Paddle's signature; what nobody needs never runs.

        Returns:
            list: one value per entry of `fetch_list`.

        Raises:
            InvalidTypeError: no Program, or a feed that is no dict.
            InvalidArgumentError: a feed is missing, unknown, or of another shape.
        """
        chosen = default_main_program() if program is None else program
        if isinstance(chosen, CompiledProgram):
            chosen = chosen.program
        feed = with_offsets(_read_feed(feed), getattr(chosen, "_named", ()))
        fetches = (
            list(fetch_list)
            if isinstance(fetch_list, list | tuple)
            else ([] if fetch_list is None else [fetch_list])
        )
        if isinstance(chosen, Runnable):
            with run_eagerly():
                found = chosen.run(feed, fetches)
        elif isinstance(chosen, Program):
            (scope or global_scope()).take(chosen)
            found = run_program(chosen, feed, fetches)
        else:
            raise InvalidTypeError(
                f"Executor.run of a {type(chosen).__name__}",
                expected="a static Program",
                fix="pass the Program that was built under program_guard",
            )
        return [t.numpy() for t in found] if return_numpy else found

    def close(self) -> None:
        """Gives nothing back: Programs keep what was compiled for them."""


def _read_feed(feed: Any) -> Mapping[str, Any]:
    if isinstance(feed, list | tuple) and len(feed) == 1:
        feed = feed[0]
    if feed is not None and not isinstance(feed, Mapping):
        raise InvalidTypeError(
            f"`feed` is a {type(feed).__name__}",
            expected="a dict of arrays by the names of inputs",
            fix="write feed={'x': array}",
        )
    return feed or {}


def run_program(program: Program, feed: Mapping[str, Any], fetches: Sequence[Any]) -> list[Tensor]:
    """Runs a Program on arrays by name; returns tensors."""
    recorder = program._recorder
    fed = [_computed(program, name) for name in feed if name not in program._named]
    tensors = [program.var(f) if isinstance(f, str) else _require_tensor(f) for f in fetches]
    with run_eagerly():
        ids = tuple(map(id, tensors)), tuple(map(id, fed))
        key = (len(recorder.calls), len(recorder._writes), *ids)
        entry = program._runs.get(key)
        if entry is None:
            found, state = recorder.snapshot(tensors, fed=fed)
            structure = jax.tree_util.tree_structure([0] * len(tensors))
            # The tensors are kept, so that their ids stay theirs.
            result = (structure, [TENSOR_LEAF] * len(tensors))
            built = Entry(found, state, None, result, _NoPython(), "program")
            entry = (built, tensors, fed, any(map(has_effect, found.calls)))
            if len(program._runs) >= _MAX_RUNS:
                program._runs.pop(next(iter(program._runs)))
            program._runs[key] = entry
        recorder.require_unchanged()
        ready = entry[0]
        given = [_fed(value, feed) for value in ready.program.inputs]
        with told_plainly():
            try:
                result = ready.run(given)
            except TypeError as error:
                raise _misfit(error, given) from error
            if entry[3]:
                # What is printed stands there when the run is over.
                jax.effects_barrier()
        return result


def _misfit(error: TypeError, given: Sequence[Tensor]) -> InvalidArgumentError:
    """What JAX says of rows of sequences that were thought to be equally many."""
    return InvalidArgumentError(
        f"feeds {', '.join(describe_array(t._data) for t in given)}: {error}",
        expected="equally many rows in inputs that are combined row by row",
        fix="feed sequences of equal lengths, or pool each input first",
    )


def _computed(program: Program, name: str) -> Tensor:
    """Returns the computed tensor that a feed is to stand for."""
    found = program._find(name)
    if found is None or found.persistable:
        raise InvalidArgumentError(
            f"`feed` has {name!r}",
            expected=f"inputs of the Program: {', '.join(program._named) or 'it has none'}",
            fix="use the name that static.data was given, or the name of a computed tensor",
        )
    return found


def _require_tensor(fetch: Any) -> Tensor:
    if not isinstance(fetch, Tensor):
        raise InvalidTypeError(
            f"`fetch_list` has a {type(fetch).__name__}",
            expected="tensors of the Program, or names",
            fix="pass what the Program's code returned",
        )
    return fetch


def _fed(value: Value, feed: Mapping[str, Any]) -> Tensor:
    """Returns the tensor that is fed for an input, cast to its dtype."""
    if value.name not in feed:
        raise InvalidArgumentError(
            f"`feed` has no {value.name!r}",
            expected=f"an array for {value}",
            fix="feed what create_lod_tensor gives as " + value.name.partition("@LOD")[0]
            if "@LOD" in value.name
            else "add it; what is fetched or updated depends on it",
        )
    given = feed[value.name]
    array = given._data if isinstance(given, Tensor) else np.asarray(given)
    wrong = len(array.shape) != len(value.shape) or any(
        isinstance(wanted, int) and wanted != extent
        for wanted, extent in zip(value.shape, array.shape, strict=False)
    )
    if wrong:
        raise InvalidArgumentError(
            f"`feed` of {value.name!r} is {describe_array(array)}",
            expected=repr(value),
            fix="reshape the array, or build the Program with None for sizes that change",
        )
    if array.dtype != value.dtype:
        if np.dtype(array.dtype).kind == "f" and np.dtype(value.dtype).kind in "iub":
            raise InvalidArgumentError(
                f"`feed` of {value.name!r} is {describe_array(array)}",
                expected=repr(value),
                fix=f"cast it: array.astype({as_dtype(value.dtype).name!r})",
            )
        array = array.astype(value.dtype)
    return new_tensor(jax.device_put(array))
