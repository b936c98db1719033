"""The one place where the version stands; `pyproject.toml` reads it from here."""

from __future__ import annotations

full_version = "0.1.0"
major, minor, patch = full_version.split(".")
commit = "unknown"
rc = "0"


def show() -> None:
    """Prints the version."""
    print(f"full_version: {full_version}")
