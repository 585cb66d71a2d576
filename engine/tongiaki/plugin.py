"""The plug-in of Tongiaki."""

from __future__ import annotations

from typing import Final

from engine.plugin import GamePlugin

PLUGIN: Final = GamePlugin(
    title="Tongiaki",
    make="engine.tongiaki.game:tongiaki",
    summary="Ships discover islands hexagon by hexagon; a full beach sends its crew out to sea. For 2 to 6 players.",
    ties="more islands held, then fewer ships on the board",
    drawer="engine.tongiaki.render.drawing:DRAWER",
    rules="engine.tongiaki.chapters:RULES",
    picker="arena.web.play.move_picker.tongiaki:PICKER",
    encoder="arena.environments.tongiaki:encoder",
    heuristic="bots.reference.heuristics.tongiaki:HEURISTIC",
    value="bots.reference.valuation.tongiaki:VALUE",
    worlds="arena.analysis.chance.tongiaki:worlds",
    public_luck=True,
    fuel={
        "list": 30_000,
        "listed": 400,
        "parse": 40_000,
        "text": 100_000,
        "sample": 100_000,
        "copy": 40_000,
        "play": 40_000,
        "played": 50_000,
    },
    samples=(({}, 2), ({}, 4)),
)
