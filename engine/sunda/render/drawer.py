"""The drawings of Sunda to Sahul as one record, for its plug-in."""

from __future__ import annotations

from typing import Final

from engine.render.drawer import Drawer, Sheet
from engine.sunda.render import drawing, move_text, panel, sketch, terminal
from engine.sunda.render.pictures import PAPER

DRAWER: Final = Drawer(
    drawing.svg,
    terminal.lines,
    drawing.scene,
    panel.summarize,
    panel.legend,
    panel.supply,
    move_text.describe_event,
    Sheet("Sunda to Sahul", "", PAPER, "#1d2a31"),
    sketch.sketch,
    move_text.describe_move,
)
