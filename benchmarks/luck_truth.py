"""Tests the luck adjustment in small games whose shares of wins are known exactly: a race with dice, and Kuhn and Leduc poker.

``python -m benchmarks.luck_truth`` plays the games and prints each share as known, as played, and adjusted for luck. Kuhn poker shows why
the program refuses to adjust such games: its hands are sampled without regard to the bets, which causes a bias.

Then it prints the mean luck in analyses of the race, with its standard error, and how much larger the mean would be if the same random
samples were used in all matches (the race doesn't list its possible events itself).
"""

from __future__ import annotations

# ruff: noqa: RUF012, D102  # a position gets copies of these lists; its methods are documented in Position
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import permutations
from random import Random
from statistics import fmean
from typing import TypeAlias, TypeVar, cast

import msgspec
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from arena.analysis.analyser import digest_of
from arena.analysis.match_luck import Foresight, NoLuckError, facts_of, foresight_of, luck_of
from arena.analysis.position_value import judge_of
from arena.analysis.skill_and_luck import split_match
from benchmarks.common import arguments
from bots.reference.valuation.base import RankChances, ValueFunction, from_strengths, ranks_of
from engine.core import Game, Move, OptionValue, Outcome, State, World
from engine.records import Replay
from engine.registry import Registration, add_game, find_game
from engine.replay.format import Recorder
from engine.replay.verifier import timeline_of
from engine.simple import Chance, Position, simple_game
from engine.simple.game import SimpleState

Floats: TypeAlias = NDArray[np.float64]
LEDUC = {"leduc": (False, (False, True))}


class DiceRace(Position):
    """A race for 2 players: four times each, they go three steps or roll a die; whoever is ahead at the end wins."""

    steps: list[int] = []
    turns: int = 0

    def setup(self, options: object, chance: Chance) -> None:
        self.steps = [0, 0]

    def moves(self) -> list[str]:
        return ["walk", "roll"]

    def play(self, move: str, chance: Chance) -> None:
        assert self.actor is not None, "the game goes on"
        self.steps[self.actor] += 3 if move == "walk" else chance.roll(6)
        self.turns += 1
        if self.turns == 8:
            self.end(self.steps, "run")
        else:
            self.next()


class Poker(Position):
    """Poker for 2 players with one card each and, if there are two rounds of bets, an open card after the first round; ties count half."""

    rounds: int = 1
    hands: list[int] = []
    board: int = -1
    bets: list[int] = []
    raises: int = 0
    spoken: int = 0

    def deck(self) -> list[int]:
        return [0, 1, 2] * self.rounds

    def setup(self, options: Mapping[str, OptionValue], chance: Chance) -> None:
        self.rounds = 2 if options["leduc"] else 1
        deck = self.deck()
        chance.shuffle(deck)
        self.hands, self.bets = deck[:2], [1, 1]

    def moves(self) -> list[str]:
        assert self.actor is not None, "the game goes on"
        behind = self.bets[self.actor] < max(self.bets)
        return [*(["fold"] if behind else []), "call", *(["raise"] if self.raises < self.rounds else [])]

    def play(self, move: str, chance: Chance) -> None:
        assert self.actor is not None, "the game goes on"
        me, other = self.actor, 1 - self.actor
        if move == "fold":
            self.end([-self.bets[me] if seat == me else self.bets[me] for seat in range(2)], "fold")
            return
        self.bets[me] = max(self.bets)
        if move == "raise":
            self.bets[me] += 1 if self.board < 0 else 2
            self.raises += 1
        self.spoken += 1
        if move == "raise" or self.spoken < 2:
            self.next()
        elif self.rounds == 2 and self.board < 0:
            unseen = self.unseen()
            chance.shuffle(unseen)
            self.board, self.raises, self.spoken, self.actor = unseen[0], 0, 0, 0
        else:
            mine, theirs = ((hand == self.board, hand) for hand in (self.hands[me], self.hands[other]))
            won = (mine > theirs) - (mine < theirs)
            self.end([won * self.bets[me] if seat == me else -won * self.bets[me] for seat in range(2)], "show")

    def unseen(self) -> list[int]:
        cards = self.deck()
        for card in (*self.hands, self.board):
            if card >= 0:
                cards.remove(card)
        return cards

    def hide(self, seat: int) -> None:
        if self.actor is not None:
            self.hands = [hand if each == seat else -1 for each, hand in enumerate(self.hands)]

    def fill(self, chance: Chance) -> None:
        unseen = self.unseen()
        chance.shuffle(unseen)
        self.hands = [unseen.pop() if hand < 0 else hand for hand in self.hands]


