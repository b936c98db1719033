"""Passes: pure functions from Program to Program, by name, each checked and reported on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from proa.core import InvalidArgumentError, ProgramError, UnknownNameError

from .._cost import Cost, cost, default_sizes
from .._program import Program, Value
from .._verify import verify
from ._inside import descending
from ._rewrite import Notes

#: What a pass's function is: from a Program (and options) to a Program, and what was done.
Function = Callable[..., tuple[Program, Notes]]


@dataclass(frozen=True)
class Pass:
    """A registered pass.

    Attributes:
        name: what it is called by.
        function: `fn(program, **options) -> (program, notes)`; it leaves its argument alone.
        summary: what it does, in one line.
    """

    name: str
    function: Function
    summary: str

    def __call__(self, program: Program, **options: Any) -> Program:
        """Returns the rewritten Program; `apply_passes` also checks and reports."""
        return self.function(program, **options)[0]


_PASSES: dict[str, Pass] = {}

#: Lists of passes by name: `clean` fits any Program, `inference` one whose weights are bound.
PIPELINES: dict[str, tuple[str, ...]] = {
    "clean": (
        *("constant_folding", "identity_and_dropout_removal"),
        *("common_subexpressions", "dead_code"),
    ),
    "inference": (
        *("constant_folding", "identity_and_dropout_removal", "common_subexpressions"),
        *("conv_batch_norm_folding", "fuse_layer_norm", "fuse_attention"),
        *("constant_folding", "identity_and_dropout_removal"),
        *("common_subexpressions", "dead_code"),
    ),
}


def register_pass(name: str, *, inside: str = "all") -> Callable[[Function], Function]:
    """Enters a pass; the first line of its docstring says what it does.

    A pass is written for one Program. Where it is called it also rewrites the Programs in
    branches, loops and regions, and sees as constants there what is constant outside.

    Args:
        name: what it is called by.
        inside: where it goes: `"all"`, `"control flow"` (not into regions) or `"nowhere"`.

    Raises:
        InvalidArgumentError: the name is taken.

    Examples:
        >>> from proa.program import passes
        >>> @passes.register_pass("leave_alone")
        ... def leave_alone(program):
        ...     '''Changes nothing.'''
        ...     return program, {}
        >>> passes.get_pass("leave_alone").summary
        'Changes nothing.'
    """
    if name in _PASSES or name in PIPELINES:
        raise InvalidArgumentError(
            f"a pass {name!r} is registered twice",
            expected="one pass per name",
            fix="give one of them another name",
        )

    def enter(function: Function) -> Function:
        summary = (function.__doc__ or name).strip().splitlines()[0]
        if inside != "nowhere":
            function = descending(function, regions=inside == "all")
        _PASSES[name] = Pass(name, function, summary)
        return function

    return enter


def get_pass(name: str) -> Pass:
    """Returns a pass by its name.

    Raises:
        UnknownNameError: there is none.
    """
    found = _PASSES.get(name)
    if found is None:
        raise UnknownNameError(
            f"there is no pass {name!r}",
            expected="one of " + ", ".join([*all_passes(), *PIPELINES]),
            fix="check the spelling, or register it with register_pass",
        )
    return found


def all_passes() -> list[str]:
    """Returns the names of all passes."""
    return sorted(_PASSES)


@dataclass(frozen=True)
class Step:
    """What one pass did.

    Attributes:
        name: the pass.
        before: cost of the Program it was given.
        after: cost of the Program it gave.
        notes: how often it did what.
        seconds: how long it took, the check included.
        difference: largest difference of an output on the samples, relative to the largest
            value of that output; `None` without samples.
    """

    name: str
    before: Cost
    after: Cost
    notes: Notes
    seconds: float
    difference: float | None = None


@dataclass
class PassReport:
    """What some passes did to a Program.

    Attributes:
        steps: one per pass, in order.
        sizes: the sizes of unknown dimensions that costs are stated for.
    """

    steps: list[Step] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """Whether any pass did anything."""
        return any(step.notes for step in self.steps)

    def rows(self) -> list[tuple[str, ...]]:
        """Returns the table's cells: name, ops, FLOPs, bytes, time, difference, what was done."""
        rows = []
        for step in self.steps:
            pairs = [
                _change(getattr(step.before, kind), getattr(step.after, kind))
                for kind in ("ops", "flops", "bytes")
            ]
            done = "; ".join(f"{what} x{times}" for what, times in step.notes.items())
            shown = "" if step.difference is None else f"{step.difference:.1e}"
            rows.append((step.name, *pairs, f"{step.seconds * 1e3:.0f} ms", shown, done or "-"))
        return rows

    def table(self) -> str:
        """Returns the report as text."""
        head = ("pass", "ops", "FLOPs", "bytes", "time", "difference", "what it did")
        rows = [head, *self.rows()]
        if all(step.difference is None for step in self.steps):
            rows = [(*row[:5], *row[6:]) for row in rows]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
        lines = ["  ".join([*map(str.ljust, row[:-1], widths), row[-1]]).rstrip() for row in rows]
        if self.sizes:
            sizes = ", ".join(f"{name} = {size}" for name, size in self.sizes.items())
            lines.append(f"FLOPs and bytes for {sizes}")
        return "\n".join(lines)

    __str__ = table


