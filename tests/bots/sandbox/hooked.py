"""A module that asks to be told of forks, as some packages do; preloaded by the zygote."""

from __future__ import annotations

import os

_forks: list[str] = []

os.register_at_fork(after_in_child=lambda: _forks.append("told"))


def tell(payload: bytes) -> None:
    """Answer whether this process was told that it is a fork."""
    del payload
    os.write(1, b"%d\n" % bool(_forks))
