"""Old names of modules of this package, and of what they held: importing one raises an error with its new name."""

from __future__ import annotations

from typing import Final

MOVED: Final = {
    "bots.apart": "bots.loader.apart",
    "bots.bundle": "bots.loader.manifest",
    "bots.calling": "bots.child.invoke",
    "bots.channel": "bots.host.channel",
    "bots.clocks": "bots.host.clock",
    "bots.cores": "bots.host.cpu_affinity",
    "bots.house": "bots.host.player_pool",
    "bots.loading": "bots.loader.loading",
    "bots.memory": "bots.child.in_memory_importer",
    "bots.packing": "bots.loader.codec",
    "bots.reading": "bots.loader.static_analysis",
    "bots.reference.glimpse": "bots.reference.search.candidate_moves",
    "bots.reference.lookahead": "bots.reference.search.one_ply",
    "bots.reference.placing": "bots.reference.heuristics.sunda_placement",
    "bots.reference.planning": "bots.reference.heuristics.sunda_planning",
    "bots.reference.search.planning": "bots.reference.heuristics.sunda_planning",
    "bots.reference.sense": "bots.reference.heuristics.base",
    "bots.reference.sense_sunda": "bots.reference.heuristics.sunda",
    "bots.reference.sense_tongiaki": "bots.reference.heuristics.tongiaki",
    "bots.reference.senses": "bots.reference.heuristics.registry",
    "bots.reference.standing": "bots.reference.search.value",
    "bots.reference.sunda_eye": "bots.reference.heuristics.sunda_placement_scores",
    "bots.reference.sunda_glance": "bots.reference.heuristics.sunda_move_scores",
    "bots.reference.sunda_outlook": "bots.reference.heuristics.sunda_evaluation",
    "bots.reference.tongiaki_glance": "bots.reference.heuristics.tongiaki_move_scores",
    "bots.reference.tongiaki_outlook": "bots.reference.heuristics.tongiaki_evaluation",
    "bots.reference.tree": "bots.reference.search.tree",
    "bots.remote": "bots.host.bot_process",
    "bots.sandbox.advice": "bots.sandbox.remediation",
    "bots.sandbox.attacks": "bots.sandbox.exploit_checks",
    "bots.sandbox.burial": "bots.sandbox.reaping",
    "bots.sandbox.keeper": "bots.sandbox.supervisor",
    "bots.sdk": "bots.child.loop",
    "bots.warm": "bots.child.warmup",
    "bots.wire": "bots.messages",
}
"""Modules."""
MOVED_NAMES: Final = {
    "bots.host.BotFaultError": "bots.child.invoke.BotFaultError",
    "bots.host.InProcessPlayer": "bots.host.player.InProcessPlayer",
    "bots.host.Player": "bots.host.player.Player",
    "bots.host.Trace": "bots.host.player.Trace",
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
