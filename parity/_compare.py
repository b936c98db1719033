"""When two outcomes count as the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._evaluate import decode_array
from .table import Call

# Relative to the largest expected value, or to 1 where all are smaller.
TOLERANCES = {
    "bfloat16": 2e-2,
    "float16": 2e-3,
    "float32": 2e-5,
    "float64": 1e-9,
    "complex64": 2e-5,
    "complex128": 1e-9,
    "float": 1e-6,
    "complex": 1e-6,
}


def compare_calls(call: Call, theirs: dict[str, Any], ours: dict[str, Any]) -> str:
    """Returns what differs between two outcomes of a row; an empty text when nothing does."""
    if call.error:
        raised = [outcome["status"] == "error" for outcome in (theirs, ours)]
        sides = [side for side, yes in zip(("Paddle", "Proa"), raised, strict=True) if not yes]
        return f"no error from {' and '.join(sides)}" if sides else ""
    for side, outcome in (("Paddle", theirs), ("Proa", ours)):
        if outcome["status"] != "ok":
            return f"{side}: {outcome.get('message', outcome['status'])}"
    expected, found = (dict(outcome["leaves"]) for outcome in (theirs, ours))
    if expected.keys() != found.keys():
        return f"structure: {sorted(expected)} against {sorted(found)}"
    for label, leaf in expected.items():
        difference = _compare_leaves(leaf, found[label], call)
        if difference:
            return f"{label or 'output'}: {difference}"
    return ""


def _is_zero(leaf: dict[str, Any]) -> bool:
    return "text" not in leaf and not np.any(decode_array(leaf))


def _compare_leaves(theirs: dict[str, Any], ours: dict[str, Any], call: Call) -> str:
    if "text" in theirs or "text" in ours:
        # No gradient and a gradient of zeros say the same.
        if {theirs.get("text"), ours.get("text")} == {"None", None}:
            return "" if _is_zero(theirs) or _is_zero(ours) else "None on one side"
        names = theirs.get("text"), ours.get("text")
        return "" if names[0] == names[1] else f"{names[0]} against {names[1]}"
    for fact in ("dtype", "shape"):
        if theirs[fact] != ours[fact]:
            return f"{fact} {theirs[fact]} against {ours[fact]}"
    return _compare_values(theirs, ours, call) if call.values else ""


def _compare_values(theirs: dict[str, Any], ours: dict[str, Any], call: Call) -> str:
    expected, found = decode_array(theirs), decode_array(ours)
    word = theirs["dtype"].partition(" ")[0]
    if not expected.size or np.array_equal(expected, found):
        return ""
    if word not in TOLERANCES:
        return f"{_short(expected)} against {_short(found)}"
    tolerance = call.rtol or TOLERANCES[word]
    sizes = np.abs(expected[np.isfinite(expected)])
    scale = max(1.0, float(sizes.max(initial=0.0)))
    with np.errstate(all="ignore"):
        same = np.isclose(found, expected, tolerance, tolerance * scale, equal_nan=True)
    if same.all():
        return ""
    return f"{_short(expected[~same])} against {_short(found[~same])}"


def _short(values: np.ndarray) -> str:
    text = np.array2string(values.ravel()[:4], precision=6, separator=", ")
    return " ".join(text.split()) + (f" and {values.size - 4} more" if values.size > 4 else "")
