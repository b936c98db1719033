"""How many multiplications a network needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from proa.core import UnsupportedError

from ._summary import check_network
from ._trace import Row, read_example, trace

Counter = Callable[[Any, dict[str, Any]], int]


def _numel(value: Any) -> int:
    return int(np.prod(value.shape))


def _count_conv(call: Any, attributes: dict[str, Any]) -> int:
    weight = call.inputs[1]
    # Per output: one product per weight of its filter, and one sum for the bias.
    has_bias = len(call.inputs) > 2
    return _numel(call.outputs[0]) * (_numel(weight) // weight.shape[0] + has_bias)


def _count_transposed_conv(call: Any, attributes: dict[str, Any]) -> int:
    weight = call.inputs[1]
    bias = _numel(call.outputs[0]) if len(call.inputs) > 2 else 0
    return _numel(call.inputs[0]) * (_numel(weight) // weight.shape[0]) + bias


def _count_matmul(call: Any, attributes: dict[str, Any]) -> int:
    x = call.inputs[0]
    axis = -2 if attributes.get("transpose_x") and len(x.shape) > 1 else -1
    return _numel(call.outputs[0]) * x.shape[axis]


def _count_addmm(call: Any, attributes: dict[str, Any]) -> int:
    return _numel(call.outputs[0]) * call.inputs[1].shape[-1]


def _count_attention(call: Any, attributes: dict[str, Any]) -> int:
    # With dropout a random key comes first.
    query, key, value = [x for x in call.inputs if len(x.shape) == 4][:3]
    # Queries with keys, and weights with values; shapes are [batch, length, heads, width].
    return (
        _numel(query) * key.shape[1]
        + _numel(query) // query.shape[3] * value.shape[1] * value.shape[3]
    )


def _count_norm(call: Any, attributes: dict[str, Any]) -> int:
    return 2 * _numel(call.outputs[0])


def _count_outputs(call: Any, attributes: dict[str, Any]) -> int:
    return _numel(call.outputs[0])


def _count_adaptive_pool(call: Any, attributes: dict[str, Any]) -> int:
    window = _numel(call.inputs[0]) // max(_numel(call.outputs[0]), 1)
    return _numel(call.outputs[0]) * (window + 1)


# Elementwise functions count as nothing, as in Paddle's figures.
_COUNTERS: dict[str, Counter] = {
    **{f"conv{n}d": _count_conv for n in (1, 2, 3)},
    **{f"conv{n}d_transpose": _count_transposed_conv for n in (1, 2, 3)},
    **{f"avg_pool{n}d": _count_outputs for n in (1, 2, 3)},
    **{f"adaptive_avg_pool{n}d": _count_adaptive_pool for n in (1, 2, 3)},
    **dict.fromkeys(("linear", "matmul", "mm", "bmm", "mv", "dot"), _count_matmul),
    **dict.fromkeys(("addmm", "baddbmm"), _count_addmm),
    **dict.fromkeys(("attention", "attention_dropout"), _count_attention),
    **dict.fromkeys(
        (
            *("batch_norm_infer", "batch_norm_train", "instance_norm_batch"),
            *("layer_norm", "rms_norm", "group_norm"),
        ),
        _count_norm,
    ),
    "leaky_relu": _count_outputs,
}


def flops(
    net: Any,
    input_size: Any,
    custom_ops: Mapping[type, Callable[..., Any]] | None = None,
    print_detail: bool = False,
) -> int:
    """Counts the multiplications (with their sums) of one run of a network.

    Convolutions and matrix products count one per product, convolutions one more per output
    for their bias; norms count two per value, average pools one. Elementwise functions count
    as nothing. What counts are the operations themselves, so functions called in `forward`
    count as layers do. Nothing is computed for it.

    Args:
        net (Layer): the network.
        input_size (list[int]): shape of the input, or shapes of the inputs.
        custom_ops (dict, optional): by class of layer a function `(layer, inputs, output)`
            that adds its own count to `layer.total_ops`, in place of ours.
        print_detail (bool): prints a row per layer.

    Returns:
        int: the count.

    Raises:
        InvalidTypeError: `net` is no Layer.
        UnsupportedError: the network cannot be recorded.

    Examples:
        >>> import proa
        >>> proa.flops(proa.nn.Conv2D(3, 8, 3, bias_attr=False), [1, 3, 10, 10])
        Total Flops: 13824     Total Params: 216
        13824
    """
    check_network(net)
    example = read_example(input_size, None, None)
    custom = dict(custom_ops or {})
    hooks = _CustomCounts(net, custom)
    with hooks:
        rows = trace(net, example)
    if not rows or not any(row.calls for row in rows):
        raise UnsupportedError(
            f"the operations of {type(net).__name__} cannot be counted",
            expected="a network that can be recorded",
            fix="move Python that needs the values of tensors out of its forward",
        )
    counts = [hooks.counts.get(id(row.layer), _count(row, custom)) for row in rows]
    parameters = {id(t): t for t in net.parameters()}.values()
    if print_detail:
        _print_rows(rows, counts)
    total, num_params = sum(counts), sum(t.size for t in parameters)
    print(f"Total Flops: {total}     Total Params: {num_params}")
    return total


class _CustomCounts:
    """Runs the user's counting functions while the network is traced."""

    def __init__(self, net: Any, custom: Mapping[type, Any]) -> None:
        self.net, self.custom = net, custom
        self.counts: dict[int, int] = {}
        self._handles: list[Any] = []

    def __enter__(self) -> None:
        for layer in self.net.sublayers(include_self=True):
            if type(layer) in self.custom:
                self._handles.append(layer.register_forward_post_hook(self._hook))

    def _hook(self, layer: Any, inputs: Any, output: Any) -> None:
        object.__setattr__(layer, "total_ops", 0)
        self.custom[type(layer)](layer, inputs, output)
        self.counts[id(layer)] = self.counts.get(id(layer), 0) + int(layer.total_ops)
        object.__delattr__(layer, "total_ops")

    def __exit__(self, *exception: object) -> None:
        for handle in self._handles:
            handle.remove()


def _count(row: Row, custom: Mapping[type, Any]) -> int:
    total = 0
    for call in row.calls:
        counter = _COUNTERS.get(call.op.name)
        if counter is not None:
            names = [parameter.name for parameter in call.op.attributes]
            total += int(counter(call, dict(zip(names, call.key[1], strict=True))))
    return total


def _print_rows(rows: list[Row], counts: list[int]) -> None:
    cells = [("Layer Name", "Input Shape", "Output Shape", "Params", "Flops")]
    for row, count in zip(rows, counts, strict=True):
        if count or row.num_params or not list(row.layer.children()):
            first = row.inputs[0] if len(row.inputs) == 1 else row.inputs
            shapes = (str(first), str(row.outputs))
            cells.append((row.layer.full_name(), *shapes, str(row.num_params), str(count)))
    widths = [max(len(cell[i]) for cell in cells) + 2 for i in range(5)]
    rule = f"+{'+'.join('-' * width for width in widths)}+"
    for number, cell in enumerate(cells):
        if number < 2:
            print(rule)
        parts = [f"{text:^{width}}" for text, width in zip(cell, widths, strict=True)]
        print(f"|{'|'.join(parts)}|")
    print(rule)
