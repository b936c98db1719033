"""The base of all optimizers: a thin shell that holds state and calls the compiled update."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from proa.core._context import bump_mode_epoch, context, interceptors
from proa.core._dispatch import dispatch
from proa.core._errors import (
    ArtifactError,
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionError,
    UnsupportedError,
)
from proa.core._tape import ZERO_GRAD, GradMode, grad
from proa.core._tensor import Tensor, new_tensor
from proa.core._views import _follow
from proa.nn._clip import ClipRule

from ._fused_storage import FusedStorage
from ._groups import read_clip, read_group, read_groups, read_weight_decay
from ._rules import Rule
from ._state import Entry, Loader, StateGuard, save_state, separate
from ._update import ParameterPlan, UpdatePlan, own_buffers, update_op
from .lr._scheduler import LRScheduler

Pairs = list[tuple[Any, Any]]
#: Sets of active parameters (or rates per parameter) whose plans are kept.
_MAX_CALLS = 64


class _Call:
    """A plan, the tensors it writes, and the groups whose clipping is the user's Python."""

    __slots__ = ("plan", "python_groups", "targets")

    def __init__(
        self, plan: UpdatePlan, targets: list[Tensor], python_groups: frozenset[int]
    ) -> None:
        self.plan, self.targets, self.python_groups = plan, targets, python_groups


def _explicit_recorder() -> Any:
    """Returns the static Program's recorder while one is being built."""
    recorder = context.recorder
    return recorder if recorder is not None and recorder.is_explicit else None


