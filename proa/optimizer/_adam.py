"""Adam and its relatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proa.core._tensor import Tensor

from ._groups import read_clip, read_decay_rate, read_number
from ._optimizer import Optimizer
from ._rules import AdamaxRule, AdamRule, LambRule, NAdamRule, RAdamRule, Rule
from ._state import Entry
from .lr._checks import require_function
from .lr._scheduler import LRScheduler


class _Moments(Optimizer):
    """What the relatives of Adam share: two running means and an epsilon."""

    def _check_options(self, options: Mapping[str, Any]) -> None:
        super()._check_options(options)
        self._check_moments(options)

    def _check_moments(self, options: Mapping[str, Any]) -> None:
        owner = type(self).__name__
        read_number(owner, "beta1", options["beta1"], 0, 1)
        read_number(owner, "beta2", options["beta2"], 0, 1)
        read_number(owner, "epsilon", options["epsilon"], 0)

    def _moments(self, options: Mapping[str, Any]) -> tuple[float, float, float]:
        return float(options["beta1"]), float(options["beta2"]), float(options["epsilon"])


class Adam(_Moments):
    """Adam: steps along the mean of the gradients, divided by the root of their mean square.

    Formula at step `t`: `m = beta1 * m + (1 - beta1) * grad`,
    `v = beta2 * v + (1 - beta2) * grad**2`,
    `param - learning_rate * (m / (1 - beta1**t)) / (sqrt(v / (1 - beta2**t)) + epsilon)`.
    With `amsgrad`, the largest `v` so far takes the place of `v` in the root.

    Args:
        learning_rate (float | LRScheduler): the learning rate.
        beta1 (float): what remains of the mean in each step, in [0, 1).
        beta2 (float): what remains of the mean square in each step, in [0, 1).
        epsilon (float): keeps the division finite.
        parameters (list[Tensor] | list[dict]): what to update, or groups of it.
        weight_decay (float | WeightDecayRegularizer, optional): added to the gradient; a
            number means L2. `AdamW` decays apart from the gradient.
        grad_clip (ClipGradBase, optional): how to clip gradients.
        lazy_mode (bool): kept for Paddle's signature; gradients are always dense.
        multi_precision (bool): keeps a float32 copy of half-precision parameters.
        use_multi_tensor (bool): kept for Paddle's signature; all parameters are always
            updated together.
        amsgrad (bool): uses the largest mean square so far.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: an argument is out of range, or a group is wrong.

    Examples:
        >>> import proa
        >>> linear = proa.nn.Linear(2, 1)
        >>> optimizer = proa.optimizer.Adam(0.01, parameters=linear.parameters())
        >>> linear(proa.ones([4, 2])).mean().backward()
        >>> optimizer.step()
        >>> optimizer.clear_grad()

    References:
        Kingma and Ba, Adam, 2015; Reddi et al., On the convergence of Adam, 2018. Behaviour
        as Paddle 3.3.1.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        beta1: float | Tensor = 0.9,
        beta2: float | Tensor = 0.999,
        epsilon: float | Tensor = 1e-08,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        use_multi_tensor: bool = False,
        amsgrad: bool = False,
        name: str | None = None,
    ) -> None:
        self._multi_precision = multi_precision
        options = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "amsgrad": amsgrad}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, **options)

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        return AdamRule(*self._moments(options), amsgrad=bool(options["amsgrad"]))


