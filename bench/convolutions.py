"""Measures each form of a convolution, per shape and direction: `python -m bench.convolutions`.

Says how far the form that Proa chooses is from the best of them. The choice is made in
`proa/ops/_conv.py` and, between kernels, in `proa/native`; this table is what it rests on.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from rich.console import Console
from rich.table import Table

from proa.ops._conv_kernels import convolution
from proa.ops._conv_lowering import skipped

from ._timing import interleave

DIRECTIONS = ("forward", "input gradient", "weight gradient")


@dataclass(frozen=True)
class Shape:
    """One convolution of square images, padded to keep their size but for the stride."""

    net: str
    batch: int
    channels: int
    size: int
    outputs: int
    kernel: int
    stride: int = 1
    depthwise: bool = False

    def __str__(self) -> str:
        kind = " depthwise" if self.depthwise else ""
        step = f"/{self.stride}" if self.stride > 1 else ""
        return (
            f"{self.batch}x{self.channels}x{self.size}² -> {self.outputs}, "
            f"{self.kernel}x{self.kernel}{step}{kind}"
        )

    @property
    def pads(self) -> tuple[tuple[int, ...], ...]:
        """Zeros at both ends of each axis."""
        return ((self.kernel // 2,) * 2,) * 2

    @property
    def groups(self) -> int:
        """Groups of channels."""
        return self.channels if self.depthwise else 1

    @property
    def gigaflops(self) -> float:
        """Operations of one direction, the direct way, in units of 1e9."""
        out = -(-self.size // self.stride)
        each = self.kernel**2 * (1 if self.depthwise else self.channels)
        return 2 * self.batch * self.outputs * out**2 * each / 1e9


SHAPES = (
    Shape("ResNet", 8, 3, 224, 64, 7, 2),
    Shape("ResNet", 8, 64, 56, 64, 3),
    Shape("ResNet", 8, 64, 56, 128, 3, 2),
    Shape("ResNet", 8, 128, 28, 128, 3),
    Shape("ResNet", 8, 256, 14, 256, 3),
    Shape("ResNet", 8, 512, 7, 512, 3),
    Shape("ResNet-50", 8, 64, 56, 256, 1),
    Shape("ResNet-50", 8, 256, 56, 64, 1),
    Shape("ResNet-50", 8, 256, 56, 512, 1, 2),
    Shape("ResNet-50", 8, 512, 28, 128, 1),
    Shape("ResNet-50", 8, 1024, 14, 256, 1),
    Shape("ResNet-50", 8, 512, 7, 2048, 1),
    Shape("MobileNetV3", 8, 3, 224, 16, 3, 2),
    Shape("MobileNetV3", 8, 16, 112, 64, 1),
    Shape("MobileNetV3", 8, 80, 14, 480, 1),
    Shape("MobileNetV3", 8, 64, 112, 64, 3, 2, depthwise=True),
    Shape("MobileNetV3", 8, 120, 28, 120, 5, 1, depthwise=True),
    Shape("MobileNetV3", 8, 672, 14, 672, 3, 1, depthwise=True),
    Shape("detector", 1, 96, 80, 24, 3),
    Shape("detector", 1, 24, 160, 24, 3),
)


def _xla(x: Any, weight: Any, shape: Shape, last: bool) -> Any:
    layout = "NHWC" if last else "NCHW"
    if last:
        x = jnp.moveaxis(x, 1, -1)
    y = lax.conv_general_dilated(
        x,
        weight,
        (shape.stride,) * 2,
        shape.pads,
        dimension_numbers=(layout, "OIHW", layout),
        feature_group_count=shape.groups,
    )
    return jnp.moveaxis(y, -1, 1) if last else y


def _dot(x: Any, weight: Any, shape: Shape) -> Any:
    x = skipped(x, (shape.stride,) * 2, False)
    return jnp.einsum("oc,nchw->nohw", weight[:, :, 0, 0], x)


def _patches(x: Any, weight: Any, shape: Shape) -> Any:
    patches = lax.conv_general_dilated_patches(
        x, (shape.kernel,) * 2, (shape.stride,) * 2, shape.pads
    )
    return jnp.einsum("ok,nkhw->nohw", weight.reshape(weight.shape[0], -1), patches)


def _shifted(x: Any, weight: Any, shape: Shape) -> Any:
    padded = jnp.pad(x, ((0, 0), (0, 0), *shape.pads))
    out = -(-shape.size // shape.stride)
    total: Any = 0
    for i, j in itertools.product(range(shape.kernel), repeat=2):
        reach = (out - 1) * shape.stride + 1
        piece = padded[:, :, i : i + reach : shape.stride, j : j + reach : shape.stride]
        if shape.depthwise:
            total = total + piece * weight[:, 0, i, j][:, None, None]
        else:
            total = total + jnp.einsum("oc,nchw->nohw", weight[:, :, i, j], piece)
    return total


def _chosen(x: Any, weight: Any, shape: Shape) -> Any:
    steps = (shape.stride,) * 2
    if shape.kernel == 1:
        x, steps = skipped(x, steps, False), (1, 1)
    return convolution(x, weight, steps, shape.pads, (1, 1), False, depthwise=shape.depthwise)


def forms(shape: Shape) -> dict[str, Callable[[Any, Any], Any]]:
    """The forms that are worth a measurement, and the one that Proa takes."""
    found: dict[str, Any] = {"Proa": _chosen}
    found["XLA"] = functools.partial(_xla, last=False)
    found["XLA NHWC"] = functools.partial(_xla, last=True)
    if shape.kernel == 1:
        found["dot"] = _dot
    else:
        found["shifted"] = _shifted
        if not shape.depthwise:
            found["patches"] = _patches
    return {name: functools.partial(form, shape=shape) for name, form in found.items()}


def directions(form: Callable[[Any, Any], Any], x: Any, weight: Any, dy: Any) -> dict[str, Any]:
    """Three compiled functions without arguments."""
    of_x = jax.jit(lambda dy, w: jax.linear_transpose(lambda x: form(x, w), x)(dy)[0])
    of_weight = jax.jit(lambda x, dy: jax.linear_transpose(lambda w: form(x, w), weight)(dy)[0])
    compiled = jax.jit(form)
    return {
        "forward": lambda: jax.block_until_ready(compiled(x, weight)),
        "input gradient": lambda: jax.block_until_ready(of_x(dy, weight)),
        "weight gradient": lambda: jax.block_until_ready(of_weight(x, dy)),
    }


def measure(shape: Shape, rounds: int, seconds: float) -> dict[str, dict[str, float]]:
    """Milliseconds by direction and form."""
    rng = np.random.default_rng(0)
    depth = 1 if shape.depthwise else shape.channels
    sizes = (shape.outputs, depth, shape.kernel, shape.kernel)
    image = (shape.batch, shape.channels, shape.size, shape.size)
    x, weight = (jnp.asarray(rng.standard_normal(s), jnp.float32) for s in (image, sizes))
    kinds = forms(shape)
    dy = jnp.ones_like(kinds["Proa"](x, weight))
    made = {name: directions(form, x, weight, dy) for name, form in kinds.items()}
    found = {}
    for direction in DIRECTIONS:
        candidates = {name: runs[direction] for name, runs in made.items()}
        taken = interleave(candidates, rounds, seconds)
        found[direction] = {name: value * 1e3 for name, value in taken.items()}
    return found


def rows(shape: Shape, times: dict[str, dict[str, float]]) -> list[list[str]]:
    """Lines of the table for one shape."""
    made = []
    for direction, by_form in times.items():
        others = {name: value for name, value in by_form.items() if name != "Proa"}
        best = min(others, key=others.__getitem__)
        ratio = by_form["Proa"] / others[best]
        speed = shape.gigaflops / by_form["Proa"] * 1e3
        listed = ", ".join(f"{name} {value:.2f}" for name, value in others.items())
        made.append(
            [
                *(shape.net, str(shape), direction, f"{by_form['Proa']:.2f}", f"{speed:.0f}"),
                *(listed, best, f"{ratio:.2f}"),
            ]
        )
    return made


HEADER = (
    *("Net", "Convolution", "Direction", "Proa, ms", "GFLOP/s"),
    *("other forms, ms", "best of them", "Proa / best"),
)


def main() -> None:
    """Prints the table; `--write` puts it into bench/CONVOLUTIONS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="part of a net's name")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.02)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    console = Console(width=200)
    shapes = [shape for shape in SHAPES if options.only.lower() in shape.net.lower()]
    lines = []
    for shape in shapes:
        console.print(f"[dim]{shape}[/dim]")
        lines += rows(shape, measure(shape, options.rounds, options.seconds))
    table = Table(*HEADER)
    for line in lines:
        table.add_row(*line)
    console.print(table)
    ratios = [float(line[-1]) for line in lines]
    if not ratios:
        return
    mean = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
    summary = (
        f"Geometric mean of Proa / best other form: {mean:.2f}; "
        f"{sum(r <= 1.05 for r in ratios)} of {len(ratios)} within 5 % of the best or faster."
    )
    console.print(summary)
    if options.write:
        text = [
            "# Forms of a convolution",
            "",
            f"`python -m bench.convolutions --write`. {summary}",
        ]
        text += ["", f"| {' | '.join(HEADER)} |", f"|{' --- |' * len(HEADER)}"]
        text += [f"| {' | '.join(line)} |" for line in lines]
        (Path(__file__).parent / "CONVOLUTIONS.md").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
