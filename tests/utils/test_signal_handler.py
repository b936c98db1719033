from __future__ import annotations

import signal

import proa


def test_handlers_stay():
    before = signal.getsignal(signal.SIGINT)
    proa.disable_signal_handler()
    assert signal.getsignal(signal.SIGINT) is before
