"""The temporary folder of Ray: it lasts as long as the process that made it, and the next one removes what a killed one has left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from arena.play.executors.cluster import RayFolder

KILLED = """
import os, sys
from pathlib import Path
from arena.play.executors.cluster import RayFolder
folder = RayFolder(Path(sys.argv[1]))
(folder.path / "session_1" / "logs").mkdir(parents=True)
(folder.path / "session_1" / "logs" / "raylet.out").write_text("text")
(folder.path / "session_latest").symlink_to(folder.path / "session_1")
os.kill(os.getpid(), 9)
"""


def test_a_folder_is_removed_with_all_that_is_in_it(tmp_path: Path) -> None:
    folder = RayFolder(tmp_path / "made")
    (folder.path / "session_1").mkdir()
    (folder.path / "session_1" / "log").write_text("text")
    (folder.path / "session_latest").symlink_to(folder.path / "session_1")

    folder.remove()

    assert not list((tmp_path / "made").iterdir())


def test_a_folder_of_a_process_that_was_killed_is_removed_by_the_next(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert len(list(tmp_path.iterdir())) == 1

    folder = RayFolder(tmp_path)

    assert list(tmp_path.iterdir()) == [folder.path]
    folder.remove()


def test_a_link_that_somebody_has_laid_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    for name in ("lock", "letters"):
        (precious / name).write_text("text")
    parent = tmp_path / "common"
    parent.mkdir()
    (parent / "arena-ray-trap").symlink_to(precious)

    RayFolder(parent).remove()

    assert sorted(each.name for each in precious.iterdir()) == ["letters", "lock"]
