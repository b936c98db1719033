"""Optimizers that step along the gradient, or along a mean of gradients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proa.core._errors import InvalidArgumentError
from proa.core._tensor import Tensor

from ._groups import read_number
from ._optimizer import Optimizer
from ._rules import ASGDRule, MomentumRule, RpropRule, Rule, SGDRule
from .lr._checks import require, require_count
from .lr._scheduler import LRScheduler


class SGD(Optimizer):
    """Stochastic gradient descent: `param - learning_rate * grad`.

    Args:
        learning_rate (float | LRScheduler): the learning rate.
        parameters (list[Tensor] | list[dict]): what to update, or groups of it.
        weight_decay (float | WeightDecayRegularizer, optional): a number means L2.
        grad_clip (ClipGradBase, optional): how to clip gradients.
        multi_precision (bool): keeps a float32 copy of half-precision parameters.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: `parameters` is None, or a group is wrong.

    Examples:
        >>> import proa
        >>> weight = proa.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> optimizer = proa.optimizer.SGD(0.25, parameters=[weight])
        >>> (weight * weight).sum().backward()
        >>> optimizer.step()
        >>> weight.tolist()
        [0.5, 1.0]
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        self._multi_precision = multi_precision
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        return SGDRule()


class Momentum(Optimizer):
    """Gradient descent with a velocity that gathers the gradients.

    Formula: `velocity = momentum * velocity + grad`, then
    `param - learning_rate * velocity`, or with Nesterov
    `param - learning_rate * (grad + momentum * velocity)`.

    Args:
        learning_rate (float | LRScheduler): the learning rate.
        momentum (float): what remains of the velocity in each step.
        parameters (list[Tensor] | list[dict]): what to update, or groups of it.
        use_nesterov (bool): looks one step of the velocity ahead.
        weight_decay (float | WeightDecayRegularizer, optional): a number means L2.
        grad_clip (ClipGradBase, optional): how to clip gradients.
        multi_precision (bool): keeps a float32 copy of half-precision parameters.
        rescale_grad (float): factor on gradients, before weight decay.
        use_multi_tensor (bool): kept for Paddle's signature; all parameters are always
            updated together.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: an argument is out of range, or a group is wrong.

    Examples:
        >>> import proa
        >>> weight = proa.to_tensor([1.0], stop_gradient=False)
        >>> optimizer = proa.optimizer.Momentum(0.25, momentum=0.5, parameters=[weight])
        >>> for _ in range(2):
        ...     (weight * 1.0).sum().backward()
        ...     optimizer.step()
        ...     optimizer.clear_grad()
        >>> weight.tolist()
        [0.375]

    Differs:
        Paddle 3.3.1 ignores `rescale_grad` in dynamic mode.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        momentum: float = 0.9,
        parameters: Any = None,
        use_nesterov: bool = False,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        rescale_grad: float = 1.0,
        use_multi_tensor: bool = False,
        name: str | None = None,
    ) -> None:
        self._multi_precision = multi_precision
        options = {
            "momentum": momentum,
            "use_nesterov": use_nesterov,
            "rescale_grad": rescale_grad,
        }
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, **options)

    def _check_options(self, options: Mapping[str, Any]) -> None:
        super()._check_options(options)
        read_number("Momentum", "momentum", options["momentum"], 0)
        read_number("Momentum", "rescale_grad", options["rescale_grad"], -float("inf"))

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        return MomentumRule(float(options["momentum"]), bool(options["use_nesterov"]))


class Rprop(Optimizer):
    """Steps whose size grows while a gradient element keeps its sign and shrinks when not.

    Each element has a rate of its own, which starts at `learning_rate`; only the sign of
    the gradient counts. It is made for gradients of the whole data set.

    Args:
        learning_rate (float | LRScheduler): the rate that all elements start with.
        learning_rate_range (tuple[float, float]): smallest and largest rate.
        parameters (list[Tensor] | list[dict]): what to update, or groups of it.
        etas (tuple[float, float]): factors on a rate when the sign changed and when not.
        grad_clip (ClipGradBase, optional): how to clip gradients.
        multi_precision (bool): keeps a float32 copy of half-precision parameters.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: an argument is out of range, or a group is wrong.

    Examples:
        >>> import proa
        >>> weight = proa.to_tensor([1.0], stop_gradient=False)
        >>> optimizer = proa.optimizer.Rprop(0.25, parameters=[weight])
        >>> (weight * 3.0).sum().backward()
        >>> optimizer.step()
        >>> weight.tolist()
        [0.75]

    References:
        Riedmiller and Braun, A direct adaptive method for faster backpropagation learning,
        1993. Behaviour as Paddle 3.3.1.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        learning_rate_range: tuple[float, float] = (1e-5, 50),
        parameters: Any = None,
        etas: tuple[float, float] = (0.5, 1.2),
        grad_clip: Any = None,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        self._multi_precision = multi_precision
        self._rate_at_start = learning_rate
        options = {"learning_rate_range": learning_rate_range, "etas": etas}
        super().__init__(learning_rate, parameters, None, grad_clip, name, **options)

    def _check_options(self, options: Mapping[str, Any]) -> None:
        super()._check_options(options)
        low, high = options["learning_rate_range"]
        rate = self._rate_now()
        if not 0 < low <= rate <= high:
            raise InvalidArgumentError(
                f"Rprop: `learning_rate_range` is {(low, high)} and the rate {rate}",
                expected="0 < smallest <= rate <= largest",
                fix="widen the range, or change the rate",
            )
        shrunk, grown = options["etas"]
        fits = 0 < shrunk < 1 < grown
        require(fits, "Rprop", "etas", (shrunk, grown), "a factor below 1 and one above 1")

    def _rate_now(self) -> float:
        rate = self._rate_at_start
        return (
            rate()
            if isinstance(rate, LRScheduler)
            else read_number("Rprop", "learning_rate", rate, 0)
        )

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        low, high = options["learning_rate_range"]
        shrunk, grown = options["etas"]
        return RpropRule(self._rate_now(), (float(low), float(high)), (float(shrunk), float(grown)))


