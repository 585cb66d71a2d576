"""The plug-in of the family ``openspiel``. ``pyspiel`` is imported only when one of the family's games is created."""

from __future__ import annotations

from typing import Final

from engine.plugin import GamePlugin

PLUGIN: Final = GamePlugin(
    title="OpenSpiel",
    make="engine.openspiel.game:make",
    is_family=True,
    package="open_spiel",
    public_luck="engine.openspiel.game:has_public_luck",
    summary="The games of OpenSpiel, with their parameters: openspiel:connect_four, openspiel:hex(board_size=7) and many more.",
)
