"""Writes trained policies as bots that play sealed, with numpy alone (``exported_bot``)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.environments import exported_bot, tongiaki_ids
from arena.environments.action_ids import find_ids
from arena.environments.arguments import check_players
from arena.environments.exported_bot import MoveFacts, row_facts
from arena.environments.game_adapter import find_encoder
from engine.core import OptionValue
from engine.registry import find_game

GAMES: Final = ("tongiaki", "sunda")
"""The games whose arrays the engine writes, so that an isolated bot has them."""
ACTIVATIONS: Final = ("relu", "tanh")

Layers = Iterable[tuple[Any, Any]]


def write_policy(
    folder: Path | str,
    game: str,
    players: int,
    options: Mapping[str, OptionValue],
    *,
    position: Layers,
    moves: Layers | None,
    gates: Layers | None,
    move_facts: MoveFacts | None,
    ids: bool,
    activation: str,
) -> Path:
    """Write the folder of ``arena.environments.export_policy``. Raises OptionsError, ValueError and OSError."""
    made = find_game(game, options)
    check_players(made, players)
    encoder = find_encoder(made, players)
    if ids and moves is not None:
        raise ValueError("ids=True is for policies without 'moves'; a policy with 'moves' scores the legal moves themselves")
    if moves is None and (gates is not None or move_facts is not None):
        raise ValueError("'gates' and 'move_facts' need 'moves', which is missing")
    actions = encoder.actions
    if ids:
        known = find_ids(made, players, encoder)
        known.check_dense()
        actions = known.count
    if game not in GAMES:
        raise ValueError(f"an isolated bot has no observations of {game}; policies of {' and '.join(GAMES)} can be exported")
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation must be {' or '.join(map(repr, ACTIVATIONS))}, not {activation!r}")
    columns = [] if moves is None else [(column.low, column.high) for column in encoder.columns]
    arrays: dict[str, NDArray[Any]] = {}
    size = sum(field.size for field in encoder.fields.values())
    width = _add_all(arrays, "position", position, size)
    if moves is not None:
        blank = np.array([[low for low, _ in columns]])
        facts_width = row_facts(blank, columns).shape[1]
        if move_facts is not None:
            facts_width += move_facts(np.zeros((1, size), np.float32), blank, np.zeros(1, int)).shape[1]
        scores = _add_all(arrays, "moves", moves, width + facts_width)
        if scores != 1:
            raise ValueError(f"the last layer of 'moves' must have one output, the score of a move, not {scores}")
        multiplied = [] if gates is None else list(gates)
        if len(multiplied) not in {0, 2}:
            raise ValueError(f"'gates' must be two layers, on the outputs of 'position' and on a move's facts, not {len(multiplied)}")
        for number, (gate, inputs) in enumerate(zip(multiplied, (width, facts_width), strict=False)):
            if _add(arrays, "gates", number, gate, inputs) != len(arrays["moves.0.bias"]):
                raise ValueError(
                    f"layer {number} of 'gates' must have as many outputs as the first of 'moves', {len(arrays['moves.0.bias'])}"
                )
    elif width != actions:
        raise ValueError(f"the last layer of 'position' has {width:,} outputs, but there are {actions:,} actions")
    facts = {
        "game": game,
        "players": players,
        "activation": activation,
        "ids": ids,
        "move_facts": None if move_facts is None else move_facts.__name__,
        "actions": encoder.actions,
        "columns": columns,
        "row_type": np.dtype(encoder.row_type).str,
        "layout": [(name, np.dtype(field.dtype).str, field.shape) for name, field in encoder.fields.items()],
    }
    to = Path(folder)
    to.mkdir(parents=True, exist_ok=True)
    np.savez(to / "policy.npz", allow_pickle=False, facts=np.array(json.dumps(facts)), **arrays)
    shutil.copyfile(exported_bot.__file__, to / "bot.py")
    if move_facts is not None:
        shutil.copyfile(move_facts.__code__.co_filename, to / "move_facts.py")
    if ids:
        shutil.copyfile(tongiaki_ids.__file__, to / "tongiaki_ids.py")
    return to


def _add_all(arrays: dict[str, NDArray[Any]], part: str, layers: Layers, width: int) -> int:
    """Add the arrays of a part's layers, the first of which has ``width`` inputs; return the outputs of the last. Raises ValueError."""
    listed = list(layers)
    if not listed:
        raise ValueError(f"'{part}' has no layers")
    for number, layer in enumerate(listed):
        width = _add(arrays, part, number, layer, width)
    return width


def _add(arrays: dict[str, NDArray[Any]], part: str, number: int, layer: tuple[Any, Any], width: int) -> int:
    """Add the arrays of a layer with ``width`` inputs, and return the number of its outputs. Raises ValueError."""
    weight, bias = (np.asarray(each, np.float32) for each in layer)
    if weight.ndim != 2 or weight.shape[1] != width or bias.shape != weight.shape[:1]:
        shapes = f"weights of shape {weight.shape} and biases of shape {bias.shape}"
        raise ValueError(f"layer {number} of '{part}' has {shapes}, which don't fit its {width:,} inputs: give (n, {width}) and (n,)")
    if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
        raise ValueError(f"layer {number} of '{part}' has weights that are not finite: the training has failed")
    arrays[f"{part}.{number}.weight"], arrays[f"{part}.{number}.bias"] = weight, bias
    return len(bias)
