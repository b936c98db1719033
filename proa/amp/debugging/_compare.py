"""Comparison of two runs by the reports that the tensor checker wrote."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

from proa.core import NotFoundError, UnsupportedError

from ._numerics import FLOAT16_LIMIT
from ._statistics import Statistics, parse

_FIELDS = ("dtype", "numel", "num_nan", "num_inf", "num_zero", "max", "min", "mean")
_HEAD = ("op", "call", *(f"{f}_1" for f in _FIELDS), *(f"{f}_2" for f in _FIELDS), "remark")
_LARGE_ERROR = 0.05


def compare_accuracy(
    dump_path: str,
    another_dump_path: str,
    output_filename: str,
    loss_scale: float = 1,
    dump_all_tensors: bool = False,
) -> str:
    """Writes a table that sets the ops of two runs side by side, call by call.

    Run the same steps twice, for example in float32 and under `auto_cast`, with a
    `TensorCheckerConfig` of mode CHECK_ALL and an output folder each.

    Args:
        dump_path (str): folder of the first run's reports.
        another_dump_path (str): folder of the second run's reports.
        output_filename (str): the table to write; its suffix becomes `.csv`.
        loss_scale (float): loss scale of the second run, which its gradients are divided by.
        dump_all_tensors (bool): only `False` works.

    Returns:
        str: path of the table. Its last column says what stands out: NaN or Inf in one run,
        values that float16 cannot hold, means that differ by more than 5 %.

    Raises:
        NotFoundError: a folder has no reports.
        UnsupportedError: `dump_all_tensors` is set.

    Differs: Paddle 3.3.1 writes an Excel file.
    """
    if dump_all_tensors:
        raise UnsupportedError(
            "compare_accuracy with dump_all_tensors=True",
            expected="dump_all_tensors=False: reports hold statistics, not tensors",
            fix="compare single tensors with numpy.testing.assert_allclose",
        )
    first, second = _calls(dump_path), _calls(another_dump_path)
    target = Path(output_filename).with_suffix(".csv")
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table)
        writer.writerow(_HEAD)
        for key in [*first, *(key for key in second if key not in first)]:
            other = second.get(key)
            if other is not None and key[0].endswith("_grad"):
                other = _unscaled(other, loss_scale)
            known = first.get(key)
            writer.writerow([*key, *_cells(known), *_cells(other), _remark(known, other)])
    return str(target)


def _calls(folder: Any) -> dict[tuple[str, int], Statistics]:
    reports = sorted(Path(folder).glob("worker_*"))
    if not reports:
        raise NotFoundError(
            f"there is no report in {str(folder)!r}",
            expected="files worker_<device>, written by the tensor checker",
            fix="set output_dir of TensorCheckerConfig, with DebugMode.CHECK_ALL",
        )
    seen: dict[str, int] = defaultdict(int)
    calls = {}
    for report in reports:
        for line in report.read_text(encoding="utf-8").splitlines():
            found = parse(line)
            if found is not None:
                calls[found.op, seen[found.op]] = found
                seen[found.op] += 1
    return calls


def _unscaled(found: Statistics, scale: float) -> Statistics:
    values = (found.max / scale, found.min / scale, found.mean / scale)
    return replace(found, max=values[0], min=values[1], mean=values[2])


def _cells(found: Statistics | None) -> list[Any]:
    return ["" if found is None else getattr(found, field) for field in _FIELDS]


def _remark(first: Statistics | None, second: Statistics | None) -> str:
    if first is None or second is None:
        return "only in the first run" if second is None else "only in the second run"
    if first.is_finite != second.is_finite:
        return "not finite in the " + ("second run" if first.is_finite else "first run")
    if not first.is_finite:
        return "not finite in both runs"
    if max(abs(v) for v in (first.max, first.min)) > FLOAT16_LIMIT:
        return "beyond float16"
    if not math.isclose(first.mean, second.mean, rel_tol=_LARGE_ERROR, abs_tol=1e-6):
        return "means differ"
    return ""
