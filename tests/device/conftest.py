from __future__ import annotations

from types import SimpleNamespace

import pytest

STATS = {
    "bytes_in_use": 100,
    "peak_bytes_in_use": 700,
    "bytes_reserved": 1000,
    "peak_bytes_reserved": 2000,
    "bytes_limit": 5000,
}


@pytest.fixture
def gpus(monkeypatch):
    """Two GPUs that answer questions; nothing can be computed on them."""
    client = SimpleNamespace(platform_version="CUDA 12")
    made = [
        SimpleNamespace(
            platform="gpu",
            id=number,
            device_kind="Imaginary",
            compute_capability="9.0",
            core_count=132,
            client=client,
            memory_stats=lambda: STATS,
        )
        for number in range(2)
    ]
    monkeypatch.setattr("jax.devices", lambda kind=None: made)
    return made
