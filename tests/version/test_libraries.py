from __future__ import annotations

from types import SimpleNamespace

import pytest

from proa import version


def gpus(monkeypatch, platform, *capabilities):
    client = SimpleNamespace(platform_version=platform)
    made = [SimpleNamespace(client=client, compute_capability=each) for each in capabilities]
    monkeypatch.setattr("proa.version._libraries._gpus", lambda: made)


def test_versions_of_cuda(monkeypatch):
    gpus(monkeypatch, "PJRT C API\ncuda 12090", "9.0", "8.6", "9.0")
    assert version.cuda() == "12.9"
    assert version.cuda_archs() == [86, 90]
    gpus(monkeypatch, "rocm 60000", "gfx90a")
    assert version.cuda() == "False"
    assert version.cuda_archs() == []


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("cudnn", "False"),
        ("nccl", "0"),
        ("tensorrt", "None"),
        *((name, "False") for name in ("xpu", "xpu_xccl", "xpu_xhpc", "xpu_xre")),
    ],
)
def test_what_xla_does_not_tell(name, answer):
    told = getattr(version, name)
    assert told() == answer
    assert told.__name__ == name
    assert answer in told.__doc__
