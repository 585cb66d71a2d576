"""The doctor offers a level of isolation only if a bot of this very installation plays at it."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from arena.cli.host import doctor
from bots.sandbox.levels import Level
from bots.sandbox.probe import LevelReport, Report


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attacks were refused at L0, the cheapest level to start."""
    monkeypatch.setattr("bots.sandbox.probe.probe", lambda: Report((LevelReport(Level.L0),)))


@pytest.mark.usefixtures("refused")
def test_a_level_at_which_a_bot_plays_is_offered() -> None:
    finding = doctor._isolation()
    assert finding.is_ok
    assert [offer.is_offered for offer in finding.levels] == [True]


@pytest.mark.usefixtures("refused")
def test_a_level_at_which_what_bots_need_is_not_found_is_not_offered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path_of = sysconfig.get_path

    def elsewhere(name: str) -> str:  # as where a .pth file adds the folder in which packages are
        return str(tmp_path) if name in {"purelib", "platlib"} else path_of(name)

    monkeypatch.setattr(sysconfig, "get_path", elsewhere)
    finding = doctor._isolation()
    assert not finding.is_ok
    assert "no bot plays there, although the attacks were refused: " in str(finding.levels[0])
    assert "No module named" in finding.detail
