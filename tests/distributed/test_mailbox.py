"""Mailboxes: order, what is not there, and strangers."""

from __future__ import annotations

import socket
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client

import numpy as np
import pytest

import proa
from proa.core import PreconditionError
from proa.distributed._mailbox import Mailbox
from proa.distributed.launch import free_endpoints


@pytest.fixture
def short_patience():
    held = proa.get_flags("FLAGS_connect_timeout")
    proa.set_flags({"FLAGS_connect_timeout": 1})
    yield
    proa.set_flags(held)


def test_messages_wait_in_their_order():
    endpoints = free_endpoints(2)
    boxes = [Mailbox(rank, endpoints) for rank in range(2)]
    arrays = [np.arange(6.0).reshape(2, 3)[:, ::2], np.int8(3), np.zeros((0, 2), "float32")]
    for array in arrays:
        boxes[0].send(1, 7, "array", np.asarray(array))
    boxes[0].send(1, 8, "array", np.asarray([True]))
    assert boxes[1].receive(0, 8, 5)[0]["dtype"] == "bool"
    for array in arrays:
        header, data = boxes[1].receive(0, 7, 5)
        got = np.frombuffer(data, header["dtype"]).reshape(header["shape"])
        np.testing.assert_array_equal(got, array)


def test_what_does_not_come_is_told(short_patience):
    box = Mailbox(0, free_endpoints(2))
    with pytest.raises(PreconditionError, match="process 1 does not answer at"):
        box.send(1, 0, "array", np.zeros(1))
    with pytest.raises(PreconditionError, match="process 1, which sent nothing"):
        box.receive(1, 0, 0.3)


def test_strangers_are_not_heard():
    endpoints = free_endpoints(2)
    boxes = [Mailbox(rank, endpoints) for rank in range(2)]
    host, port = endpoints[0].split(":")
    with pytest.raises(AuthenticationError):
        Client((host, int(port)), authkey=b"a guess")
    for said in (b"", b"hello"):
        with socket.create_connection((host, int(port))) as stranger:
            stranger.sendall(said)
    boxes[1].send(0, 0, "array", np.ones(2))
    assert boxes[0].receive(1, 0, 5)[0]["shape"] == [2]
