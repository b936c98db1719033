"""A contestant's process, without a framework: this test's own module stands in for a peer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench._peer import Peer, PeerError, interpreter


def fake(folder: Path, code: str) -> str:
    script = folder / "python"
    script.write_text(f"#!{sys.executable}\nimport sys, time, json\n{code}\n")
    script.chmod(0o755)
    return str(script)


def test_answers_errors_and_ends(tmp_path: Path) -> None:
    code = (
        "for line in sys.stdin:\n"
        "    do = json.loads(line)['do']\n"
        "    if do == 'end': sys.exit(3)\n"
        "    if do == 'sleep': time.sleep(60)\n"
        "    answer = {'error': 'no kernel'} if do == 'fail' else {'seconds': 0.5}\n"
        "    print(json.dumps(answer), flush=True)"
    )
    python = fake(tmp_path, code)
    peer = Peer("fake", python)
    assert peer.ask("run") == {"seconds": 0.5}
    with pytest.raises(PeerError, match="fake: no kernel"):
        peer.ask("fail")
    with pytest.raises(PeerError, match="fake ended while it was to end"):
        peer.ask("end")
    peer.close()
    slow = Peer("fake", python)
    with pytest.raises(PeerError, match="took more than 0 s to sleep"):
        slow.ask("sleep", 0.2)
    assert not slow.alive


def test_interpreter_is_the_one_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROA_BENCH_TORCH", "/somewhere/python")
    assert interpreter("torch") == "/somewhere/python"
    assert interpreter("proa") == interpreter("jax") == sys.executable
