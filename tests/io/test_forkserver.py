from __future__ import annotations

import json
import os
import socket
import threading

import pytest

from proa.io import _forkserver


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """A function that asks a server, whose workers end with the status 3 or wait for a signal."""
    ours, theirs = socket.socketpair()
    monkeypatch.setattr(_forkserver, "_fork", lambda channel, descriptors: forked.pop(0))
    forked = [os.posix_spawn("/bin/sh", ["sh", "-c", c], {}) for c in ("exit 3", "sleep 60")]
    (tmp_path / "run-1").write_bytes(b"")
    thread = threading.Thread(
        target=_forkserver.serve, args=(theirs.detach(), f"{tmp_path}/run-"), daemon=True
    )
    thread.start()

    def ask(**request):
        ours.sendall(json.dumps(request).encode())
        return json.loads(ours.recv(4096))

    yield ask
    ours.close()
    thread.join(10)
    assert not thread.is_alive()
    assert list(tmp_path.iterdir()) == []


def test_it_tells_how_workers_ended_and_kills_the_others(asked):
    ended, running = asked(do="fork"), asked(do="fork")
    assert asked(do="status", pids=[ended], seconds=5) == [3]
    assert asked(do="status", pids=[running], seconds=0) == [None]
    assert asked(do="end", pids=[ended, running], seconds=0.01) == [3, -9]
    assert not os.path.exists(f"/proc/{running}")


def test_it_ends_the_workers_of_a_lost_main_process(asked):
    asked(do="fork")
    running = asked(do="fork")
    assert os.path.exists(f"/proc/{running}")
