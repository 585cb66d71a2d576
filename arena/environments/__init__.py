"""Environments for people who train agents: PettingZoo and Gymnasium doors to both games. What they need is imported when they are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.environments.needs import MissingPackageError, explained

if TYPE_CHECKING:
    from arena.environments.aec_env import GameEnv
    from arena.environments.gym_env import SeatEnv
    from engine.core import OptionValue

__all__ = ["MissingPackageError", "aec", "gym"]


def aec(game: str, players: int, *, rewards: str | None = None, render_mode: str | None = None, **options: OptionValue) -> GameEnv:
    """A PettingZoo AEC environment of the game, with agents ``seat_0``, ``seat_1``, ...; ``options`` are the game's.

    ``rewards`` is ``ranks`` (the default at tables) or ``score`` (the default alone), ``render_mode`` one of ``ansi``, ``human`` and
    ``rgb_array``. Spaces, actions and rewards are described in docs/environments.md. Raises OptionsError for a game, an option or a number
    of players that there is not, ValueError for another wrong argument, MissingPackageError when what it needs is not installed.
    """
    with explained("environments"):
        from arena.environments.aec_env import GameEnv  # noqa: PLC0415  # only who uses it needs PettingZoo
    return GameEnv(game, players, options, rewards=rewards, render_mode=render_mode)


def gym(
    game: str,
    *,
    opponents: Sequence[str] = (),
    seat: int | None = 0,
    rewards: str | None = None,
    render_mode: str | None = None,
    **options: OptionValue,
) -> SeatEnv:
    """A Gymnasium environment of one seat: the game alone, or a table at which bots have the other seats.

    ``opponents`` are what ``arena match`` takes, in seat order with your own ``seat`` left out; they play in this very process, so give
    only bots that you trust. With ``seat=None`` every episode draws its seat. The rest is as in ``aec``; raises BotError for a bot that
    can't be had besides.
    """
    with explained("environments"):
        from arena.environments.gym_env import make_seat  # noqa: PLC0415  # only who uses it needs Gymnasium
    return make_seat(game, options, opponents=opponents, seat=seat, rewards=rewards, render_mode=render_mode)
