"""PettingZoo and Gymnasium environments of every game, for training agents; their packages are imported when one is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.environments.needs import MissingPackageError, explained

if TYPE_CHECKING:
    from arena.environments.aec_env import GameEnv
    from arena.environments.gym_env import SeatEnv
    from engine.core import OptionValue

__all__ = ["MissingPackageError", "aec", "gym"]


def aec(
    game: str,
    players: int,
    *,
    rewards: str | None = None,
    render_mode: str | None = None,
    moves: bool | None = None,
    infos: bool = True,
    flat: bool = False,
    mask: bool = False,
    **options: OptionValue,
) -> GameEnv:
    """Return a PettingZoo AEC environment of the game, with agents ``seat_0``, ``seat_1``, ...; ``options`` are the game's.

    ``rewards`` is ``ranks`` (the default for several players) or ``score`` (the default for one), ``render_mode`` is ``ansi``, ``human``
    or ``rgb_array``. ``moves`` says whether observations have a row for each legal move (the default unless ``flat``), ``infos`` whether
    infos have anything that the protocol does not need. With ``flat`` an observation is one array, and its mask is in the info, or with
    ``mask`` beside it.

    docs/environments.md describes spaces, actions and rewards. Raises OptionsError for an unknown game, option or number of players,
    ValueError for another wrong argument, MissingPackageError if a package is not installed.
    """
    with explained("environments"):
        from arena.environments.aec_env import GameEnv  # noqa: PLC0415  # only who uses it needs PettingZoo
        from arena.environments.game_adapter import Form  # noqa: PLC0415  # the same
    return GameEnv(game, players, options, rewards=rewards, render_mode=render_mode, form=Form(moves, infos, flat, mask))


def gym(
    game: str,
    *,
    opponents: Sequence[str] = (),
    seat: int | None = 0,
    rewards: str | None = None,
    render_mode: str | None = None,
    moves: bool | None = None,
    infos: bool = True,
    flat: bool = False,
    mask: bool = False,
    **options: OptionValue,
) -> SeatEnv:
    """Return a Gymnasium environment of one seat: the game alone, or with bots in the other seats.

    ``opponents`` are given as for ``arena match``, in seat order without your own ``seat``; they play in this process, so use only bots
    that you trust. With ``seat=None`` every episode draws its seat. The rest is as in ``aec``; also raises BotError for a bot that can't
    be loaded, or can't play the game.
    """
    with explained("environments"):
        from arena.environments.game_adapter import Form  # noqa: PLC0415  # only who uses it needs Gymnasium
        from arena.environments.gym_env import make_seat  # noqa: PLC0415  # the same
    form = Form(moves, infos, flat, mask)
    return make_seat(game, options, opponents=opponents, seat=seat, rewards=rewards, render_mode=render_mode, form=form)
