"""When two printed texts count as the same."""

from __future__ import annotations

import math
import re
from typing import Any

RTOL, ATOL = 1e-4, 1e-5
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\bnan\b|[-+]?\binf\b")
# What differs from run to run, or names the machine.
_INCIDENTAL = (
    (re.compile(r"(?:place=)?Place\([^)]*\)"), "<place>"),
    (re.compile(r"0x[0-9a-f]+"), "<address>"),
    # How Paddle writes a negative imaginary part; whether a zero is negative is rounding.
    (re.compile(r"\+-"), "-"),
    # How NumPy 2 writes its scalars: the number is compared, as NumPy 1 wrote it.
    (re.compile(r"\bnp\.(?:u?int|float)\d+\(([^()]*)\)"), r"\1"),
    (re.compile(r"\[\d{4}-\d\d-\d\d [^]]*\] \[[^]]*\].*"), ""),
)


def read_print(text: str) -> tuple[str, list[float]]:
    """Splits what was printed into its words, without white space, and its numbers."""
    for pattern, replacement in _INCIDENTAL:
        text = pattern.sub(replacement, text)
    numbers = [float(number) for number in _NUMBER.findall(text)]
    words = "".join(_NUMBER.sub("#", text).split())
    return words.replace("paddle.", "").replace("'", '"'), numbers


def _close(expected: list[float], found: list[float]) -> bool:
    return len(expected) == len(found) and all(
        a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= ATOL + RTOL * abs(a)
        for a, b in zip(expected, found, strict=True)
    )


def compare_prints(theirs: list[dict[str, Any]], ours: dict[str, Any]) -> str:
    """Returns what differs between the runs of one example; an empty text when nothing does.

    Args:
        theirs: the runs of the real Paddle with two seeds. Where their numbers differ, they are
            random, and only the words are compared; where their words differ, nothing is.
        ours: the run of Proa.
    """
    if ours["status"] != "ok":
        return ours.get("message", ours["status"])
    runs = [each["printed"] for each in (*theirs, ours)]
    for index, (first, second, found) in enumerate(zip(*runs, strict=True)):
        words, numbers = read_print(first)
        other_words, other_numbers = read_print(second)
        if words != other_words:
            continue
        our_words, our_numbers = read_print(found)
        if our_words != words:
            return f"statement {index}: {first.strip()[:300]!r} against {found.strip()[:300]!r}"
        if _close(numbers, other_numbers) and not _close(numbers, our_numbers):
            return f"statement {index}: {first.strip()[:300]!r} against {found.strip()[:300]!r}"
    return ""
