"""Calls a TCP port of the host, and listens on one."""

import socket

from tests.hostile.harness import TARGETS, attempt

attempt("connect", lambda: socket.create_connection(("127.0.0.1", int(TARGETS["tcp"])), timeout=2))
attempt("connect by IPv6", lambda: socket.create_connection(("::1", int(TARGETS["tcp"])), timeout=2))
attempt("listen", lambda: socket.create_server(("127.0.0.1", 0)))
