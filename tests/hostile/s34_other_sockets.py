"""Reaches a colluder, the host or the kernel by the less known kinds of socket."""

import socket

from tests.hostile.harness import TARGETS, attempt


def abstract() -> str:
    client = socket.socket(socket.AF_UNIX)
    client.connect("\0" + TARGETS["unix"])
    return "connected"


attempt("abstract unix socket", abstract)
attempt("abstract unix name", lambda: socket.socket(socket.AF_UNIX).bind("\0" + TARGETS["marker"]))
attempt("socket pair", socket.socketpair)
attempt("vsock", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("crypto", lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET))
