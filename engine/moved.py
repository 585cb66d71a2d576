"""Old names of modules of this package: importing one raises an error with its new name."""

from __future__ import annotations

from typing import Final

MOVED: Final = {
    "engine.canvas": "engine.render.canvas",
    "engine.drawing": "engine.render.drawing",
    "engine.following": "engine.replay.observer",
    "engine.form": "engine.build_info",
    "engine.games": "engine.registry",
    "engine.packing": "engine.replay.compression",
    "engine.palette": "engine.render.palette",
    "engine.replay_format": "engine.replay.format",
    "engine.scene": "engine.render.scene",
    "engine.sunda.claims": "engine.sunda.board.claims",
    "engine.sunda.drawing": "engine.sunda.render.drawing",
    "engine.sunda.layout": "engine.sunda.render.layout",
    "engine.sunda.legal": "engine.sunda.rules.legal",
    "engine.sunda.moves": "engine.sunda.notation.moves",
    "engine.sunda.outline": "engine.sunda.render.outline",
    "engine.sunda.spots": "engine.sunda.board.placement_index",
    "engine.sunda.tiles": "engine.sunda.board.tiles",
    "engine.sunda.trigrid": "engine.sunda.board.trigrid",
    "engine.svg": "engine.render.svg",
    "engine.tongiaki.layout": "engine.tongiaki.render.layout",
    "engine.tongiaki.moves": "engine.tongiaki.notation.moves",
    "engine.tongiaki.pictures": "engine.tongiaki.render.pictures",
    "engine.tongiaki.tiles": "engine.tongiaki.board.tiles",
}


def find_spec(name: str, _path: object = None, _target: object = None) -> None:
    """Answer ``sys.meta_path``, of which this module is the last entry. Raises ModuleNotFoundError for an old name."""
    if name in MOVED:
        raise ModuleNotFoundError(f"{name} is now {MOVED[name]}", name=name)