class AdamW(_Moments):
    """Adam with weight decay apart from the gradient.

    Formula: `param = param * (1 - learning_rate * weight_decay)`, then as `Adam`.

    Args:
        learning_rate (float | LRScheduler): the learning rate.
        beta1 (float): what remains of the mean in each step, in [0, 1).
        beta2 (float): what remains of the mean square in each step, in [0, 1).
        epsilon (float): keeps the division finite.
        parameters (list[Tensor] | list[dict]): what to update, or groups of it.
        weight_decay (float): decay per step, relative to the learning rate.
        use_lowprecision_moment (bool): keeps the means in the parameter's dtype instead of
            float32.
        lr_ratio (Callable[[Tensor], float], optional): factor on the learning rate for a
            parameter, in the decay as well.
        apply_decay_param_fun (Callable[[str], bool], optional): whether the parameter of a
            name decays; all do by default.
        grad_clip (ClipGradBase, optional): how to clip gradients.
        lazy_mode (bool): kept for Paddle's signature; gradients are always dense.
        multi_precision (bool): keeps a float32 copy of half-precision parameters.
        amsgrad (bool): uses the largest mean square so far.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: an argument is out of range, or a group is wrong.

    Examples:
        >>> import proa
        >>> linear = proa.nn.Linear(2, 1)
        >>> optimizer = proa.optimizer.AdamW(
        ...     learning_rate=0.01,
        ...     parameters=linear.parameters(),
        ...     weight_decay=0.1,
        ...     apply_decay_param_fun=lambda name: name == linear.weight.name,
        ... )
        >>> linear(proa.ones([4, 2])).mean().backward()
        >>> optimizer.step()
        >>> optimizer.clear_grad()

    References:
        Loshchilov and Hutter, Decoupled weight decay regularization, 2019. Behaviour as
        Paddle 3.3.1.

    Differs:
        `lr_ratio` works on every device; in Paddle 3.3.1 it does not on CPU.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        beta1: float | Tensor = 0.9,
        beta2: float | Tensor = 0.999,
        epsilon: float | Tensor = 1e-08,
        parameters: Any = None,
        weight_decay: float | Tensor = 0.01,
        use_lowprecision_moment: bool = False,
        lr_ratio: Callable[[Tensor], float] | None = None,
        apply_decay_param_fun: Callable[[str], bool] | None = None,
        grad_clip: Any = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        amsgrad: bool = False,
        name: str | None = None,
    ) -> None:
        self._multi_precision = multi_precision
        self._narrow_state = use_lowprecision_moment
        options = {
            "beta1": beta1,
            "beta2": beta2,
            "epsilon": epsilon,
            "amsgrad": amsgrad,
            "lr_ratio": lr_ratio,
            "apply_decay_param_fun": apply_decay_param_fun,
        }
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, **options)

    def _check_options(self, options: Mapping[str, Any]) -> None:
        read_clip("AdamW", options["grad_clip"])
        read_decay_rate("AdamW", "weight_decay", options["weight_decay"])
        self._check_moments(options)
        for each in ("lr_ratio", "apply_decay_param_fun"):
            if options[each] is not None:
                require_function("AdamW", each, options[each])

    def _regularizer(self, entry: Entry) -> Any:
        return getattr(entry.param, "regularizer", None)

    def _rate_factor(self, entry: Entry) -> float:
        ratio = entry.options["lr_ratio"]
        return super()._rate_factor(entry) * (1.0 if ratio is None else float(ratio(entry.param)))

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        decays = options["apply_decay_param_fun"]
        decay = float(options["weight_decay"]) if decays is None or decays(param.name) else 0.0
        return AdamRule(*self._moments(options), amsgrad=bool(options["amsgrad"]), decay=decay)


class Adamax(_Moments):
    """Adam with the largest recent gradient in place of the mean square.

    Formula at step `t`: `m = beta1 * m + (1 - beta1) * grad`,
    `u = max(beta2 * u + epsilon, abs(grad))`, `param - learning_rate / (1 - beta1**t) * m / u`.

    Args:
        learning_rate (float | LRScheduler): the learning rate.
        beta1 (float): what remains of the mean in each step, in [0, 1).
        beta2 (float): what remains of the largest gradient in each step, in [0, 1).
        epsilon (float): keeps the division finite.
        parameters (list[Tensor] | list[dict]): what to update, or groups of it.
        weight_decay (float | WeightDecayRegularizer, optional): a number means L2.
        grad_clip (ClipGradBase, optional): how to clip gradients.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: an argument is out of range, or a group is wrong.

    Examples:
        >>> import proa
        >>> weight = proa.to_tensor([1.0], stop_gradient=False)
        >>> optimizer = proa.optimizer.Adamax(0.25, beta1=0.0, parameters=[weight])
        >>> (weight * 3.0).sum().backward()
        >>> optimizer.step()
        >>> weight.tolist()
        [0.75]

    References:
        Kingma and Ba, Adam, 2015. Behaviour as Paddle 3.3.1.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        beta1: float | Tensor = 0.9,
        beta2: float | Tensor = 0.999,
        epsilon: float = 1e-08,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        options = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, **options)

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        return AdamaxRule(*self._moments(options))


