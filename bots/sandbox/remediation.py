"""Advice on how to make this machine support an isolation level. This module only reads settings."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bots.limits import Level
from bots.sandbox import seccomp
from bots.sandbox.bubblewrap import find_bubblewrap
from bots.sandbox.lockdown import abi
from bots.sandbox.paths import find_python

_SETTINGS: Final[Mapping[str, tuple[str, str]]] = {
    "/proc/sys/kernel/unprivileged_userns_clone": ("0", "sysctl kernel.unprivileged_userns_clone=1"),
    "/proc/sys/user/max_user_namespaces": ("0", "sysctl user.max_user_namespaces=10000"),
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap that contains 'userns,'",
    ),
}


def advice(level: Level) -> str:
    """Return advice on what to install or configure, or an empty string if nothing is known to help."""
    if sys.platform != "linux":
        return "isolation needs Linux; a virtual machine or container that runs Linux will do" if level > Level.L0 else ""
    steps = []
    if level >= Level.L1 and not seccomp.is_available():
        steps.append("apt-get install libseccomp2")
    if level >= Level.L2 and not abi():
        steps.append("boot a kernel 5.13 or newer with landlock in its 'lsm=' parameter")
    if level is Level.L3:
        if find_bubblewrap() is None:
            steps.append("apt-get install bubblewrap")
        steps += [command for path, (wrong, command) in _SETTINGS.items() if _setting(path) == wrong]
        if not steps and _is_container():
            steps.append(
                "start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined, or with --cap-add SYS_ADMIN"
            )
    if os.geteuid() == 0:
        if level is Level.L0:
            steps.append("run the program as an ordinary user, or give root CAP_SETUID and CAP_SETGID")
        elif level is Level.L3 and not _is_open_to_all(find_python()):
            steps.append("use an interpreter that every user may run, not one under /root")
    return "; ".join(steps)


def _is_open_to_all(program: str) -> bool:
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in Path(program).parents)


def _setting(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except OSError:
        return None


def _is_container() -> bool:
    return any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv"))
