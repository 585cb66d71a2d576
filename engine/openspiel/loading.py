"""Loads the OpenSpiel game whose name follows ``openspiel:``, or raises an error that says why it can't be hosted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from enum import Enum
from functools import cache
from typing import Any, Final

import pyspiel

from engine.core import OptionsError

SAMPLED: Final = frozenset({"bargaining", "kuhn_poker", "leduc_poker", "oh_hell"})
"""Games whose ``resample_from_infostate`` returns a history that depends only on what the player knows.

Some others have the method, but it can't be used: gin_rummy and colored_trails keep the true history, euchre keeps the dealer's discard,
blackjack returns different histories for states that look the same, hearts sometimes returns a history in which somebody did not follow
suit, bridge takes a third of a second, and universal_poker for three players crashes the process.
"""

OPEN_MOVES: Final = frozenset({"bargaining", "bridge", "kuhn_poker", "leduc_poker", "liars_dice", "oh_hell", "spades", "universal_poker"})
"""Games with secret cards or dice in which every decision is public."""

LARGEST: Final[Mapping[str, Mapping[str, int]]] = {
    "havannah": {"board_size": 13},
    "hex": {"board_size": 26, "num_cols": 26, "num_rows": 26},
    "universal_poker": {"numRanks": 13, "numSuits": 4},
    "y": {"board_size": 26},
}
"""The largest allowed values of parameters. Beyond them, OpenSpiel runs out of column letters or cards and crashes the process."""

BROKEN: Final = frozenset({"morpion_solitaire"})
"""Games that read uninitialised memory: their moves vary from run to run, and some moves crash the process."""

MOST_PLAYERS: Final = 10
_LONGEST: Final = 2000
_MOST_ACTIONS: Final = 10_000_000
_NAME: Final = re.compile(r"[a-z0-9_]+(\(.*\))?")
_WHERE: Final = re.compile(r"^\S*\.(cc|h):\d+\s*")
_FILES: Final = ("filename", "instances_file", "boards_file", "puzzles_root", "word_list_file", "subgame")
"""Parameters that name a file on the machine."""

Parameters = Mapping[str, Any]  # a codec: numbers, texts, and parameters of games within the game


class Secrecy(Enum):
    """What is hidden from the players of a game."""

    NOTHING = "nothing"
    CHOICES = "choices of the same moment"
    """Everything is open except the simultaneous choices of others."""
    INFORMATION = "information"


def load(member: str) -> tuple[str, Any, Secrecy]:
    """Load a game such as ``hex(board_size=7)``; return its OpenSpiel name, the sequential ``pyspiel.Game``, and what it hides.

    Raises OptionsError.
    """
    if not member:
        raise OptionsError("openspiel needs a game after a colon, such as openspiel:tic_tac_toe or openspiel:hex(board_size=7)")
    if len(member) > _LONGEST or not _NAME.fullmatch(member):
        raise OptionsError(f"{member!r:.60} is not an OpenSpiel game; write its name and parameters as in hex(board_size=7)")
    try:
        parameters = pyspiel.game_parameters_from_string(member)
    except pyspiel.SpielError as error:
        raise OptionsError(f"OpenSpiel can't read {member!r:.60}: {_said(error)}") from None
    _check(parameters)
    try:
        bare = pyspiel.load_game(member)
        moves: int = bare.num_distinct_actions()
    except Exception as error:  # noqa: BLE001  # C++ exceptions arrive as SpielError, IndexError, ValueError and others
        raise OptionsError(f"OpenSpiel refuses {member!r:.60}: {_said(error)}") from None
    if not 1 <= moves <= _MOST_ACTIONS:
        raise OptionsError(f"{member!r:.60} has {moves} actions; a game must have 1 to {_MOST_ACTIONS}")
    kind = bare.get_type()
    name = parameters["name"]
    _check_kind(name, kind)
    if not 1 <= bare.num_players() <= MOST_PLAYERS:
        raise OptionsError(f"{name} has {bare.num_players()} players; a match can have 1 to {MOST_PLAYERS}")
    is_open = kind.information != kind.Information.IMPERFECT_INFORMATION
    if kind.dynamics == kind.Dynamics.SIMULTANEOUS:
        bare = pyspiel.convert_to_turn_based(bare)
        secrecy = Secrecy.CHOICES if is_open else Secrecy.INFORMATION
    else:
        secrecy = Secrecy.NOTHING if is_open else Secrecy.INFORMATION
    facts = bare.get_type()
    if secrecy is Secrecy.INFORMATION and not (facts.provides_information_state_string or facts.provides_observation_string):
        raise OptionsError(f"{name} can't be played here: OpenSpiel has no text for what a player knows")
    return name, bare, secrecy


@cache
def kinds() -> Mapping[str, Any]:
    """Return the ``pyspiel.GameType`` of each game that OpenSpiel registers, by name."""
    return {kind.short_name: kind for kind in pyspiel.registered_games()}


def _check(parameters: Parameters) -> None:
    """Raise OptionsError for an unknown name or parameter, in the game or in a game within it, and for games that can't be hosted."""
    name = str(parameters["name"])
    kind = kinds().get(name)
    if kind is None:
        raise OptionsError(f"OpenSpiel has no game {name!r:.60}{_near(name, tuple(kinds()))}")
    known = dict(kind.parameter_specification)
    for key, value in parameters.items():
        if key == "name":
            continue
        if key not in known:
            listed = f"; it has {', '.join(sorted(known))}" if known else "; it has none"
            raise OptionsError(f"{name} has no parameter {key!r:.60}{_near(key, tuple(known)) or listed}")
        default = known[key]
        if default != {} and type(value) is not type(default):
            raise OptionsError(f"{name}: {key} is {value!r:.60}; it should be {_kind_of(default)}")
        if type(default) is int and default > 0 >= value:  # OpenSpiel does not always check this
            raise OptionsError(f"{name}: {key} is {value}; it should be at least 1")
        if isinstance(value, int) and value > (most := LARGEST.get(name, {}).get(key, value)):
            raise OptionsError(f"{name}: {key} is {value}; it should be at most {most}")
        if key in _FILES and value:
            raise OptionsError(f"{name}: {key} names a file on this machine, which other machines don't have; leave it out")
        if isinstance(value, dict):
            _check(value)
    least, most = kind.min_num_players, kind.max_num_players
    players = parameters.get("players")
    if isinstance(players, int) and "players" in known and not least <= players <= most:
        raise OptionsError(f"{name} is for {least if least == most else f'{least} to {most}'} players, not {players}")
    if not kind.default_loadable and "filename" in known:
        raise OptionsError(f"{name} can't be played here: it is read from a file, which other machines don't have")
    if kind.is_concrete:
        _check_kind(name, kind)
    elif missing := [key for key, value in known.items() if value == {} and key not in parameters]:
        raise OptionsError(f"{name} is built on another game: write {name}({missing[0]}=kuhn_poker()), for example")


def _check_kind(name: str, kind: Any) -> None:  # a pyspiel.GameType
    reason = ""
    if kind.dynamics == kind.Dynamics.MEAN_FIELD:
        reason = "it is a mean-field game, whose players are a population, not seats"
    elif kind.chance_mode == kind.ChanceMode.SAMPLED_STOCHASTIC:
        reason = "it uses a random generator of its own, so a match can't be repeated from its seed"
    elif name in BROKEN:
        reason = "OpenSpiel lists invalid moves for it, which crash the process"
    elif kind.action_structs_only:
        reason = "OpenSpiel doesn't list its legal actions"
    if reason:
        raise OptionsError(f"{name} can't be played here: {reason}")


def _near(name: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(name[:40], known, n=3)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _kind_of(value: object) -> str:
    names = {
        bool: "True or False",
        int: "a whole number",
        float: "a number with a decimal point, such as 1.0",
        str: "a string",
        dict: "a game",
    }
    return names[type(value)]


def _said(error: Exception) -> str:
    return _WHERE.sub("", " ".join(str(error).split()))[:200]
