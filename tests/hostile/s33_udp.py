"""Sends datagrams to the host, and asks a name server."""

import socket

from tests.hostile.harness import TARGETS, attempt


def send() -> int:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hello", ("127.0.0.1", int(TARGETS["udp"])))


attempt("send", send)
attempt("raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
