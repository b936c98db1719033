from __future__ import annotations

import subprocess
import sys


def test_the_script_says_what_it_takes():
    command = [sys.executable, "-m", "proa.suites.tour", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert all(option in done.stdout for option in ("--mode", "--out", "--steps", "--seed"))
