"""The Gymnasium environment, in which the agent plays one seat and bots play the others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from arena.bots import check_plays
from arena.environments.arguments import NESTED, Form, draw_seed, read_action, read_opponents, read_seed
from arena.environments.game_adapter import VERSION, GameAdapter, Seen
from arena.spec.secret import derive_seed
from bots.child.invoke import BotInvoker
from bots.errors import BotFaultError
from bots.loader.loading import resolve
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.loader.version import BotVersion
from bots.protocol import Clock, ClockSpec, MatchInfo
from engine.core import IllegalMoveError, Move, OptionValue

_NO_LIMIT = ClockSpec(start=None, move=None, wall=3600.0)


class OpponentError(RuntimeError):
    """A bot in another seat failed, so the episode can't continue; the message says which bot failed, and how."""


class SeatEnv(gymnasium.Env[Seen, np.int64]):
    """One seat of a game; see ``arena.environments.gym``. An episode is a whole game; a step is one decision of the seat."""

    def __init__(self, table: GameAdapter, opponents: Sequence[BotVersion], seat: int | None) -> None:
        self.table = table
        self.metadata = table.metadata
        self.render_mode = table.render_mode
        self.observation_space = table.space()
        self.action_space = table.action_space()
        self.seat = seat or 0
        self._fixed_seat = seat
        self._opponents = tuple(opponents)
        self._tells = table.form.infos
        self._bots: dict[int, BotInvoker] = {}

    @property
    def legal_moves(self) -> tuple[Move, ...]:
        """The seat's legal moves; without ``ids``, an action is an index into them."""
        return tuple(self.table.legal_moves)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Begin a game with ``seed`` or, if it is None, a seed from a generator initialised by the last ``seed``. Ignores ``options``."""
        given = None if seed is None else read_seed(seed)
        super().reset(seed=given)
        game_seed = draw_seed(self.np_random) if given is None else given
        self.table.begin(game_seed)
        if self._fixed_seat is None:
            self.seat = int(self.np_random.integers(self.table.players))
        self._seat_bots(game_seed)
        moves = self._let_others_play()
        return self.table.observe(self.seat), self._info(moves)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, as a new bool array. sb3-contrib calls this method by its name."""
        return self.table.mask(self.seat).view(np.bool_)

    def step(self, action: np.int64 | int) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Play the move that ``action`` means, and then the bots' moves until the seat has to decide again.

        An action that isn't a legal move forfeits the game. Raises OpponentError if a bot fails.
        """
        if self.table.actor is None:
            raise ResetNeeded("no game has begun, or it is over: call reset() first")
        self.table.act(read_action(action))
        moves = [self.table.last_move(self.seat)] if self._tells and self.table.forfeit is None else []
        moves += self._let_others_play()
        if self.render_mode == "human":
            self.render()
        is_over = self.table.actor is None
        reward = self.table.earned()[self.seat] if is_over else 0.0
        return self.table.observe(self.seat), reward, is_over, False, self._info(moves)

    def _info(self, moves: list[str]) -> dict[str, Any]:
        info = self.table.info(self.seat)
        if self._tells:
            info |= {"moves": moves, "seat": self.seat}
        return info

    def _seat_bots(self, game_seed: int) -> None:
        others = [seat for seat in range(self.table.players) if seat != self.seat]
        self._bots = {}
        for seat, version in zip(others, self._opponents, strict=True):
            bot = self._bots[seat] = BotInvoker(version)
            own_seed = derive_seed("environment", game_seed, seat)
            try:
                bot.start(MatchInfo(self.table.game, self.table.players, seat, own_seed, _NO_LIMIT))
            except BotFaultError as error:
                raise OpponentError(f"opponent '{version.name}' in seat {seat} failed: {error.detail}") from error

    def _let_others_play(self) -> list[str]:
        """Play the bots' moves until the seat has to decide or the game is over; return them as the seat may see them."""
        moves: list[str] = []
        while (actor := self.table.actor) is not None and actor != self.seat:
            state = self.table.current
            try:
                move = state.list_moves()[0] if state.count_moves() == 1 else self._bots[actor].choose(self.table.view(actor), Clock())
                self.table.play(move)
            except (BotFaultError, IllegalMoveError) as error:
                raise OpponentError(f"the opponent in seat {actor} failed: {error}") from error
            if self._tells:
                moves.append(self.table.last_move(self.seat))
        return moves

    def render(self) -> Any:  # as Gymnasium has it
        """Render the position according to the render mode."""
        return self.table.render()


def make_seat(
    game: str,
    options: Mapping[str, OptionValue],
    *,
    opponents: Sequence[str] = (),
    seat: int | None = 0,
    rewards: str | None = None,
    render_mode: str | None = None,
    form: Form = NESTED,
) -> SeatEnv:
    """Return the environment for ``arena.environments.gym``, with a spec from which Gymnasium can recreate it."""
    others = read_opponents(opponents)
    table = GameAdapter(game, len(others) + 1, options, rewards=rewards, render_mode=render_mode, form=form)
    if seat is not None and (not isinstance(seat, int | np.integer) or not 0 <= seat < table.players):
        raise ValueError(f"seat must be None or an integer from 0 to {table.players - 1}, not {seat!r}")
    versions = [resolve(bot) for bot in others]
    for version in versions:
        check_plays(version, table.game)
    table.keeps_history = any(bot not in REFERENCE_BOTS for bot in others)  # the reference bots don't use it
    env = SeatEnv(table, versions, seat)
    given = {"game": game, "opponents": others, "seat": seat, "rewards": rewards, **form._asdict(), **options}
    plain_name = re.sub(r"[^\w:.-]", "_", game)  # the name of a family's member may contain brackets, which Gymnasium does not allow
    env.spec = EnvSpec(f"{plain_name}-v{VERSION}", entry_point="arena.environments:gym", order_enforce=False, kwargs=given)
    return env
