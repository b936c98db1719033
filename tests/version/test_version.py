from __future__ import annotations

import tomllib
from pathlib import Path

from proa import version


def test_the_parts_make_the_whole_and_the_project_agrees(capsys):
    assert ".".join((version.major, version.minor, version.patch)) == version.full_version
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project.get("version", version.full_version) == version.full_version
    version.show()
    assert capsys.readouterr().out == f"full_version: {version.full_version}\n"
