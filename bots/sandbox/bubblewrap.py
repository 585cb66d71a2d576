"""The command lines that start a zygote in bubblewrap (L3) or as an ordinary process."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bots.sandbox.lockdown import DEVICES, JAIL
from bots.sandbox.paths import HostPaths

COMMANDS_FOLDER: Final = "/bots"
"""The folder for the files of commands (bots that are programs), inside the namespaces."""
COMMANDS_BYTES: Final = 256 << 20
_BUNDLES: Final = 8
"""How many commands at a time can use the full size that their files may have."""

ENVIRONMENT: Final[Mapping[str, str]] = {
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    # Bots must play the same in every worker, so sets of strings must be iterated in the same order.
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ORT_INTRA_OP_NUM_THREADS": "1",
    "ORT_INTER_OP_NUM_THREADS": "1",
    # Otherwise onnxruntime would start a thread that sends usage data to another host.
    "ORT_DISABLE_TELEMETRY": "1",
    # Bots use the same build of the engine as the host (see engine.build_info, which not every sandbox can read).
    **{name: value for name, value in os.environ.items() if name == "ARENA_ENGINE"},
}
"""All environment variables of a zygote and its bots."""
_PREFERRED_FOR_OOM: Final = ["/bin/sh", "-c", 'echo 700 2>/dev/null >/proc/self/oom_score_adj; exec "$@"', "sh"]
"""A prefix that makes the kernel kill a command and its children first when memory runs out."""


def find_bubblewrap() -> str | None:
    """Return the path of bubblewrap's executable, or None if it is not installed."""
    return shutil.which("bwrap", path=f"{os.environ.get('PATH', '')}:/usr/bin:/usr/local/bin")


def plain_command(paths: HostPaths) -> list[str]:
    """Return the command that starts a zygote as an ordinary process."""
    return [*_PREFERRED_FOR_OOM, *_zygote_command(paths)]


def _zygote_command(paths: HostPaths) -> list[str]:
    code = f"import sys; sys.path += {list(paths.roots)!r}; from bots.sandbox.zygote import main; main(0)"
    return [paths.python, "-P", "-s", "-S", "-B", "-X", "utf8", "-c", code]


def sealed_command(bubblewrap: str, paths: HostPaths, *, is_privileged: bool, files: int) -> list[str]:
    """Return the command that starts a zygote in namespaces without the host's processes and network, with only the files it needs.

    The files are read-only. If ``is_privileged``, real root mounts them, and the zygote gives up root before it forks bots. Otherwise, they
    are mounted in a user namespace. ``files`` is the most bytes that one bot's files may have.
    """
    command = [*_PREFERRED_FOR_OOM, bubblewrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if is_privileged:
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        command += ["--unshare-user", "--uid", "65534", "--gid", "65534"]
    command += ["--as-pid-1", "--new-session", "--hostname", "arena", "--clearenv"]
    for name, value in ENVIRONMENT.items():
        command += ["--setenv", name, value]
    command += ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib32", "lib64", "libx32", "sbin"):
        place = Path("/", name)
        if place.is_symlink():
            command += ["--symlink", str(place.readlink()), str(place)]
        elif place.is_dir():
            command += ["--ro-bind", str(place), str(place)]
    for folder in ("/dev", JAIL, f"{JAIL}/dev"):
        command += ["--perms", "0755", "--dir", folder]
    for device in DEVICES:
        command += ["--dev-bind", device, device, "--dev-bind", device, JAIL + device]
    for folder in dict.fromkeys(str(parent) for path in paths.mounts for parent in reversed(Path(path).parents) if str(parent) != "/"):
        command += ["--perms", "0755", "--dir", folder]  # by default, only the owner, who may be root, could access them
    for path in paths.mounts:
        command += ["--ro-bind", path, path]
    for path in paths.masked:
        command += ["--tmpfs", path, "--remount-ro", path]
    command += ["--perms", "0777", "--size", str(max(COMMANDS_BYTES, _BUNDLES * files)), "--tmpfs", COMMANDS_FOLDER]
    return [*command, "--remount-ro", "/", "--chdir", "/", "--", *_zygote_command(paths)]
