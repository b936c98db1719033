"""Huge pages for the C library's allocator, from which XLA's CPU backend takes its memory.

A training step of a convolution network goes through hundreds of megabytes that are given back
after it. In pages of 4 kB finding them costs a fifth to two fifths of the time (docs/design.md,
"Huge pages"). The allocator asks for pages of 2 MB where the environment said so when the
process began, which nobody can make up for afterwards.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path

SETTING = "glibc.malloc.hugetlb=1"
_KERNEL = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def describe_huge_pages() -> str:
    """Says whether this process takes its memory in huge pages, and how to make it so."""
    try:
        policy = _KERNEL.read_text()
    except OSError:
        return "not known on this system"
    if "[always]" in policy:
        return "on (the kernel gives them to all)"
    if "[never]" in policy:
        return "off: the kernel gives none (transparent_hugepage/enabled)"
    library, version = platform.libc_ver()
    if library != "glibc" or tuple(map(int, version.split(".")[:2])) < (2, 35):
        return "off: the C library cannot ask for them"
    if SETTING in os.environ.get("GLIBC_TUNABLES", "").split(":"):
        return "on (GLIBC_TUNABLES)"
    return f"off: start with GLIBC_TUNABLES={SETTING} to train convolution networks faster"
