"""Programs that are built op by op and run by an Executor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    Tensor,
    context,
    default_dtype,
    run_eagerly,
    seed,
)
from proa.program import LOOSE_SIZES, InputSpec, format_program, make_dimension
from proa.program import Program as Calls
from proa.utils import unique_name

from ._evaluation import for_evaluation
from ._recorder import OpenRecorder
from ._rows import offsets_name

#: What a tensor is called in a Program that is being built.
Variable = Tensor


class Program:
    """A graph of op calls: what runs under its `program_guard` is recorded, not computed.

    Examples:
        >>> import proa
        >>> program = proa.static.Program()
        >>> with proa.static.program_guard(program):
        ...     x = proa.static.data("x", [None, 2])
        ...     y = x * 2
        >>> executor = proa.static.Executor()
        >>> executor.run(program, feed={"x": [[1.0, 2.0]]}, fetch_list=[y])[0].tolist()
        [[2.0, 4.0]]
    """

    def __init__(self) -> None:
        self._recorder = OpenRecorder()
        self._named: dict[str, Tensor] = {}
        self._specs: dict[str, InputSpec] = {}
        self._seed = 0
        #: Compiled runs, by what was fetched from which state of the Program.
        self._runs: dict[Any, Any] = {}
        self._is_test = False

    def clone(self, for_test: bool = False) -> Program:
        """Returns a Program with the same calls and tensors.

        Args:
            for_test: drops what training alone does: dropout keeps everything,
                normalisation takes its running statistics, and nothing is written.
                Clone before the optimizer's `minimize`.
        """
        made = Program()
        made._named, made._specs = dict(self._named), dict(self._specs)
        made.random_seed = self.random_seed
        with run_eagerly():
            made._recorder = self._recorder.copy()
            if for_test:
                made._is_test = True
                for_evaluation(made._recorder)
        return made

    @property
    def random_seed(self) -> int:
        """What seeds first values and dropout; set, it seeds the one generator at once."""
        return self._seed

    @random_seed.setter
    def random_seed(self, value: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise InvalidTypeError(
                f"`random_seed` is {value!r}", expected="an integer", fix="write random_seed = 1"
            )
        self._seed = value
        if value:
            with run_eagerly():
                seed(value)

    def global_block(self) -> Program:
        """Returns the Program itself: it has one block; branches and loops are ops."""
        return self

    def block(self, index: int) -> Program:
        """Returns the Program itself, its only block.

        Raises:
            InvalidArgumentError: `index` is not 0.
        """
        if index:
            raise InvalidArgumentError(
                f"block {index} of a Program",
                expected="block 0; branches and loops are ops with Programs of their own",
                fix="use program.global_block()",
            )
        return self

    def current_block(self) -> Program:
        """Returns the Program itself, its only block."""
        return self

    @property
    def num_blocks(self) -> int:
        """How many blocks there are: one."""
        return 1

    @property
    def ops(self) -> list[Any]:
        """The op calls, in their order."""
        return list(self._recorder.calls)

    def var(self, name: str) -> Tensor:
        """Returns an input, a persistable tensor, or one that was computed, by its name.

        A computed tensor has a name once it was given one, or was asked for it.

        Raises:
            InvalidArgumentError: the Program has none of that name.
        """
        found = self._find(name)
        if found is None:
            known = [*self.vars]
            raise InvalidArgumentError(
                f"a Program has no variable {name!r}",
                expected=f"one of {', '.join(known[:12]) or 'none: the Program is empty'}",
                fix="use the tensor itself, or the name that static.data was given",
            )
        return found

    def _find(self, name: str) -> Tensor | None:
        found = self._named.get(name)
        return self._recorder.find(name) if found is None else found

    def has_var(self, name: str) -> bool:
        """Whether there is a tensor of a name."""
        return self._find(name) is not None

    @property
    def vars(self) -> dict[str, Tensor]:
        """Inputs, persistable tensors and computed ones that have a name, by name."""
        return {**self._recorder.named, **self._named, **self._recorder.persistables()}

    def create_var(
        self, name: str | None = None, shape: Any = (), dtype: Any = None, **kwargs: Any
    ) -> Tensor:
        """Makes a variable without a value, which an op is to write to, such as `py_func`.

        Args:
            name: its name.
            shape: sizes; `None` or -1 for an unknown one.
            dtype: the default dtype when it is `None`.
            kwargs: `persistable`; what else Paddle takes changes nothing.
        """
        spec = InputSpec(shape, default_dtype() if dtype is None else dtype, name)
        label = unique_name.generate("_generated_var") if name is None else name
        dimensions = spec.dimensions(len(self._recorder.unwritten))
        made = self._recorder.add_unwritten(dimensions, spec.dtype.numpy, label)
        made.persistable = bool(kwargs.get("persistable", False))
        return made

    def list_vars(self) -> Iterator[Tensor]:
        """Gives the inputs and all persistable tensors."""
        yield from self._named.values()
        yield from self._recorder.persistables().values()

    def all_parameters(self) -> list[Tensor]:
        """Returns the trainable tensors that the Program reads."""
        return self._recorder.parameters()

    def state_dict(self, mode: str = "all", scope: Any = None) -> dict[str, Tensor]:
        """Returns persistable tensors by name.

        Args:
            mode: `param`: the trainable ones; `opt`: the others; `all`.
            scope: kept for Paddle's signature.

        Raises:
            InvalidArgumentError: another mode.
        """
        if mode not in ("all", "param", "opt"):
            raise InvalidArgumentError(
                f"`mode` is {mode!r}", expected="'all', 'param' or 'opt'", fix="use 'all'"
            )
        trainable = {id(t) for t in self.all_parameters()}
        held = self._recorder.persistables()
        return {
            name: t
            for name, t in held.items()
            if mode == "all" or (id(t) in trainable) == (mode == "param")
        }

    def set_state_dict(self, state_dict: Any, scope: Any = None) -> None:
        """Gives persistable tensors values by name; names that are not there are left out.

        Args:
            state_dict: arrays or tensors by name.
            scope: kept for Paddle's signature.
        """
        held = self._recorder.persistables()
        with run_eagerly():
            for name, value in state_dict.items():
                if name in held:
                    held[name].set_value(value)  # type: ignore[attr-defined]

    def to_string(self, throw_on_error: bool = False, with_details: bool = False) -> str:
        """Returns the calls as text, one a line.

        Args:
            throw_on_error: kept for Paddle's signature.
            with_details: adds where in the user's code each call stands.
        """
        recorder = self._recorder
        captured = [value for _, _, value in recorder._captured.values()]
        shown = Calls(recorder.inputs, captured, recorder.constants, recorder.calls)
        return format_program(shown, where=with_details, weights="parameters and state")

    def __str__(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        return f"<static Program of {len(self._recorder.calls)} op calls>"


_main, _startup = [Program()], [Program()]
_is_static = [False]


def default_main_program() -> Program:
    """Returns the Program that ops are recorded into now.

    Examples:
        >>> import proa
        >>> with proa.static.program_guard(proa.static.Program()):
        ...     proa.static.default_main_program()
        <static Program of 0 op calls>
    """
    return _main[-1]


def default_startup_program() -> Program:
    """Returns the Program of first values; it is empty, since parameters have them when made."""
    return _startup[-1]


def _require_program(what: str, value: Any) -> None:
    if not isinstance(value, Program):
        raise InvalidTypeError(
            f"{what} is a {type(value).__name__}",
            expected="a static Program",
            fix="make one with proa.static.Program()",
        )


@contextmanager
def program_guard(main_program: Program, startup_program: Program | None = None) -> Iterator[None]:
    """Records ops inside into a Program.

    Args:
        main_program (Program): the Program.
        startup_program (Program, optional): kept for Paddle's code: parameters have their
            first values when they are made.

    Raises:
        InvalidTypeError: one of them is no Program.

    Examples:
        >>> import proa
        >>> main = proa.static.Program()
        >>> with proa.static.program_guard(main):
        ...     x = proa.static.data("x", [3])
        ...     y = x + 1
        >>> len(main.ops)
        1
    """
    _require_program("`main_program` of program_guard", main_program)
    if startup_program is not None:
        _require_program("`startup_program` of program_guard", startup_program)
    with run_eagerly(), _entered(main_program, startup_program):
        yield


@contextmanager
def _entered(main_program: Program, startup_program: Program | None) -> Iterator[None]:
    _main.append(main_program)
    _startup.append(startup_program or _startup[-1])
    try:
        with main_program._recorder.entered():
            yield
    finally:
        _main.pop()
        _startup.pop()


def switch_static(on: bool) -> None:
    """Records ops into the default Program from now on, or stops doing so."""
    if on == _is_static[0]:
        return
    recorder = _main[0]._recorder
    _is_static[0] = on
    if on:
        recorder.enter()
        context.recorder = recorder
    else:
        context.recorder = None
        recorder.leave()


def data(name: str, shape: Sequence[Any], dtype: Any = None, lod_level: int = 0) -> Tensor:
    """Makes an input of the Program that is being built.

    Args:
        name (str): what it is fed by.
        shape (list | tuple): sizes; `None` or -1 for an unknown one.
        dtype (str | dtype, optional): the default dtype when it is `None`.
        lod_level (int): how many levels divide the rows into sequences of variable length; then
            it is fed what `create_lod_tensor` gives.

    Returns:
        Tensor: the input. One of that name, sizes and dtype that is there already is the same
        input. With other sizes or another dtype it is a second one of that name; what is fed
        goes to each of them that a run needs, and has to fit it.

    Raises:
        InvalidArgumentError: no Program is being built.

    Examples:
        >>> import proa
        >>> with proa.static.program_guard(proa.static.Program()):
        ...     proa.static.data("image", [None, 784]).name
        'image'
    """
    recorder = context.recorder
    if recorder is None or not recorder.is_explicit:
        raise InvalidArgumentError(
            f"static.data({name!r}) outside of a static Program",
            expected="a Program that is being built",
            fix="call paddle.enable_static() first, or use `with static.program_guard(program)`",
        )
    program = _main[-1]
    spec = InputSpec(shape, default_dtype() if dtype is None else dtype, name)
    if program._specs.get(name) == spec:
        return program._named[name]
    if lod_level and spec.shape[:1] == (-1,):
        spec = InputSpec([LOOSE_SIZES[0], *spec.shape[1:]], spec.dtype, name)
    made = recorder.add_input(spec.dimensions(len(program._named)), spec.dtype.numpy, name)
    made.name = name
    program._named[name], program._specs[name] = made, spec
    if lod_level:
        recorder.rows[made._data] = [_offsets_of(program, name, i) for i in range(lod_level)]
    return made


def _offsets_of(program: Program, name: str, level: int) -> Tensor:
    """The input with the offsets of a level: one more than the sequences, on level 0 the batch."""
    label, count = offsets_name(name, level), "batch + 1" if level == 0 else f"{LOOSE_SIZES[1]} + 1"
    made = program._recorder.add_input([make_dimension(count)], "int64", label)
    made.name = label
    program._named[label] = made
    return made
