"""From the scores of a recogniser to text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np


def read_alphabet(path: str | os.PathLike[str]) -> list[str]:
    """Reads the characters that a recogniser knows: one per line; a space is added at the end."""
    # Not `splitlines`: some of the characters end a line to it.
    return [*Path(path).read_text(encoding="utf-8").removesuffix("\n").split("\n"), " "]


def decode_ctc(scores: np.ndarray, alphabet: Sequence[str]) -> tuple[str, float]:
    """Reads one line: the best class of each step, repetitions and blanks left out.

    Args:
        scores: probabilities [T, classes]; class 0 is the blank.
        alphabet: character of each class but the blank.

    Returns:
        The text, and the mean probability of its characters (0 when there are none).

    Examples:
        >>> import numpy as np
        >>> from proa.suites.ocr import decode_ctc
        >>> decode_ctc(np.eye(3)[[1, 1, 0, 1, 2]], "ab")
        ('aab', 1.0)
    """
    best = scores.argmax(1)
    kept = (best != 0) & np.concatenate([[True], best[1:] != best[:-1]])
    text = "".join(str(alphabet[i - 1]) for i in best[kept].tolist())
    return text, float(scores.max(1)[kept].mean()) if kept.any() else 0.0
