"""Undoes or loosens what binds it: seccomp, Landlock, dumpability, its parent-death signal."""

import ctypes
import os
from pathlib import Path

from tests.hostile.harness import attempt

libc = ctypes.CDLL(None, use_errno=True)


def prctl(*arguments: int) -> int:
    result = libc.prctl(*arguments, 0, 0)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


attempt("become dumpable", lambda: prctl(4, 1, 0))
attempt("outlive the parent", lambda: prctl(1, 0, 0))
attempt("adopt orphans", lambda: prctl(36, 1, 0))
attempt("become root", lambda: os.setuid(0))
attempt("leave the session", lambda: os.setsid() or 1)
attempt("write to its own oom score", lambda: Path("/proc/self/oom_score_adj").write_text("-1000"))
