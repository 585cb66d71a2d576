"""The plug-in of Sunda to Sahul, which registers the game with the rest of the program."""

from __future__ import annotations

from typing import Final

from engine.plugin import GamePlugin

PLUGIN: Final = GamePlugin(
    title="Sunda to Sahul",
    make="engine.sunda.game:sunda",
    summary="Jigsaw lozenges make islands, lakes and straits, and tribes settle them. For 1 to 4 players.",
    drawer="engine.sunda.render.drawing:DRAWER",
    rules="engine.sunda.chapters:RULES",
    picker="arena.web.play.move_picker.sunda:PICKER",
    choices={
        "level": {0: "0, beginner", 1: "1, water rights", 2: "2, tribes", 3: "3, cooperation", 4: "4, challenges", 5: "5, resources"},
        "mode": {"turns": "in turns", "simultaneous": "all at the same time"},
        "pots": {"shared": "one pot of tiles for all", "private": "a pot of tiles for each player"},
        "resources": {(1, 2, 3, 4, 5, 6): "markers with the values 1 to 6, at level 5"},
    },
    encoder="arena.environments.sunda:encoder",
    heuristic="bots.reference.heuristics.sunda:HEURISTIC",
    value="bots.reference.valuation.sunda:VALUE",
    worlds="arena.analysis.chance.sunda:worlds",
    public_luck=True,
    samples=(({"level": 5}, 2), ({"level": 5, "mode": "simultaneous"}, 2)),
)