def short_number(number: float) -> str:
    """Prints a count with three digits: `1.23 M`."""
    for limit, unit in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= limit:
            return f"{number / limit:.3g} {unit}"
    return f"{number:.0f}"


def _change(before: int, after: int) -> str:
    if before == after:
        return short_number(after)
    return f"{short_number(before)} -> {short_number(after)}"


def _resolve(passes: Any) -> list[tuple[Pass, dict[str, Any]]]:
    if isinstance(passes, str | Pass):
        passes = [passes]
    found = []
    for entry in passes:
        if isinstance(entry, str) and entry in PIPELINES:
            found += _resolve(PIPELINES[entry])
            continue
        one, options = entry if isinstance(entry, tuple) else (entry, {})
        found.append((one if isinstance(one, Pass) else get_pass(one), dict(options)))
    return found


def apply_passes(
    program: Program,
    passes: Any = "inference",
    *,
    samples: Sequence[Sequence[Any]] | None = None,
    sizes: Mapping[str, int] | None = None,
    trace: bool = True,
) -> tuple[Program, PassReport]:
    """Applies passes one after the other, and checks the Program after each.

    Args:
        program: the Program; it stays as it is.
        passes: name of a pipeline or of a pass, or a list of them: names, `Pass`es, or
            pairs of a pass and its options.
        samples: lists of arrays, one per input and capture, to compare outputs on.
        sizes: of unknown dimensions, for FLOPs and bytes; see `cost`.
        trace: whether the check compares shapes with what each op gives.

    Returns:
        The new Program, and a report.

    Raises:
        UnknownNameError: no such pass.
        ProgramError: a pass broke the Program; it is named.

    Examples:
        >>> import numpy as np
        >>> import proa
        >>> from proa.program import recording
        >>> from proa.program.passes import apply_passes
        >>> with recording() as recorder:
        ...     x = recorder.add_input([2, 3], np.float32, "x")
        ...     y = proa.transpose(proa.transpose(x, [1, 0]), [1, 0]) + proa.exp(x)
        ...     program, _ = recorder.finish([y + proa.exp(x)])
        >>> better, report = apply_passes(program, "clean")
        >>> len(program.calls), len(better.calls)
        (6, 3)
        >>> report.steps[1].notes
        {'transposes that undo each other': 1}
    """
    held = dict(sizes or {})
    held = {**default_sizes(program), **held}
    report = PassReport(sizes={n: held[n] for n in sorted(held)})
    before = cost(program, held)
    expected = _outputs(program, samples)
    for each, options in _resolve(passes):
        start = time.perf_counter()
        made, notes = each.function(program, **options)
        _check(each, program, made, trace)
        seconds = time.perf_counter() - start
        after = before if made is program else cost(made, held)
        got = expected if made is program else _outputs(made, samples)
        difference = None if samples is None else largest(got, expected)
        report.steps.append(Step(each.name, before, after, notes, seconds, difference))
        program, before = made, after
    return program, report


def _check(one: Pass, before: Program, after: Program, trace: bool) -> None:
    if after is before:
        return
    try:
        verify(after, trace=trace)
    except ProgramError as error:
        raise ProgramError(
            f"pass {one.name!r} broke the Program: {error}",
            expected="a Program that keeps the grammar",
            fix="leave this pass out, and report it",
        ) from error
    for what, old, new in (
        ("inputs", before.inputs, after.inputs),
        ("captures", before.captures, after.captures),
    ):
        if old != new:
            raise _broke(one, f"its {what} are {new}", f"the same {what}: {old}")
    shapes = [[(v.shape, v.dtype) for v in p.outputs] for p in (before, after)]
    if shapes[0] != shapes[1]:
        raise _broke(one, f"its outputs are {shapes[1]}", f"outputs as before: {shapes[0]}")


def _broke(one: Pass, what: str, expected: str) -> ProgramError:
    return ProgramError(
        f"pass {one.name!r} broke the Program: {what}"[:600],
        expected=expected[:600],
        fix="leave this pass out, and report it",
    )


def _outputs(program: Program, samples: Any) -> list[list[np.ndarray]]:
    if samples is None:
        return []
    # Weights that were bound are arguments here, so that XLA does not compute with them.
    constants: list[Value] = list(program.constants)
    open_program = Program(
        program.inputs, [*program.captures, *constants], {}, program.calls, program.outputs
    )
    run = jax.jit(open_program.function())
    arrays = [program.constants[v] for v in constants]
    return [[np.asarray(o) for o in run(*sample, *arrays)] for sample in samples]


def largest(got: Sequence[Any], expected: Sequence[Any]) -> float:
    """Returns the largest difference of outputs, relative to the largest value of each."""
    worst = 0.0
    for ours, theirs in zip(got, expected, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            if not a.size:
                continue
            wide = np.complex128 if np.iscomplexobj(b) else np.float64
            x, y = a.astype(wide), b.astype(wide)
            with np.errstate(invalid="ignore"):
                apart = np.abs(x - y)
            apart[(x == y) | (np.isnan(x) & np.isnan(y))] = 0.0
            finite = np.abs(y[np.isfinite(y)])
            scale = max(float(finite.max()) if finite.size else 0.0, 1e-30)
            worst = max(worst, float(np.nan_to_num(apart, nan=np.inf).max()) / scale)
    return worst
