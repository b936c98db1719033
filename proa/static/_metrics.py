"""Metrics that a Program sums up from run to run."""

from __future__ import annotations

from typing import Any

from proa import metric, ops
from proa.core import InvalidArgumentError, Tensor, float32, float64, no_grad

from ._helpers import create_global_var


def accuracy(
    input: Tensor, label: Tensor, k: int = 1, correct: Any = None, total: Any = None
) -> Tensor:
    """Returns the share of rows whose label is among the k largest predictions.

    Args:
        input (Tensor): predictions, [N, C].
        label (Tensor): integer labels, [N, 1].
        k (int): how many predictions count.
        correct (Tensor, optional): kept for Paddle's signature.
        total (Tensor, optional): kept for Paddle's signature.
    """
    return metric.accuracy(input, label, k)


@no_grad
def auc(
    input: Any,
    label: Any,
    curve: str = "ROC",
    num_thresholds: int = 2**12 - 1,
    topk: int = 1,
    slide_steps: int = 1,
    ins_tag_weight: Any = None,
) -> tuple[Tensor, Tensor, list[Tensor]]:
    """Adds the area under a curve to a Program: of all runs so far, and of the last ones.

    Args:
        input (Tensor): probabilities of no and yes, [N, 2], or of yes, [N, 1].
        label (Tensor): 0 or 1, [N, 1].
        curve (str): `ROC`, or `PR` for the average precision.
        num_thresholds (int): number of steps that [0, 1] is divided into.
        topk (int): kept for Paddle's signature.
        slide_steps (int): how many runs the second area is about; 0: all of them.
        ins_tag_weight (Tensor, optional): [N, 1], or one element; rows with 0 do not count.

    Returns:
        tuple: the area of all runs, float64; the area of the last runs; and the counts
        `[last positives, last negatives, positives, negatives]`, which are persistable.

    Raises:
        InvalidArgumentError: an unknown curve, a number below 1.

    Examples:
        >>> import numpy, proa
        >>> main = proa.static.Program()
        >>> with proa.static.program_guard(main):
        ...     chance = proa.static.data("chance", [None, 2])
        ...     label = proa.static.data("label", [None, 1], "int64")
        ...     area, _, _ = proa.static.auc(chance, label)
        >>> yes = numpy.float32([0.1, 0.4, 0.35, 0.8])
        >>> feed = {"chance": numpy.stack([1 - yes, yes], 1), "label": [[0], [0], [1], [1]]}
        >>> proa.static.Executor().run(main, feed, [area])[0].item()
        0.75

    Differs:
        Paddle 3.3.1 gives the area of the ROC curve for `PR` too.
    """
    if curve not in ("ROC", "PR"):
        raise InvalidArgumentError(
            f"auc: `curve` is {curve!r}", expected="ROC or PR", fix="use ROC"
        )
    if num_thresholds < 1 or slide_steps < 0:
        raise InvalidArgumentError(
            f"auc: num_thresholds={num_thresholds}, slide_steps={slide_steps}",
            expected="a number above 0, and one not below 0",
            fix="use the defaults, 4095 and 1",
        )
    bins = num_thresholds + 1
    chance = input[:, -1]
    if chance.dtype not in (float32, float64):
        chance = chance.astype("float32")
    chance = chance.clip(0.0, 1.0)
    place = ops.floor(chance * float(num_thresholds)).astype("int64")
    is_yes = (label.reshape([-1]) != 0).astype("int64")
    counts: Any = ops.ones_like(is_yes)
    if ins_tag_weight is not None:
        counts = counts * _is_real(ins_tag_weight).astype("int64")
    last, overall, states = [], [], []
    for weights in (counts * is_yes, counts * (1 - is_yes)):
        found = ops.scatter_nd_add(
            ops.zeros([bins], "int64"),
            place.unsqueeze(-1),
            weights,  # [N, 1] places, [N] counts
        )
        total: Any = create_global_var([1, bins], 0, "int64", persistable=True)
        summed = total + found
        ops.assign(summed, output=total)
        window, recent = total, summed
        if slide_steps:
            window, recent = _slide(found, slide_steps, bins)
        last.append(recent.reshape([-1]))
        overall.append(summed.reshape([-1]))
        states.append((window, total))
    (last_yes, yes), (last_no, no) = states
    return _area(*overall, curve=curve), _area(*last, curve=curve), [last_yes, last_no, yes, no]