class Opinion(ValueFunction):
    """A value function that uses a given estimate of the first seat's chance or, once the game is over, the result."""

    def __init__(self, first: Callable[[State], float]) -> None:
        self._first = first

    @property
    def version(self) -> str:
        """A fixed name, since nothing is cached."""
        return "opinion"

    def rank_chances(self, state: State) -> RankChances:
        """Return each seat's chance of each rank."""
        if state.outcome is not None:
            return ranks_of(state.outcome)
        first = self._first(state)
        return [[first, 1 - first], [1 - first, first]]


def _by_lead(state: State) -> float:
    one, other = inside(state, DiceRace).steps
    return from_strengths([one / 3, other / 3])[0][0]


def _by_cards(state: State) -> float:
    """Estimate the first seat's chance from both hands, which are visible only in a match's replay."""
    position = inside(state, Poker)
    one, other = (hand + 3 * (hand == position.board) for hand in position.hands)
    return 0.5 + 0.1 * (one - other)


def open_cards(before: State, move: Move, after: State, chosen: Mapping[int, Move], rng: Random) -> list[World]:
    """Return a sample for each card that could have been opened, given both hands."""
    if inside(after, Poker).board == inside(before, Poker).board:
        return []
    cards = inside(before, Poker).unseen()
    worlds = []
    for card in cards:
        world = after.copy()
        inside(world, Poker).board = card
        worlds.append(World(1 / len(cards), world))
    return worlds


PositionT = TypeVar("PositionT", bound=Position)


def inside(state: State, kind: type[PositionT]) -> PositionT:
    """Return the position inside a state."""
    assert isinstance(state, SimpleState), "a game of a class of positions"
    assert isinstance(state.inside, kind), "of that class"
    return state.inside


# Policies, and the exact shares of wins


Policy: TypeAlias = Callable[[Position, Sequence[str]], Sequence[float]]
"""A function that returns the probability of each move, given what the seat to decide knows."""


def run(position: Position, moves: Sequence[str]) -> Sequence[float]:
    """Roll nearly always when behind, and rarely when ahead."""
    assert isinstance(position, DiceRace), "a race"
    assert position.actor is not None, "the game goes on"
    lead = position.steps[position.actor] - position.steps[1 - position.actor]
    return (0.1, 0.9) if lead < 0 else (0.8, 0.2)


def bet(position: Position, moves: Sequence[str]) -> Sequence[float]:
    """Raise with the best card or a pair and sometimes with the worst, and fold weak hands; the second seat never bluffs."""
    assert isinstance(position, Poker), "cards"
    assert position.actor is not None, "the game goes on"
    hand = position.hands[position.actor]
    is_strong = hand in {2, position.board}
    raising = 0.8 if is_strong else 0.3 * (1 - position.actor) * (hand == 0)
    folding = 0.0 if is_strong else 0.9 - 0.4 * hand
    weights = [{"fold": folding, "raise": raising, "call": 1.0 - max(folding, raising)}[move] for move in moves]
    return [each / sum(weights) for each in weights]


class _Branch:
    """A substitute for ``Chance`` that returns a given one of the possible events, and counts them."""

    def __init__(self, take: int) -> None:
        self.take = take
        self.number = 1

    def roll(self, sides: int = 6) -> int:
        self.number = sides
        return self.take + 1

    def shuffle(self, items: list[int]) -> None:
        self.number = len(items)
        items[0], items[self.take] = items[self.take], items[0]


def true_share(position: Position, policy: Policy, seen: dict[bytes, float] | None = None) -> float:
    """Return the first seat's exact share of wins, by enumerating all moves and events."""
    seen = {} if seen is None else seen
    if position.actor is None:
        return 0.5 * (1 + (position.ranks[0] < position.ranks[1]) - (position.ranks[0] > position.ranks[1]))
    key = msgspec.json.encode(position)
    if key not in seen:
        moves = position.moves()
        seen[key] = sum(
            chance * fmean(true_share(after, policy, seen) for after in _branches(position, move))
            for move, chance in zip(moves, policy(position, moves), strict=True)
            if chance
        )
    return seen[key]


def _branches(position: Position, move: str) -> list[Position]:
    positions: list[Position] = []
    number = 1
    while len(positions) < number:
        after, branch = deepcopy(position), _Branch(len(positions))
        after.play(move, cast("Chance", branch))
        number = branch.number
        positions.append(after)
    return positions


