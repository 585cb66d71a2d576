"""Messages between the host and the zygote: four bytes for the length, then JSON, with file descriptors attached."""

from __future__ import annotations

import array
import ctypes
import json
import os
import socket
import tempfile
from collections.abc import Mapping, Sequence
from typing import IO, Final, TypeAlias

Value: TypeAlias = str | int | float | bool | list[str] | None
Message: TypeAlias = Mapping[str, Value]

_MOST_DESCRIPTORS: Final = 16
_LONGEST: Final = 1 << 20


class ChannelClosedError(Exception):
    """The other end of the channel is closed."""


def send(channel: socket.socket, message: Message, descriptors: Sequence[int] = ()) -> None:
    """Send a message and duplicates of the descriptors. Raises ChannelClosedError, or TimeoutError if the socket has a timeout."""
    body = json.dumps(message).encode()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    try:
        # The descriptors are sent with the length, so that they never arrive with a different message.
        channel.sendmsg([len(body).to_bytes(4, "big")], rights)
        channel.sendall(body)
    except (BrokenPipeError, ConnectionResetError):
        raise ChannelClosedError from None


def send_record(channel: socket.socket, record: ctypes.Structure) -> None:
    """Send a structure as raw bytes, after a message that announces it. Raises the same errors as `send`."""
    try:
        channel.sendall(record)
    except (BrokenPipeError, ConnectionResetError):
        raise ChannelClosedError from None


def receive_record(channel: socket.socket, record: ctypes.Structure) -> None:
    """Receive the bytes sent by `send_record`, and fill in ``record``. Raises the same errors as `receive`."""
    try:
        data = _exactly(channel, ctypes.sizeof(record))
    except ConnectionResetError:
        raise ChannelClosedError from None
    ctypes.memmove(ctypes.byref(record), data, len(data))


def receive(channel: socket.socket) -> tuple[dict[str, Value], list[int]]:
    """Return the next message and its descriptors (close-on-exec), which the caller must close. Raises the same errors as `send`."""
    try:
        head, descriptors = _receive_head(channel)
        length = int.from_bytes(head, "big")
        if length > _LONGEST:
            raise ChannelClosedError
        body = _exactly(channel, length)
    except ConnectionResetError:
        raise ChannelClosedError from None
    message = json.loads(body)
    assert isinstance(message, dict)
    return message, descriptors


def _receive_head(channel: socket.socket) -> tuple[bytes, list[int]]:
    room = socket.CMSG_SPACE(_MOST_DESCRIPTORS * array.array("i").itemsize)
    head, ancillary, _, _ = channel.recvmsg(4, room, getattr(socket, "MSG_CMSG_CLOEXEC", 0))
    descriptors = array.array("i")
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)  # for systems without MSG_CMSG_CLOEXEC
    if not head:
        raise ChannelClosedError
    return head + _exactly(channel, 4 - len(head)), descriptors.tolist()


def _exactly(channel: socket.socket, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        piece = channel.recv(length - len(data))
        if not piece:
            raise ChannelClosedError
        data += piece
    return bytes(data)


def number_of(message: Message, key: str) -> int:
    """Return the integer stored under ``key`` in a message."""
    value = message[key]
    assert isinstance(value, int)
    return value


def texts_of(message: Message, key: str) -> list[str]:
    """Return the list of strings at a key of a message."""
    value = message[key]
    assert isinstance(value, list)
    return [str(each) for each in value]


def read_all(descriptor: int) -> bytes:
    """Return the whole content of a file, and close it."""
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        return file.read()


def file_of(content: bytes) -> IO[bytes]:
    """Return an open, unnamed file with this content."""
    if hasattr(os, "memfd_create"):
        file: IO[bytes] = os.fdopen(os.memfd_create("payload"), "w+b")
    else:
        file = tempfile.TemporaryFile()  # noqa: SIM115  # the caller closes it
    file.write(content)
    file.flush()
    return file
