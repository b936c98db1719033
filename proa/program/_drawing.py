"""Programs as pictures: SVG, laid out in layers from the inputs down to the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

from ._layers import Box, Drawing, lay_out
from ._printing import Names, attributes_of, format_value, inner_programs, layer_of, repeated
from ._program import Call, Program, Value

_FONT = "font-family='Helvetica, Arial, sans-serif'"
_LINE, _PAD, _MARGIN = 15.0, 9.0, 24.0
#: Text longer than this is cut.
_LONGEST = 44
#: Fill and edge of a box, by the family of its op.
_COLOURS = {
    "convolution and product": ("#dbeafe", "#2563eb"),
    "norm": ("#ede9fe", "#7c3aed"),
    "activation": ("#fef3c7", "#d97706"),
    "arithmetic": ("#dcfce7", "#16a34a"),
    "pooling and reduction": ("#cffafe", "#0891b2"),
    "shape": ("#f1f5f9", "#64748b"),
    "control": ("#fff7ed", "#ea580c"),
    "given": ("#ffffff", "#0f172a"),
}
_FAMILIES = {
    "convolution and product": ("conv", "linear", "matmul", "bmm", "mm", "attention", "recurrent"),
    "norm": ("batch_norm", "layer_norm", "rms_norm", "group_norm", "instance_norm", "local_resp"),
    "activation": (
        *("relu", "gelu", "silu", "swish", "sigmoid", "tanh", "softmax", "log_softmax", "hard"),
        *("elu", "selu", "mish", "leaky_relu", "softplus", "prelu", "drop"),
    ),
    "pooling and reduction": (
        *("max_pool", "avg_pool", "adaptive", "mean", "sum", "max", "min", "argmax", "argmin"),
        *("var", "prod", "any", "all"),
    ),
    "arithmetic": (
        *("add", "subtract", "multiply", "divide", "pow", "sqrt", "rsqrt", "exp", "log", "scale"),
        *("square", "neg", "abs", "clip", "maximum", "minimum", "greater", "less", "equal"),
    ),
    "control": ("if_else", "while_loop", "region", "effect"),
}


def _family(name: str) -> str:
    for family, beginnings in _FAMILIES.items():
        if name.startswith(beginnings):
            return family
    return "shape"


@dataclass
class _Node:
    """What is drawn as one box: a call, an input or an output.

    Attributes:
        title: its first line.
        lines: further lines.
        family: which colours it has.
        inner: drawings of the Programs inside, with their titles.
        outer_frame: the frame of repeated calls it stands in, by number.
    """

    title: str
    lines: list[str]
    family: str
    inner: list[tuple[str, _Picture]] = field(default_factory=list)
    outer_frame: int | None = None

    def size(self) -> tuple[float, float]:
        """Width and height in pixels."""
        texts = [(self.title, 7.4), *[(line, 5.9) for line in self.lines]]
        width = max(len(text) * per for text, per in texts) + 2 * _PAD
        height = _LINE * (1 + len(self.lines)) + _PAD
        if self.inner:
            width = max(width, sum(p.width + 2 * _PAD for _, p in self.inner) + _PAD)
            height += max(p.height for _, p in self.inner) + _LINE + 2 * _PAD
        return max(width, 64.0), height


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\u2026"


def _is_chain(calls: Sequence[Call], size: int) -> bool:
    """Whether each block of calls goes on from the one before."""
    blocks = [calls[i : i + size] for i in range(0, len(calls), size)]
    for block, after in zip(blocks, blocks[1:], strict=False):
        made = {v for call in block for v in call.outputs}
        if not any(v in made for call in after for v in call.inputs):
            return False
    return True


class _Picture:
    """The drawing of one Program."""

    def __init__(self, program: Program, collapse: bool, names: Names | None = None) -> None:
        self.collapse = collapse
        self.names = names or Names()
        if names is None:
            self.names.begin(program)
        self.weights = {*program.captures, *program.constants}
        self.nodes: list[_Node] = []
        self.edges: list[tuple[int, int, Value]] = []
        self.makers: dict[Value, int] = {}
        self.frames: list[str] = []
        read = {v for call in program.calls for v in call.inputs} | {*program.outputs}
        for value in program.inputs:
            if names is not None and value not in read:
                continue
            name = self.names.known.get(value, value.name) or self.names.of(value)
            self.makers[value] = self._add(_Node(name, [format_value(value)], "given"))
        self._add_calls(program.calls)
        for value in program.outputs:
            node = self._add(_Node("output", [_cut(format_value(value))], "given"))
            self._connect(value, node)
        self.drawing = self._lay_out()
        self.width, self.height = self.drawing.width, self.drawing.height

    def _add(self, node: _Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _connect(self, value: Value, to: int) -> None:
        maker = self.makers.get(value)
        if maker is not None:
            self.edges.append((maker, to, value))

    def _add_calls(self, every: Sequence[Call]) -> None:
        calls, position = self._without_weights(every), 0
        while position < len(calls):
            size, times = repeated(calls, position) if self.collapse else (1, 1)
            if not _is_chain(calls[position : position + size * times], size):
                # Side by side: all of them are drawn.
                size, times = size * times, 1
            frame = None
            if times > 1:
                frame = len(self.frames)
                self.frames.append(f"{times} times")
            block = calls[position : position + size]
            for call in block:
                self._add_call(call, frame)
            # What the last repetition gives comes out of the one that is drawn.
            for i in range(1, times):
                again = calls[position + i * size : position + (i + 1) * size]
                for drawn, call in zip(block, again, strict=True):
                    for value in call.outputs:
                        self.makers[value] = self.makers[drawn.outputs[0]]
            position += size * times

    def _without_weights(self, calls: Sequence[Call]) -> list[Call]:
        """Leaves out what is made of weights alone, which is a weight, too."""
        found = []
        for call in calls:
            if call.inputs and all(v in self.weights for v in call.inputs):
                self.weights.update(call.outputs)
            else:
                found.append(call)
        return found

    def _add_call(self, call: Call, frame: int | None) -> None:
        layer = layer_of(call, self.weights)
        texts = [layer, attributes_of(call)]
        texts += [", ".join(format_value(v) for v in call.outputs)]
        node = _Node(call.op.name, [_cut(t) for t in texts if t], _family(call.op.name))
        if call.op.has_programs:
            outer = call.inputs[1:] if call.op.name == "if_else" else call.inputs
            for title, program in inner_programs(call):
                inner = Names()
                for value, given in zip(program.inputs, outer, strict=False):
                    inner.known[value] = self.names.of(given)
                inner.begin(program)
                node.inner.append((title, _Picture(program, self.collapse, inner)))
        node.outer_frame = frame
        number = self._add(node)
        for value in dict.fromkeys(call.inputs):
            self._connect(value, number)
        self.makers.update(dict.fromkeys(call.outputs, number))

    def _lay_out(self) -> Drawing:
        boxes = [Box(*node.size()) for node in self.nodes]
        pairs = list(dict.fromkeys((a, b) for a, b, _ in self.edges))
        return lay_out(boxes, pairs)

    def draw(self, x: float, y: float) -> list[str]:
        """Returns the SVG elements, moved by `x` and `y`."""
        parts = [*self._draw_frames(x, y)]
        for route in self.drawing.routes:
            parts.append(self._draw_route(route, x, y))
        for node, box in zip(self.nodes, self.drawing.boxes, strict=False):
            parts += _draw_node(node, box, x, y)
        return parts

    def _draw_frames(self, x: float, y: float) -> list[str]:
        parts = []
        for number, text in enumerate(self.frames):
            inside = [
                box
                for node, box in zip(self.nodes, self.drawing.boxes, strict=False)
                if node.outer_frame == number
            ]
            left = min(b.x - b.width / 2 for b in inside) - 10 + x
            right = max(b.x + b.width / 2 for b in inside) + 10 + x
            top = min(b.y - b.height / 2 for b in inside) - 12 + y
            bottom = max(b.y + b.height / 2 for b in inside) + 12 + y
            parts.append(
                f"<rect x='{left:.1f}' y='{top:.1f}' width='{right - left:.1f}' "
                f"height='{bottom - top:.1f}' rx='8' fill='#f8fafc' stroke='#94a3b8' "
                "stroke-dasharray='5 4'/>"
            )
            parts.append(_text(left + 2, top - 4, text, size=11, anchor="start", weight="bold"))
        return parts

    def _draw_route(self, route: list[int], x: float, y: float) -> str:
        boxes = [self.drawing.boxes[i] for i in route]
        path, last = "", (0.0, 0.0)
        for number, box in enumerate(boxes):
            middle, top = box.x + x, box.y - box.height / 2 + y
            bottom = top + box.height
            if number:
                bend = (last[1] + top) / 2
                path += f" C{last[0]:.1f},{bend:.1f} {middle:.1f},{bend:.1f} {middle:.1f},{top:.1f}"
            if not number:
                path = f"M{middle:.1f},{bottom:.1f}"
            elif number < len(boxes) - 1:
                path += f" L{middle:.1f},{bottom:.1f}"
            last = (middle, bottom)
        return f"<path d='{path}' fill='none' stroke='#64748b' marker-end='url(#arrow)'/>"


def _text(
    x: float, y: float, text: str, size: int, anchor: str = "middle", weight: str = "normal"
) -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' {_FONT} font-size='{size}' font-weight='{weight}' "
        f"text-anchor='{anchor}' fill='#0f172a'>{escape(text)}</text>"
    )


def _draw_node(node: _Node, box: Box, x: float, y: float) -> list[str]:
    fill, edge = _COLOURS[node.family]
    left, top = box.x - box.width / 2 + x, box.y - box.height / 2 + y
    radius = min(box.height / 2, 16) if node.family == "given" else 5
    parts = [
        f"<rect x='{left:.1f}' y='{top:.1f}' width='{box.width:.1f}' height='{box.height:.1f}' "
        f"rx='{radius:.0f}' fill='{fill}' stroke='{edge}'/>"
    ]
    baseline = top + _LINE
    parts.append(_text(box.x + x, baseline, node.title, size=12, weight="bold"))
    for line in node.lines:
        baseline += _LINE
        parts.append(_text(box.x + x, baseline, line, size=10))
    inner_left, inner_top = left + _PAD, baseline + _PAD + _LINE
    for title, picture in node.inner:
        parts.append(
            f"<rect x='{inner_left:.1f}' y='{inner_top - _LINE + 2:.1f}' "
            f"width='{picture.width + _PAD:.1f}' height='{picture.height + _LINE + _PAD:.1f}' "
            "rx='4' fill='#ffffff' stroke='#cbd5e1'/>"
        )
        parts.append(_text(inner_left + 5, inner_top - 2, title, size=10, anchor="start"))
        parts += picture.draw(inner_left + _PAD / 2, inner_top + 3)
        inner_left += picture.width + 2 * _PAD
    return parts


def draw_program(program: Program, *, collapse: bool = True, title: str = "") -> str:
    """Returns a Program as an SVG picture.

    Inputs stand at the top; weights are not drawn, the layer they belong to is named. Branches
    and loops show their Programs inside their box.

    Args:
        program: the Program.
        collapse: whether blocks that are repeated one after the other are drawn once.
        title: a line above the picture.

    Examples:
        >>> import numpy as np
        >>> import proa
        >>> from proa.program import draw_program, recording
        >>> with recording() as recorder:
        ...     x = recorder.add_input([2, 3], np.float32, "x")
        ...     program, _ = recorder.finish([proa.exp(x)])
        >>> draw_program(program)[:4]
        '<svg'
    """
    picture = _Picture(program, collapse)
    above = 22.0 if title else 0.0
    width = max(picture.width, len(title) * 8.5) + 2 * _MARGIN
    height = picture.height + 2 * _MARGIN + above
    parts: list[Any] = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height:.0f}' "
        f"viewBox='0 0 {width:.0f} {height:.0f}'>",
        "<defs><marker id='arrow' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' "
        "markerHeight='7' orient='auto'><path d='M0,0 L8,4 L0,8 z' fill='#64748b'/>"
        "</marker></defs>",
        f"<rect width='{width:.0f}' height='{height:.0f}' fill='#ffffff'/>",
    ]
    if title:
        parts.append(_text(_MARGIN, _MARGIN, title, size=14, anchor="start", weight="bold"))
    parts += picture.draw(_MARGIN, _MARGIN + above)
    return "\n".join([*parts, "</svg>"]) + "\n"