@dataclass(frozen=True)
class Trial:
    """A game with known shares of wins, the policy that plays it, and the value function with which luck is measured."""

    name: str
    game_name: str
    options: dict[str, OptionValue]
    policy: Policy
    value: Opinion
    starts: Callable[[], list[Position]]

    def truth(self) -> float:
        """Return the first seat's exact share of wins."""
        return fmean(true_share(start, self.policy) for start in self.starts())

    def game(self) -> Game:
        """Register the game in this process, and return it."""
        add_game(Registration(self.game_name, f"{__name__}:{self.game_name.upper()}", "benchmarks", "1"))
        return find_game(self.game_name, self.options)

    def play(self, matches: int) -> tuple[Floats, Floats]:
        """Return the first seat's share of the win and its luck, for each match."""
        foresight = Foresight(self.value, None)
        shares, lucks = [], []
        for replay in self.replays(matches):
            shares.append(facts_of(ranks_of(Outcome(replay.scores, replay.ranks, replay.end)))[0])
            lucks.append(luck_of(replay, digest_of(replay), foresight).wins[0])
        return np.array(shares), np.array(lucks)

    def replays(self, matches: int) -> Iterator[Replay]:
        """Play matches, and yield their replays."""
        game = self.game()
        for seed in range(matches):
            state, rng = game.new(2, seed), Random(-1 - seed)
            recorder = Recorder(game, seed, ("one", "other"))
            while (seat := state.actor) is not None:
                moves = state.list_moves()
                (move,) = rng.choices(moves, self.policy(inside(state, Position), [str(each) for each in moves]))
                state.play(move)
                recorder.record(seat, move, len(moves), state)
            yield recorder.finish(state)


def _deals(rounds: int) -> list[Position]:
    deck = Poker(rounds=rounds).deck()
    return [Poker(players=2, rounds=rounds, hands=list(hands), bets=[1, 1]) for hands in permutations(deck, 2)]


RACE = simple_game(DiceRace, "race", title="Dice race", players=(2, 2), public_luck=True, value=Opinion(_by_lead))
HANDS = simple_game(Poker, "hands", title="Poker with hands", players=(2, 2), options=LEDUC, value=Opinion(lambda _: 0.5))
POKER = simple_game(Poker, "poker", title="Poker", players=(2, 2), options=LEDUC, value=Opinion(_by_cards), worlds=open_cards)
TRIALS = (
    Trial("race with dice", "race", {}, run, Opinion(_by_lead), lambda: [DiceRace(players=2, steps=[0, 0])]),
    Trial("Kuhn, hands dealt anew", "hands", {}, bet, Opinion(lambda _: 0.5), lambda: _deals(1)),
    Trial("Kuhn, hands kept", "poker", {}, bet, Opinion(_by_cards), lambda: _deals(1)),
    Trial("Leduc, hands dealt anew", "hands", {"leduc": True}, bet, Opinion(lambda _: 0.5), lambda: _deals(2)),
    Trial("Leduc, hands kept", "poker", {"leduc": True}, bet, Opinion(_by_cards), lambda: _deals(2)),
)


def luck_in_analyses(trial: Trial, matches: int, digest: Callable[[Replay], str]) -> Floats:
    """Return the first seat's luck in analyses of matches; ``digest`` provides the seed for samples."""
    judges = ((replay, judge_of(trial.game(), replay.players, digest(replay))) for replay in trial.replays(matches))
    splits = (split_match(timeline_of(replay), judge, lambda: False) for replay, judge in judges)
    return np.array([sum(luck[0] for luck in split.luck) for split in splits])


def is_refused(game: Game) -> bool:
    """Return whether the game is refused by ``--adjusted``."""
    try:
        foresight_of(game)
    except NoLuckError:
        return True
    return False


def main() -> None:
    parser = arguments(__doc__ or "")
    parser.add_argument("--matches", type=int, default=4000, help="matches of each game")
    parser.add_argument("--analyses", type=int, default=1000, help="how many matches are analysed")
    given = parser.parse_args()
    table = Table(box=None, pad_edge=False, title=f"Shares of wins of the first seat, {given.matches} matches", title_justify="left")
    for header in ("game", "--adjusted", "true", "as played", "adjusted", "error", "gain"):
        table.add_column(header, justify="left" if header == "game" else "right")
    for trial in TRIALS:
        shares, luck = trial.play(given.matches)
        less = shares - luck
        off = (less.mean() - trial.truth()) / (less.std() / given.matches**0.5)
        table.add_row(
            *(trial.name, "refused" if is_refused(trial.game()) else "done", f"{trial.truth():.3f}", f"{shares.mean():.3f}"),
            *(f"{less.mean():.3f}", f"{off:+.1f} s.e.", f"{shares.var() / less.var():.2f}x"),
        )
    out = Console(width=120)
    out.print(table)
    own, same = (luck_in_analyses(TRIALS[0], given.analyses, digest) for digest in (digest_of, lambda _: ""))
    mean, more = (f"{each.mean():+.4f} ± {each.std() / len(each) ** 0.5:.4f}" for each in (own, same - own))
    out.print(f"luck in {len(own)} analyses of the {TRIALS[0].name}: {mean}; with the same samples in all matches, it is higher by {more}")


if __name__ == "__main__":
    main()