class Lamb(_Moments):
    """Adam's step with weight decay, scaled to the norm of each parameter, for large batches.

    Formula, with `m` and `v` corrected as in `Adam`:
    `step = m / (sqrt(v) + epsilon) + lamb_weight_decay * param`,
    `param - learning_rate * norm(param) / norm(step) * step`. Where a norm is 0, and for
    parameters without weight decay unless `always_adapt` is set, the ratio is 1.

    Args:
        learning_rate (float | LRScheduler): the learning rate.
        lamb_weight_decay (float): weight decay within the step.
        beta1 (float): what remains of the mean in each step, in [0, 1).
        beta2 (float): what remains of the mean square in each step, in [0, 1).
        epsilon (float): keeps the division finite.
        parameters (list[Tensor] | list[dict]): what to update, or groups of it.
        grad_clip (ClipGradBase, optional): how to clip gradients.
        exclude_from_weight_decay_fn (Callable[[Tensor], bool], optional): whether a
            parameter is left without weight decay.
        multi_precision (bool): keeps a float32 copy of half-precision parameters.
        always_adapt (bool): scales parameters without weight decay as well.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: an argument is out of range, or a group is wrong.

    Examples:
        >>> import proa
        >>> linear = proa.nn.Linear(2, 1)
        >>> optimizer = proa.optimizer.Lamb(0.01, parameters=linear.parameters())
        >>> linear(proa.ones([4, 2])).mean().backward()
        >>> optimizer.step()
        >>> optimizer.clear_grad()

    References:
        You et al., Large batch optimization for deep learning, 2020. Behaviour as
        Paddle 3.3.1.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        lamb_weight_decay: float = 0.01,
        beta1: float | Tensor = 0.9,
        beta2: float | Tensor = 0.999,
        epsilon: float | Tensor = 1e-06,
        parameters: Any = None,
        grad_clip: Any = None,
        exclude_from_weight_decay_fn: Callable[[Tensor], bool] | None = None,
        multi_precision: bool = False,
        always_adapt: bool = False,
        name: str | None = None,
    ) -> None:
        self._multi_precision = multi_precision
        options = {
            "lamb_weight_decay": lamb_weight_decay,
            "beta1": beta1,
            "beta2": beta2,
            "epsilon": epsilon,
            "exclude_from_weight_decay_fn": exclude_from_weight_decay_fn,
            "always_adapt": always_adapt,
        }
        super().__init__(learning_rate, parameters, None, grad_clip, name, **options)

    def _check_options(self, options: Mapping[str, Any]) -> None:
        super()._check_options(options)
        read_decay_rate("Lamb", "lamb_weight_decay", options["lamb_weight_decay"])
        if options["exclude_from_weight_decay_fn"] is not None:
            require_function(
                "Lamb", "exclude_from_weight_decay_fn", options["exclude_from_weight_decay_fn"]
            )

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        excluded = options["exclude_from_weight_decay_fn"]
        is_excluded = excluded is not None and excluded(param)
        decay = 0.0 if is_excluded else float(options["lamb_weight_decay"])
        return LambRule(decay, *self._moments(options), bool(options["always_adapt"]))


class NAdam(_Moments):
    """Adam with Nesterov momentum.

    Formula at step `t`, with `mu_t = beta1 * (1 - 0.96**(t * momentum_decay) / 2)` and `m`,
    `v` as in `Adam`: `ahead = mu_{t+1} * m / (1 - mu_1 * ... * mu_{t+1})
    + (1 - mu_t) * grad / (1 - mu_1 * ... * mu_t)`,
    `param - learning_rate * ahead / (sqrt(v / (1 - beta2**t)) + epsilon)`.

    Args:
        learning_rate (float | LRScheduler): the learning rate.
        beta1 (float): what remains of the mean in each step, in [0, 1).
        beta2 (float): what remains of the mean square in each step, in [0, 1).
        epsilon (float): keeps the division finite.
        momentum_decay (float): how fast the momentum rises.
        parameters (list[Tensor] | list[dict]): what to update, or groups of it.
        weight_decay (float | WeightDecayRegularizer, optional): a number means L2.
        grad_clip (ClipGradBase, optional): how to clip gradients.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: an argument is out of range, or a group is wrong.

    Examples:
        >>> import proa
        >>> linear = proa.nn.Linear(2, 1)
        >>> optimizer = proa.optimizer.NAdam(0.01, parameters=linear.parameters())
        >>> linear(proa.ones([4, 2])).mean().backward()
        >>> optimizer.step()
        >>> optimizer.clear_grad()

    References:
        Dozat, Incorporating Nesterov momentum into Adam, 2016. Behaviour as Paddle 3.3.1.

    Differs:
        The products over the steps are kept once a parameter; Paddle 3.3.1 keeps them once
        an element.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.002,
        beta1: float | Tensor = 0.9,
        beta2: float | Tensor = 0.999,
        epsilon: float = 1e-08,
        momentum_decay: float = 0.004,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        options = {
            "beta1": beta1,
            "beta2": beta2,
            "epsilon": epsilon,
            "momentum_decay": momentum_decay,
        }
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, **options)

    def _check_options(self, options: Mapping[str, Any]) -> None:
        super()._check_options(options)
        read_number("NAdam", "momentum_decay", options["momentum_decay"], 0)

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        return NAdamRule(*self._moments(options), float(options["momentum_decay"]))


