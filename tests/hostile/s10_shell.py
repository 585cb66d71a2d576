"""Runs a shell, in every way Python has."""

import os
import subprocess

from tests.hostile.harness import attempt


def by_system() -> int:
    status = os.system("exit 7")
    if os.waitstatus_to_exitcode(status) != 7:
        raise OSError("no shell ran")
    return status


attempt("subprocess", lambda: subprocess.run(["/bin/sh", "-c", "exit 0"], check=True))
attempt("os.system", by_system)
attempt("posix_spawn", lambda: os.posix_spawn("/bin/sh", ["sh", "-c", "exit 0"], {}))
attempt("exec", lambda: os.execv("/bin/sh", ["sh", "-c", 'echo \'{"attempt": "exec", "got": true, "detail": "a shell"}\'']))
