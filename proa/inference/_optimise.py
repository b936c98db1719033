"""Passes over an artifact before it runs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from proa.core import InvalidArgumentError, UnknownNameError
from proa.formats import Artifact
from proa.jit import Pipeline
from proa.program import Program
from proa.program.passes import (
    PIPELINES,
    PassReport,
    all_passes,
    apply_passes,
    bind,
    lift_constants,
)

#: What Paddle calls what a pass here does too.
_PADDLE_NAMES = {
    **dict.fromkeys(
        (
            *("conv_bn_fuse_pass", "conv_eltwiseadd_bn_fuse_pass", "conv_transpose_bn_fuse_pass"),
            *("conv_transpose_eltwiseadd_bn_fuse_pass", "conv_affine_channel_fuse_pass"),
            *("fc_fuse_pass", "matmul_scale_fuse_pass", "matmul_v2_scale_fuse_pass"),
        ),
        "conv_batch_norm_folding",
    ),
    **dict.fromkeys(
        ("simplify_with_basic_ops_pass", "is_test_pass", "delete_dropout_op_x_pass"),
        "identity_and_dropout_removal",
    ),
    **dict.fromkeys(("layer_norm_fuse_pass", "skip_layernorm_fuse_pass"), "fuse_layer_norm"),
    **dict.fromkeys(
        ("multihead_matmul_fuse_pass", "multihead_matmul_fuse_pass_v2"), "fuse_attention"
    ),
    **dict.fromkeys(
        ("conv_elementwise_add_act_fuse_pass", "repeated_fc_relu_fuse_pass"),
        "fuse_bias_activation",
    ),
    "constant_folding_pass": "constant_folding",
    "dead_code_elimination_pass": "dead_code",
    "common_subexpression_elimination_pass": "common_subexpressions",
}

#: What follows the other passes where the channels stand last.
_CHANNELS_LAST = ("layout_nhwc", "constant_folding", "identity_and_dropout_removal")
#: Times that differ less than this are taken as equal.
_WORTH = 0.97


def optimise(
    artifact: Artifact,
    passes: Any = None,
    *,
    samples: Sequence[Sequence[Any]] | None = None,
) -> tuple[Artifact, dict[str, PassReport]]:
    """Applies passes to all Programs of an artifact, whose weights they may compute with.

    Args:
        artifact: the artifact; it stays as it is, and untouched weights are shared with it.
        passes: as for `apply_passes`; those of the inference pipeline by default.
        samples: lists of input arrays of the main Program, on which each pass's largest
            difference is measured.

    Returns:
        An artifact with the same inputs, outputs and golden samples, and a report per role.

    Raises:
        UnknownNameError: no such pass.
        ProgramError: a pass broke a Program.
    """
    chosen = PIPELINES["inference"] if passes is None else passes
    programs: dict[str, Program] = {}
    captures: dict[str, list[str]] = {}
    weights: dict[str, np.ndarray] = {}
    reports: dict[str, PassReport] = {}
    known = {id(array): name for name, array in artifact.weights.items()}
    for role, program in artifact.programs.items():
        names = artifact.manifest["captures"][role]
        bound = bind(program, [artifact.weights[name] for name in names])
        given = samples if role == "main" else None
        bound, reports[role] = apply_passes(bound, chosen, samples=given)
        programs[role], arrays = lift_constants(bound)
        captures[role] = []
        for value, array in zip(programs[role].captures, arrays.values(), strict=True):
            name = known.get(id(array))
            if name is None:
                name = _distinct(value.name, {*weights, *artifact.weights})
            known[id(array)] = value.name = name
            weights[name] = array
            captures[role].append(name)
    manifest = {**artifact.manifest, "captures": captures}
    manifest["passes"] = {role: _record(report) for role, report in reports.items()}
    return Artifact(programs, weights, artifact.golden, manifest), reports


def _distinct(name: str, taken: set[str]) -> str:
    made, number = name, 0
    while made in taken:
        number += 1
        made = f"{name}_{number}"
    return made


def _record(report: PassReport) -> list[dict[str, Any]]:
    return [{"name": step.name, "did": step.notes} for step in report.steps]


class PassBuilder:
    """The list of passes that a predictor applies to its model; Paddle's names are understood.

    Args:
        passes: names to begin with; the inference pipeline by default.

    Examples:
        >>> from proa.inference import PassBuilder
        >>> builder = PassBuilder()
        >>> builder.delete_pass("conv_bn_fuse_pass")
        >>> "conv_batch_norm_folding" in builder.all_passes()
        False
    """

    def __init__(self, passes: Sequence[str] | None = None) -> None:
        self._passes: list[str] = []
        self._debug = False
        #: What was asked for and had nothing to do, in words.
        self.notes: dict[str, str] = {}
        self.set_passes(PIPELINES["inference"] if passes is None else passes)

    def all_passes(self) -> list[str]:
        """Returns the names of the passes, in the order in which they run."""
        return list(self._passes)

    def set_passes(self, passes: Sequence[str]) -> None:
        """Replaces the list.

        Raises:
            UnknownNameError: no such pass.
        """
        self._passes = [self._known(name) for name in passes]

    def append_pass(self, pass_type: str) -> None:
        """Adds a pass at the end.

        Raises:
            UnknownNameError: no such pass.
        """
        self._passes.append(self._known(pass_type))

    def insert_pass(self, idx: int, pass_type: str) -> None:
        """Adds a pass at a place in the list.

        Args:
            idx: the place, counted from 0.
            pass_type: its name.

        Raises:
            InvalidArgumentError: no such place.
            UnknownNameError: no such pass.
        """
        if not 0 <= idx <= len(self._passes):
            raise InvalidArgumentError(
                f"`idx` of insert_pass is {idx} with {len(self._passes)} passes",
                expected=f"a place from 0 to {len(self._passes)}",
                fix="look at all_passes()",
            )
        self._passes.insert(idx, self._known(pass_type))

    def delete_pass(self, pass_type: str | int) -> None:
        """Takes a pass off the list, wherever it stands.

        A pass that does not run here anyway is noted in `notes` and asks for nothing more.

        Args:
            pass_type: its name, or its place.

        Raises:
            InvalidArgumentError: no such place.
        """
        if isinstance(pass_type, int):
            if not 0 <= pass_type < len(self._passes):
                raise InvalidArgumentError(
                    f"pass number {pass_type} of {len(self._passes)}",
                    expected="a place in all_passes()",
                    fix="pass the name instead",
                )
            del self._passes[pass_type]
            return
        name = _PADDLE_NAMES.get(pass_type, pass_type)
        if name not in self._passes:
            self.notes[f"delete {pass_type}"] = "no effect: no such pass would have run"
        self._passes = [each for each in self._passes if each != name]

    def analysis_passes(self) -> list[str]:
        """Returns what is done besides: Programs are verified after each pass."""
        return ["verify"]

    def append_analysis_pass(self, pass_type: str) -> None:
        """Kept for Paddle's API: Programs are verified after each pass; noted in `notes`."""
        self.notes[f"analysis {pass_type}"] = "no effect: Programs are verified after each pass"

    def turn_on_debug(self) -> None:
        """Prints what each pass did when the model is loaded."""
        self._debug = True

    def debug_string(self) -> str:
        """Returns the list as text."""
        lines = [f"  - {name}" for name in self._passes]
        return "\n".join(["passes:", *lines])

    @property
    def channels_last(self) -> bool:
        """Whether images have their channels last inside."""
        return self._passes[-len(_CHANNELS_LAST) :] == [*_CHANNELS_LAST]

    def set_channels_last(self, wanted: bool) -> None:
        """Takes the passes that lay channels last onto the end of the list, or off it."""
        if wanted != self.channels_last:
            tail = len(_CHANNELS_LAST)
            self._passes = [*self._passes, *_CHANNELS_LAST] if wanted else self._passes[:-tail]

    def choose_layout(
        self,
        artifact: Artifact,
        inputs: Sequence[Any],
        *,
        rounds: int = 9,
        after: Sequence[str] = (),
    ) -> dict[str, float]:
        """Measures a model with its channels first and last, and keeps the faster list.

        Channels last is kept only where it saves more than measuring again would.

        Args:
            artifact: the model.
            inputs: one array per input, of the sizes that matter.
            rounds: times that each takes its turn.
            after: passes that follow the list when it is used.

        Returns:
            The median time of both, in seconds: `first` and `last`.

        Raises:
            InvalidArgumentError: no round, or inputs that do not fit.
        """
        if rounds < 1:
            raise InvalidArgumentError(
                f"`rounds` is {rounds}", expected="at least 1", fix="leave the default"
            )
        models = {}
        for kind in ("first", "last"):
            self.set_channels_last(kind == "last")
            models[kind] = Pipeline(optimise(artifact, [*self._passes, *after])[0])
        times: dict[str, list[float]] = {kind: [] for kind in models}
        for turn in range(rounds + 1):
            for kind, model in models.items():
                start = time.perf_counter()
                jax.block_until_ready(model.run(inputs))
                if turn:
                    times[kind].append(time.perf_counter() - start)
        medians = {kind: sorted(found)[len(found) // 2] for kind, found in times.items()}
        self.set_channels_last(medians["last"] < _WORTH * medians["first"])
        return medians

    def optimise(self, artifact: Artifact) -> tuple[Artifact, dict[str, PassReport]]:
        """Applies the passes to an artifact; see `optimise`."""
        made, reports = optimise(artifact, self._passes)
        self.tell({role: str(report) for role, report in reports.items()})
        return made, reports

    def tell(self, reports: Mapping[str, str]) -> None:
        """Prints reports by role, if `turn_on_debug` was called."""
        if self._debug:
            for role, report in reports.items():
                print(f"passes of {role!r}\n{report}")

    @staticmethod
    def _known(name: str) -> str:
        found = _PADDLE_NAMES.get(name, name)
        if found not in all_passes():
            raise UnknownNameError(
                f"there is no pass {name!r}",
                expected="one of " + ", ".join(all_passes()),
                fix="XLA does the work of most of Paddle's other passes; leave it out",
            )
        return found
