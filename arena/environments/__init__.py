"""PettingZoo and Gymnasium environments in which agents train on any game. Either library is imported only when it is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from gymnasium.vector import VectorEnv

    from arena.environments.aec_env import GameEnv
    from arena.environments.batch_env import BatchEnv
    from arena.environments.gym_env import SeatEnv
    from engine.core import OptionValue

__all__ = ["MissingPackageError", "aec", "batch", "gym", "vector"]

_OURS: Final = ("arena", "bots", "engine", "leaderboard")


class MissingPackageError(ImportError):
    """An optional dependency is not installed; the message says how to install it."""


@contextmanager
def explained(extra: str) -> Iterator[None]:
    """Turn a ModuleNotFoundError in the block into a MissingPackageError, whose message says to install ``extra``."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in _OURS:
            raise
        message = f"arena.environments needs {package}, which is not installed: pip install 'tile-arena[{extra}]'"
        raise MissingPackageError(message, name=package) from None


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
    ids: bool = False,
    **options: OptionValue,
) -> GameEnv:
    """Return a PettingZoo AEC environment for the game, with agents ``seat_0``, ``seat_1``, ...; ``options`` are the game's options.

    ``rewards`` is ``ranks`` (the default for several players) or ``score`` (the default for one player). ``render_mode`` is ``ansi`` or
    ``human``. With ``moves`` (the default unless ``flat`` or ``ids``), observations have a row of numbers for each legal move. Without
    ``infos``, infos are empty or contain only the mask. With ``flat``, an observation is one array; the action mask is in the info or, with
    ``mask``, in the observation. With ``ids``, actions are not indices of legal moves, but ids that mean the same move in every position.

    docs/environments.md describes spaces, actions and rewards. Raises OptionsError for an unknown game, option or number of players,
    ValueError for any other invalid argument, and MissingPackageError if a package is not installed.
    """
    with explained("environments"):
        from arena.environments.aec_env import GameEnv  # noqa: PLC0415  # PettingZoo is needed only here
        from arena.environments.arguments import Form  # noqa: PLC0415  # the same
    return GameEnv(game, players, options, rewards=rewards, render_mode=render_mode, form=Form(moves, infos, flat, mask, ids))


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
    ids: bool = False,
    **options: OptionValue,
) -> SeatEnv:
    """Return a Gymnasium environment for one seat, in solo play or with bots in the other seats.

    ``opponents`` names the bots as for ``arena match``, in seat order, leaving out your own ``seat``. They play in this process, so use
    only bots that you trust. With ``seat=None``, a seat is drawn at random for every episode. Everything else is as in ``aec``. Also raises
    BotError for a bot that can't be loaded or can't play the game.
    """
    with explained("environments"):
        from arena.environments.arguments import Form  # noqa: PLC0415  # Gymnasium is needed only here
        from arena.environments.gym_env import make_seat  # noqa: PLC0415  # the same
    form = Form(moves, infos, flat, mask, ids)
    return make_seat(game, options, opponents=opponents, seat=seat, rewards=rewards, render_mode=render_mode, form=form)


def vector(
    game: str,
    players: int,
    number: int,
    *,
    opponents: Sequence[str] | None = None,
    seat: int | None = 0,
    rewards: str | None = None,
    render_mode: str | None = None,
    moves: bool = False,
    infos: bool = False,
    flat: bool = False,
    mask: bool = False,
    ids: bool = False,
    autoreset_mode: str = "NextStep",
    copy: bool = True,
    **options: OptionValue,
) -> VectorEnv[Any, Any, Any]:
    """Return a Gymnasium vector environment of ``number`` matches, each like an environment from ``gym`` with the same arguments.

    ``opponents`` are the bots in the other seats, by default ``random`` in all of them. Solo matches and matches against ``random`` are
    played by the engine, many in one call, unless they have infos or a render mode; other matches are played one by one.
    ``autoreset_mode`` is ``NextStep``, ``SameStep`` or ``Disabled``, as defined by Gymnasium. With ``copy=False``, each step overwrites the
    arrays returned by the previous one. Everything else is as in ``gym``. Also raises ImportError for Gymnasium older than 1.1.
    """
    with explained("environments"):
        from arena.environments.arguments import Form  # noqa: PLC0415  # Gymnasium is needed only here
        from arena.environments.vector_env import make_vector  # noqa: PLC0415  # the same
    return make_vector(
        game,
        players,
        number,
        options,
        opponents=opponents,
        seat=seat,
        rewards=rewards,
        render_mode=render_mode,
        form=Form(moves, infos, flat, mask, ids),
        autoreset_mode=autoreset_mode,
        copy=copy,
    )


def batch(
    game: str,
    players: int,
    number: int,
    *,
    rewards: str | None = None,
    moves: bool = False,
    flat: bool = False,
    mask: bool = False,
    ids: bool = False,
    copy: bool = True,
    **options: OptionValue,
) -> BatchEnv:
    """Return a batch of matches in which agents play all seats: in each match, the seat that has to decide observes and acts.

    ``reset(seed)`` returns ``(observations, infos)``. ``step(actions)`` returns ``(observations, rewards, ended, infos)``, with the rewards
    of all seats. ``actors`` holds the seat that has to decide in each match. When a match ends, the next begins immediately. With
    ``copy=False``, each step overwrites the arrays returned by the previous one. Everything else is as in ``aec``.
    """
    with explained("environments"):
        from arena.environments.arguments import Form  # noqa: PLC0415  # Gymnasium is needed only here
        from arena.environments.batch_env import BatchEnv  # noqa: PLC0415  # the same
    return BatchEnv(
        game, players, number, options, rewards=rewards, form=Form(moves, infos=False, flat=flat, mask=mask, ids=ids), copy=copy
    )
