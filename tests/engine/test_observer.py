"""An observer, told only what its seat may know, has after every decision the view that the true state gives."""

from __future__ import annotations

import re
from random import Random

import pytest

from engine.core import EngineError, Game, OptionValue, PositionError
from engine.core.observer import Chronicle, News, Observer
from engine.registry import find_game

SUNDA: list[dict[str, OptionValue]] = [
    {"level": level, "mode": mode, "pots": pots}
    for level in range(6)
    for mode, pots in (("turns", "shared"), ("turns", "private"), ("simultaneous", "private"))
]
TABLES: list[tuple[str, dict[str, OptionValue], int]] = [
    *(("tongiaki", {}, players) for players in range(2, 7)),
    *(("sunda", dict(options), players) for options in SUNDA for players in (2, 4)),
    ("sunda", {"level": 2}, 1),
]


def name(table: tuple[str, dict[str, OptionValue], int]) -> str:
    game, options, players = table
    return "-".join([game, *(str(value) for value in options.values()), str(players)])


def chosen(game: Game, players: int, seed: int, limit: int = 10_000) -> tuple[Chronicle, list[Observer], int]:
    """A random match, followed from every seat and compared after each decision; gives how many choices were hidden."""
    state = game.new(players, seed)
    chronicle = Chronicle(state)
    observers = [Observer(game, players, seat, chronicle.opening(seat)) for seat in range(players)]
    rng = Random(seed)
    hidden = 0
    while (actor := state.actor) is not None and len(chronicle) < limit:
        move = state.random_move(rng)
        state.play(move)
        chronicle.record(actor, move, state)
        for seat, observer in enumerate(observers):
            [news] = chronicle.news(seat, len(chronicle) - 1)
            hidden += news.move is None
            observer.observe(news)
            view = observer.view()
            assert view == state.view(seat)
            assert view.position.events == state.events
            assert observer.actor == state.actor
        if len(chronicle) % 16 == 0 and state.actor is not None:
            assert list(observers[state.actor].view().legal_moves) == list(state.legal_moves)
    assert [observer.view().outcome for observer in observers] == [state.outcome] * players
    return chronicle, observers, hidden


@pytest.mark.sampled(8)
@pytest.mark.parametrize("table", TABLES, ids=name)
@pytest.mark.parametrize("seed", [0, 3])
def test_a_followers_view_is_the_true_one_after_every_decision(table: tuple[str, dict[str, OptionValue], int], seed: int) -> None:
    game, options, players = table
    _, _, hidden = chosen(find_game(game, options), players, seed)
    assert (hidden > 0) == (options.get("mode") == "simultaneous")


def test_news_may_be_told_late_and_many_at_once() -> None:
    game = find_game("sunda", {"mode": "simultaneous", "level": 5})
    chronicle, observers, _ = chosen(game, 3, 4, limit=90)
    late = Observer(game, 3, 1, chronicle.opening(1))
    for news in chronicle.news(1, 0):
        late.observe(news)
    assert late.view() == observers[1].view()


def test_a_hidden_choice_is_told_to_its_own_seat_only_and_to_all_when_the_tick_opens() -> None:
    game = find_game("sunda", {"mode": "simultaneous"})
    state = game.new(2, 1)
    state.play(state.legal_moves[0])
    chronicle = Chronicle(state)
    texts = []
    for seat in range(2):
        move = state.random_move(Random(seat))
        texts.append(str(move))
        state.play(move)
        chronicle.record(seat, move, state)
    assert chronicle.news(0, 0)[0] == News(0, texts[0])
    assert chronicle.news(1, 0)[0] == News(0, None)
    assert chronicle.news(1, 1)[0].events[0] == f"chose 0 {texts[0]}"
    assert chronicle.news(0, 1)[0].events == state.events


def test_dice_that_were_rolled_again_come_in_the_order_in_which_they_fell() -> None:
    from engine.sunda.rules.challenges import read_rolls

    assert read_rolls(["unable 1", "order 0:5/2 1:3 2:5/2/1 3:5/2/4"]) == [5, 3, 5, 5, 2, 2, 2, 1, 4]
    assert read_rolls(["dice 3 5|2", "order 0:5/2 1:5/1", "dice 6|1"]) == [3, 5, 2, 5, 5, 2, 1, 6, 1]
    for wrong in ("dice 1  2", "dice 7", "dice 6|0"):
        with pytest.raises(PositionError, match=f"^'{re.escape(wrong)}' does not report dice$"):
            read_rolls([wrong])


def test_the_seed_is_nowhere_in_a_follower() -> None:
    for game in (find_game("tongiaki"), find_game("sunda", {"pots": "private", "level": 4})):
        _, observers, _ = chosen(game, 2, 918273645)
        for observer in observers:
            assert "918273645" not in observer.view().position.text
            assert "918273645" not in repr(observer.__reduce_ex__(2))


@pytest.mark.parametrize(
    ("game", "news"),
    [
        ("tongiaki", News(1, "place 0")),
        ("tongiaki", News(0, "place 9")),
        ("tongiaki", News(0, "expand Tonga 0")),
        ("tongiaki", News(0, None)),
        ("tongiaki", News(0, "place 0", ("draw Samoa",))),
        ("tongiaki", News(0, "place 0", ("draw Nowhere",))),
        ("tongiaki", News(0, "place 0", ("chose 1 place 1",))),
        ("sunda", News(0, None)),
        ("sunda", News(0, "start WWWW+-+-", ("dice 3|x",))),
        ("sunda", News(0, "start WWWW+-+-", ("chose 1 wait",))),
        ("sunda", News(0, "start WWWW+-+-", ("dice 3|4",))),
    ],
)
def test_news_that_do_not_fit_are_refused(game: str, news: News) -> None:
    observer = Observer(find_game(game), 2, 0)
    with pytest.raises(EngineError):
        observer.observe(news)


@pytest.mark.parametrize(
    ("options", "opening"),
    [
        ({}, "pot 0 WWWW+-+-\n"),
        ({"pots": "private"}, ""),
        ({"pots": "private"}, "pot 0 WWWW+-+-\npot 1 WWWW+-+-\n"),
        ({"pots": "private"}, "pot 0 nothing\n"),
        ({"pots": "private"}, "pot 1\n"),
    ],
)
def test_an_opening_that_does_not_belong_to_the_game_is_refused(options: dict[str, OptionValue], opening: str) -> None:
    with pytest.raises(PositionError):
        find_game("sunda", options).follow(2, opening)
    with pytest.raises(PositionError):
        find_game("tongiaki").follow(2, "something")
