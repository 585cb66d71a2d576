from __future__ import annotations

from functools import cache
from pathlib import Path

from engine.sunda import SundaState, sunda
from engine.sunda.board.claims import nodes_score
from tests.engine.sunda.helpers import legal, play, vector

NODES = 68  # of a table with all tiles, see test_tiles


@cache
def best(nodes: int, level: int) -> int:
    """The most that so many land nodes can score, however they are shared out among complete islands."""
    return max((nodes_score(n, complete=True, level=level) + best(nodes - n, level) for n in range(1, nodes + 1)), default=0)


def test_136_is_the_most_that_simple_scoring_gives() -> None:
    assert best(NODES, 0) == best(NODES, 1) == 136


def test_668_is_the_most_that_scoring_as_tribes_gives() -> None:
    assert best(NODES, 2) == best(NODES, 5) == nodes_score(NODES, complete=True, level=2) == 668


def test_an_island_scores_half_while_it_is_not_complete() -> None:
    assert [nodes_score(7, complete=complete, level=level) for level in (0, 2) for complete in (False, True)] == [7, 14, 29, 58]


def test_alone_there_are_no_tokens_no_rights_and_stop_ends_the_game() -> None:
    for name in ("solo-L0-1p-31", "solo-L2-1p-29"):
        assert {text.split()[0] for _, text, _ in vector(name)["decisions"]} <= {"start", "place", "shift", "stop"}
    state = play(sunda({"level": 4}).new(1, 5), "start WWWW++++")
    assert legal(state)[-1] == "stop"
    assert "agree" not in legal(state)
    assert state.tally() == {"points": (0,), "complete islands": (0,)}
    play(state, "stop")
    assert state.outcome is not None
    assert (state.outcome.ending, state.outcome.scores, state.outcome.ranks) == ("agreed", (0,), (1,))


def nearly_blocked() -> SundaState:
    text = (Path(__file__).parent / "positions" / "nearly_blocked.txt").read_text()
    return sunda({}).position(text)


def test_a_game_without_a_legal_placement_is_blocked() -> None:
    state = play(nearly_blocked(), "place LWLW+-+- -19,6,0")
    assert state.outcome is not None
    assert state.outcome.ending == "blocked"
    assert sum(state.inside.pots.sizes) == 10
