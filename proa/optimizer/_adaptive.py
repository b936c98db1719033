"""Optimizers that divide a step by the recent size of the gradients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proa.core._tensor import Tensor

from ._groups import read_number
from ._optimizer import Optimizer
from ._rules import AdadeltaRule, AdagradRule, RMSPropRule, Rule
from .lr._scheduler import LRScheduler


class Adagrad(Optimizer):
    """Steps divided by the root of the sum of all squared gradients so far.

    Formula: `moment = moment + grad**2`, then
    `param - learning_rate * grad / (sqrt(moment) + epsilon)`.

    Args:
        learning_rate (float | LRScheduler): the learning rate.
        epsilon (float): keeps the division finite.
        parameters (list[Tensor] | list[dict]): what to update, or groups of it.
        weight_decay (float | WeightDecayRegularizer, optional): a number means L2.
        grad_clip (ClipGradBase, optional): how to clip gradients.
        name (str, optional): kept for Paddle's signature.
        initial_accumulator_value (float): the sum at the start.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: an argument is out of range, or a group is wrong.

    Examples:
        >>> import proa
        >>> weight = proa.to_tensor([1.0], stop_gradient=False)
        >>> optimizer = proa.optimizer.Adagrad(0.25, epsilon=0.0, parameters=[weight])
        >>> (weight * 3.0).sum().backward()
        >>> optimizer.step()
        >>> weight.tolist()
        [0.75]

    References:
        Duchi et al., Adaptive subgradient methods, 2011. Behaviour as Paddle 3.3.1.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        epsilon: float = 1e-06,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        initial_accumulator_value: float = 0.0,
    ) -> None:
        options = {"epsilon": epsilon, "initial_accumulator_value": initial_accumulator_value}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, **options)

    def _check_options(self, options: Mapping[str, Any]) -> None:
        super()._check_options(options)
        for each in ("epsilon", "initial_accumulator_value"):
            read_number("Adagrad", each, options[each], 0)

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        start = options["initial_accumulator_value"]
        return AdagradRule(float(options["epsilon"]), float(start))


class Adadelta(Optimizer):
    """Steps as large as the recent steps, relative to the size of the recent gradients.

    Formula, with running means `E` of decay `rho`: `E_g = mean of grad**2`,
    `step = sqrt((E_s + epsilon) / (E_g + epsilon)) * grad`, `E_s = mean of step**2`,
    `param - learning_rate * step`.

    Args:
        learning_rate (float | LRScheduler): the learning rate.
        epsilon (float): keeps the division finite and starts the steps.
        rho (float): what remains of the means in each step.
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
        >>> optimizer = proa.optimizer.Adadelta(1.0, epsilon=1.0, rho=0.0, parameters=[weight])
        >>> (weight * 0.0).sum().backward()
        >>> optimizer.step()
        >>> weight.tolist()
        [1.0]

    References:
        Zeiler, ADADELTA, 2012. Behaviour as Paddle 3.3.1.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        epsilon: float = 1e-06,
        rho: float = 0.95,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        options = {"epsilon": epsilon, "rho": rho}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, **options)

    def _check_options(self, options: Mapping[str, Any]) -> None:
        super()._check_options(options)
        for each in ("epsilon", "rho"):
            read_number("Adadelta", each, options[each], 0)

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        return AdadeltaRule(float(options["epsilon"]), float(options["rho"]))


class RMSProp(Optimizer):
    """Steps divided by the root of the mean square of the recent gradients.

    Formula: `square = rho * square + (1 - rho) * grad**2`,
    `velocity = momentum * velocity + learning_rate * grad / sqrt(square + epsilon)`,
    `param - velocity`. With `centered`, the square of the gradients' mean is taken off
    `square` in the root.

    Args:
        learning_rate (float | LRScheduler): the learning rate.
        rho (float): what remains of the means in each step.
        epsilon (float): keeps the division finite.
        momentum (float): what remains of the velocity in each step.
        centered (bool): divides by the variance instead of the mean square.
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
        >>> optimizer = proa.optimizer.RMSProp(0.25, rho=0.0, epsilon=0.0, parameters=[weight])
        >>> (weight * 3.0).sum().backward()
        >>> optimizer.step()
        >>> weight.tolist()
        [0.75]

    References:
        Hinton, lecture 6.5 of Neural networks for machine learning, 2012. Behaviour as
        Paddle 3.3.1.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        rho: float = 0.95,
        epsilon: float = 1e-06,
        momentum: float = 0.0,
        centered: bool = False,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        options = {"rho": rho, "epsilon": epsilon, "momentum": momentum, "centered": centered}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, **options)

    def _check_options(self, options: Mapping[str, Any]) -> None:
        super()._check_options(options)
        for each in ("rho", "epsilon", "momentum"):
            read_number("RMSProp", each, options[each], 0)

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        numbers = [float(options[each]) for each in ("rho", "epsilon", "momentum")]
        return RMSPropRule(*numbers, centered=bool(options["centered"]))