def _is_real(weight: Any) -> Any:
    """Which rows count, by the first entry of each row of weights."""
    return (weight if len(weight.shape) < 2 else weight.flatten(1)[:, 0]) != 0


def _slide(found: Any, slide_steps: int, bins: int) -> tuple[Any, Any]:
    """Keeps the counts of the last runs; returns the state, and the sum.

    As in Paddle the state is flat: the runs' counts, their sum, and the number of runs.
    """
    state: Any = create_global_var([(1 + slide_steps) * bins + 1], 0, "int64", persistable=True)
    runs = state[: slide_steps * bins].reshape([slide_steps, bins])
    count = state[-1:]
    steps: Any = ops.arange(slide_steps)
    here = steps.unsqueeze(-1) == count % slide_steps
    runs = ops.where(here, found.unsqueeze(0), runs)
    recent = runs.sum(0)
    ops.assign(ops.concat([runs.reshape([-1]), recent, count + 1]), output=state)
    return state, recent


def _area(positives: Any, negatives: Any, curve: str) -> Any:
    """The area under the curve of counts by threshold; 0 while one of the two is missing."""
    # From the strictest threshold to the loosest.
    found: Any = ops.flip(positives, [0]).cumsum(0).astype("float64")
    false = ops.flip(negatives, [0]).cumsum(0).astype("float64")
    start = ops.zeros([1], "float64")
    before, false_before = ops.concat([start, found[:-1]]), ops.concat([start, false[:-1]])
    if curve == "ROC":
        area = ((false - false_before) * (found + before) / 2.0).sum()
    else:
        precision = found / (found + false).clip(1.0)
        area = ((found - before) * precision).sum() * false[-1]
    return area / (found[-1] * false[-1]).clip(1.0)


@no_grad
def ctr_metric_bundle(
    input: Any, label: Any, ins_tag_weight: Any = None
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Adds what metrics of click rates are made of to a Program, summed up over all runs.

    Args:
        input (Tensor): probabilities of a click, [N, 1].
        label (Tensor): 0 or 1, [N, 1].
        ins_tag_weight (Tensor, optional): [N, 1], or one element; rows with 0 do not count.

    Returns:
        tuple: float32 sums of the squared errors, [1]; of the absolute errors, [1]; of the
        probabilities, [1]; of `sigmoid(input)`, [1, 1]; the clicks, [1]; the rows, [1, 1].

    Examples:
        >>> import proa
        >>> main = proa.static.Program()
        >>> with proa.static.program_guard(main):
        ...     chance = proa.static.data("chance", [None, 1])
        ...     click = proa.static.data("click", [None, 1], "int64")
        ...     sums = proa.static.ctr_metric_bundle(chance, click)
        >>> feed = {"chance": [[0.5], [0.75]], "click": [[1], [0]]}
        >>> found = proa.static.Executor().run(main, feed, sums)
        >>> [each.item() for each in found[:3]]
        [0.8125, 1.25, 1.25]
    """
    truth = label.astype("float32").reshape([-1])
    chance = input.astype("float32").reshape([-1])
    counts: Any = ops.ones_like(truth)
    if ins_tag_weight is not None:
        counts = counts * _is_real(ins_tag_weight).astype("float32")
    error = chance - truth
    parts = (
        ((error * error), [1]),
        (error.abs(), [1]),
        (chance, [1]),
        (ops.sigmoid(chance), [1, 1]),
        (truth, [1]),
        (ops.ones_like(truth), [1, 1]),
    )
    sums = []
    for part, shape in parts:
        total: Any = create_global_var(shape, 0.0, "float32", persistable=True)
        summed = total + (part * counts).sum()
        ops.assign(summed, output=total)
        sums.append(summed)
    return tuple(sums)  # type: ignore[return-value]