class RAdam(_Moments):
    """Adam that divides by the mean square only once that rests on enough gradients.

    Formula at step `t`, with `m`, `v` as in `Adam`, `limit = 2 / (1 - beta2) - 1` and
    `length = limit - 2 * t * beta2**t / (1 - beta2**t)`: while `length <= 5`,
    `param - learning_rate * m / (1 - beta1**t)`; then that step times
    `sqrt(1 - beta2**t) / (sqrt(v) + epsilon)` and times
    `sqrt((length - 4) (length - 2) limit / ((limit - 4) (limit - 2) length))`.

    Args:
        learning_rate (float | LRScheduler): the learning rate.
        beta1 (float): what remains of the mean in each step, in [0, 1).
        beta2 (float): what remains of the mean square in each step, in [0, 1).
        epsilon (float): keeps the division finite.
        parameters (list[Tensor] | list[dict]): what to update, or groups of it.
        weight_decay (float | WeightDecayRegularizer, optional): a number means L2.
        grad_clip (ClipGradBase, optional): how to clip gradients.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: an argument is out of range, or a group is wrong.

    Examples:
        >>> import proa
        >>> linear = proa.nn.Linear(2, 1)
        >>> optimizer = proa.optimizer.RAdam(0.01, parameters=linear.parameters())
        >>> linear(proa.ones([4, 2])).mean().backward()
        >>> optimizer.step()
        >>> optimizer.clear_grad()

    References:
        Liu et al., On the variance of the adaptive learning rate and beyond, 2020.
        Behaviour as Paddle 3.3.1.

    Differs:
        The products over the steps are kept once a parameter; Paddle 3.3.1 keeps them once
        an element.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        beta1: float | Tensor = 0.9,
        beta2: float | Tensor = 0.999,
        epsilon: float = 1e-08,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        options = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, **options)

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        return RAdamRule(*self._moments(options))
