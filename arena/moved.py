"""Old names of modules of this package: importing one raises an error with its new name."""

from __future__ import annotations

from typing import Final

MOVED: Final = {
    "arena.anchoring": "arena.entries.anchor_selection",
    "arena.bundle": "arena.verification.bundle",
    "arena.chain": "arena.verification.seal_check",
    "arena.changes": "arena.tournament.resume",
    "arena.compare": "arena.analysis.compare",
    "arena.derivation": "arena.tournament.seeds.derivation",
    "arena.executor": "arena.executors.base",
    "arena.expecting": "arena.verification.expected_digests",
    "arena.export": "arena.verification.export",
    "arena.frame": "arena.tui.replay_view",
    "arena.isolation": "arena.executors.isolation",
    "arena.keys": "arena.tui.keyboard",
    "arena.luck": "arena.analysis.luck",
    "arena.match": "arena.tournament.match",
    "arena.puzzles.solving": "arena.puzzles.solver",
    "arena.ray_executor": "arena.executors.ray_executor",
    "arena.recheck": "arena.verification.match_check",
    "arena.report": "arena.analysis.tables",
    "arena.retrace": "arena.verification.schedule_replay",
    "arena.schedule": "arena.tournament.scheduler",
    "arena.secret": "arena.tournament.seeds.secret",
    "arena.seeds": "arena.tournament.seeds.keys",
    "arena.settling": "arena.entries.settling",
    "arena.spec": "arena.tournament.spec",
    "arena.statistics": "arena.analysis.statistics",
    "arena.statistics_report": "arena.analysis.statistics_report",
    "arena.strength": "arena.calibration.measure",
    "arena.verify": "arena.verification.audit",
    "arena.walkthrough": "arena.tui.replay_viewer",
    "arena.web.seeing": "arena.web.play.seat_view",
    "arena.web.viewing": "arena.web.viewer.schema",
}


def find_spec(name: str, _path: object = None, _target: object = None) -> None:
    """Answer ``sys.meta_path``, of which this module is the last entry. Raises ModuleNotFoundError for an old name."""
    if name in MOVED:
        raise ModuleNotFoundError(f"{name} is now {MOVED[name]}", name=name)
