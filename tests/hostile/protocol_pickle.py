"""A pickle that would run a command (SANDBOX 18)."""

import os
import pickle

from speak import heard, honest, raw


class Command:
    def __reduce__(self):
        return os.system, ("touch /tmp/pickled",)


honest(1)
heard()
raw(pickle.dumps(Command()).replace(b"\n", b" ") + b"\n")
