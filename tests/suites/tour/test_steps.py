"""The tour itself, on few images; `make tour` is the whole."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from proa.core import InvalidArgumentError, NotFoundError
from proa.suites import tour as package
from proa.suites.tour import _steps, run_tour, verify_run


def test_every_step_is_told_and_the_folder_is_complete(finished):
    out, text = finished
    names = ("check", "data", "baseline", "resume", "parallel", "export", "report")
    for number, name in enumerate(names, 1):
        assert f"{number} {name}" in text
    for name in ("report.html", "run.json", "facts.json", "model.proa", "SHA256SUMS", "data.json"):
        assert (out / name).is_file()


def test_bad_folders_are_refused(finished, tmp_path):
    with pytest.raises(InvalidArgumentError, match="exists and is not empty"):
        run_tour(finished[0])
    with pytest.raises(NotFoundError, match="no finished run in"):
        verify_run(tmp_path)
    with pytest.raises(NotFoundError):
        run_tour(tmp_path / "new", data=str(tmp_path / "nowhere"))
    assert not (tmp_path / "new").exists()


def test_a_stopped_tour_says_what_is_left(few_images, tmp_path, monkeypatch):
    def stop(tour):
        raise KeyboardInterrupt

    text = io.StringIO()
    monkeypatch.setattr(_steps, "STEPS", (stop,))
    with pytest.raises(KeyboardInterrupt):
        run_tour(tmp_path / "run", data=str(few_images), console=Console(file=text))
    assert f"Stopped in step 'stop'; what was written so far lies in {tmp_path}" in text.getvalue()


def test_the_room_exports_its_functions():
    assert package.run_tour is run_tour
