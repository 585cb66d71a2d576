"""Old names of modules of this package, and of what they held: importing one raises an error with its new name."""

from __future__ import annotations

from typing import Final

MOVED: Final = {
    "arena.anchoring": "arena.entries.anchor_selection",
    "arena.bundle": "arena.verification.bundle",
    "arena.chain": "arena.verification.seal_check",
    "arena.changes": "arena.tournament.begun_tournament",
    "arena.checking": "arena.entries.bot_check",
    "arena.cluster": "arena.executors.cluster_check",
    "arena.compare": "arena.analysis.compare",
    "arena.course": "arena.calibration.config",
    "arena.derivation": "arena.tournament.seeds.derivation",
    "arena.entering": "arena.entries.bot_resolution",
    "arena.environments.single": "arena.environments.gym_env",
    "arena.environments.table": "arena.environments.game_adapter",
    "arena.environments.turns": "arena.environments.aec_env",
    "arena.executor": "arena.executors.base",
    "arena.expecting": "arena.verification.expected_digests",
    "arena.export": "arena.verification.export",
    "arena.formats": "arena.tournament.formats",
    "arena.frame": "arena.tui.replay_view",
    "arena.isolation": "arena.executors.isolation",
    "arena.keys": "arena.tui.keyboard",
    "arena.luck": "arena.analysis.luck",
    "arena.match": "arena.tournament.match",
    "arena.plan": "arena.tournament.formats.plans",
    "arena.cli.puzzle": "arena.cli.sunda_puzzle",
    "arena.puzzles.codec": "arena.puzzles.sunda.codec",
    "arena.puzzles.difficulty": "arena.puzzles.sunda.difficulty",
    "arena.puzzles.files": "arena.puzzles.sunda.codec",
    "arena.puzzles.generator": "arena.puzzles.sunda.generator",
    "arena.puzzles.levels": "arena.puzzles.sunda.difficulty",
    "arena.puzzles.making": "arena.puzzles.sunda.generator",
    "arena.puzzles.solver": "arena.puzzles.sunda.solver",
    "arena.puzzles.solving": "arena.puzzles.sunda.solver",
    "arena.ray_executor": "arena.executors.ray_executor",
    "arena.recheck": "arena.verification.match_check",
    "arena.refolding": "arena.verification.recompute",
    "arena.report": "arena.analysis.tables",
    "arena.retrace": "arena.verification.schedule_replay",
    "arena.schedule": "arena.tournament.scheduler",
    "arena.seating": "arena.entries.preflight",
    "arena.secret": "arena.tournament.seeds.secret",
    "arena.seeds": "arena.tournament.seeds.keys",
    "arena.settling": "arena.entries.settling",
    "arena.sources": "arena.verification.evidence_source",
    "arena.spec": "arena.tournament.spec",
    "arena.statistics": "arena.analysis.statistics",
    "arena.statistics_report": "arena.analysis.statistics_report",
    "arena.status": "arena.tournament.status",
    "arena.strength": "arena.calibration.measure",
    "arena.strength_report": "arena.calibration.report",
    "arena.terminal_play": "arena.tui.human_player",
    "arena.verify": "arena.verification.audit",
    "arena.walkthrough": "arena.tui.replay_viewer",
    "arena.web.seeing": "arena.web.play.seat_view",
    "arena.web.viewing": "arena.web.viewer.schema",
}
"""Modules."""
MOVED_NAMES: Final = {
    "arena.tournament.COMMIT_MATCHES": "arena.tournament.runner.COMMIT_MATCHES",
    "arena.tournament.COMMIT_SECONDS": "arena.tournament.runner.COMMIT_SECONDS",
    "arena.tournament.Progress": "arena.Progress",
    "arena.tournament.SAVE_SECONDS": "arena.tournament.runner.SAVE_SECONDS",
    "arena.tournament.Summary": "arena.Summary",
    "arena.tournament.find_finished": "arena.tournament.runner.find_finished",
    "arena.tournament.run_tournament": "arena.run_tournament",
}
"""Names in modules that have become packages."""


def find_spec(name: str, _path: object = None, _target: object = None) -> None:
    """Answer ``sys.meta_path``, of which this module is the last entry. Raises ImportError for an old name.

    ``from package import name`` looks for a module of that name, too, where the package has no such attribute. There a ModuleNotFoundError
    would be passed over.
    """
    new = MOVED.get(name) or MOVED_NAMES.get(name)
    if new is not None:
        raise ImportError(f"{name} is now {new}", name=name)
