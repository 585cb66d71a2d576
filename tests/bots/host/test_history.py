"""``view.history``: every decision as the seat may know it, the same in every process and as ``news`` tells it to a command."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from pathlib import Path
from random import Random

import pytest

from arena.play.match import play_match
from bots import Clock, MatchEnd, MatchInfo, News
from bots.host.player_pool import InProcessPlayer, Player, PlayerPool
from bots.limits import Level
from bots.loader.loading import identify
from bots.loader.version import BotVersion
from engine import Chronicle
from engine.core import Game, Move, OptionValue, State, View
from engine.registry import find_game
from tests.bots.conftest import WriteBot
from tests.bots.playing import ticket
from tests.small_games import TRICKS, add

GAMES: list[tuple[str, dict[str, OptionValue], int]] = [
    ("tongiaki", {}, 3),
    ("sunda", {"level": 5}, 2),
    ("sunda", {"level": 4, "pots": "private"}, 2),
    ("sunda", {"level": 3, "mode": "simultaneous"}, 3),
]
PICKS = """
    import hashlib

    def told(history):
        return f"{len(history)} {hashlib.sha256(repr(history).encode()).hexdigest()[:12]}"
"""
IN_PYTHON = f"""{PICKS}
    class Bot:
        def choose(self, view, clock):
            print(told([(each.seat, each.move, list(each.events)) for each in view.history]), flush=True)
            moves = list(view.legal_moves)
            return moves[len(view.history) % len(moves)]
"""
IN_ANY_LANGUAGE = f"""#!/usr/bin/python3
import json, sys
from textwrap import dedent
exec(dedent('''{PICKS}'''))

def say(**message):
    print(json.dumps(message), flush=True)

input()
say(type="hello", protocol=1, name="told", wants=["legal"])
history = []
for line in sys.stdin:
    asked = json.loads(line)
    history += [(each["seat"], each.get("move"), each.get("events", [])) for each in asked["news"]]
    print(told(history), file=sys.stderr, flush=True)
    say(type="answer", token=asked["token"], move=asked["legal"][len(history) % len(asked["legal"])])
"""


class Keeper(Player):
    """Plays at random, and keeps the views that it was shown."""

    def __init__(self) -> None:
        self.views: list[View[State]] = []
        self.told: list[list[News]] = []

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        self.rng, self.seat, self.chronicle = Random(info.seed), info.seat, chronicle

    def choose(self, view: View[State], clock: Clock) -> Move:
        self.views.append(view)
        self.told.append(self.chronicle.news(self.seat, 0))
        return view.legal_moves.random(self.rng)

    def finish(self, end: MatchEnd) -> None:
        """Nothing."""


@pytest.fixture(params=["ours", pytest.param("openspiel", marks=pytest.mark.slow)])  # which comes with the extra dev
def games(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Game, int]]:
    """Both games in all their kinds, and a simple one with secrets; or one of OpenSpiel's."""
    if request.param == "openspiel":
        return [(find_game("openspiel:leduc_poker"), 2)]
    made = [(find_game(name, options), players) for name, options, players in GAMES]
    return [*made, (add(monkeypatch, "tricks", TRICKS), 3)]


def test_at_each_decision_the_history_is_what_news_has_told_until_then(games: list[tuple[Game, int]]) -> None:
    for game, players in games:
        seats = [Keeper() for _ in range(players)]
        play_match(game, ticket(players), seats)
        assert all(seat.views for seat in seats)
        for seat in seats:
            histories = [view.history for view in reversed(seat.views)]  # read after the match, which went on meanwhile
            assert histories == [tuple(told) for told in reversed(seat.told)], game.name
        hidden = [news for seat in seats for news in seat.views[-1].history if news.move is None]
        assert bool(hidden) == (game.options.get("mode") == "simultaneous")
        assert all(news.seat != number for number, seat in enumerate(seats) for news in seat.views[-1].history if news.move is None)


def test_nothing_of_what_others_hold_is_in_a_history(monkeypatch: pytest.MonkeyPatch) -> None:
    game = add(monkeypatch, "tricks", TRICKS)
    seats = [Keeper() for _ in range(3)]
    play_match(game, ticket(3), seats)
    for number, seat in enumerate(seats):
        for news in seat.views[-1].history:
            position = game.position(news.events[-1].removeprefix("known "))
            shown = position.inside.hands  # type: ignore[attr-defined]  # of this game
            assert all(card == -1 for owner, hand in enumerate(shown) if owner != number for card in hand)


def test_a_history_can_not_be_changed_and_travels_with_its_view() -> None:
    seats = [Keeper(), Keeper()]
    play_match(find_game("tongiaki"), ticket(2), seats)
    view = seats[0].views[-1]
    assert isinstance(view.history, tuple)
    assert view.history is view.history
    with pytest.raises(AttributeError):
        view.history = ()  # type: ignore[misc]  # that is the point
    with pytest.raises(AttributeError):
        view.history[0].move = "pass"  # type: ignore[misc]  # as above
    again = pickle.loads(pickle.dumps(view))  # noqa: S301  # our own
    assert again == view
    assert again.history == view.history


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "options", "players"), GAMES, ids=str)
def test_bots_are_told_the_same_in_process_in_their_own_and_as_a_command(
    name: str,
    options: dict[str, OptionValue],
    players: int,
    box: PlayerPool,
    write_bot: WriteBot,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = find_game(name, options)
    version = identify(str(write_bot(IN_PYTHON)))
    inside = play_match(game, ticket(players), [InProcessPlayer(version) for _ in range(players)])
    lines = capsys.readouterr().out.splitlines()
    outside = play_match(game, ticket(players), [box.seat(version) for _ in range(players)])
    assert [seat.fault for seat in (*inside.seats, *outside.seats)] == [None] * 2 * players
    assert outside.replay == inside.replay
    assert all(seat.cpu_seconds > 0 and seat.peak_memory for seat in outside.seats)
    logs = [seat.log.splitlines() for seat in outside.seats]
    assert sum(seat.decisions for seat in inside.seats) == len(lines) > 10
    for log in logs:
        assert len(log) > 3
        assert set(log[1:]) <= set(lines)  # the first line may have been cut
    if box.level is Level.L1 or shutil.which("python3", path="/usr/bin") is None:
        return
    monkeypatch.setenv("PATH", f"/usr/bin:{os.environ['PATH']}")
    program = command(write_bot)
    told = play_match(game, ticket(players), [box.seat(program) for _ in range(players)])
    assert [seat.fault for seat in told.seats] == [None] * players
    assert [seat.log.splitlines()[1:] for seat in told.seats] == [log[1:] for log in logs]


def command(write_bot: WriteBot) -> BotVersion:
    """The same bot, which speaks the protocol."""
    path = write_bot(IN_ANY_LANGUAGE, "told.py")
    folder = path.parent / "told"
    folder.mkdir()
    path.rename(folder / "told.py").chmod(0o755)
    (folder / "bot.toml").write_text(f"command = {json.dumps(['python3', 'told.py'])}\n")
    return identify(os.fspath(Path(folder)))
