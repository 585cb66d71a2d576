"""The doctor offers a level of isolation only if a bot of this very installation plays at it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from arena.cli.app import app
from arena.cli.host import doctor
from bots.host import player_pool
from bots.limits import Level
from bots.sandbox.probe import LevelReport, Report


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attacks were refused at L0, the cheapest level to start."""
    monkeypatch.setattr("bots.sandbox.probe.probe", lambda: Report((LevelReport(Level.L0),)))


@pytest.mark.usefixtures("refused")
def test_it_fails_if_one_check_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_ray", lambda: doctor.Finding("other", True, "not tried"))  # which has a test of its own
    result = CliRunner().invoke(app, ["doctor", "--json"])
    findings = json.loads(result.stdout)
    assert result.exit_code == 0
    assert all(finding["is_ok"] for finding in findings)
    assert {"python", "engine", "compiled", "storage", "isolation", "wasm", "terminal"} <= {finding["name"] for finding in findings}
    for check in ("_isolation", "_wasm", "_engine"):  # which have been tried
        monkeypatch.setattr(doctor, check, lambda: doctor.Finding("other", True, "not tried"))
    monkeypatch.setattr(doctor, "_ray", lambda: doctor.Finding("ray", False, "broken"))
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1
    assert "BAD  ray" in result.stdout


@pytest.mark.slow
def test_this_machine_has_all_that_is_needed() -> None:
    findings = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)
    assert [finding for finding in findings if not finding["is_ok"]] == []


@pytest.mark.usefixtures("refused")
def test_a_level_at_which_what_bots_need_is_not_found_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_pool, "PRELOAD", ("nonesuch",))
    finding = doctor._isolation()
    assert not finding.is_ok
    assert "no bot plays there, although the attacks were refused: " in str(finding.levels[0])
    assert "the module nonesuch, which bots need, can't be found" in finding.detail
