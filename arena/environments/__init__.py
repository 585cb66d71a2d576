"""PettingZoo and Gymnasium environments of every game, for training agents; their packages are imported when one is made."""

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
    """A package of an optional part of the project is not installed; the text says how to install it."""


@contextmanager
def explained(extra: str) -> Iterator[None]:
    """Turn a failed import of a package inside the block into MissingPackageError, which says what to install."""
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
    """Return a PettingZoo AEC environment of the game, with agents ``seat_0``, ``seat_1``, ...; ``options`` are the game's.

    ``rewards`` is ``ranks`` (the default for several players) or ``score`` (the default for one), ``render_mode`` is ``ansi`` or
    ``human``. ``moves`` says whether observations have a row for each legal move (the default unless ``flat``), ``infos`` whether
    infos have entries that the protocol does not require. With ``flat`` an observation is one array, and its mask is in the info, or, with
    ``mask``, next to the array in the observation. With ``ids`` actions are not indices of legal moves, but numbers that mean the same in
    every position.

    docs/environments.md describes spaces, actions and rewards. Raises OptionsError for an unknown game, option or number of players,
    ValueError for another wrong argument, MissingPackageError if a package is not installed.
    """
    with explained("environments"):
        from arena.environments.aec_env import GameEnv  # noqa: PLC0415  # only who uses it needs PettingZoo
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
    """Return a Gymnasium environment of one seat: the game alone, or with bots in the other seats.

    ``opponents`` are given as for ``arena match``, in seat order without your own ``seat``; they play in this process, so use only bots
    that you trust. With ``seat=None`` every episode draws its seat. The rest is as in ``aec``; also raises BotError for a bot that can't
    be loaded, or can't play the game.
    """
    with explained("environments"):
        from arena.environments.arguments import Form  # noqa: PLC0415  # only who uses it needs Gymnasium
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
    """Return a Gymnasium vector environment of ``number`` matches, each like that of ``gym`` with the same arguments.

    ``opponents`` are the other seats' bots, by default ``random`` in all of them. Solo matches and those against ``random``, without infos
    and pictures, are played by the engine, many in one call; others one by one. ``autoreset_mode`` is ``NextStep``, ``SameStep`` or
    ``Disabled``, as Gymnasium defines them. Without ``copy`` each step overwrites the arrays that it returned before. The rest is as in
    ``gym``; also raises ImportError for Gymnasium older than 1.1.
    """
    with explained("environments"):
        from arena.environments.arguments import Form  # noqa: PLC0415  # only who uses it needs Gymnasium
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

    ``reset(seed)`` returns observations and infos, ``step(actions)`` observations, the rewards of all seats, which matches have ended, and
    infos; ``actors`` are the seats that have to decide. A match that has ended is followed by the next at once. Without ``copy`` each step
    overwrites the arrays that it returned before. The rest is as in ``aec``.
    """
    with explained("environments"):
        from arena.environments.arguments import Form  # noqa: PLC0415  # the same
        from arena.environments.batch_env import BatchEnv  # noqa: PLC0415  # only who uses it needs Gymnasium
    return BatchEnv(
        game, players, number, options, rewards=rewards, form=Form(moves, infos=False, flat=flat, mask=mask, ids=ids), copy=copy
    )