class Optimizer(FusedStorage):
    """Updates parameters from their gradients; the base of all optimizers.

    An optimizer of your own is a subclass with `_make_rule`, which returns the update rule
    of a parameter: a frozen dataclass of hyperparameters whose `update` is a pure function
    on arrays. Everything else (groups, schedules, clipping, weight decay, master weights,
    saving, compilation) comes from here.

    Args:
        learning_rate (float | LRScheduler): the learning rate.
        parameters (list[Tensor] | list[dict]): what to update, or groups of it. A group has
            `params` and may have `learning_rate` (a factor, in place of the parameters' own),
            `weight_decay`, `grad_clip` and the optimizer's hyperparameters by name.
        weight_decay (float | WeightDecayRegularizer, optional): a number means L2; a
            parameter's own `regularizer` takes its place.
        grad_clip (ClipGradBase, optional): how to clip gradients, before weight decay.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: `parameters` is None, or a group is wrong.

    Examples:
        >>> import proa
        >>> weight = proa.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> optimizer = proa.optimizer.SGD(0.5, parameters=[weight])
        >>> (weight * weight).sum().backward()
        >>> optimizer.step()
        >>> optimizer.clear_grad()
        >>> weight.tolist()
        [0.0, 0.0]
    """

    _multi_precision = False
    _narrow_state = False

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> None:
        owner = type(self).__name__
        self._name = name
        self._default_dict = {"weight_decay": weight_decay, "grad_clip": grad_clip, **options}
        self._check_options(self._default_dict)
        # A static Program is asked for its parameters once it is whole.
        is_late = parameters is None and _explicit_recorder() is not None
        self._param_groups = [] if is_late else read_groups(owner, parameters, options)
        self._parameter_list: list[Tensor] = []
        self._entries: list[Entry] = []
        self._calls: dict[Any, _Call] = {}
        self._state_version = 0
        self._auxiliary_vars: dict[str, Any] = {}
        self._skipped = new_tensor(jax.device_put(np.zeros((), np.int32)))
        for number, group in enumerate(self._param_groups):
            self._enter(number, group)
        wide = any(param._data.dtype == np.float64 for param in self._parameter_list)
        self._rate_dtype = np.float64 if wide else np.float32
        self._learning_rate = learning_rate

    # Groups and rules

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        """Returns the update rule of a parameter, from the options of its group."""
        raise UnsupportedError(
            f"{type(self).__name__} has no update rule",
            expected="a subclass of Optimizer that defines `_make_rule`",
            fix="use SGD, Momentum, Adam, ... or define `_make_rule(self, options, param)`",
        )

    def _check_options(self, options: Mapping[str, Any]) -> None:
        """Raises when an option of the optimizer or of a group is out of range."""
        read_weight_decay(type(self).__name__, options["weight_decay"])
        read_clip(type(self).__name__, options["grad_clip"])

    def _regularizer(self, entry: Entry) -> Any:
        """Returns what adds to a parameter's gradient: its own regularizer, or the group's."""
        own = getattr(entry.param, "regularizer", None)
        return own or read_weight_decay(type(self).__name__, entry.options["weight_decay"])

    def _rate_factor(self, entry: Entry) -> float:
        """Returns the factor on the learning rate for a parameter."""
        own = entry.attr.get("learning_rate", 1.0)
        return float(entry.options.get("learning_rate", own))

    def _enter(self, number: int, group: Mapping[str, Any]) -> None:
        options = {**self._default_dict, **group}
        if len(group) > 1:
            self._check_options(options)
        for param in group["params"]:
            self._entries.append(Entry(param, options, number))
            self._parameter_list.append(param)

    def _add_param_group(self, group: Mapping[str, Any]) -> None:
        """Adds a group of parameters, as in the constructor."""
        number = len(self._param_groups)
        read = read_group(type(self).__name__, number, group, self._default_dict)
        read_groups(type(self).__name__, [*self._param_groups, read], self._default_dict)
        self._param_groups.append(read)
        self._enter(number, read)

    def _adopt(self, params: Sequence[Tensor]) -> None:
        """Takes up parameters of a static Program."""
        known = {id(param) for param in self._parameter_list}
        new = [param for param in params if id(param) not in known]
        if new:
            self._add_param_group({"params": new})

    # Learning rate

    @property
    def _learning_rate(self) -> float | LRScheduler:
        return self._rate_source

    @_learning_rate.setter
    def _learning_rate(self, source: Any) -> None:
        is_number = isinstance(source, int | float) and not isinstance(source, bool)
        if not is_number and not isinstance(source, LRScheduler):
            raise InvalidTypeError(
                f"{type(self).__name__}: the learning rate is a {type(source).__name__}",
                expected="a number or a schedule of proa.optimizer.lr",
                fix="give the learning rate as a float, for example 0.001",
            )
        before = getattr(self, "_rate_source", None)
        if isinstance(before, LRScheduler):
            before._listeners.discard(self)
        self._rate_source: float | LRScheduler = source
        if isinstance(source, LRScheduler):
            source._listeners.add(self)
        self._receive_learning_rate(self.get_lr())

    def _receive_learning_rate(self, value: float) -> None:
        """Takes over a schedule's new rate: state that compiled steps read at each run."""
        recorder = context.recorder
        if recorder is not None and recorder.is_explicit:
            with recorder.left():
                self._receive_learning_rate(value)
            return
        if recorder is not None:
            raise PreconditionError(
                "the learning rate was set while a function is being compiled",
                expected="a call outside: Python state changes once per compilation, not per run",
                fix="set the rate before or after the compiled step, in the training loop",
            )
        array = jax.device_put(np.asarray(value, self._rate_dtype))
        if hasattr(self, "_rate"):
            self._rate._data = array
        else:
            self._rate = new_tensor(array)
            self._rate.name, self._rate.persistable = "learning_rate_0", True

    def get_lr(self) -> float:
        """Returns the current learning rate.

        Examples:
            >>> import proa
            >>> weight = proa.to_tensor([1.0], stop_gradient=False)
            >>> proa.optimizer.SGD(0.5, parameters=[weight]).get_lr()
            0.5
        """
        source = self._rate_source
        return source() if isinstance(source, LRScheduler) else float(source)

    def set_lr(self, value: float) -> None:
        """Sets the learning rate; compiled steps take it up without a new compilation.

        Args:
            value (float): the learning rate.

        Raises:
            InvalidTypeError: `value` is not a number.
            PreconditionError: a schedule sets the rate.
        """
        if isinstance(self._rate_source, LRScheduler):
            raise PreconditionError(
                f"set_lr on an optimizer whose rate follows {type(self._rate_source).__name__}",
                expected="an optimizer that was given a number as its rate",
                fix="use set_lr_scheduler, or make the optimizer with a number",
            )
        if isinstance(value, LRScheduler):
            raise InvalidTypeError(
                f"set_lr with a {type(value).__name__}",
                expected="a number",
                fix="use set_lr_scheduler",
            )
        self._learning_rate = value

    def set_lr_scheduler(self, scheduler: LRScheduler) -> None:
        """Lets a schedule set the learning rate from now on.

        Args:
            scheduler (LRScheduler): the schedule.

        Raises:
            InvalidTypeError: `scheduler` is not a schedule.
        """
        if not isinstance(scheduler, LRScheduler):
            raise InvalidTypeError(
                f"set_lr_scheduler with a {type(scheduler).__name__}",
                expected="a schedule of proa.optimizer.lr",
                fix="use set_lr for a number",
            )
        self._learning_rate = scheduler

    # Steps

    @property
    def skipped_steps(self) -> int:
        """How many steps left everything as it was, since a gradient norm was not finite.

        Reading it waits for the steps so far.
        """
        return int(self._skipped.item())

    def step(self) -> None:
        """Updates all parameters that have a gradient, in one compiled call.

        Parameters with `stop_gradient` and those without a gradient are left out. When
        gradients are clipped by norm and the norm is not finite, nothing changes
        except `skipped_steps`.
        """
        recorder = context.recorder
        active, grads = [], []
        for entry in self._entries:
            param = entry.param
            if recorder is not None:
                recorder.note_grad(param)
            grad = param._grad
            if grad is None or param._stop:
                continue
            active.append(entry)
            grads.append(param.grad if grad is ZERO_GRAD else grad)  # type: ignore[attr-defined]
        if active:
            self._update(active, grads)

    def _update(self, active: list[Entry], grads: list[Any]) -> None:
        veto = self._auxiliary_vars.get("found_inf")
        recorder = context.recorder
        if recorder is not None:
            recorder.note_layer(self)
        call = self._call_for(active, veto is not None)
        plan, targets = call.plan, call.targets
        if call.python_groups:
            grads = self._clip_and_regularize(active, grads, call.python_groups)
        inputs = [self._rate] if veto is None else [self._rate, veto]
        if plan.can_skip:
            targets = [self._skipped, *targets]
        if recorder is None:
            own_buffers(targets)
        if recorder is None and not interceptors:
            update_op.run(plan, (*inputs, *grads), targets)
        else:
            outputs = dispatch(update_op, (*inputs, *grads, *targets), plan)
            for target, output in zip(targets, outputs, strict=True):
                if recorder is not None:
                    recorder.note_write(target)
                target._data = output._data
        for entry in active:
            param = entry.param
            param._version += 1
            if param._views or param._view is not None:
                with GradMode(False):
                    _follow(param)

    def _call_for(self, active: list[Entry], has_veto: bool) -> _Call:
        clips = [self._clip_of(group) for group in self._param_groups]
        rules = [None if clip is None else clip._rule() or clip for clip in clips]
        factors = [entry.attr.get("learning_rate") for entry in active if entry.attr]
        signature = (tuple(active), tuple(rules), tuple(factors), has_veto)
        call = self._calls.get(signature)
        if call is None:
            if len(self._calls) >= _MAX_CALLS:
                self._calls.pop(next(iter(self._calls)))
            call = self._calls[signature] = self._make_call(active, rules, has_veto)
        return call

    def _clip_of(self, group: Mapping[str, Any]) -> Any:
        return group.get("grad_clip", self._default_dict["grad_clip"])

    def _make_call(self, active: list[Entry], rules: list[Any], has_veto: bool) -> _Call:
        if separate(self._entries, active):
            self._note_parting()
        regularizers = [self._regularizer(entry) for entry in active]
        penalties = [getattr(each, "_penalty", None) for each in regularizers]
        # A user's own clip or regularizer is Python, and clipping comes first.
        python = {n for n, rule in enumerate(rules) if not isinstance(rule, ClipRule | None)}
        for entry, regularizer, penalty in zip(active, regularizers, penalties, strict=True):
            if regularizer is not None and penalty is None:
                python.add(entry.group)
        wanted = [
            entry.group
            if getattr(entry.param, "need_clip", True)
            and entry.group not in python
            and rules[entry.group] is not None
            else -1
            for entry in active
        ]
        used = [group for group in dict.fromkeys(wanted) if group >= 0]
        plans, targets = [], []
        common: dict[Rule, dict[Any, Tensor]] = {}
        numbers: dict[int, int] = {}
        shared: list[Tensor] = []
        for entry, group, penalty in zip(active, wanted, penalties, strict=True):
            rule = self._start(entry, common)
            new = [t for t in entry.shared() if id(t) not in numbers]
            numbers.update((id(t), len(shared) + i) for i, t in enumerate(new))
            shared += new
            plans.append(
                ParameterPlan(
                    rule=rule,
                    slots=tuple([numbers.get(id(t), -1) for t in entry.state or ()]),
                    rate_factor=self._rate_factor(entry),
                    grad_factor=float(entry.options.get("rescale_grad", 1.0)),
                    penalty=penalty if penalty and penalty[1] else None,
                    clip=used.index(group) if group >= 0 else -1,
                    has_master=entry.master is not None,
                )
            )
            targets += entry.targets()
        clips = tuple(rules[group] for group in used)
        plan = UpdatePlan(tuple(plans), clips, has_veto, len(shared))
        return _Call(plan, [*shared, *targets], frozenset(python))

    def _start(self, entry: Entry, common: dict[Rule, dict[Any, Tensor]]) -> Rule:
        rule = self._make_rule(entry.options, entry.param)
        if entry.state is None:
            entry.start(
                rule.slots(),
                common.setdefault(rule, {}),
                keep_master=self._multi_precision,
                narrow=self._narrow_state,
            )
        return rule

    def _note_parting(self) -> None:
        """Forgets what was prepared for parameters that shared state and no longer do."""
        self._calls.clear()
        self._state_version += 1
        bump_mode_epoch()

    def guard(self) -> StateGuard:
        """What a compiled function that ran a step depends on, besides tensor values."""
        return StateGuard(self._state_version)

    def tensor_members(self) -> dict[str, Tensor]:
        """Attributes that a recording may replace: none, state is written in place."""
        return {}

    def _clip_and_regularize(
        self, active: list[Entry], grads: list[Any], groups: frozenset[int]
    ) -> list[Any]:
        """Runs what cannot be compiled into the update: clips and regularizers of users."""
        changed = {id(entry.param): grad for entry, grad in zip(active, grads, strict=True)}
        with GradMode(False):
            for number in groups:
                pairs = [(e.param, changed[id(e.param)]) for e in active if e.group == number]
                clip = self._clip_of(self._param_groups[number])
                if clip is not None:
                    changed.update((id(param), grad) for param, grad in clip(pairs))
            for entry in active:
                regularizer = self._regularizer(entry)
                if regularizer is not None and regularizer._penalty is None:
                    grad = changed[id(entry.param)]
                    changed[id(entry.param)] = grad + regularizer(entry.param, grad, None)
        return [changed[id(entry.param)] for entry in active]

    def backward(
        self,
        loss: Tensor,
        startup_program: Any = None,
        parameters: Sequence[Tensor] | None = None,
        no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> Pairs:
        """Collects the gradients that `loss.backward()` left behind; adds them to a static Program.

        Args:
            loss (Tensor): the loss.
            startup_program (Any): kept for Paddle's signature.
            parameters (list[Tensor], optional): only these parameters.
            no_grad_set (set, optional): without these parameters.
            callbacks (Any): kept for Paddle's signature.

        Returns:
            list[tuple[Tensor, Tensor]]: parameters with their gradients.
        """
        chosen = self._parameter_list if parameters is None else list(parameters)
        left_out = {id(param) for param in no_grad_set or ()}
        recorder = _explicit_recorder()
        if recorder is not None:
            chosen = [p for p in chosen or recorder.parameters() if id(p) not in left_out]
            found = grad([loss], chosen, retain_graph=True, allow_unused=True)
            self._adopt(chosen)
            return [(p, g) for p, g in zip(chosen, found, strict=True) if g is not None]
        return [
            (param, param.grad)  # type: ignore[attr-defined]
            for param in chosen
            if param._grad is not None and not param._stop and id(param) not in left_out
        ]

    def apply_gradients(self, params_grads: Pairs) -> Pairs:
        """Clips, regularizes and applies gradients that are given.

        Args:
            params_grads (list[tuple[Tensor, Tensor]]): parameters with their gradients;
                pairs without a gradient are left out.

        Returns:
            list[tuple[Tensor, Tensor]]: the pairs, as given.

        Raises:
            InvalidArgumentError: a parameter is not the optimizer's.
        """
        entries = {id(entry.param): entry for entry in self._entries}
        pairs = [(param, grad) for param, grad in params_grads if grad is not None]
        for param, _ in pairs:
            if id(param) not in entries:
                raise InvalidArgumentError(
                    f"apply_gradients: parameter {param.name!r} is not this optimizer's",
                    expected="parameters that the optimizer was made with",
                    fix="pass it to the constructor as well",
                )
        if pairs:
            self._update([entries[id(param)] for param, _ in pairs], [g for _, g in pairs])
        return params_grads

    def append_regularization_ops(
        self, parameters_and_grads: Pairs, regularization: Any = None
    ) -> Pairs:
        """Adds what regularizers add to gradients.

        Args:
            parameters_and_grads (list[tuple[Tensor, Tensor]]): parameters with their gradients.
            regularization (WeightDecayRegularizer, optional): for parameters without a
                regularizer of their own.

        Returns:
            list[tuple[Tensor, Tensor]]: parameters with changed gradients.
        """
        result = []
        with GradMode(False):
            for param, grad in parameters_and_grads:
                used = getattr(param, "regularizer", None) or regularization
                if grad is not None and used is not None:
                    grad = grad + used(param, grad, None)
                result.append((param, grad))
        return result

    def minimize(
        self,
        loss: Tensor,
        startup_program: Any = None,
        parameters: Sequence[Tensor] | None = None,
        no_grad_set: Any = None,
    ) -> tuple[Pairs, Pairs]:
        """Applies the gradients that `loss.backward()` left behind; call that before.

        In a static Program that is being built, it adds gradients and updates of all parameters.

        Args:
            loss (Tensor): the loss.
            startup_program (Any): kept for Paddle's signature.
            parameters (list[Tensor], optional): only these parameters.
            no_grad_set (set, optional): without these parameters.

        Returns:
            tuple[list, list]: an empty list (Paddle's place for operators) and the parameters
            with their gradients.

        Examples:
            >>> import proa
            >>> weight = proa.to_tensor([1.0, 2.0], stop_gradient=False)
            >>> optimizer = proa.optimizer.SGD(0.25, parameters=[weight])
            >>> loss = (weight * weight).sum()
            >>> loss.backward()
            >>> _ = optimizer.minimize(loss)
            >>> weight.tolist()
            [0.5, 1.0]
        """
        pairs = self.backward(loss, startup_program, parameters, no_grad_set)
        if not pairs:
            warnings.warn(
                "minimize: no parameter has a gradient, so nothing was updated; "
                "call loss.backward() before",
                stacklevel=2,
            )
        self.apply_gradients(pairs)
        return [], pairs

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Clears the gradients of all parameters.

        Args:
            set_to_zero (bool): a gradient becomes zeros (nothing is computed for that until
                somebody looks); otherwise it becomes `None`. A parameter with a gradient of
                zeros takes part in the next step, with its momentum and weight decay; one
                without a gradient does not.
        """
        for param in self._parameter_list:
            param.clear_gradient(set_to_zero)  # type: ignore[attr-defined]

    def clear_gradients(self, set_to_zero: bool = True) -> None:
        """Does what `clear_grad` does, under an older name."""
        self.clear_grad(set_to_zero)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Does what `clear_grad` does, under torch's name.

        Args:
            set_to_none (bool): drop the gradients instead of writing zeros to them.
        """
        self.clear_grad(not set_to_none)

    def _set_auxiliary_var(self, key: str, value: Any) -> None:
        """Hands the update a value from outside.

        `found_inf`, a bool Tensor with one element, vetoes the step where it is true; that
        is how a loss scaler skips a step without waiting for the value.
        """
        self._auxiliary_vars[key] = value

    def _get_auxiliary_var(self, key: str) -> Any:
        return self._auxiliary_vars.get(key)

    # Saving and loading

    def state_dict(self) -> dict[str, Any]:
        """Returns the optimizer's state; the tensors in it are the living ones.

        Returns:
            dict: `<parameter>_<state>_0` for each state array of each parameter that was
            updated, `master_weights` if there are any, and `LR_Scheduler` with a schedule.

        Examples:
            >>> import proa
            >>> weight = proa.to_tensor([1.0], stop_gradient=False)
            >>> weight.name = "weight"
            >>> optimizer = proa.optimizer.Momentum(0.1, parameters=[weight])
            >>> (weight * 2).sum().backward()
            >>> optimizer.step()
            >>> optimizer.state_dict()["weight_velocity_0"].tolist()
            [2.0]
        """
        state = save_state(self._entries)
        if isinstance(self._rate_source, LRScheduler):
            state["LR_Scheduler"] = self._rate_source.state_dict()
        return state

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes up a state that `state_dict` returned; all of it, or nothing when it is wrong.

        Args:
            state_dict (dict): Tensors or arrays by the keys of `state_dict`.

        Raises:
            ArtifactError: entries are missing, unexpected or of another shape.
        """
        given = dict(state_dict)
        schedule = given.pop("LR_Scheduler", None)
        loader = Loader(given, given.pop("master_weights", None) or {})
        started = []
        common: dict[Rule, dict[Any, Tensor]] = {}
        for entry in self._entries:
            slots = self._make_rule(entry.options, entry.param).slots()
            if entry.state is None and loader.has_any(entry, slots):
                started.append(entry)
                self._start(entry, common)
            if entry.state is not None:
                loader.take(entry)
        try:
            if loader.finish(type(self).__name__):
                self._note_parting()
        except ArtifactError:
            for entry in started:
                entry.state = entry.master = None
            raise
        if isinstance(self._rate_source, LRScheduler):
            if schedule is None:
                warnings.warn(
                    "the state has no LR_Scheduler, so the schedule stays as it is", stacklevel=2
                )
            else:
                self._rate_source.set_state_dict(schedule)

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Does what `set_state_dict` does, under torch's name."""
        self.set_state_dict(state_dict)

    def set_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Does what `set_state_dict` does, under an older name."""
        self.set_state_dict(state_dict)
