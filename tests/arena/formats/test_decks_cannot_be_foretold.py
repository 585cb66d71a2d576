"""A contestant who has the program, the public pages and its own logs foretells no more draws of matches to come than chance."""

from __future__ import annotations

import json
import random
from itertools import islice

import pytest

from arena.formats.schedule import Schedule
from arena.spec.secret import Keys, TournamentSecret, derive_seed, open_root
from arena.spec.spec import Spec, make_spec
from engine.records import Ticket
from engine.registry import find_game

DRAWS = 8


def league(seed: int | None, decks: str) -> Spec:
    """A league of eight bots at tables of two; ``seed`` is open, or there is a secret."""
    bots = [{"name": f"b{number}", "source": "random"} for number in range(8)]
    data = {"name": "league", "game": "tongiaki", "bots": bots, "schedule": {"tables": [2], "blocks": 2, "decks": decks}}
    return make_spec(data if seed is None else data | {"seed": seed}, "test")


def deck(seed: int) -> list[object]:
    """The first tiles of Tongiaki's deck on a seed."""
    state = find_game("tongiaki").new(2, seed)
    return list(state.deck[:DRAWS])  # type: ignore[attr-defined]


class Contestant:
    """Tries to find a root whose ids are the published ones, and with it computes the decks of the other matches."""

    def __init__(self, spec: Spec, published: list[Ticket], own_seeds: list[int]) -> None:
        self._spec = spec
        self._published = published
        self._own_seeds = own_seeds

    def _guesses(self) -> list[bytes]:
        """Small open seeds, dates, and what is public, as roots."""
        numbers = [
            *range(300),
            *(year * 10_000 + month * 100 + day for year in (2025, 2026) for month in (4, 5, 6) for day in range(1, 32)),
        ]
        words = [*(ticket.id for ticket in self._published), *(str(seed) for seed in self._own_seeds), self._spec.name]
        return [open_root(number) for number in numbers] + [word.encode().ljust(32, b"\0")[:32] for word in words]

    def foretell(self, ticket: Ticket) -> list[object]:
        """Its guess of a deck; drawn at random where it has found nothing."""
        public = self._published[0]
        for root in self._guesses():
            keys = Keys.of(root, self._spec.name, self._spec.game, {})
            numbers = {bot.name: number for number, bot in enumerate(self._spec.bots)}
            seats = [numbers[name] for name in public.seats]
            if keys.of_block(2, sorted(seats), public.block).match_id(seats) == public.id:
                schedule = Schedule(self._spec.model_copy(update={"seed": None}), secret=TournamentSecret(root))
                return next(deck(each.seed) for each in schedule if each.seats == ticket.seats and each.block == ticket.block)
        return deck(random.Random(derive_seed(json.dumps(ticket.seats))).getrandbits(53))


def hits(spec: Spec, secret: TournamentSecret | None) -> float:
    """The share of draws that it foretells, of matches that have not been published yet."""
    tickets = list(Schedule(spec, secret=secret))
    half = len(tickets) // 2
    keys = {ticket.block_key for ticket in tickets[:half]}
    contestant = Contestant(spec, tickets[:half], [derive_seed(ticket.key, "bot", 0) for ticket in islice(tickets, half)])
    future = [ticket for ticket in tickets[half:] if ticket.block_key not in keys]
    right = [guess == real for ticket in future for guess, real in zip(contestant.foretell(ticket), deck(ticket.seed), strict=True)]
    return sum(right) / len(right)


CHANCE = 1 / 32  # of Tongiaki's 32 tiles, apart from those that are alike: at most four times that


@pytest.mark.slow
@pytest.mark.parametrize("decks", ["own", "shared"])
def test_with_a_secret_nothing_is_foretold(decks: str) -> None:
    shares = [hits(league(None, decks), TournamentSecret(random.Random(number).randbytes(32))) for number in range(5)]
    assert sum(shares) / len(shares) < 8 * CHANCE


@pytest.mark.slow  # searches seeds
@pytest.mark.parametrize("decks", ["own", "shared"])
def test_the_attack_works_on_an_open_seed(decks: str) -> None:
    assert hits(league(20260501, decks), None) == 1


def test_published_seeds_of_matches_that_are_over_tell_no_other() -> None:
    spec, secret = league(None, "own"), TournamentSecret(random.Random(7).randbytes(32))
    tickets = list(Schedule(spec, secret=secret))
    seeds = [ticket.seed for ticket in tickets]
    assert len(set(seeds)) == len(seeds)
    bits = [sum(seed >> bit & 1 for seed in seeds) / len(seeds) for bit in range(53)]
    spread = 5 * 0.5 / len(seeds) ** 0.5
    assert all(abs(share - 0.5) < spread for share in bits)
