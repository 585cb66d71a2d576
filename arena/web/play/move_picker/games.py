"""The move picker of each game."""

from __future__ import annotations

from collections.abc import Callable

from arena.web.play.move_picker.base import Guide, MovePicker, Picker, plain_picker
from engine.core import State, View
from engine.registry import find_part, find_plugin


def move_picker_of(view: View[State]) -> MovePicker:
    """Return all legal moves of the seat to decide, as choices to click."""
    picker: Callable[[View[State]], MovePicker] | None = find_part(view.game.name, "picker")
    return (picker or plain_picker)(view)


def guide_of(view: View[State]) -> Guide:
    """Return what a first match is told of the game and of the decision: in the game's own words if it has any for that."""
    picker = find_part(view.game.name, "picker")
    if isinstance(picker, Picker) and picker.guide is not None:
        return picker.guide(view)
    return Guide(find_plugin(view.game.name).summary)


def image_of(game: str, name: str) -> str:
    """Return an image that choices of a game name, as a standalone SVG. Raises ValueError if there is none, and GameError."""
    picker = find_part(game, "picker")
    if not isinstance(picker, Picker) or picker.image is None:
        raise ValueError(f"there are no images for {game}")
    return picker.image(name)
