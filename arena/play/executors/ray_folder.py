"""The temporary folder of Ray on this machine: made before Ray starts, and removed after it has stopped, by a later run if necessary."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path
from stat import S_ISDIR
from tempfile import mkdtemp
from typing import Final

_PREFIX: Final = "arena-ray-"
_LOCK: Final = "lock"


class RayFolder:
    """Makes a new folder in ``parent``, after removing the folders of programs that were killed before they could do so.

    Its file ``lock`` is locked as long as this process lives. Raises OSError if the folder can't be made.
    """

    def __init__(self, parent: Path) -> None:
        parent.mkdir(parents=True, exist_ok=True)
        for lock in parent.glob(f"{_PREFIX}*/{_LOCK}"):
            _remove_abandoned(lock)
        self.path: Final = Path(mkdtemp(prefix=_PREFIX, dir=parent))
        unnamed = self.path / "new"
        self._lock = unnamed.open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        unnamed.rename(self.path / _LOCK)  # it is locked before other processes can see it

    def remove(self) -> None:
        """Remove the folder. If a process that is ending still writes to it, a later run removes the rest."""
        _remove(self.path)
        self._lock.close()


def _remove_abandoned(lock: Path) -> None:
    """Remove the lock's folder if its process has ended. Files of other users, links in particular, are left alone."""
    try:
        made = lock.parent.lstat()
        if not S_ISDIR(made.st_mode) or made.st_uid != os.geteuid():
            return
        descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:  # it has just been removed, or its lock is not a file of ours
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(lock.parent)
    except BlockingIOError:
        return
    finally:
        os.close(descriptor)


def _remove(folder: Path) -> None:
    for each in folder.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each, ignore_errors=True)
        elif each.name != _LOCK:
            each.unlink(missing_ok=True)
    if [each.name for each in folder.iterdir()] == [_LOCK]:
        (folder / _LOCK).unlink()
        folder.rmdir()
