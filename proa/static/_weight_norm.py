"""Settings of a parameter that is kept as a length and a direction."""

from __future__ import annotations

from typing import Any

from proa.nn import ParamAttr


class WeightNormParamAttr(ParamAttr):
    """Settings for a weight `w = g * v / |v|`, with a length g and a direction v of its own.

    The functions of `static.nn` take it; a Layer is given to `nn.utils.weight_norm` instead.

    Args:
        dim (int, optional): the axis whose entries have a length each; one length for all
            elements when it is `None`.
        name (str, optional): name of the parameter.
        initializer (Initializer, optional): first values of the weight.
        learning_rate (float): factor on the optimizer's learning rate.
        regularizer (WeightDecayRegularizer, optional): penalty of the parameter.
        trainable (bool): whether the optimizer updates it.
        do_model_average (bool): whether model averaging takes part.
        need_clip (bool): whether gradient clipping takes part.

    Examples:
        >>> import proa
        >>> with proa.static.program_guard(proa.static.Program()):
        ...     x = proa.static.data("x", [4, 3])
        ...     attr = proa.static.WeightNormParamAttr(dim=1)
        ...     y = proa.static.nn.fc(x, 2, weight_attr=attr)
        ...     [p.shape for p in proa.static.default_main_program().all_parameters()]
        [[3, 2], [2], [2]]

    References:
        Salimans, Kingma: Weight Normalization, 2016, https://arxiv.org/abs/1602.07868
    """

    is_normed = True

    def __init__(
        self,
        dim: int | None = None,
        name: str | None = None,
        initializer: Any = None,
        learning_rate: float = 1.0,
        regularizer: Any = None,
        trainable: bool = True,
        do_model_average: bool = False,
        need_clip: bool = True,
    ) -> None:
        super().__init__(
            *(name, initializer, learning_rate, regularizer),
            *(trainable, do_model_average, need_clip),
        )
        self.dim = dim

    def plain(self) -> ParamAttr:
        """Returns the same settings without the normalisation."""
        settings = {name: value for name, value in vars(self).items() if name != "dim"}
        return ParamAttr(**settings)
