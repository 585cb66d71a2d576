"""Sets the clock, the host name and the like."""

import socket
import time

from tests.hostile.harness import attempt

attempt("clock", lambda: time.clock_settime(time.CLOCK_REALTIME, 0))
attempt("host name", lambda: socket.sethostname("mine"))
