"""``SpielGame``: an OpenSpiel game as a game of this program, such as ``find_game("openspiel:hex(board_size=7)")``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, final

import msgspec

from engine.core import EngineError, Game, OptionsError, OptionValue, PositionError, TextMove, World
from engine.core.chance import MOST, histories
from engine.records import decode

try:
    import pyspiel
except ModuleNotFoundError as error:  # the plug-in is registered even without the extra
    raise EngineError("OpenSpiel's games need the package open_spiel: pip install 'tile-arena[openspiel]'") from error

from engine.openspiel.choices import ChoiceState
from engine.openspiel.loading import OPEN_MOVES, SAMPLED, Secrecy, load
from engine.openspiel.secrets import Knowledge, SecretState
from engine.openspiel.state import CHANCE, PositionText, SpielState, actions_of, outcomes_after
from engine.registry import find_game

if TYPE_CHECKING:
    from engine.core import State

FAMILY: Final = "openspiel"


def make(member: str, options: Mapping[str, OptionValue]) -> SpielGame:
    """Return the OpenSpiel game that ``member`` names, such as ``hex(board_size=7)``. Raises OptionsError."""
    if options:
        raise OptionsError(f"{FAMILY} has no options; write parameters into the name, as in {FAMILY}:hex(board_size=7)")
    return SpielGame(member, *load(member))


def has_public_luck(game: SpielGame) -> bool:
    """Return whether all seats learn the same about chance events."""
    return game.secrecy is not Secrecy.INFORMATION


def rules_version() -> int:
    """Return the version of OpenSpiel as one number, such as 20002 for 2.0.2, because the rules may differ between versions."""
    numbers = [int(part) if part.isdigit() else 0 for part in pyspiel.__version__.split(".")[:3]]
    return sum(number * scale for number, scale in zip(numbers, (10000, 100, 1), strict=False))


@final
class SpielGame(Game):
    """A sequential OpenSpiel game, or a simultaneous one in its turn-based form. The game's parameters fix the number of players."""

    def __init__(self, member: str, short_name: str, bare: Any, secrecy: Secrecy) -> None:
        facts = bare.get_type()
        self.name = f"{FAMILY}:{member}"
        self.bare: Final = bare
        self.secrecy: Final = secrecy
        self.has_information_states: Final[bool] = facts.provides_information_state_string
        """Whether players get information states, which include the past, or only observations of the current position."""
        self.has_observation_tensors: Final[bool] = facts.provides_observation_tensor
        has_aliases = bool(bare.get_parameters().get("action_mapping"))  # then an action may stand for a different one
        self.has_open_moves: Final = short_name in OPEN_MOVES and not has_aliases
        """Whether every decision is public, although the game has secret information."""
        self.can_sample = secrecy is not Secrecy.INFORMATION or short_name in SAMPLED
        self.rules_version = rules_version()
        self.min_players = self.max_players = self.bare.num_players()
        self.sends_positions = self.secrecy is Secrecy.INFORMATION
        self.chance_events = frozenset() if self.sends_positions else frozenset({CHANCE})
        classes: dict[Secrecy, type[SpielState]] = {Secrecy.CHOICES: ChoiceState, Secrecy.INFORMATION: SecretState}
        self._positions = classes.get(self.secrecy, SpielState)

    @property
    def options(self) -> Mapping[str, OptionValue]:
        """An empty mapping: the parameters of an OpenSpiel game are part of its name."""
        return {}

    def count_actions(self) -> int:
        """Return the number of distinct actions that OpenSpiel gives for the game."""
        count: int = self.bare.num_distinct_actions()
        return count

    def new(self, players: int, seed: int) -> SpielState:
        self.check_start(players, seed)
        return self._first(seed).begin()

    def deals(self, players: int, most: int = MOST) -> list[World]:
        self.check_start(players, 0)
        ways = histories(lambda given: outcomes_after(self.bare.new_initial_state(), given), most)
        return [World(share, self._first(0).begin(actions_of(events), whole=False)) for share, events in ways]

    def _first(self, seed: int | None) -> SpielState:
        return self._positions(self, self.bare.new_initial_state(), seed)

    def follow(self, players: int, opening: str = "") -> State:
        """Return the first position. ``opening`` is a JSON list of chance actions; in a game that sends positions, the position's text."""
        self.check_start(players, 0)
        if self.sends_positions:
            return self.position(opening)
        try:
            history = msgspec.json.decode(opening, type=list[int]) if opening else []
        except (msgspec.MsgspecError, UnicodeEncodeError) as error:
            raise PositionError(f"invalid opening for {self.name}: {error}") from None
        return self._first(None).begin(history, whole=False)

    def parse(self, text: str) -> TextMove:
        """Return the text as a move; whether it is valid depends on the position. Raises InvalidMoveError unless it is one line."""
        return TextMove.parse(text)

    def position(self, text: str) -> SpielState:
        """Return the state that a text describes. It is read-only if the text has no seed, as in a view. Raises PositionError."""
        try:
            if self.sends_positions and text.startswith('{"seat"'):
                return SecretState.of_knowledge(self, decode(text, Knowledge))
            written = decode(text, PositionText)
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
            raise PositionError(f"invalid position of {self.name}: {error}") from None
        if self.sends_positions and written.seed is None:
            raise PositionError(f"a position of {self.name} needs a seed, unless it is one seat's view")
        state = self._first(written.seed).begin(written.history, whole=False)
        state.read_only = written.seed is None
        return state

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[str]]:
        return find_game, (self.name,)