class ASGD(Optimizer):
    """Steps along the mean of the newest gradients of `batch_num` batches.

    Formula, with `y[i]` the gradient kept for batch `i = step % batch_num`:
    `d = d - y[i] + grad`, `y[i] = grad`, `param - learning_rate * d / min(step + 1, batch_num)`.

    Args:
        learning_rate (float | LRScheduler): the learning rate.
        batch_num (int): number of batches whose gradients are kept.
        parameters (list[Tensor] | list[dict]): what to update, or groups of it.
        weight_decay (float | WeightDecayRegularizer, optional): a number means L2.
        grad_clip (ClipGradBase, optional): how to clip gradients.
        multi_precision (bool): keeps a float32 copy of half-precision parameters.
        name (str, optional): kept for Paddle's signature.

    Raises:
        InvalidTypeError: an argument is of the wrong type.
        InvalidArgumentError: `batch_num` is not positive, or a group is wrong.

    Examples:
        >>> import proa
        >>> weight = proa.to_tensor([1.0], stop_gradient=False)
        >>> optimizer = proa.optimizer.ASGD(0.25, batch_num=2, parameters=[weight])
        >>> (weight * 2.0).sum().backward()
        >>> optimizer.step()
        >>> weight.tolist()
        [0.5]

    References:
        Schmidt et al., Minimizing finite sums with the stochastic average gradient, 2013.
        Behaviour as Paddle 3.3.1.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        batch_num: int = 1,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        self._multi_precision = multi_precision
        options = {"batch_num": batch_num}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, **options)

    def _check_options(self, options: Mapping[str, Any]) -> None:
        super()._check_options(options)
        require_count("ASGD", "batch_num", options["batch_num"])

    def _make_rule(self, options: Mapping[str, Any], param: Tensor) -> Rule:
        return ASGDRule(options["batch_num"])
