"""Old names of modules of this package: importing one raises an error with its new name."""

from __future__ import annotations

from typing import Final

MOVED: Final = {
    "bots.apart": "bots.loader.apart",
    "bots.calling": "bots.child.invoke",
    "bots.channel": "bots.host.channel",
    "bots.clocks": "bots.host.clock",
    "bots.cores": "bots.host.cpu_affinity",
    "bots.house": "bots.host.player_pool",
    "bots.loading": "bots.loader.loading",
    "bots.reading": "bots.loader.static_analysis",
    "bots.reference.sense": "bots.reference.heuristics.base",
    "bots.remote": "bots.host.remote",
    "bots.sandbox.attacks": "bots.sandbox.exploit_checks",
    "bots.sdk": "bots.child.loop",
    "bots.wire": "bots.messages",
}


def find_spec(name: str, _path: object = None, _target: object = None) -> None:
    """Answer ``sys.meta_path``, of which this module is the last entry. Raises ModuleNotFoundError for an old name."""
    if name in MOVED:
        raise ModuleNotFoundError(f"{name} is now {MOVED[name]}", name=name)
