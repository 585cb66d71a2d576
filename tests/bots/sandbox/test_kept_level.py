"""The level that is kept for a machine: for exactly the circumstances under which it was found, and attacked again before bots run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bots.sandbox import kept_level, probe
from bots.sandbox.exploit_checks import ATTACKS
from bots.sandbox.levels import Level
from bots.sandbox.probe import LevelReport, Stage, best_level, still_holds
from bots.sandbox.spawn import Sandbox
from tests.bots.sandbox.stage import started

find_anew = best_level.__wrapped__


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that keeps it, in a folder of its own."""
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / kept_level.FILE


@pytest.fixture
def levels(monkeypatch: pytest.MonkeyPatch) -> list[Level]:
    """The levels attacked in full, of which L2 is the best that is offered."""
    attacked: list[Level] = []

    def probed(level: Level, _stage: Stage) -> LevelReport:
        attacked.append(level)
        return LevelReport(level, lacking="" if level <= Level.L2 else "nothing is sealed here")

    monkeypatch.setattr(probe, "_probe_level", probed)
    return attacked


def keep() -> None:
    kept_level.keep(kept_level.circumstances())


def test_what_is_kept_counts_from_one_process_to_the_next(file: Path) -> None:
    assert not kept_level.is_kept()
    keep()
    assert kept_level.is_kept()
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("os.uname", lambda: ("Linux", "here", "99.0-another", "#1", "x86_64")),
        ("os.getresuid", lambda: (1234, 1234, 1234)),
        ("os.getgroups", lambda: [4321]),
        ("sys.version", "3.99"),
        ("bots.sandbox.kept_level.abi", lambda: 1),
        ("bots.sandbox.kept_level.find_bubblewrap", lambda: "/bin/sh"),
        ("bots.sandbox.kept_level.find_python", lambda: "/bin/sh"),
        ("bots.sandbox.kept_level._libseccomp", lambda: "/bin/sh"),
        ("bots.sandbox.kept_level._content", lambda path: f"another {path}"),
        ("bots.sandbox.kept_level._target", lambda path: f"another {path}"),
    ],
)
def test_it_counts_for_nothing_once_something_that_it_depends_on_has_changed(
    name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep()
    monkeypatch.setattr(name, value)
    assert not kept_level.is_kept()


def test_an_edit_of_the_sandbox_itself_is_such_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "lockdown.py"
    source.write_text("")
    monkeypatch.setattr(kept_level, "__file__", str(tmp_path / "kept_level.py"))
    keep()
    source.write_text("pass")
    assert not kept_level.is_kept()


def test_the_settings_in_folders_of_their_own_are_among_them(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(
        kept_level, "_names", lambda folder: {"kernel/yama": ["ptrace_scope"], "kernel/seccomp": ["a"]}.get(folder[10:], [])
    )
    monkeypatch.setattr(kept_level, "_content", lambda path: read.append(path) or "")
    kept_level.circumstances()
    assert {"/proc/sys/kernel/yama/ptrace_scope", "/proc/sys/kernel/seccomp/a"} <= {*read}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file.chmod(0o622),
        lambda file: file.symlink_to(file.rename(file.with_name("other"))),
        lambda file: file.with_name("other").hardlink_to(file),
        lambda file: file.parent.chmod(0o777),
    ],
)
def test_a_file_that_others_may_have_put_there_counts_for_nothing(spoil: Callable[[Path], object], file: Path) -> None:
    keep()
    spoil(file)
    assert not kept_level.is_kept()


def test_a_file_of_something_else_is_replaced(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(bytes(range(256)) * 9 + b" " + kept_level.circumstances().encode())
    file.chmod(0o600)
    assert not kept_level.is_kept()
    keep()
    assert kept_level.is_kept()
    assert len(file.read_text().split()) == 1


def test_a_folder_in_its_place_leaves_nothing_open_or_behind(file: Path) -> None:
    file.mkdir(parents=True)
    open_before = len(list(Path("/proc/self/fd").iterdir()))
    keep()
    assert not kept_level.is_kept()
    assert len(list(Path("/proc/self/fd").iterdir())) == open_before
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_several_machines_share_a_folder_and_the_oldest_goes_first(file: Path) -> None:
    keep()
    for number in range(15):
        kept_level.keep(f"{number:064x}")
    assert kept_level.is_kept()
    kept_level.keep("f" * 64)
    assert not kept_level.is_kept()
    assert len(file.read_text().split()) == 16


def test_a_kept_level_that_no_longer_holds_is_found_out_anew(levels: list[Level], monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    keep()
    monkeypatch.setattr(probe, "_attack", lambda *_: {"read a secret file of the host": (False, "it was read")})
    monkeypatch.setattr(Sandbox, "start", lambda _self: None)
    assert find_anew() is Level.L2
    assert levels == [Level.L3, Level.L2]
    assert not file.exists(), "only L3 is kept"


def test_a_sandbox_that_refuses_too_little_no_longer_holds(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    keep()
    monkeypatch.setitem(probe._CLAIMS, Level.L0, probe._CLAIMS[Level.L3])  # as if L0 were offered as L3
    with started(Level.L0, preload=probe._PRELOAD) as sandbox, Stage() as stage:
        assert not still_holds(sandbox, stage)
    assert not file.exists()


def test_where_all_is_as_before_one_bot_attacks_l3_again(levels: list[Level], monkeypatch: pytest.MonkeyPatch) -> None:
    keep()
    with started(Level.L3):
        pass
    attacks = []
    attack = probe._attack
    monkeypatch.setattr(probe, "_attack", lambda *order: attacks.append(attack(*order)) or attacks[-1])
    assert find_anew() is Level.L3
    assert levels == []
    assert len(attacks[0]) == len(ATTACKS) + 1
