"""The drawings of Tongiaki as one record, for its plug-in."""

from __future__ import annotations

from typing import Final

from engine.render.drawer import Drawer, Sheet
from engine.tongiaki.render import drawing, move_text, panel, sketch, terminal
from engine.tongiaki.render.pictures import DEFS, TABLE

DRAWER: Final = Drawer(
    drawing.svg,
    terminal.lines,
    drawing.scene,
    panel.summarize,
    panel.legend,
    panel.supply,
    move_text.describe_event,
    Sheet("Tongiaki", DEFS, TABLE),
    sketch.sketch,
    move_text.describe_move,
)
