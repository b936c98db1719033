"""What a report is made from: the record of a run, checked, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from proa.core._errors import InvalidArgumentError

LAYERS = {
    "environment": "Interpreter, versions, devices, and one op, gradient and compiled step",
    "training": "Data, accuracy, resumed against uninterrupted, parallel against one device",
    "inference": "The exported model against the trained one, on the whole test set",
    "hardware": "What the devices are, and what they did per second",
    "engineering": "Files whole and hashed, the run told from beginning to end",
}


def need(entry: Mapping[str, Any], key: str, where: str) -> Any:
    """The value of a key of the record.

    Raises:
        InvalidArgumentError: the key is missing, named with the place where it belongs.
    """
    if not isinstance(entry, Mapping) or key not in entry:
        kind = f"has only {sorted(entry)}" if isinstance(entry, Mapping) else "is no dict"
        raise InvalidArgumentError(
            f"`run` has no {where}[{key!r}]: it {kind}",
            expected="the entries that render_report describes",
            fix=f"add {key!r} to {where}, or leave {where} out",
        )
    return entry[key]


def same_size(what: str, first: int, second: int) -> None:
    """Raises InvalidArgumentError when two sizes of the record differ."""
    if first != second:
        raise InvalidArgumentError(
            f"{what}: {first} and {second}",
            expected="equal sizes",
            fix="correct the entry of `run`",
        )


def plural(count: int, noun: str) -> str:
    """`1 check`, `2 checks`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def layers_of(run: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The checks of all five layers; `passed` is True, False or, for skipped ones, None."""
    given = run.get("layers", {})
    unknown = sorted(set(given) - set(LAYERS))
    if unknown:
        raise InvalidArgumentError(
            f"`run` has the layer {unknown[0]!r}",
            expected="layers named " + ", ".join(LAYERS),
            fix="put its checks into one of these layers",
        )
    layers: dict[str, list[dict[str, Any]]] = {name: [] for name in LAYERS}
    for name, checks in given.items():
        for check in checks:
            need(check, "name", f"layers[{name!r}]")
            passed = need(check, "passed", f"layers[{name!r}]")
            # NumPy's bool is not Python's, and a comparison may have given it.
            result = None if passed is None else bool(passed)
            layers[name].append({**check, "passed": result})
    return layers


def state_of(checks: Sequence[Mapping[str, Any]]) -> str:
    """`pass`, `fail`, or `skip` when nothing was checked."""
    results = [check["passed"] for check in checks]
    if False in results:
        return "fail"
    return "pass" if True in results else "skip"


def run_verdict(run: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether a run is verified, and the sentence that says so.

    Args:
        run: the record of the run, as `render_report` takes it.

    Returns:
        True when each of the five layers has a check that passed and none that failed; and what to
        print.

    Raises:
        InvalidArgumentError: an entry of `layers` is malformed.

    Example:
        >>> from proa.suites import run_verdict
        >>> run_verdict({"layers": {"training": [{"name": "accuracy", "passed": False}]}})
        (False, '1 check failed in training')
    """
    layers = layers_of(run)
    states = {name: state_of(checks) for name, checks in layers.items()}
    failed = [name for name, state in states.items() if state == "fail"]
    missing = [name for name, state in states.items() if state == "skip"]
    if failed:
        count = sum(check["passed"] is False for name in failed for check in layers[name])
        return False, f"{plural(count, 'check')} failed in {' and '.join(failed)}"
    if missing:
        verb = "was" if len(missing) == 1 else "were"
        return False, f"{plural(len(missing), 'layer')} {verb} not checked: {', '.join(missing)}"
    return True, "Verified: all five layers passed"


def comparison_of(run: Mapping[str, Any]) -> dict[str, Any] | None:
    """Relative differences to the reference series, and the largest within the limit's steps.

    The difference of values at the same x is `|y - reference| / |reference|`; it is Inf where one
    of them is not finite, so that a NaN is never within a limit.
    """
    wanted = run.get("comparison")
    if not wanted:
        return None
    curve = need(run.get("curves", {}), need(wanted, "curve", "comparison"), "curves")
    by_name = {need(item, "name", "series"): item for item in need(curve, "series", "curve")}
    for name, item in by_name.items():
        sizes = (len(need(item, "x", "series")), len(need(item, "y", "series")))
        same_size(f"positions and values of {name!r}", *sizes)
    reference = need(by_name, need(wanted, "reference", "comparison"), "series")
    base = dict(zip(reference["x"], reference["y"], strict=True))
    until = need(wanted, "num_steps", "comparison")
    series, largest = [], {}
    for name, item in by_name.items():
        if item is reference:
            continue
        pairs = [(x, y, base[x]) for x, y in zip(item["x"], item["y"], strict=True) if x in base]
        values = [_difference(y, expected) for _, y, expected in pairs]
        series.append({"name": name, "x": [x for x, _, _ in pairs], "y": values})
        largest[name] = max(values[:until], default=math.inf)
    return {
        "curve": wanted["curve"],
        "reference": wanted["reference"],
        "limit": float(need(wanted, "limit", "comparison")),
        "num_steps": until,
        "series": series,
        "largest": largest,
    }


def _difference(value: float, reference: float) -> float:
    if value == reference:
        return 0.0
    if not (math.isfinite(value) and math.isfinite(reference)) or reference == 0:
        return math.inf
    return abs(value - reference) / abs(reference)


def accuracy_of(run: Mapping[str, Any]) -> float | None:
    """Share of the items on the diagonal of the confusion matrix; None without one."""
    matrix = run.get("confusion", {}).get("matrix")
    total = sum(map(sum, matrix)) if matrix else 0
    return sum(matrix[index][index] for index in range(len(matrix))) / total if total else None
