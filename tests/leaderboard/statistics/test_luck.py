"""What deck and seat explain: estimates and intervals on made-up outcomes whose shares are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from leaderboard.statistics.luck import Effect, Luck, Outcomes, Part, measure_luck


@dataclass(frozen=True)
class World:
    """Variances that add up to 1: of the seat, of the deck alike in all seats, of the deck other in each seat, and of all else."""

    seats: int
    seat: float
    deck: float
    crossed: float

    @property
    def noise(self) -> float:
        return 1 - self.seat - self.deck - self.crossed

    @property
    def truth(self) -> dict[str, float]:
        """A deck's effect that differs by seat, and sums to nought, is what cancels in a block."""
        own = 1 - self.seat
        shared = self.noise + self.seats * self.deck
        return {"shared": shared, "own": own, "saved": own - shared, "deck": self.deck + self.crossed, "seat": self.seat}

    def outcomes(self, rng: np.random.Generator, blocks: int) -> tuple[Outcomes, Outcomes, Outcomes]:
        seats = np.linspace(-1, 1, self.seats)
        seat = (seats / seats.std() * np.sqrt(self.seat))[None, :, None]

        def decks() -> Outcomes:
            crossed = rng.normal(size=(blocks, self.seats, 1))
            crossed -= crossed.mean(axis=1, keepdims=True)
            crossed *= np.sqrt(self.crossed * self.seats / (self.seats - 1))
            return rng.normal(size=(blocks, 1, 1)) * np.sqrt(self.deck) + crossed

        def noise() -> Outcomes:
            return rng.normal(size=(blocks, self.seats, 1)) * np.sqrt(self.noise)

        shared = decks()
        own = np.stack([decks()[:, number] for number in range(self.seats)], axis=1)
        return seat + shared + noise(), seat + shared + noise(), seat + own + noise()


WORLDS = [World(2, 0.1, 0.0, 0.0), World(2, 0.1, 0.2, 0.3), World(4, 0.05, 0.1, 0.2), World(3, 0.2, 0.0, 0.4)]


def parts(luck: Luck) -> dict[str, Part]:
    return {"shared": luck.shared, "own": luck.own, "saved": luck.saved, "deck": luck.deck, "seat": luck.seat}


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_estimates_are_true_on_average_and_intervals_hold_the_truth_in_about_95_percent(world: World) -> None:
    rng = np.random.default_rng(5)
    found = [parts(measure_luck(*world.outcomes(rng, 150), draws=300, seed=number)) for number in range(160)]
    for name, truth in world.truth.items():
        assert np.mean([each[name].value for each in found]) == pytest.approx(truth, abs=0.02)
        assert 0.88 <= np.mean([each[name].low <= truth <= each[name].high for each in found]) <= 1.0, name


@pytest.mark.parametrize(
    ("world", "effect"),
    [(World(2, 0.1, 0.0, 0.4), Effect.LESS), (World(2, 0.1, 0.4, 0.0), Effect.MORE), (World(2, 0.1, 0.0, 0.0), Effect.NONE)],
    ids=str,
)
def test_the_effect_of_sharing_is_told_from_what_the_deck_does(world: World, effect: Effect) -> None:
    assert measure_luck(*world.outcomes(np.random.default_rng(3), 300)).effect is effect


def test_a_deck_that_decides_everything_cancels_where_seats_are_exchanged() -> None:
    deck = np.random.default_rng(1).integers(0, 2, size=(200, 1, 1)).astype(float)
    shared = np.concatenate([deck, 1 - deck], axis=1)
    own = np.random.default_rng(2).integers(0, 2, size=(200, 2, 1)).astype(float)
    luck = measure_luck(shared, shared, own)
    assert luck.shared.value == pytest.approx(0)
    assert luck.deck.value == pytest.approx(1, abs=0.01)
    assert luck.effect is Effect.LESS


def test_where_nothing_varies_nothing_is_known() -> None:
    ones = np.ones((30, 2, 1))
    assert measure_luck(ones, ones, ones).effect is Effect.UNKNOWN


def test_what_are_no_outcomes_is_refused() -> None:
    with pytest.raises(ValueError, match="two blocks"):
        measure_luck(*[np.ones((1, 2, 1))] * 3)
    with pytest.raises(ValueError, match="three arrays"):
        measure_luck(np.ones((3, 2, 1)), np.ones((3, 2, 1)), np.ones((3, 2, 2)))


def test_the_same_outcomes_have_the_same_intervals() -> None:
    outcomes = WORLDS[1].outcomes(np.random.default_rng(9), 60)
    assert measure_luck(*outcomes) == measure_luck(*outcomes)
