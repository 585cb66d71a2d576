"""Names of OpenSpiel's games: which are found, and what is said of the others."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engine.core import OptionsError
from engine.registry import find_game

pytestmark = pytest.mark.slow  # OpenSpiel comes with the extra dev


@pytest.mark.parametrize(
    ("member", "players"),
    [
        ("hex(board_size=7)", 2),
        ("kuhn_poker(players=3)", 3),
        ("catch", 1),
        ("goofspiel(num_cards=4,players=5)", 5),
        ("misere(game=kuhn_poker(players=4))", 4),
    ],
)
def test_the_parameters_say_how_many_play(member: str, players: int) -> None:
    game = find_game(f"openspiel:{member}")
    assert game.name == f"openspiel:{member}"
    assert (game.min_players, game.max_players) == (players, players)


@pytest.mark.parametrize(
    ("member", "sentence"),
    [
        ("", "openspiel needs a game after a colon"),
        ("hx", "OpenSpiel has no game 'hx'; did you mean hex?"),
        ("Hex", "'Hex' is not an OpenSpiel game; write its name and parameters"),
        ("hex(", "'hex(' is not an OpenSpiel game"),
        ("hex(board_size=(7)", "OpenSpiel can't read"),
        ("hex(boardsize=7)", "hex has no parameter 'boardsize'; did you mean board_size?"),
        ("tic_tac_toe(size=3)", "tic_tac_toe has no parameter 'size'; it has none"),
        ("hex(board_size=big)", "hex: board_size is 'big'; it should be a whole number"),
        ("hex(board_size=-1)", "hex: board_size is -1; it should be at least 1"),
        ("hex(board_size=27)", "hex: board_size is 27; it should be at most 26"),
        ("universal_poker(numSuits=5)", "universal_poker: numSuits is 5; it should be at most 4"),
        ("goofspiel(num_cards=20000000)", "actions; a game must have 1 to 10000000"),
        ("morpion_solitaire", "OpenSpiel lists invalid moves for it, which crash the process"),
        ("kuhn_poker(players=99)", "kuhn_poker is for 2 to 10 players, not 99"),
        ("misere(game=kuhn_pocker())", "did you mean kuhn_poker"),
        ("misere", r"misere is built on another game: write misere(game=kuhn_poker())"),
        ("mfg_garnet", "mfg_garnet can't be played here: it is a mean-field game"),
        ("tarok", "tarok can't be played here: it uses a random generator of its own"),
        ("crossword", "crossword can't be played here: OpenSpiel doesn't list its legal actions"),
        ("efg_game(filename=secret.txt)", "names a file on this machine"),
        ("crazy_eights(players=15)", "crazy_eights has 15 players; a match can have 1 to 10"),
        ("leduc_poker(players=1000)", "leduc_poker is for 2 to 10 players, not 1000"),
        ("start_at(game=tic_tac_toe(),history=x)", "OpenSpiel refuses"),
    ],
)
def test_what_is_no_game_here_is_told_in_one_sentence(member: str, sentence: str) -> None:
    with pytest.raises(OptionsError) as caught:
        find_game(f"openspiel:{member}")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_its_package_the_family_says_what_to_install() -> None:
    program = """
import sys
sys.modules["pyspiel"] = None
from engine.registry import find_game
try:
    find_game("openspiel:hex")
except Exception as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("OpenSpiel's games need the package open_spiel: pip install 'tile-arena[openspiel]'")
