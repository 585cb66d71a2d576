"""What Tongiaki offers to the rest of the program."""

from __future__ import annotations

from typing import Final

from engine.plugin import GamePlugin

PLUGIN: Final = GamePlugin(
    title="Tongiaki",
    make="engine.tongiaki.game:tongiaki",
    summary="Ships discover islands hexagon by hexagon; a full beach sends its crew out to sea. For 2 to 6 players.",
    drawer="engine.tongiaki.render.drawer:DRAWER",
    describe="engine.tongiaki.describe:describe",
    rules="engine.tongiaki.render.rulebook:RULES",
    picker="arena.web.play.move_picker.tongiaki:PICKER",
    encoder="arena.environments.tongiaki:encoder",
    heuristic="bots.reference.heuristics.tongiaki:HEURISTIC",
    value="bots.reference.valuation.tongiaki:VALUE",
    worlds="arena.analysis.chance.tongiaki:worlds",
    samples=(({}, 2), ({}, 4)),
)
